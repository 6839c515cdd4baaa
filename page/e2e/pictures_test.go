package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// focus gives the focus to an element.
func (p *tab) focus(selector string) {
	p.Helper()
	require.True(p, eval[bool](p, fmt.Sprintf(`(e => (e?.focus(), !!e && document.activeElement === e))(document.querySelector(%s))`, js(selector))), selector)
}

// focused returns the accessible name of what has the focus.
func (p *tab) focused() string {
	p.Helper()
	return eval[string](p, `(e => e.getAttribute("aria-label") ?? e.textContent)(document.activeElement)`)
}

// Of 1,000 events only those are elements that can be seen.
func TestLongRun(t *testing.T) {
	t.Parallel()
	p := newTab(t)
	p.load("version 1; nodes 4; algorithm heartbeat-bully; run s800")
	require.GreaterOrEqual(t, p.view().Total, 1000)
	p.click("#tab-log", 1)
	p.until(`document.querySelector("#log [data-row]")`)
	for _, rows := range []string{"#diagram .dot", "#log [data-row]"} {
		n := eval[int](p, fmt.Sprintf(`document.querySelectorAll(%s).length`, js(rows)))
		assert.Positive(t, n, rows)
		assert.Less(t, n, 80, rows)
	}
	p.focus(`#log [data-row][tabindex="0"]`)
	p.keys(kb.Home)
	p.until(fmt.Sprintf(`document.activeElement.lastChild?.textContent === %s`, js(p.view().Events[0].Text)))
	p.until(`document.querySelector("#diagram .dot[aria-pressed=true]")?.dataset.row === "0"`)
}

// Keys lead through the diagram: to an event, to its cause, and back in time.
func TestDiagramKeys(t *testing.T) {
	t.Parallel()
	p := newTab(t)
	p.load("version 1; nodes 3; algorithm ricartagrawala; run a0.s3")
	p.focus(`#diagram .dot[tabindex="0"]`)
	p.keys(kb.Home)
	assert.Equal(t, "S1 asks", p.focused())
	p.keys(kb.ArrowRight)
	assert.Contains(t, p.focused(), "from S1", "where the first message arrives")
	p.keys(kb.ArrowLeft)
	assert.Equal(t, "S1 asks", p.focused(), "the cause")
	p.keys(kb.ArrowDown)
	assert.Contains(t, p.focused(), "S2 gets")
	p.keys(kb.Enter)
	assert.Equal(t, 2, p.view().Made, "Enter goes back")
}

// A step that is selected by the mouse has a button that goes back to it. Rows at which two are inside stay marked.
func TestGoBack(t *testing.T) {
	t.Parallel()
	p := newTab(t)
	p.load("version 1; processes 2; lock peterson; run 0.0.1")
	p.press(`#lanes [data-row="0"]`)
	p.press("#lanes .foot-back")
	assert.Equal(t, 1, p.view().Made)
	assert.True(t, eval[bool](p, `document.querySelector("#lanes").contains(document.activeElement)`), "the focus is not lost")
	assert.Equal(t, "hidden", eval[string](p, `getComputedStyle(document.querySelector("#lanes .foot-back")).visibility`))

	p.load("opening late-number")
	p.keys(kb.End)
	p.until(`document.querySelector("#lanes .lanes-row.two")`)
	assert.Equal(t, []string{"P0", "P1"}, eval[[]string](p, `[...document.querySelectorAll("#source .here .who")].map(e => e.textContent)`))
	p.press(`#choices [data-do="1"]`)
	assert.Equal(t, 1, eval[int](p, `document.querySelectorAll("#lanes .lanes-row.two").length`), "after P1 has left")
	p.press(`#choices [data-do="1"]`)
	top := `document.querySelector(%q).getBoundingClientRect().y`
	assert.True(t, eval[bool](p, fmt.Sprintf(top+" > "+top, "#source .here", "#source-text")), "the line of P0, which is inside, is in sight")
}

// A message has a menu of what can be done with it, for the mouse and for keys.
func TestMenu(t *testing.T) {
	t.Parallel()
	p := newTab(t)
	p.load("version 1; nodes 3; algorithm ricartagrawala; run a0")
	p.press("#network .transit .glyph")
	p.until(`document.querySelector("#network .menu:popover-open [data-do^=x]")`)
	p.press("#network .menu [data-do^=x]")
	v := p.view()
	assert.Equal(t, "lost", v.Events[len(v.Events)-1].Action)
	assert.Contains(t, p.focused(), "S", "the focus is at the node to which it was on its way")

	p.focus("#network .transit")
	p.keys(kb.Enter)
	p.until(`document.querySelector("#network .menu").contains(document.activeElement)`)
	p.keys(kb.Escape)
	assert.True(t, eval[bool](p, `document.activeElement.matches("#network .transit")`), "Escape returns the focus")
	p.keys(kb.Enter + kb.Enter)
	assert.Equal(t, v.Made+1, p.view().Made, "the first choice is to deliver it")

	p.focus(`#network .node[tabindex="0"]`)
	p.keys(kb.ArrowRight + kb.Enter)
	p.until(`document.querySelector("#network .menu:popover-open [data-do^=k]")`)

	const closed = `document.querySelector("#network .menu-close").click(), !document.querySelector("#network .menu").matches(":popover-open")`
	assert.True(t, eval[bool](p, closed))
	assert.True(t, eval[bool](p, closed), "once more")
}
