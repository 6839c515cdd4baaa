package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// A page without a run in its address says what it is for, and offers challenges, until something was chosen.
func TestFirst(t *testing.T) {
	t.Parallel()
	p := first(t)
	for _, width := range []int64{1280, 390} {
		p.size(width, 800, "light")
		p.settle()
		assert.Contains(t, p.text("#intro"), "Only one may be inside the critical section at a time.")
		assert.Less(t, eval[float64](p, `document.querySelector("#choices button").getBoundingClientRect().bottom`), 800.0, "%d px", width)
		assert.LessOrEqual(t, eval[int64](p, `document.documentElement.scrollWidth`), width)
		assert.Empty(t, p.axe(), "%d px", width)
	}
	p.press("#help")
	p.settle()
	assert.Contains(t, p.text("#words"), "inside the critical section")
	assert.Empty(t, p.axe(), "help")
	p.press("#keys form button")
	p.step(2)
	assert.False(t, eval[bool](p, `document.querySelector("#intro").hidden`))

	p.press("#tries button")
	assert.Equal(t, "let-two-in", p.view().Goal.Name)
	assert.True(t, eval[bool](p, `document.querySelector("#intro").hidden`))
	p.load("version 1; nodes 3; algorithm central")
	assert.True(t, eval[bool](p, `document.querySelector("#intro").hidden`))
}

// Back of the browser returns to the run that another one has replaced, as it was left.
func TestBrowserBack(t *testing.T) {
	t.Parallel()
	p := first(t)
	p.click("#tries button", 1)
	p.saved()
	eval[chromedp.Void](p, `history.back()`)
	p.until(`document.querySelector("#title").innerText === "A coordinator"`)
	assert.False(t, eval[bool](p, `document.querySelector("#intro").hidden`), "the first run has no address")

	p.load("version 1; processes 2; lock bakery/late-number; run 0.0.1")
	p.check()
	p.step(2)
	own := p.address()
	p.click("#checked button[data-text]", 1)
	assert.Equal(t, "violated", p.view().Verdict.Kind)
	p.saved()
	p.step(1)
	p.click("#back", 1)
	p.saved()
	found := p.address()

	eval[chromedp.Void](p, `history.back()`)
	p.until(`document.querySelector("#position").innerText === "5 of 5"`)
	assert.Equal(t, own, p.address())
	eval[chromedp.Void](p, `history.forward()`)
	p.until(`document.querySelector("#verdict").dataset.kind === "violated"`)
	assert.Equal(t, found, p.address())
}
