package e2e

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Everything can be reached by the Tab key, in a circle, and what has the focus is seen.
func TestTab(t *testing.T) {
	t.Parallel()
	p := newTab(t)
	for _, text := range []string{
		"version 1; nodes 3; algorithm ricartagrawala; run a0.s3",
		"version 1; processes 2; lock peterson; run 0.1",
	} {
		p.load(text)
		reached := map[string]bool{}
		for range 200 {
			p.keys(kb.Tab)
			at := eval[string](p, `(e => e === document.body ? "" : e.id ? "#" + e.id : e.dataset.do ?? e.outerHTML.slice(0, 80))(document.activeElement)`)
			if at == "" || reached["#algorithm"] && at == "#algorithm" {
				break
			}
			reached[at] = true
		}
		for _, id := range []string{"#algorithm", "#check", "#step", "#play", "#scrub", "#save-scenario", "#file", "#help"} {
			assert.True(t, reached[id], "%s: Tab does not reach %s", text, id)
		}
		for _, c := range p.view().Choices {
			assert.True(t, reached[c.Do], "%s: Tab does not reach the choice %s", text, c.Text)
		}
	}
}

// Keys step, go back, and forward; the focus stays where it was.
func TestKeys(t *testing.T) {
	t.Parallel()
	p := newTab(t)
	p.load("version 1; nodes 3; algorithm ricartagrawala; run a0")
	p.focus("#step")
	p.keys(kb.Enter + kb.Enter + kb.Enter)
	require.Equal(t, 4, p.view().Made)
	assert.Equal(t, "step", eval[string](p, `document.activeElement.id`), "the focus was lost")
	eval[bool](p, `document.activeElement.blur(), true`)
	p.keys(kb.ArrowLeft)
	assert.Equal(t, 3, p.view().Made, "ArrowLeft goes back")
	p.keys(kb.ArrowRight)
	assert.Equal(t, 4, p.view().Made, "ArrowRight goes forward, or steps")

	for _, focused := range []string{"#choices button", "#tab-log", "#diagram", ".diagram-scroller", "#panel-state", "#network input"} {
		p.focus(focused)
		p.keys(kb.Home)
		assert.Zero(t, p.view().Made, "Home, %s", focused)
		p.keys(kb.End)
		assert.Equal(t, 4, p.view().Made, "End, %s", focused)
		p.keys(kb.ArrowLeft)
		assert.Equal(t, 3, p.view().Made, "ArrowLeft, %s", focused)
		p.keys("bsf")
		assert.Equal(t, 4, p.view().Made, "letters, %s", focused)
	}
	p.focus("#scrub")
	p.keys(kb.ArrowLeft)
	p.until(`document.querySelector("#scrub").getAttribute("aria-valuetext") === "3 of 4"`)
	p.keys(kb.ArrowRight)
	p.until(`document.querySelector("#scrub").getAttribute("aria-valuetext") === "4 of 4"`)

	p.focus("#members")
	before := p.view()
	p.keys("sbn ")
	assert.Equal(t, before.Made, p.view().Made, "letters in an input are no keys")
}
