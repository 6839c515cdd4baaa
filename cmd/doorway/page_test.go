//go:build !doorway_explore

package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/tier"
)

// unpacked returns the files of a page by their names.
func unpacked(t *testing.T, text string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, m := range regexp.MustCompile(`id="file:([^"]+)">([^<]*)</script>`).FindAllStringSubmatch(text, -1) {
		z, err := gzip.NewReader(bytes.NewReader(undigits(m[2])))
		require.NoError(t, err, m[1])
		data, err := io.ReadAll(z)
		require.NoError(t, err, m[1])
		files[m[1]] = string(data)
	}
	return files
}

// undigits returns what digits are of, as index.html has it.
func undigits(text string) (data []byte) {
	bits, have := 0, 0
	for k := 0; k < len(text); k += 2 {
		pair, width := strings.ReplaceAll(text[k:min(k+2, len(text))], "~", "<"), 5
		value := int(pair[0] - '!')
		if len(pair) == 2 {
			value, width = value+91*int(pair[1]-'!'), 13
		}
		bits |= value << have
		for have += width; have >= 8; have -= 8 {
			data = append(data, byte(bits))
			bits >>= 8
		}
	}
	return data
}

func TestDigits(t *testing.T) {
	for n := range 100 {
		for _, b := range []byte{0, 1, 0x7f, 0xff} {
			data := append(bytes.Repeat([]byte{b, byte(n)}, n/2), make([]byte, n%2)...)
			text := digits(data)
			assert.Equal(t, data, append([]byte{}, undigits(text)...), "%d bytes, %d", n, b)
			assert.NotContains(t, text, "<")
		}
	}
	assert.Len(t, digits(make([]byte, 1300)), 1600)
}

// Everything is in one file: styles as they are, other files packed so that HTML finds nothing in them.
func TestDocument(t *testing.T) {
	const index = "<head>\n<!-- doorway:styles -->\n</head>\n<!-- doorway:files -->\n<script>start()</script>\n"
	static := fstest.MapFS{
		"index.html": {Data: []byte(index)}, "a.css": {Data: []byte("a {}\n")}, "b.css": {Data: []byte("b {}\n")},
		"main.js": {Data: []byte("'</script><!-- doorway:files -->'\n")},
	}
	parts := map[string][]byte{"doorway.wasm": bytes.Repeat([]byte{0, 1, 2, 0xff}, 1000), "none.js": {}}
	text, err := document(static, parts)
	require.NoError(t, err)
	assert.Regexp(t, `^<head>\n<style>\na {}\n</style>\n<style>\nb {}\n</style>\n\n</head>\n<script type="application/octet-stream" id="file:`, string(text))
	assert.True(t, strings.HasSuffix(string(text), "</script>\n\n<script>start()</script>\n"))
	assert.Equal(t, map[string]string{
		"main.js": "'</script><!-- doorway:files -->'\n", "none.js": "", "doorway.wasm": strings.Repeat("\x00\x01\x02\xff", 1000),
	}, unpacked(t, string(text)))
	static["index.html"].Data = []byte("<!-- doorway:styles -->")
	_, err = document(static, parts)
	require.EqualError(t, err, "page/static/index.html lacks the comment <!-- doorway:files -->")
}

// An operand is what the page opens with.
func TestPageText(t *testing.T) {
	lock := filepath.Join(t.TempDir(), "run.txt")
	require.NoError(t, os.WriteFile(lock, []byte("processes 2; lock peterson; run 0.1\n"), 0o600))
	for operand, want := range map[string]string{
		"peterson":                   "peterson",
		"maekawa/late-failed":        "maekawa/late-failed",
		"nodes 4; algorithm raymond": "nodes 4; algorithm raymond",
		lock:                         "processes 2; lock peterson; run 0.1",
	} {
		got, err := newPage().text(streams{}, []string{operand})
		require.NoError(t, err)
		assert.Equal(t, want, got, operand)
	}
	scenario, err := newPage().text(streams{}, []string{"../../examples/scenarios/ricartagrawala.txt"})
	require.NoError(t, err)
	assert.Regexp(t, `^nodes \d+\nalgorithm ricartagrawala\n`, scenario)
	assert.NotContains(t, scenario, dashes)
	assert.Equal(t, "file:///a%20b/page.html#nodes%203%3B%20algorithm%20x%2By", address("/a b/page.html", "nodes 3; algorithm x+y"))
}

// What the page would refuse is not built; and what is no scenario is not printed.
func TestPageRefused(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	const begins = " is neither a scenario nor a run: those begin with nodes, processes, lock, version, opening or challenge"
	for _, c := range []struct {
		name, text, says string
		status           int
	}{
		{"secret.txt", "token 5ecre7; more 5ecre7\n", "doorway: secret.txt" + begins, 1},
		{"bytes.txt", "\x00\xff5ecre7;nodes 3", "doorway: bytes.txt" + begins, 1},
		{"empty.txt", "# 5ecre7\n", "doorway: empty.txt" + begins, 1},
		{"long.txt", "nodes 3\n" + strings.Repeat("# 5ecre7\n", 1<<14), "doorway: long.txt is longer than 65536 bytes, and the page opens no run that is", 1},
		{"wrong.txt", "# a run\nnodes 3\nalgorithms raymond\n", "doorway: wrong.txt:3: expected a directive, found \"algorithms\": did you mean algorithm?", 1},
		{"nosuch.txt", "nodes 3\nalgorithm raymund\n----\n", `doorway page: no algorithm of nodes "raymund": did you mean raymond?`, 2},
		{"other.txt", "nodes 3\nalgorithm peterson\n", `doorway page: no algorithm of nodes "peterson": `, 2},
		{"door.txt", "lock the door\n5ecre7\n", "doorway: door.txt is no run of a lock: that consists of processes, lock, cap, give up, version, rules and run", 1},
		{"lock.txt", "processes 2; lock nosuch; run 0.1", `doorway page: no lock of processes "nosuch": doorway list shows them`, 2},
	} {
		require.NoError(t, os.WriteFile(c.name, []byte(c.text), 0o600))
		status, stdout, stderr := doorway("page", c.name)
		assert.Equal(t, c.status, status, c.name)
		assert.Contains(t, strings.Join(strings.Fields(stderr), " "), c.says)
		assert.Empty(t, stdout)
		assert.NotContains(t, stderr, "5ecre7")
	}
	for run, says := range map[string]string{
		"nodes 3; algorithm nosuch":   `doorway page: no algorithm of nodes "nosuch": `,
		"nodes 0; algorithm raymond":  "doorway page: the operand:1: ",
		"peterson; run 0":             "doorway page: the operand" + begins,
		"opening x; lock nosuch":      `doorway page: no lock of processes "nosuch": `,
		"nodes 3; algorithm mine.New": `doorway page: no algorithm of nodes "mine.New": `,
	} {
		status, _, stderr := doorway("page", run)
		assert.Equal(t, 2, status, run)
		assert.Contains(t, strings.Join(strings.Fields(stderr), " "), says)
	}
}

// A run may have what is one's own, and what only the page knows.
func TestPageKnown(t *testing.T) {
	mine := &ownCode{constructor: constructor{function: "New"}, goPackage: goPackage{Name: "mine"}}
	for run, want := range map[string]string{
		"version 1; nodes 3; algorithm mine.New; run s2":                                       "",
		"challenge let-two-in; version 1; processes 2; lock peterson; cap 4; give up; run 0.1": "",
		"challenge one-loss;": "",
		"opening x; nodes 3; algorithm maekawa/late-failed; ": "opening x; nodes 3; algorithm maekawa/late-failed;",
		"opening turn-first": "opening turn-first",
		"\ufeff# it\r\nnodes 3;algorithm raymond\r\n----\r\nit": "nodes 3;algorithm raymond",
		"# a lock\npeterson": "peterson",
	} {
		text, err := newPage().opens("the run", run)
		require.NoError(t, err, run)
		require.NoError(t, newPage().known(text, mine), run)
		assert.Equal(t, cmp.Or(want, run), text)
	}
}

// What is wrong shows before anything is built.
func TestPageMistaken(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, c := range []outcome{
		{"page nosuch", 2, `doorway page: no algorithm, scenario or run "nosuch"; doorway list shows the algorithms`},
		{"page petersen", 2, `doorway page: no algorithm, scenario or run "petersen": did you mean peterson?`},
		{"page nosuch.txt", 1, "open nosuch.txt: "},
		{"page peterson bakery", 2, "doorway page: it takes one algorithm, scenario or run, not 2"},
		{"page -with mylock", 2, "doorway page: -with mylock names no constructor: it is a package, a dot and a function, such as ./mylock.New"},
		{"page -with ./a.New -with ./b.New", 2, "for flag -with: the page takes one lock or protocol of your own, and has ./a.New"},
		{"page -with=", 2, "for flag -with: it is a constructor, such as ./mylock.New"},
		{"page -o site.html", 2, "doorway page: -o site.html names a file: it takes a directory, in which the page becomes index.html"},
	} {
		assert.Empty(t, shows(t, c.line, c.status, c.says), c.line)
	}
	t.Run("no cache", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		for _, dir := range []string{"", filepath.Join(file, "cache")} {
			t.Setenv("XDG_CACHE_HOME", dir)
			t.Setenv("HOME", "")
			t.Setenv("LocalAppData", dir)
			for _, line := range []string{"page", "page -o " + t.TempDir()} {
				shows(t, line, 1, "doorway: the page and what it is built of are kept in your cache directory: set XDG_CACHE_HOME to one that can be written (")
			}
		}
	})
	t.Setenv("PATH", "")
	assert.Empty(t, shows(t, "page", 1, "doorway: to make the page, doorway builds its WebAssembly program: there is no go command in PATH"))
}

// The system opens the page; if a run is to be in its address, by way of a file beside it.
func TestOpen(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems open files by other programs")
	}
	dir := t.TempDir()
	file, opened := filepath.Join(dir, "page.html"), filepath.Join(dir, "opened")
	t.Setenv("PATH", "")
	err := open(file, "")
	require.ErrorContains(t, err, "xdg-open cannot open "+file+": open it in a browser yourself (")
	t.Setenv("PATH", dir)
	script := "#!/bin/sh\necho \"$1\" >" + opened + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o700))
	require.NoError(t, open(file, ""))
	assert.Equal(t, file+"\n", page.Read(t, opened))
	require.NoError(t, open(file, `lock "x"`))
	assert.Equal(t, filepath.Join(dir, "open.html")+"\n", page.Read(t, opened))
	assert.Contains(t, page.Read(t, filepath.Join(dir, "open.html")), `content="0; url=file://`+file+`#lock%20%22x%22"`)
}

// The page has all that it needs, of this version and of no machine, and is made the same again.
func TestPage(t *testing.T) {
	inOneBuild(t)
	tier.NeedsFull(t, "builds the page, twice")
	readSources(t)
	built, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	require.NoError(t, err)
	t.Setenv("GOCACHE", strings.TrimSpace(string(built)))
	cache, dir := t.TempDir(), t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	assert.Contains(t, shows(t, "page peterson -o "+dir, 0), "index.html#peterson\n")
	text := page.Read(t, filepath.Join(dir, "index.html"))
	assert.LessOrEqual(t, len(text), 3_800_000, "bytes of the page")
	files := unpacked(t, text)
	for _, name := range []string{"main.js", "worker.js", "wasm_exec.js"} {
		assert.NotEmpty(t, files[name], name)
	}
	program := files["doorway.wasm"]
	require.True(t, strings.HasPrefix(program, "\x00asm"), "it is no WebAssembly")
	assert.False(t, strings.Contains(program, "go/types."), "go/types is linked")
	for _, source := range []string{"peterson/peterson.go", "internal/catalog/variant/bakery/latenumber/simple.go"} {
		assert.True(t, strings.Contains(files["sources.js"], `"example.org/doorway/`+source+`":`), source)
		assert.True(t, strings.Contains(program, "example.org/doorway/"+source), "%s, where traces find their lines", source)
	}
	here, err := os.Getwd()
	require.NoError(t, err)
	for _, path := range []string{cache, filepath.Dir(filepath.Dir(here))} {
		assert.False(t, strings.Contains(program+files["sources.js"], path), "%s is in the page", path)
	}
	shows(t, "page -o "+dir, 0)
	assert.True(t, text == page.Read(t, filepath.Join(dir, "index.html")), "another page from the same source")
}

// A lock or a protocol of one's own is built in its module.
func TestPageWithOwn(t *testing.T) {
	inOneBuild(t)
	inOwnModule(t, true)
	for _, c := range []outcome{
		{"./pair.Newer", 1, "doorway: ./pair has no function Newer: did you mean New?\n"},
		{"./spin.Racy", 1, "doorway: ./spin.Racy makes a lock without registers, which has no steps for the page"},
		{"pair.New", 1, ": did you mean ./pair.New?\n"},
		{"fmt.Println", 1, "doorway: fmt.Println is no constructor: it takes n, a messaging.Start or nothing, and returns one thing, "},
	} {
		assert.Empty(t, shows(t, "page -with "+c.line, c.status, c.says), c.line)
	}
	tier.NeedsFull(t, "builds another module")
	dir := t.TempDir()
	for lock, file := range map[string]string{"./internal/wrong.New": "internal/wrong/", "./rounds.New": "rounds/"} {
		shows(t, "page -o "+dir+" -with "+lock, 0)
		files := unpacked(t, page.Read(t, filepath.Join(dir, "index.html")))
		for _, source := range []string{"example.com/own/" + file, "example.org/doorway/internal/catalog/variant/"} {
			assert.True(t, strings.Contains(files["sources.js"], `"`+source), "%s: %s", lock, source)
		}
	}
}
