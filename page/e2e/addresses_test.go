package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An address that is hostile, or of another time, is answered within a second by a sentence. What is right in front of
// the mistake is played, and the page goes on.
func TestAddresses(t *testing.T) {
	t.Parallel()
	p := first(t)
	for _, c := range []struct {
		name, text string
		made       int // of what is right
	}{
		{"a script in a name", `version 1; nodes 3; algorithm <script>document.body.dataset.hacked=1</script>`, 0},
		{"an image in a name", `version 1; nodes 3; algorithm <img src=x onerror=document.body.dataset.hacked=1>`, 0},
		{"a script in a choice", `version 1; nodes 3; algorithm ricartagrawala; run a0."><svg onload=document.body.dataset.hacked=1>`, 1},
		{"a script instead of a run", `javascript:document.body.dataset.hacked=1`, 0},
		{"the longest link that Chromium follows", "version 1; nodes 3; algorithm ricartagrawala; run a0" + strings.Repeat(".s1", 1900_000/3), 0},
		{"1,000 nodes", `version 1; nodes 1000; algorithm ricartagrawala; run a0.s2000`, 0},
		{"1,000 processes", `version 1; processes 1000; lock bakery; run 0.1`, 0},
		{"a billion steps", `version 1; nodes 3; algorithm ricartagrawala; run a0.s1000000000`, 0},
		{"another version", `version 9; nodes 3; algorithm ricartagrawala; run a0.s5`, 0},
		{"other rules", `version 1; nodes 3; algorithm ricartagrawala; rules 01234567; run a0.s2`, 0},
		{"other rules of a lock", `version 1; processes 2; lock peterson; cap 4; rules 01234567; run 0.1`, 0},
		{"no such algorithm", `version 1; nodes 3; algorithm nobody; run a0`, 0},
		{"no such challenge", `challenge nothing`, 0},
		{"a choice that cannot be made", `version 1; nodes 3; algorithm ricartagrawala; run a0.a1.d99`, 2},
		{"a truncated run", `version 1; nodes 3; algorithm ricartagrawala; run a0.a`, 1},
		{"a truncated text", `version 1; nodes 3; algo`, 0},
		{"a step of a process that there is not", `version 1; processes 2; lock peterson; run 0.1.7`, 2},
		{"no text", "\x00\x01\u202e", 0},
	} {
		took := p.answered(c.text)
		assert.Less(t, took, 1000.0, "%s: ms", c.name)
		says := p.text("#message")
		assert.NotEmpty(t, says, c.name)
		assert.Less(t, len(says), 500, "%s: %.600s", c.name, says)
		t.Logf("%s (%.0f ms): %s", c.name, took, says)
		if c.made > 0 {
			assert.Equal(t, c.made, p.view().Made, "%s: the choices in front of the mistake", c.name)
		}
		assert.False(t, eval[bool](p, `"hacked" in document.body.dataset`), c.name)
		assert.Equal(t, "ready", eval[string](p, `document.body.dataset.state`), c.name)

		p.visit("version 1; nodes 3; algorithm ricartagrawala; run a0")
		require.Equal(t, 1, p.view().Made, "%s: the page does not go on", c.name)
		require.Empty(t, p.text("#message"), c.name)
		p.click("#step", 1)
		require.Equal(t, 2, p.view().Made, "%s: the page does not go on", c.name)
	}
}

// answered sets the address, waits until the page says why it refuses that, and returns how many ms it took, without
// those that Chromium needs for the address.
func (p *tab) answered(text string) float64 {
	p.Helper()
	return eval[float64](p, fmt.Sprintf(`new Promise(done => {
		const message = document.querySelector("#message"), hash = "#" + encodeURIComponent(%s);
		location.hash = hash;
		const from = performance.now();
		const look = () => message.hidden || !message.innerText ? setTimeout(look, 1) : done(performance.now() - from);
		look();
	})`, js(text)))
}

// A run of other rules can be replayed all the same.
func TestReplayAnyway(t *testing.T) {
	t.Parallel()
	p := newTab(t)
	p.load("version 1; nodes 3; algorithm ricartagrawala; rules 01234567; run a0.a1.s5")
	assert.NotEmpty(t, p.text("#message"))
	assert.NotEmpty(t, p.text("#verdict"), "the verdict stands all the time")
	p.click("#again", 1)
	assert.Equal(t, 7, p.view().Made)
	assert.Empty(t, p.text("#message"))
}

// The page cannot reach any network, and code that does not stand in it cannot run.
func TestPolicy(t *testing.T) {
	t.Parallel()
	p := first(t)
	policy := eval[string](p, `document.querySelector("head > meta[http-equiv=Content-Security-Policy]").content`)
	assert.Equal(t, "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; style-src 'unsafe-inline'; "+
		"worker-src blob:; img-src data: blob:", policy)
	assert.True(t, eval[bool](p, `document.querySelector("meta[http-equiv]").compareDocumentPosition(document.querySelector("script")) === 4`),
		"the policy stands behind a script")
	assert.Empty(t, p.forgive())
	for _, try := range []string{
		`fetch("http://127.0.0.1:9/")`,
		`fetch(location.href)`,
		`new Promise((_, no) => { const i = new Image(); i.onerror = no; i.src = "http://127.0.0.1:9/x.png"; })`,
		`import("http://127.0.0.1:9/x.js")`,
	} {
		refused := eval[bool](p, `(async () => {
			const violated = new Promise(done => addEventListener("securitypolicyviolation", () => done(true), {once: true}));
			`+try+`.catch(() => {});
			return Promise.race([violated, new Promise(done => setTimeout(done, 2000, false))]);
		})()`)
		assert.True(t, refused, try)
	}
	p.forgive() // Chromium says in the console what it has refused
}

// A run that was open before is opened again by its address, though another was refused meanwhile.
func TestAddressAgain(t *testing.T) {
	t.Parallel()
	p := newTab(t)
	p.load(three + "; run a0.s1")
	p.step(1)
	p.saved()
	was := p.address()
	p.answered("no run")
	p.visit(was)
	assert.Equal(t, 3, p.view().Made)
	assert.Empty(t, p.text("#message"))
}
