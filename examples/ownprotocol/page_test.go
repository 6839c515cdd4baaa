// Package ownprotocol_test keeps docs/own-protocol.md true: it does what the page
// says, from the first line to the last, in a new module beside this one, and
// compares what comes of it with what the page shows.
package ownprotocol_test

import (
	"errors"
	"flag"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write to the page what its commands print")

const (
	page = "../../docs/own-protocol.md"
	node = "rounds.go" // what the page changes
)

// A block of the page is one between fences. What it is, is told by the words in
// front of it or by its language:
//
//	Save this as `name`:   the file of that name
//	diff                   a change of the node; the first is there to stay, and the others
//	                       are taken back at the next heading
//	console                commands, each after a $, and what they print
//	text                   some lines of what go test prints, without the indentation of
//	                       what is logged
type block struct {
	file       string // "": it is not saved
	language   string // "": a heading
	body       string
	line       int // of the page, where the body begins
	start, end int // of the body, in the page
}

var fence = regexp.MustCompile("(?ms)(?:Save this as\\s`([^`]+)`:\n\n)?^```([a-z]+)\n(.*?)^```$|^#+ [^\n]+$")

func blocks(text string) (all []block) {
	for _, m := range fence.FindAllStringSubmatchIndex(text, -1) {
		var b block
		if m[4] >= 0 {
			b = block{language: text[m[4]:m[5]], body: text[m[6]:m[7]], start: m[6], end: m[7]}
			b.line = 1 + strings.Count(text[:b.start], "\n")
		}
		if m[2] >= 0 {
			b.file = text[m[2]:m[3]]
		}
		all = append(all, b)
	}
	return all
}

func TestPage(t *testing.T) {
	if testing.Short() {
		t.Skip("builds another module, several times")
	}
	text, r := read(t, page), begin(t)
	all := blocks(text)
	for k, b := range all {
		switch {
		case b.file != "":
			r.save(b)
		case b.language == "":
			r.takeBack()
		case b.language == "diff":
			r.change(b)
		default:
			t.Run(fmt.Sprintf("line=%d", b.line), func(t *testing.T) { all[k].body = r.compare(t, b) })
		}
	}
	if !*update {
		return
	}
	for _, b := range slices.Backward(all) {
		text = text[:b.start] + b.body + text[b.end:]
	}
	if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// A reader is somebody who follows the page.
type reader struct {
	t                *testing.T
	root, home, work string

	kept    string // the node without the changes that will be taken back
	now     string // the node
	changes int
}

func begin(t *testing.T) *reader {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{t: t, root: checkout(t), home: home, work: filepath.Join(home, "rounds")}
	if err := os.Mkdir(r.work, 0o755); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *reader) save(b block) {
	r.t.Helper()
	r.write(b, b.file, b.body)
	if b.file == node {
		r.kept, r.now = b.body, b.body
	}
}

// write writes a file, which is as gofmt writes it if it is source.
func (r *reader) write(b block, name, text string) {
	r.t.Helper()
	if strings.HasSuffix(name, ".go") {
		if pretty, err := format.Source([]byte(text)); err != nil || string(pretty) != text {
			r.t.Errorf("%s:%d: %s is not as gofmt writes it: %v", page, b.line, name, err)
		}
	}
	if err := os.WriteFile(filepath.Join(r.work, name), []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *reader) change(b block) {
	r.t.Helper()
	for hunk := range strings.SplitSeq(b.body, "@@\n") {
		from, to := sides(hunk)
		if n := strings.Count(r.now, from); n != 1 {
			r.t.Fatalf("%s:%d: these lines are in %s %d times:\n%s", page, b.line, node, n, from)
		}
		r.now = strings.Replace(r.now, from, to, 1)
	}
	if r.changes++; r.changes == 1 {
		r.kept = r.now
	}
	r.write(b, node, r.now)
}

// sides returns what a hunk replaces, and what by.
func sides(hunk string) (from, to string) {
	for line := range strings.Lines(hunk) {
		text := strings.TrimLeft(line[:1], "+- ") + line[1:]
		if line[0] != '+' {
			from += text
		}
		if line[0] != '-' {
			to += text
		}
	}
	return from, to
}

func (r *reader) takeBack() {
	r.t.Helper()
	if r.now != r.kept {
		r.now = r.kept
		r.write(block{}, node, r.now)
	}
}

// compare returns what should be in b, and fails if something else is.
func (r *reader) compare(t *testing.T, b block) string {
	t.Helper()
	if strings.Contains(b.body, " -race ") && strings.TrimSpace(r.run(t, "go", "env", "CGO_ENABLED")) != "1" {
		t.Skip("the race detector needs cgo")
	}
	got := r.shows(t, b)
	if steady(got) == steady(b.body) {
		return b.body
	}
	if !*update {
		t.Errorf("%s:%d: the page shows\n%s\nand it is\n%s\ngo test ./examples/ownprotocol -update writes it there", page, b.line, b.body, got)
	}
	return got
}

func (r *reader) shows(t *testing.T, b block) string {
	t.Helper()
	switch b.language {
	case "console":
		var all strings.Builder
		for line := range strings.Lines(b.body) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				all.WriteString(line + r.run(t, strings.Fields(command)...))
			}
		}
		return all.String()
	case "text":
		return excerpt(r.run(t, "go", "test"), b.body)
	}
	t.Fatalf("%s:%d: nobody knows what a block of %s is", page, b.line, b.language)
	return ""
}

// run returns what a command prints, in any event.
func (r *reader) run(t *testing.T, command ...string) string {
	t.Helper()
	for k, arg := range command {
		command[k] = strings.Replace(arg, "=../doorway", "="+r.root, 1)
	}
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir = r.work
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOPROXY=off", "PWD="+r.work)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if strings.Contains(string(out), "[build failed]") {
		t.Errorf("%s", out)
	}
	return blanks.ReplaceAllString(strings.ReplaceAll(string(out), r.home, "/home/you"), "")
}

var indent = regexp.MustCompile(`(?m)^    \w+_test\.go:\d+: |^        `)

// excerpt returns the lines shown, if output has them; otherwise as many from where
// a test begins to say what is wrong.
func excerpt(output, shown string) string {
	if plain := indent.ReplaceAllString(output, ""); strings.Contains("\n"+plain, "\n"+shown) {
		return shown
	}
	at := max(0, strings.Index(output, "_test.go:"))
	at = 1 + strings.LastIndex(output[:at], "\n")
	lines := strings.SplitAfterN(indent.ReplaceAllString(output[at:], ""), "\n", 1+max(1, strings.Count(shown, "\n")))
	return strings.Join(lines[:len(lines)-1], "")
}

var blanks = regexp.MustCompile(`(?m)[ \t]+$`)

var times = regexp.MustCompile(`\b\d+\.\d+s\b`)

// steady returns what is the same each time.
func steady(output string) string { return times.ReplaceAllString(output, "0.0s") }

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkout returns the root of this module. It reads the source on the way,
// without which the go command would not know that what is printed depends on it.
func checkout(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"messaging", "mutex", "register", "stress"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(name string, _ fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(name) == ".go" {
				_, err = os.ReadFile(name)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}
