package e2e

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/play"
)

const three = "version 1; nodes 3; algorithm ricartagrawala"

// A run plays by itself until it is paused, and the position is any that it had.
func TestPlay(t *testing.T) {
	t.Parallel()
	p := newTab(t)
	p.load(three + "; run a0.a1.a2")
	made := func(n int) string {
		return fmt.Sprintf(`JSON.parse(doorway.call('{"do":"view","since":0}')).made >= %d`, n)
	}
	p.set("#speed", "20")
	p.press("#play")
	p.until(made(6))
	p.press("#play")
	paused := p.view().Made
	p.settle()
	assert.Equal(t, paused, p.view().Made, "it plays on")

	p.scrub(2)
	v := p.view()
	assert.Equal(t, 2, v.Made)
	assert.Equal(t, paused-2, v.Kept)
	p.scrub(paused)
	assert.Equal(t, paused, p.view().Made)

	p.press("#play")
	p.until(made(paused + 1))
	p.until(`document.querySelector("#play").disabled`)
	assert.Equal(t, "Play", p.text("#play"), "the run is at its end")
}

// scrub moves the slider.
func (p *tab) scrub(to int) {
	p.Helper()
	p.set("#scrub", fmt.Sprint(to))
	p.until(fmt.Sprintf(`JSON.parse(doorway.call('{"do":"view","since":0}')).made === %d`, to))
}

// Another choice than those that were taken back forgets them: the page says so, and gets them back.
func TestForgotten(t *testing.T) {
	t.Parallel()
	p := newTab(t)
	shown := func() bool { return eval[bool](p, `!document.querySelector("#forgotten").hidden`) }
	p.load(three + "; run a0.a1.s4")
	whole := p.view()
	text := p.address()
	p.click("#back", 4)
	p.choose(p.view().Forward)
	assert.Equal(t, 3, p.view().Kept)
	assert.False(t, shown(), "it is the choice that was taken back")

	p.choose("a2")
	assert.Equal(t, "The 3 choices taken back are forgotten. Get them back", p.text("#forgotten"))
	p.press("#restore")
	assert.Equal(t, 3, p.view().Made, "not where the other choice was made")
	assert.Equal(t, 3, p.view().Kept)
	assert.False(t, shown())
	p.click("#forward", 3)
	assert.Equal(t, text, p.address())
	assert.Equal(t, whole.Events, p.view().Events)

	p.click("#back", 1)
	p.click("#forward", 1)
	p.click("#back", 1)
	p.choose("a2")
	assert.Contains(t, p.text("#forgotten"), "The choice taken back is forgotten.")
	p.visit(three)
	assert.False(t, shown(), "of another run")
}

// What an opening run shows next can be had again, too.
func TestForgottenOpening(t *testing.T) {
	t.Parallel()
	p := first(t)
	tried := 0
	for _, o := range ask[play.Catalog](p, map[string]any{"do": "list"}).Openings {
		p.set("#opening", o.Name)
		opened := p.view()
		other := slices.IndexFunc(opened.Choices, func(c play.Choice) bool { return c.Do != opened.Forward })
		if opened.Kept == 0 || other < 0 {
			continue
		}
		tried++
		p.choose(opened.Choices[other].Do)
		p.press("#restore")
		assert.Equal(t, opened.Kept, p.view().Kept, o.Name)
		assert.Equal(t, opened.Made, p.view().Made, o.Name)
	}
	assert.Positive(t, tried)
}

// A message is lost, and a node crashes, by their buttons; then the verdict says who waits for whom.
func TestFaults(t *testing.T) {
	t.Parallel()
	p := newTab(t)
	p.load(three + "; run a0")
	fault := func(prefix byte) play.Choice {
		for _, c := range p.view().Choices {
			if c.Group == "fault" && c.Do[0] == prefix {
				return c
			}
		}
		require.FailNow(t, "not offered", "%c", prefix)
		return play.Choice{}
	}
	p.choose(fault('x').Do)
	p.choose("k2")
	assert.True(t, p.view().Members[2].Crashed)
	p.click("#step", 20)
	v := p.view()
	assert.Equal(t, "stuck", v.Verdict.Kind, v.Verdict.Text)
	assert.Equal(t, v.Verdict.Text, p.text("#verdict"))
	assert.Contains(t, v.Verdict.Text, "S1")
	p.screenshot("stuck")
}

// An algorithm and a number of members are selected, and the run begins.
func TestSelect(t *testing.T) {
	t.Parallel()
	p := first(t)
	list := ask[play.Catalog](p, map[string]any{"do": "list"})
	for _, want := range []string{"maekawa", "peterson", "bakery/late-number"} {
		for i, a := range list.Algorithms {
			if a.Name != want {
				continue
			}
			p.set("#algorithm", want)
			v := p.view()
			assert.Equal(t, want, v.Run.Algorithm, i)
			assert.Len(t, v.Members, a.Usual)
			p.set("#members", fmt.Sprint(a.Most))
			assert.Len(t, p.view().Members, a.Most)
			assert.Equal(t, want, p.view().Run.Algorithm)
		}
	}
}

// An algorithm is found by a part of its name, with keys alone. What is no name leaves the run.
func TestSearch(t *testing.T) {
	t.Parallel()
	p := first(t)
	names := eval[[]string](p, `[...document.querySelector("#algorithm").list.options].map(o => o.value)`)
	assert.Len(t, names, len(ask[play.Catalog](p, map[string]any{"do": "list"}).Algorithms))
	p.focus("#algorithm")
	p.keys("aymon")
	p.keys(kb.Enter)
	assert.Equal(t, "raymond", p.view().Run.Algorithm)
	assert.Empty(t, p.axe())
	p.keys("s") // is no step while the field has the focus
	p.keys("?" + kb.Enter)
	assert.Equal(t, "There is no algorithm s?.", p.text("#message"))
	assert.Equal(t, "raymond", p.view().Run.Algorithm)
	assert.Zero(t, p.view().Made)
	p.keys(kb.Tab)
	assert.Equal(t, "raymond", eval[string](p, `document.querySelector("#algorithm").value`))
}

// All of what the openings and the challenges are opens, without a complaint.
func TestOpenings(t *testing.T) {
	t.Parallel()
	p := first(t)
	list := ask[play.Catalog](p, map[string]any{"do": "list"})
	assert.GreaterOrEqual(t, len(list.Openings), 8)
	assert.GreaterOrEqual(t, len(list.Challenges), 4)
	for _, o := range append(list.Openings, list.Challenges...) {
		p.visit(o.Text)
		v := p.view()
		assert.Empty(t, v.Refused, o.Name)
		assert.Equal(t, o.Title, v.Run.Title, o.Name)
		assert.Contains(t, p.text("#about"), o.Title, o.Name)
		p.screenshot("opening " + o.Name)
	}
}

// Nothing moves for a person who does not want it.
func TestReducedMotion(t *testing.T) {
	t.Parallel()
	p := newTab(t)
	p.do(command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}},
	}))
	p.load(three + "; run a0")
	for range 5 {
		p.click("#step", 1)
		assert.Empty(t, eval[[]string](p, `document.getAnimations().filter(a => a.effect.getComputedTiming().endTime > 1).map(a => a.effect.target.outerHTML)`))
	}
}
