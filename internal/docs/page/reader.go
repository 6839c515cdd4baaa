package page

import (
	"errors"
	"go/format"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A reader follows a page.
type reader struct {
	page             Page
	root, home, work string

	now     map[string]string // the saved files
	kept    map[string]string // the same without the changes that will be taken back
	changes int
}

func (p Page) begin(t *testing.T) *reader {
	t.Helper()
	root, err := filepath.Abs(p.Root)
	require.NoError(t, err)
	r := &reader{page: p, root: root, now: map[string]string{}, kept: map[string]string{}}
	r.live(t)
	require.NoError(t, os.Mkdir(r.work, 0o755))
	return r
}

// live gives the reader a home directory of its own.
func (r *reader) live(t *testing.T) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	r.home, r.work = home, filepath.Join(home, r.page.Directory)
}

// elsewhere returns a reader with the same files in a directory of its own.
func (r *reader) elsewhere(t *testing.T) *reader {
	t.Helper()
	own := *r
	own.live(t)
	require.NoError(t, os.CopyFS(own.work, os.DirFS(r.work)))
	return &own
}

func (r *reader) save(t *testing.T, b block) {
	t.Helper()
	r.write(t, b, b.file, b.body)
	r.now[b.file], r.kept[b.file] = b.body, b.body
}

// write writes a file. Source must be formatted.
func (r *reader) write(t *testing.T, b block, name, text string) {
	t.Helper()
	if strings.HasSuffix(name, ".go") {
		if pretty, err := format.Source([]byte(text)); err != nil || string(pretty) != text {
			t.Errorf("%s:%d: %s is not formatted: %v", r.page.File, b.line, name, err)
		}
	}
	write(t, filepath.Join(r.work, name), text)
}

func (r *reader) change(t *testing.T, b block) {
	t.Helper()
	changed, err := change(r.now, b.body)
	if err != nil {
		t.Fatalf("%s:%d: %v", r.page.File, b.line, err)
	}
	for name, text := range changed {
		if text != r.now[name] {
			r.write(t, b, name, text)
		}
	}
	r.now = changed
	if r.changes++; r.changes == 1 {
		r.kept = maps.Clone(r.now)
	}
}

func (r *reader) takeBack(t *testing.T) {
	t.Helper()
	for name, text := range r.kept {
		if text != r.now[name] {
			write(t, filepath.Join(r.work, name), text)
		}
	}
	r.now = maps.Clone(r.kept)
}

// unseen is what a reader does not see: blanks at the end of a line, and that a build takes long.
var unseen = regexp.MustCompile(`(?m)[ \t]+$|^doorway: building .*\n`)

// run returns what a command prints, whether it fails or not.
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
	return unseen.ReplaceAllString(strings.ReplaceAll(string(out), r.home, "/home/you"), "")
}
