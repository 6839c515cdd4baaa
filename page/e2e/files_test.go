package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const scenario = "testdata/scenario.txt"

// A scenario file opens by the input, and where it is dropped.
func TestOpenFile(t *testing.T) {
	t.Parallel()
	p := first(t)
	path, err := filepath.Abs(scenario)
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)

	p.do(chromedp.SetUploadFiles("#file", []string{path}))
	p.opened("maekawa/no-deadlock-handling")
	byInput := p.view()

	p.visit("version 1; nodes 2; algorithm ricartagrawala")
	p.drop("scenario.txt", string(text))
	p.opened("maekawa/no-deadlock-handling")
	assert.Equal(t, byInput, p.view())
}

// A file that is no scenario is refused by a sentence, and the run stays.
func TestOpenOtherFile(t *testing.T) {
	t.Parallel()
	p := newTab(t)
	p.load("version 1; nodes 3; algorithm ricartagrawala; run a0.s3")
	for i, c := range []struct{ name, text, says string }{
		{"page.html", `<!doctype html><img src=x onerror=document.body.dataset.hacked=1><script>document.body.dataset.hacked=1</script>`, "no directive"},
		{"large.txt", strings.Repeat("at 1 S1 requests\n", 10<<20/17), "at most 65536 can be opened"},
		{"long.txt", strings.Repeat("nodes 3;", 9000), "long.txt has 72000 bytes; at most 65536 can be opened."},
		{"empty.txt", "", "empty.txt is empty."},
		{"picture.png", "\x89PNG\r\n\x1a\n\x00\x00", "no directive"},
	} {
		started := time.Now()
		p.drop(c.name, c.text)
		p.until(`document.querySelector("#message").innerText`)
		assert.Less(t, time.Since(started), 5*time.Second, c.name) // most of which the browser needs, to be handed 10 MB
		assert.Contains(t, p.text("#message"), c.says, c.name)
		assert.False(t, eval[bool](p, `"hacked" in document.body.dataset`), c.name)
		p.visit(fmt.Sprintf("version 1; nodes 3; algorithm ricartagrawala; run a0.a1.s%d", i+1))
		assert.Equal(t, i+3, p.view().Made, "the page does not go on")
		assert.Empty(t, p.text("#message"))
	}
}

// opened waits until a run of that algorithm is open.
func (p *tab) opened(algorithm string) {
	p.Helper()
	p.until(fmt.Sprintf(`JSON.parse(doorway.call('{"do":"view","since":0}')).run.algorithm === %s`, js(algorithm)))
}

// drop drops a file on the page.
func (p *tab) drop(name, text string) {
	p.Helper()
	eval[chromedp.Void](p, fmt.Sprintf(`(() => {
		const dropped = new DataTransfer();
		dropped.items.add(new File([%s], %s, {type: "text/plain"}));
		for (const type of ["dragenter", "dragover", "drop"]) {
			document.querySelector("#pictures").dispatchEvent(new DragEvent(type, {dataTransfer: dropped, bubbles: true, cancelable: true}));
		}
	})()`, js(text), js(name)))
}

// What is saved is what is shown: the scenario runs with the command, and opens again.
func TestSave(t *testing.T) {
	t.Parallel()
	p := newTab(t)
	dir := t.TempDir()
	p.do(command(cdpbrowser.SetDownloadBehavior, cdpbrowser.SetDownloadBehaviorParams{Behavior: "allow", DownloadPath: dir}))
	const text = "version 1; nodes 3; algorithm ricartagrawala; run a0.a1.s12"
	p.load(text)
	v := p.view()

	name, saved := p.save(dir, "scenario")
	out, err := exec.CommandContext(t.Context(), doorway, "run", filepath.Join(dir, name)).CombinedOutput()
	require.NoError(t, err, "doorway run: %s\n%s", out, saved)
	p.visit("version 1; nodes 2; algorithm maekawa")
	p.drop(name, saved)
	p.opened("ricartagrawala")
	assert.Equal(t, v.Events, p.view().Events, "the run is another one")

	name, saved = p.save(dir, "test")
	assert.True(t, strings.HasSuffix(name, "_test.go"), name)
	assert.Contains(t, saved, "func Test")

	name, saved = p.save(dir, "svg")
	assert.True(t, strings.HasSuffix(name, ".svg"), name)
	assert.True(t, strings.HasPrefix(saved, "<svg"), "%.100s", saved)
}

// save saves the run by a button, and returns the file's name and text.
func (p *tab) save(dir, as string) (name, text string) {
	p.Helper()
	before, err := os.ReadDir(dir)
	require.NoError(p, err)
	p.click("#save-"+as, 1)
	require.Eventually(p, func() bool {
		after, err := os.ReadDir(dir)
		if err != nil || len(after) == len(before) {
			return false
		}
		for _, f := range after {
			if strings.HasSuffix(f.Name(), ".crdownload") {
				return false
			}
			if !slices.ContainsFunc(before, func(b os.DirEntry) bool { return b.Name() == f.Name() }) {
				name = f.Name()
			}
		}
		return name != ""
	}, patience, 20*time.Millisecond, "nothing was saved: %s", p.text("#message"))
	data, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(p, err)
	return name, string(data)
}
