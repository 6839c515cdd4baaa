//go:build doorway_explore

package explore_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/tier"
)

// Whether the source of a lock is found depends on how and where the check was built and
// runs. If it is not, there is no verdict, unless one is asked for by name.
func TestUnexamined(t *testing.T) {
	tier.NeedsFull(t, "builds a module")
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	dir, elsewhere := t.TempDir(), t.TempDir()
	source := func(name string) string {
		return page.Read(t, filepath.Join("testdata", "unexamined", name))
	}
	for name, text := range map[string]string{
		"atk/go.mod": "module example.com/atk\n\ngo 1.25.0\n\nrequire (\n\texample.org/doorway v0.0.0\n\texample.com/rare v0.0.0\n)\n\n" +
			"replace (\n\texample.org/doorway => " + root + "\n\texample.com/rare => ../rare\n)\n",
		"atk/atk_test.go": source("atk_test.go.txt"),
		"rare/go.mod":     "module example.com/rare\n\ngo 1.25.0\n\nrequire example.org/doorway v0.0.0\n", // of no use but in atk
		"rare/rare.go":    source("rare.go.txt"),
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
	run := func(in string, env []string, name string, args ...string) string {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = in, append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	for _, trimmed := range []string{"-trimpath=false", "-trimpath"} {
		run(filepath.Join(dir, "atk"), nil, "go", "test", "-c", "-o", "../atk.exe", "-tags", "doorway_explore", trimmed, ".")
		program := filepath.Join(dir, "atk.exe")
		const breach = "Lock: has type parameters: write a protocol for one type"
		const refused = "was not examined: "
		t.Run(trimmed, func(t *testing.T) {
			out := run(filepath.Join(dir, "atk"), nil, program)
			assert.Equal(t, 3, strings.Count(out, breach), "in its module:\n%s", out)
			assert.NotContains(t, out, "source NOT examined")
			assert.Contains(t, out, "l.turn.Store(uint64(i)) // in the trace")

			if out = run(elsewhere, nil, program); trimmed == "-trimpath" {
				assert.Equal(t, 4, strings.Count(out, refused), "elsewhere:\n%s", out)
				assert.Contains(t, out, "the source of example.com/atk.open was not examined")
				assert.Contains(t, out, "rare.go does not exist here, and the go command does not find package example.com/rare from the working directory: "+
					"run the check where its module is, with the go command in PATH, or set Config.Unexamined\n")
			} else {
				assert.NotContains(t, out, "source NOT examined")
			}
			out = run(filepath.Join(dir, "atk"), []string{"PATH=" + elsewhere}, program)
			assert.Equal(t, 4, strings.Count(out, refused), "without the go command:\n%s", out)
			assert.Contains(t, out, "not in PATH")

			out = run(elsewhere, []string{"PATH=" + elsewhere, "UNEXAMINED=1"}, program)
			assert.Equal(t, 4, strings.Count(out, "source NOT examined"), "by name:\n%s", out)
		})
	}
}
