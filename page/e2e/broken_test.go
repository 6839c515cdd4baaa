package e2e

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// A page whose program has failed says so, and offers to open the run again.
func TestBroken(t *testing.T) {
	t.Parallel()
	const text = "version 1; nodes 3; algorithm ricartagrawala; run a0.s2"
	t.Run("a panic", func(t *testing.T) {
		t.Parallel()
		p := newTab(t)
		p.load(text)
		eval[chromedp.Void](p, `(() => { doorway.call = () => '{"panic": "index out of range"}' })()`)
		p.click("#step", 1)
		p.broken()
		p.screenshot("broken")
		eval[chromedp.Void](p, `(() => { globalThis.before = true })()`)
		p.click("#reload", 1)
		p.until(`document.body && document.body.dataset.state === "ready" && !globalThis.before`)
		assert.Equal(t, 3, p.view().Made, "the run is lost")
		p.forgive()
	})
	for name, script := range map[string]string{
		"no WebAssembly":     `delete globalThis.WebAssembly`,
		"a module of others": `WebAssembly.compileStreaming = () => Promise.reject(new Error("not a module"))`,
		"an end at once":     `WebAssembly.instantiate = () => Promise.reject(new Error("out of memory"))`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newTab(t)
			p.do(chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
				_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script})
				return err
			}))
			p.do(chromedp.Navigate(address(text)))
			p.broken()
			p.forgive()
		})
	}
}

// broken waits until the page says that it is broken, and why.
func (p *tab) broken() {
	p.Helper()
	p.until(`document.body.dataset.state === "broken"`)
	says := p.text("#verdict")
	assert.NotEmpty(p, says)
	p.Logf("%s; %s", says, p.text("#message"))
}
