package tutorial

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
	page             tutorial
	root, home, work string // directories; that of work has what the first commands have made

	now     map[string]string // the saved files
	kept    map[string]string // the same without the changes that will be taken back
	changes int
}

func (p tutorial) begin(t *testing.T) *reader {
	t.Helper()
	root, err := filepath.Abs(p.root)
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
	r.home, r.work = home, filepath.Join(home, r.page.directory)
}

// elsewhere returns a reader with the files of this one in a directory of its own.
func (r *reader) elsewhere(t *testing.T) *reader {
	t.Helper()
	own := *r
	own.live(t)
	require.NoError(t, os.CopyFS(own.work, os.DirFS(r.work)))
	for name, text := range r.now {
		write(t, filepath.Join(own.work, name), text)
	}
	return &own
}

// save takes over the files that b saves or changes. Source must be formatted. The first change is kept, each
// other one is taken back at the next heading.
func (r *reader) save(t *testing.T, b block) {
	t.Helper()
	files := maps.Clone(r.now)
	if b.file != "" {
		files[b.file], r.kept = b.body, maps.Clone(r.kept)
		r.kept[b.file] = b.body
	} else {
		if err := change(files, b.body); err != nil {
			t.Fatalf("%s:%d: %v", r.page.file, b.line, err)
		}
		if r.changes++; r.changes == 1 {
			r.kept = files
		}
	}
	for name, text := range files {
		if !strings.HasSuffix(name, ".go") || text == r.now[name] {
			continue
		}
		if pretty, err := format.Source([]byte(text)); err != nil || string(pretty) != text {
			t.Errorf("%s:%d: %s is not formatted: %v", r.page.file, b.line, name, err)
		}
	}
	r.now = files
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

func write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
}
