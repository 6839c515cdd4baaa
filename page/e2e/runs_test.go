package e2e

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/play"
)

// Each algorithm of the catalog, those that are wrong among them, is opened, makes steps, goes back and forward, and is
// what it was when its address is opened anew.
func TestAlgorithms(t *testing.T) {
	t.Parallel()
	list := ask[play.Catalog](first(t), map[string]any{"do": "list"})
	require.NotEmpty(t, list.Algorithms)
	var groups []string
	for _, a := range list.Algorithms {
		if !slices.Contains(groups, a.Group) {
			groups = append(groups, a.Group)
		}
	}
	for _, group := range groups {
		t.Run(group, func(t *testing.T) {
			t.Parallel()
			p := first(t)
			for _, a := range list.Algorithms {
				if a.Group == group {
					p.run(a)
				}
			}
		})
	}
}

// usual is the text that opens an algorithm with the usual number of members.
func usual(a play.Algorithm) string { return strings.ReplaceAll(a.Text, "%d", strconv.Itoa(a.Usual)) }

// first opens the page as it is without a run in its address.
func first(tb testing.TB) *tab {
	tb.Helper()
	p := newTab(tb)
	p.load("")
	return p
}

// run makes 20 steps of an algorithm, or as many as there are.
func (p *tab) run(a play.Algorithm) {
	p.Helper()
	p.visit(usual(a))
	opened := p.view()
	require.Equal(p, a.Name, opened.Run.Algorithm)
	require.Empty(p, opened.Refused, a.Name)
	assert.Zero(p, opened.Made, a.Name)
	start := p.pictures()

	p.step(20)
	made, drawn := p.view(), p.pictures()
	require.Equal(p, 20, made.Made, a.Name)

	p.click("#back", made.Made)
	back := p.view()
	assert.Zero(p, back.Made, a.Name)
	assert.Equal(p, made.Made, back.Kept, a.Name)
	p.same(a.Name+" after going back", start, p.pictures())

	p.click("#forward", made.Made)
	assert.Equal(p, made, p.view(), "%s after going forward", a.Name)
	p.same(a.Name+" after going forward", drawn, p.pictures())

	p.saved()
	p.reload()
	assert.Equal(p, made, p.view(), "%s reopened", a.Name)
	p.same(a.Name+" reopened", drawn, p.pictures())
}

// step makes steps: what happens by itself or, if nothing does, the first that can be chosen.
func (p *tab) step(times int) {
	p.Helper()
	eval[chromedp.Void](p, fmt.Sprintf(`(async () => {
		for (let i = 0; i < %d; i++) {
			const step = document.querySelector("#step");
			(step.disabled ? document.querySelector("#choices button") : step).click();
			await new Promise(done => setTimeout(done));
		}
	})()`, times))
}

// same fails the test if pictures differ, and says in which character.
func (p *tab) same(when string, want, got map[string]string) {
	p.Helper()
	for name, w := range want {
		g := got[name]
		if w == g {
			continue
		}
		i := 0
		for i < min(len(w), len(g)) && w[i] == g[i] {
			i++
		}
		from := max(0, i-80)
		p.Errorf("%s: %s differs\nwas …%s\nis  …%s", when, name, w[from:min(len(w), i+120)], g[from:min(len(g), i+120)])
	}
}
