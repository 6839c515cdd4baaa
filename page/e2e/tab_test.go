package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/play"
)

// patience is the deadline of an action, which otherwise waits for ever.
const patience = 20 * time.Second

// A tab is a tab of the browser. A test fails if the page in its tab has written to the console, requested
// anything, or stored anything.
type tab struct {
	testing.TB
	ctx context.Context

	mu    sync.Mutex
	wrong []string
}

// newTab opens a tab that is closed after the test.
func newTab(tb testing.TB) *tab {
	tb.Helper()
	p := &tab{TB: tb}
	ctx, closed := chromedp.NewContext(browser, chromedp.WithListener(p.observe))
	tb.Cleanup(closed)
	p.ctx = ctx
	require.NoError(tb, chromedp.Do(ctx), "a tab")
	p.do(
		command(network.Enable, network.EnableParams{}),
		// A window in the background has no focus, and its page would be told so.
		command(emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}),
	)
	tb.Cleanup(p.inspect)
	return p
}

// command is an action of the protocol whose result is of no interest.
func command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, c, params)
		return err
	})
}

// observe notes what a page must not do.
func (p *tab) observe(event any) {
	var wrong string
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		args, _ := json.Marshal(e.Args)
		wrong = fmt.Sprintf("console.%s: %s", e.Type, args)
	case *runtime.EventExceptionThrown:
		wrong = "exception: " + e.ExceptionDetails.Text + " " + e.ExceptionDetails.Exception.Description
	case *log.EventEntryAdded:
		wrong = fmt.Sprintf("log: %s: %s", e.Entry.Level, e.Entry.Text)
	case *network.EventRequestWillBeSent:
		scheme, _, _ := strings.Cut(e.Request.URL, ":")
		if scheme == "blob" || scheme == "data" || strings.HasPrefix(e.Request.URL, address("")) {
			return
		}
		wrong = "request: " + e.Request.URL
	default:
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wrong = append(p.wrong, wrong)
}

// forgive forgets what was observed, and returns it.
func (p *tab) forgive() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	wrong := p.wrong
	p.wrong = nil
	return wrong
}

// inspect fails the test if the page did what it must not.
func (p *tab) inspect() {
	if p.Failed() {
		p.screenshot("failed " + p.Name())
	}
	assert.Empty(p, p.forgive(), "in the console, or requested")
	stored := eval[[]string](p, `(async () => [
		...Object.keys(localStorage), ...Object.keys(sessionStorage), ...document.cookie.split(";").filter(Boolean),
		...(await indexedDB.databases()).map(d => d.name)])()`)
	assert.Empty(p, stored, "stored")
}

// do takes actions, within the deadline.
func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	require.NoError(p, chromedp.Do(ctx, actions...))
}

// eval evaluates JavaScript in the page, and awaits a promise.
func eval[T any](p *tab, js string) T {
	p.Helper()
	return within[T](p, patience, js)
}

// within evaluates JavaScript that may take that long.
func within[T any](p *tab, limit time.Duration, js string) T {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	require.NoError(p, err, "%.300s", js)
	return v
}

// until waits until JavaScript is true. The page may be loaded meanwhile.
func (p *tab) until(js string) {
	p.Helper()
	p.untilWithin(patience, js)
}

func (p *tab) untilWithin(limit time.Duration, js string) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	pause := time.NewTicker(10 * time.Millisecond)
	defer pause.Stop()
	for {
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+js+")"))
		if ok && err == nil {
			return
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			require.FailNow(p, "it did not happen within "+limit.String(), "%s (%v)", js, err)
		}
	}
}

// load opens the page anew, with a run in the address.
func (p *tab) load(text string) {
	p.Helper()
	p.do(chromedp.Navigate("about:blank"), chromedp.Navigate(address(text)))
	p.ready()
}

// reload loads the page of the address again.
func (p *tab) reload() {
	p.Helper()
	p.do(command(page.Reload, page.ReloadParams{}))
	p.until(`document.body && document.body.dataset.state === "ready" && !globalThis.before`)
}

func (p *tab) ready() {
	p.Helper()
	p.until(`document.body && document.body.dataset.state === "ready"`)
}

// visit opens a run in the page that is open, as a link to another part of the page does.
func (p *tab) visit(text string) {
	p.Helper()
	eval[chromedp.Void](p, fmt.Sprintf(`new Promise(done => {
		const hash = "#" + encodeURIComponent(%s);
		if (location.hash === hash) return done();
		addEventListener("hashchange", () => setTimeout(done), {once: true});
		location.hash = hash;
	})`, js(text)))
}

// click clicks elements by JavaScript, one after the other.
func (p *tab) click(selector string, times int) {
	p.Helper()
	eval[chromedp.Void](p, fmt.Sprintf(`(() => {
		for (let i = 0; i < %d; i++) document.querySelector(%s).click();
	})()`, times, js(selector)))
}

// press clicks an element with the mouse, which must hit it.
func (p *tab) press(selector string) {
	p.Helper()
	at := eval[[]float64](p, fmt.Sprintf(`(e => {
		e.scrollIntoView({block: "nearest"});
		const box = e.getBoundingClientRect(), x = box.x + box.width / 2, y = box.y + box.height / 2;
		if (!e.contains(document.elementFromPoint(x, y))) throw new Error("behind " + document.elementFromPoint(x, y)?.outerHTML.slice(0, 100));
		return [x, y];
	})(document.querySelector(%s))`, js(selector)))
	p.do(chromedp.MouseClickXY(at[0], at[1]))
}

// set sets the value of an input or a select, as a person does.
func (p *tab) set(selector, value string) {
	p.Helper()
	eval[bool](p, fmt.Sprintf(`(e => {
		e.value = %s;
		e.dispatchEvent(new Event("input", {bubbles: true}));
		return e.dispatchEvent(new Event("change", {bubbles: true}));
	})(document.querySelector(%s))`, js(value), js(selector)))
}

// choose makes a choice by its button.
func (p *tab) choose(do string) {
	p.Helper()
	p.click(fmt.Sprintf("#choices button[data-do=%q]", do), 1)
}

// keys presses keys, one after the other.
func (p *tab) keys(keys string) {
	p.Helper()
	p.do(chromedp.KeyEvent(keys))
}

// text returns what an element says.
func (p *tab) text(selector string) string {
	p.Helper()
	return eval[string](p, fmt.Sprintf(`document.querySelector(%s).innerText.trim()`, js(selector)))
}

// ask sends a request to the program of the page, and returns its answer.
func ask[T any](p *tab, request map[string]any) T {
	p.Helper()
	data, err := json.Marshal(request)
	require.NoError(p, err)
	var answer T
	text := eval[string](p, fmt.Sprintf("doorway.call(%s)", js(string(data))))
	require.NoError(p, json.Unmarshal([]byte(text), &answer), "%.300s", text)
	return answer
}

// js returns a value as JavaScript.
func js(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // only texts are given
	}
	return string(data)
}

// view returns the view of the run. Its key is of one page only.
func (p *tab) view() play.View {
	p.Helper()
	v := ask[play.View](p, map[string]any{"do": "view", "since": 0})
	v.Run.Key = 0
	return v
}

// address returns the run as its address will have it.
func (p *tab) address() string {
	p.Helper()
	return ask[struct{ Text string }](p, map[string]any{"do": "text"}).Text
}

// saved waits until the address has the run.
func (p *tab) saved() {
	p.Helper()
	p.until(fmt.Sprintf("decodeURIComponent(location.hash.slice(1)) === %s", js(p.address())))
}

// pictures returns all that is drawn of the run, in whatever order attributes were set. Which of several elements Tab
// reaches first (tabindex) is of who looks, and not of the run.
func (p *tab) pictures() map[string]string {
	p.Helper()
	return eval[map[string]string](p, `(() => {
		const drawn = node => {
			if (node.nodeType !== Node.ELEMENT_NODE) return node.textContent;
			const attributes = [...node.attributes].filter(a => a.name !== "tabindex").map(a => " " + a.name + "=" + JSON.stringify(a.value));
			return "<" + node.localName + attributes.sort().join("") + ">" + [...node.childNodes].map(drawn).join("") + "</>";
		};
		return Object.fromEntries(["diagram", "network", "lanes", "source", "states", "registers", "log", "choices", "verdict"]
			.map(id => document.getElementById(id)).filter(e => !e.hidden).map(e => [e.id, drawn(e)]));
	})()`)
}

// size sets the size of the page, and its scheme: light or dark.
func (p *tab) size(width, height int64, scheme string) {
	p.Helper()
	p.do(
		command(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: width, Height: height, DeviceScaleFactor: 1, Mobile: width < 600,
		}),
		command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		}),
	)
}

// screenshot leaves a picture of the page, if that is wanted.
func (p *tab) screenshot(name string) {
	p.Helper()
	if *screenshots == "" {
		return
	}
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if !assert.NoError(p, err) {
		return
	}
	name = strings.NewReplacer("/", "-", " ", "-").Replace(name)
	assert.NoError(p, os.WriteFile(filepath.Join(*screenshots, name+".png"), png, 0o644))
}
