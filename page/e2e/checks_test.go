package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A check of what is wrong finds a counterexample, and opens it at its end.
func TestCounterexamples(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, verdict string }{
		{"version 1; processes 2; lock bakery/late-number", "violated"},
		{"version 1; nodes 2; algorithm ricartagrawala/no-tie-break", "violated"},
	} {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			p := newTab(t)
			p.load(c.text)
			p.check()
			const link = "#checked button[data-text]"
			p.until(`document.querySelector("` + link + `")`)
			assert.Equal(t, 1, strings.Count(p.text("#checked"), "fails"), p.text("#checked"))
			p.click(link, 1)
			v := p.view()
			assert.Contains(t, p.text("#checked"), fmt.Sprintf("shortest: %d steps", v.Made))
			assert.Contains(t, p.text("#led"), "shows what led there")
			assert.Equal(t, c.verdict, v.Verdict.Kind, v.Verdict.Text)
			assert.Positive(t, v.Made)
			assert.Zero(t, v.Kept, "not at its end")
			assert.Equal(t, v.Verdict.Text, p.text("#verdict"))
			p.screenshot("counterexample " + v.Run.Algorithm)
			p.click("#back", 1)
			assert.Equal(t, v.Made-1, p.view().Made)
			assert.NotEqual(t, c.verdict, p.view().Verdict.Kind, "it is violated before its last step")
		})
	}
}

// Verdicts stand beside no other run than those that they are of.
func TestChecksOfOther(t *testing.T) {
	t.Parallel()
	p := newTab(t)
	const ordered, unordered = "version 1; nodes 2; algorithm lamport", "version 1; nodes 2; algorithm lamport; unordered"
	p.load(unordered)
	p.check()
	assert.Contains(t, p.text("#checked"), "fails")
	assert.Empty(t, p.axe())
	for _, other := range []string{ordered, "version 1; nodes 3; algorithm lamport; unordered", "version 1; processes 2; lock peterson"} {
		p.visit(other)
		assert.True(t, eval[bool](p, `document.querySelector("#checked").hidden && document.querySelector("#led").hidden`), other)
		assert.Contains(t, p.text("#progress"), "This run is not checked.", other)
	}
	p.visit(unordered + "; run a0")
	assert.Contains(t, p.text("#checked"), "fails")
	assert.Contains(t, p.text("#progress"), "lamport, 2 nodes")
	p.check()
	assert.NotContains(t, p.text("#progress"), "not checked")
}

// A check that is cancelled is over at once, and another one can be made.
func TestCancel(t *testing.T) {
	t.Parallel()
	p := newTab(t)
	p.load("version 1; nodes 4; algorithm ricartagrawala") // more than a million states
	p.click("#check", 1)
	p.until(`!document.querySelector("#cancel").hidden`)
	p.step(3)
	assert.Equal(t, 3, p.view().Made, "the page can be used meanwhile")
	started := time.Now()
	p.click("#cancel", 1)
	p.until(`document.querySelector("#cancel").hidden`)
	assert.Less(t, time.Since(started), time.Second)
	assert.Zero(t, eval[int](p, `document.querySelectorAll("#checked button").length`))

	p.visit("version 1; nodes 2; algorithm ricartagrawala")
	p.check()
	assert.Contains(t, p.text("#checked"), "holds")
}

// check checks every schedule, to the end.
func (p *tab) check() {
	p.Helper()
	p.click("#check", 1)
	p.untilWithin(time.Minute, `document.querySelector("#cancel").hidden && document.querySelector("#checked").childElementCount`)
}

// A process that awaits what does not hold is not offered, and the page says what it awaits.
func TestBlocked(t *testing.T) {
	t.Parallel()
	p := newTab(t)
	p.load("version 1; processes 2; lock peterson")
	blocked := func() bool { return len(p.view().Blocked) > 0 }
	for range 40 {
		if blocked() {
			break
		}
		p.click("#step", 1)
	}
	v := p.view()
	require.NotEmpty(t, v.Blocked, "no process of 2 has waited in 40 steps")
	for _, b := range v.Blocked {
		for _, c := range v.Choices {
			assert.False(t, c.Member == b.Member && c.Group == "next", "%s is offered: %s", b.Why, c.Text)
		}
		assert.Contains(t, p.text("body"), b.Why)
	}
	offered := eval[[]string](p, `[...document.querySelectorAll("#choices button:not(:disabled)")].map(b => b.dataset.do)`)
	assert.Len(t, offered, len(v.Choices))
}

// Messages that are alike are kept back for the same reason, each in a line of its own.
func TestBlockedAlike(t *testing.T) {
	t.Parallel()
	p := first(t)
	p.visit("version 1; nodes 2; algorithm ricartagrawala; run a0.y1.y1")
	assert.Equal(t, len(p.view().Blocked), eval[int](p, `document.querySelectorAll("#blocked li").length`))
}

// On a phone the verdicts, and then the counterexample, come into view.
func TestChecksInView(t *testing.T) {
	t.Parallel()
	p := newTab(t)
	p.size(390, 844, "light")
	p.load("version 1; processes 2; lock bakery/late-number")
	p.check()
	const top = `.getBoundingClientRect().top`
	at := eval[float64](p, `document.querySelector("#progress")`+top)
	assert.Greater(t, at, 40.0, "behind the verdict")
	assert.Less(t, at, 400.0, "below what is seen")
	p.press("#checked button[data-text]")
	at = eval[float64](p, `document.querySelector("#side")`+top)
	assert.Greater(t, at, 40.0)
	assert.Less(t, at, 400.0)
}
