// Package ownlock_test keeps docs/own-lock.md true: it does what the page says, as
// who reads it would, in a new module beside this one, and compares what comes
// of it with what the page shows.
package ownlock_test

import (
	"errors"
	"flag"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/doorway/explore"
)

var update = flag.Bool("update", false, "write to the page what its commands print")

const page = "../../docs/own-lock.md"

// A block of the page is one between fences. What it is is told by its language:
//
//	go       the file lock_test.go
//	diff     a change of it; the first is there to stay, and the others are taken back
//	         at the next heading
//	console  commands, each after a $, and what they print with the file as it is there
//	text     some lines of what go test -tags explore -v prints, without the indentation
//	         of what is logged
type block struct {
	language   string // "": a heading
	body       string
	line       int // of the page, where the body begins
	start, end int // of the body, in the page
}

var fence = regexp.MustCompile("(?ms)^(?:```([a-z]+)\n(.*?)^```|#+ [^\n]+)$")

func blocks(text string) (all []block) {
	for _, m := range fence.FindAllStringSubmatchIndex(text, -1) {
		if m[2] < 0 {
			all = append(all, block{})
			continue
		}
		all = append(all, block{
			language: text[m[2]:m[3]], body: text[m[4]:m[5]],
			line: 1 + strings.Count(text[:m[4]], "\n"), start: m[4], end: m[5],
		})
	}
	return all
}

func TestPage(t *testing.T) {
	if testing.Short() {
		t.Skip("builds another module, several times")
	}
	root, text := checkout(t), read(t, page)
	all := blocks(text)
	if len(all) < 6 || all[2].language != "console" || all[3].language != "go" {
		t.Fatalf("%s: it should begin with the commands that make a module, and the file", page)
	}
	setUp, file := all[2], all[3].body
	now, changes := file, 0
	var printed sync.Map // by index of the block
	t.Run("block", func(t *testing.T) {
		for k, b := range all[4:] {
			switch b.language {
			case "":
				now = file
				continue
			case "diff":
				now = change(t, b, now)
				if changes++; changes == 1 {
					file = now
				}
				continue
			}
			now := now
			t.Run(fmt.Sprintf("line=%d", b.line), func(t *testing.T) {
				t.Parallel()
				s := begin(t, root, setUp)
				s.save(now)
				got := s.shows(b)
				if *update {
					printed.Store(k+4, got)
				} else if steady(got) != steady(b.body) {
					t.Errorf("%s:%d: the page shows\n%s\nand it is\n%s\ngo test ./examples/ownlock -update writes it there", page, b.line, b.body, got)
				}
			})
		}
	})
	if !*update {
		return
	}
	for k, b := range slices.Backward(all) {
		if got, ok := printed.Load(k); ok && steady(got.(string)) != steady(b.body) {
			text = text[:b.start] + got.(string) + text[b.end:]
		}
	}
	if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// change returns the file changed as b says.
func change(t *testing.T, b block, file string) string {
	t.Helper()
	for hunk := range strings.SplitSeq(b.body, "@@\n") {
		var from, to strings.Builder
		for line := range strings.Lines(hunk) {
			switch line[0] {
			case '-':
				from.WriteString(line[1:])
			case '+':
				to.WriteString(line[1:])
			default:
				line = strings.TrimPrefix(line, " ")
				from.WriteString(line)
				to.WriteString(line)
			}
		}
		if n := strings.Count(file, from.String()); n != 1 {
			t.Fatalf("%s:%d: these lines are in the file %d times:\n%s", page, b.line, n, from.String())
		}
		file = strings.Replace(file, from.String(), to.String(), 1)
	}
	if pretty, err := format.Source([]byte(file)); err != nil || string(pretty) != file {
		t.Errorf("%s:%d: with this change, the file is not as gofmt writes it: %v", page, b.line, err)
	}
	return file
}

// A session is what somebody does who follows the page.
type session struct {
	t                *testing.T
	root, home, work string
}

// begin makes a module as the page says.
func begin(t *testing.T, root string, setUp block) *session {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t, root, home, filepath.Join(home, "mylock")}
	if err := os.Mkdir(s.work, 0o755); err != nil {
		t.Fatal(err)
	}
	if got := s.shows(setUp); got != setUp.body {
		t.Errorf("%s:%d: the page shows\n%s\nand it is\n%s", page, setUp.line, setUp.body, got)
	}
	return s
}

func (s *session) save(file string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.work, "lock_test.go"), []byte(file), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// shows returns what should be in b.
func (s *session) shows(b block) string {
	s.t.Helper()
	switch b.language {
	case "console":
		var all strings.Builder
		for line := range strings.Lines(b.body) {
			if command, ok := strings.CutPrefix(line, "$ "); ok {
				all.WriteString(line + s.run(strings.Fields(command)...))
			}
		}
		return all.String()
	case "text":
		return excerpt(s.run("go", "test", "-tags", "explore", "-v"), b.body)
	}
	s.t.Fatalf("%s:%d: nobody knows what a block of %s is", page, b.line, b.language)
	return ""
}

// run returns what a command prints, in any event.
func (s *session) run(command ...string) string {
	s.t.Helper()
	for k, arg := range command {
		command[k] = strings.Replace(arg, "=../doorway", "="+s.root, 1)
	}
	cmd := exec.CommandContext(s.t.Context(), command[0], command[1:]...)
	cmd.Dir = s.work
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GOPROXY=off", "PWD="+s.work)
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	if strings.Contains(string(out), "[build failed]") {
		s.t.Errorf("%s", out)
	}
	return blanks.ReplaceAllString(strings.ReplaceAll(string(out), s.home, "/home/you"), "")
}

var (
	logged = regexp.MustCompile(`(?m)^    lock_test\.go:\d+: `)
	indent = regexp.MustCompile(logged.String() + `|(?m)^        `)
)

// excerpt returns what output has in place of the lines shown: those lines, or as
// many from where the first of them is; or else from where the test says what is
// wrong, after the report if there is one.
func excerpt(output, shown string) string {
	plain := "\n" + indent.ReplaceAllString(output, "")
	first, _, _ := strings.Cut(shown, "\n")
	at := strings.Index(plain, "\n"+shown)
	if at < 0 {
		at = strings.Index(plain, "\n"+first+"\n")
	}
	if all := logged.FindAllStringIndex(output, 2); (at < 0 || first == "") && len(all) > 0 {
		plain, at = indent.ReplaceAllString(output[all[len(all)-1][0]:], ""), -1
	}
	lines := strings.SplitAfterN(plain[at+1:], "\n", max(1, strings.Count(shown, "\n"))+1)
	return strings.Join(lines[:len(lines)-1], "")
}

var blanks = regexp.MustCompile(`(?m)[ \t]+$`)

var times = regexp.MustCompile(`\b\d+\.\d+s\b`)

// steady returns what is the same each time.
func steady(output string) string { return times.ReplaceAllString(output, "0.0s") }

// The page has a line for every property.
func TestReport(t *testing.T) {
	text := read(t, page)
	for _, f := range reflect.VisibleFields(reflect.TypeFor[explore.Report]()) {
		if f.Type == reflect.TypeFor[explore.Verdict]() && !strings.Contains(text, "\n| `"+f.Name+"` |") {
			t.Errorf("%s says nothing of Report.%s", page, f.Name)
		}
	}
}

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
	for _, dir := range []string{"explore", "mutex", "register"} {
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
