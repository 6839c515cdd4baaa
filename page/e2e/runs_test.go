package e2e

import (
	"fmt"
	"maps"
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
	groups := map[string][]play.Algorithm{}
	for _, a := range list.Algorithms {
		group := a.Group + ", " + a.Kind
		groups[group] = append(groups[group], a)
	}
	for group, all := range groups {
		t.Run(group, func(t *testing.T) {
			t.Parallel()
			p, other := first(t), first(t)
			for _, a := range all {
				p.run(a, other)
			}
			drawn := p.pictures()
			p.saved()
			p.reload()
			p.same("after loading the page again", drawn, p.pictures())
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

// run makes 20 steps of an algorithm, or as many as there are. The address is opened in the page of another tab.
func (p *tab) run(a play.Algorithm, other *tab) {
	p.Helper()
	p.visit(usual(a))
	opened := p.view()
	require.Equal(p, a.Name, opened.Run.Algorithm)
	require.Empty(p, opened.Refused, a.Name)
	assert.Zero(p, opened.Made, a.Name)
	start := p.pictures()

	p.step(20)
	made, drawn := p.view(), p.pictures()
	require.Positive(p, made.Made, a.Name)

	p.click("#back", made.Made)
	back := p.view()
	assert.Zero(p, back.Made, a.Name)
	assert.Equal(p, made.Made, back.Kept, a.Name)
	p.same(a.Name+" after going back", start, p.pictures())

	p.click("#forward", made.Made)
	assert.Equal(p, made, p.view(), "%s after going forward", a.Name)
	p.same(a.Name+" after going forward", drawn, p.pictures())

	other.visit(p.address())
	assert.Equal(p, made, other.view(), "%s in another tab", a.Name)
	p.same(a.Name+" in another tab", drawn, other.pictures())
}

// step makes steps: what happens by itself or, if nothing does, what a user can do, each in turn.
func (p *tab) step(times int) {
	p.Helper()
	eval[chromedp.Void](p, fmt.Sprintf(`(() => {
		for (let i = 0; i < %d; i++) {
			const step = document.querySelector("#step");
			const users = document.querySelectorAll("#choices button[data-group=user]");
			if (step.disabled && users.length === 0) return;
			(step.disabled ? users[i %% users.length] : step).click();
		}
	})()`, times))
}

// same fails the test if pictures differ, and says in which character.
func (p *tab) same(when string, want, got map[string]string) {
	p.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		w, g := want[name], got[name]
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
