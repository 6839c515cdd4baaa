package page

import (
	"errors"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A reader is somebody who follows a page.
type reader struct {
	page             Page
	root, home, work string

	first   string // the name of the first file, which diffs change
	kept    string // what is in it without the changes that will be taken back
	now     string // what is in it
	changes int
}

func (p Page) begin(t *testing.T) *reader {
	t.Helper()
	root, err := filepath.Abs(p.Root)
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{page: p, root: root}
	r.live(t)
	if err := os.Mkdir(r.work, 0o755); err != nil {
		t.Fatal(err)
	}
	return r
}

// live gives the reader a home of its own.
func (r *reader) live(t *testing.T) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r.home, r.work = home, filepath.Join(home, r.page.Directory)
}

// elsewhere returns a reader who has the same files in a directory of its own.
func (r *reader) elsewhere(t *testing.T) *reader {
	t.Helper()
	own := *r
	own.live(t)
	if err := os.CopyFS(own.work, os.DirFS(r.work)); err != nil {
		t.Fatal(err)
	}
	return &own
}

func (r *reader) save(t *testing.T, b block) {
	t.Helper()
	r.write(t, b, b.file, b.body)
	if r.first == "" {
		r.first, r.kept, r.now = b.file, b.body, b.body
	}
}

// write writes a file, which is as gofmt writes it if it is source.
func (r *reader) write(t *testing.T, b block, name, text string) {
	t.Helper()
	if strings.HasSuffix(name, ".go") {
		if pretty, err := format.Source([]byte(text)); err != nil || string(pretty) != text {
			t.Errorf("%s:%d: %s is not as gofmt writes it: %v", r.page.File, b.line, name, err)
		}
	}
	write(t, filepath.Join(r.work, name), text)
}

func (r *reader) change(t *testing.T, b block) {
	t.Helper()
	changed, err := change(r.now, b.body)
	if err != nil {
		t.Fatalf("%s:%d: %s: %v", r.page.File, b.line, r.first, err)
	}
	r.now = changed
	if r.changes++; r.changes == 1 {
		r.kept = r.now
	}
	r.write(t, b, r.first, r.now)
}

func (r *reader) takeBack(t *testing.T) {
	t.Helper()
	if r.now != r.kept {
		r.now = r.kept
		write(t, filepath.Join(r.work, r.first), r.now)
	}
}

var blanks = regexp.MustCompile(`(?m)[ \t]+$`)

// run returns what a command prints, in any event.
func (r *reader) run(t *testing.T, command ...string) string {
	t.Helper()
	command = slices.Clone(command)
	for k, arg := range command {
		if before, ok := strings.CutSuffix(arg, "=../doorway"); ok {
			command[k] = before + "=" + r.root
		}
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
