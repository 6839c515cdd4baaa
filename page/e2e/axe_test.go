package e2e

import (
	_ "embed"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// The rules of accessibility, of https://github.com/dequelabs/axe-core. Their licence stands beside them.
//
//go:embed testdata/axe/axe.min.js
var axe string

// There is nothing in the page that axe finds hard to see, to read aloud or to reach.
func TestAccessible(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text string }{
		{"nodes", "version 1; nodes 13; algorithm maekawa; run a0.a1.s6"},
		{"lock", "version 1; processes 2; lock peterson; run 0.0.1.1.0"},
		{"challenge", "challenge let-two-in"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newTab(t)
			p.load(c.text)
			for _, width := range []int64{390, 1280} {
				for _, scheme := range []string{"light", "dark"} {
					p.size(width, 900, scheme)
					p.settle()
					p.screenshot(fmt.Sprintf("%s %d %s", c.name, width, scheme))
					assert.Empty(t, p.axe(), "%s at %d px, %s", c.name, width, scheme)
					assert.LessOrEqual(t, eval[int64](p, `document.documentElement.scrollWidth`), width, "%s at %d px: the page is wider", c.name, width)
					if width > 1000 {
						assert.LessOrEqual(t, eval[int](p, `document.documentElement.scrollHeight`), 900, "%s: only its panes scroll", c.name)
					}
				}
			}
		})
	}
}

// settle waits until the page is drawn, and what moves has come to rest.
func (p *tab) settle() {
	p.Helper()
	eval[chromedp.Void](p, `(async () => {
		await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
		await Promise.all(document.getAnimations().map(a => a.finished.catch(() => {})));
	})()`)
}

// axe returns the violations in the page as it is.
func (p *tab) axe() []string {
	p.Helper()
	if !eval[bool](p, `"axe" in globalThis`) {
		eval[chromedp.Void](p, axe+`; undefined`)
	}
	return eval[[]string](p, `axe.run(document, {resultTypes: ["violations"]}).then(found => found.violations.map(v =>
		v.id + ": " + v.help + v.nodes.map(n => "\n  " + n.html.slice(0, 200) + (v.id === "color-contrast" ? " " + n.failureSummary : "")).join("")))`)
}
