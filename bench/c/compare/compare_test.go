package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/tier"
)

// compile compiles the twins with each C compiler that is here, and returns the
// programs by the name of the compiler.
func compile(t *testing.T) map[string]string {
	t.Helper()
	tier.NeedsFull(t, "compiles the twins in C")
	sources, err := filepath.Glob("../*.c")
	require.NoError(t, err)
	programs, found := map[string]string{}, map[string]bool{}
	for _, cc := range []string{"cc", "gcc", "clang"} {
		path, err := exec.LookPath(cc)
		if err != nil {
			continue
		}
		path, err = filepath.EvalSymlinks(path)
		require.NoError(t, err)
		if found[path] {
			continue // cc is another name of gcc or clang
		}
		found[path] = true
		programs[cc] = filepath.Join(t.TempDir(), "twins")
		flags := []string{"-std=c11", "-O2", "-Wall", "-Wextra", "-pedantic", "-Werror", "-pthread", "-o", programs[cc]}
		printed, err := exec.Command(cc, append(flags, sources...)...).CombinedOutput()
		require.NoError(t, err, "%s: %s", cc, printed)
	}
	if len(programs) == 0 {
		t.Skip("needs a C compiler: cc, gcc or clang")
	}
	return programs
}

// Two threads inside at once lose an increment of what the lock guards.
func TestTwinsExclude(t *testing.T) {
	const rounds = 3000
	for cc, program := range compile(t) {
		c, err := startTwins(program)
		require.NoError(t, err)
		each([]int{2, 3, 4, 5, 8}, func(a catalog.Algorithm, n int) {
			for threads := 2; threads <= min(n, 4); threads++ {
				counted := c.ask("count %s %d %d %d", a.Name, n, threads, rounds)
				assert.Equal(t, float64(threads*rounds), counted, "%s: %s, n = %d, %d threads", cc, a.Name, n, threads)
			}
		})
		assert.NoError(t, c.stop(), cc)
	}
}

// A run prints a table of each kind, with a row for each lock and size, of positive figures.
func TestPageOfTwins(t *testing.T) {
	for cc, program := range compile(t) {
		c, err := startTwins(program)
		require.NoError(t, err)
		var shown bytes.Buffer
		writePage(&shown, c, cc, effort{windows: 1, window: time.Millisecond})
		require.NoError(t, c.stop(), cc)
		assert.Equal(t, rows(), rowsOf(shown.String()), shown.String())
	}
}

// The page of results has the rows of a run.
func TestPage(t *testing.T) {
	assert.Equal(t, rows(), rowsOf(page.Read(t, "../results.md")), "results.md is stale: bench/c/run >bench/c/results.md")
}

// rows are the locks and sizes of both tables.
func rows() (all []string) {
	row := func(a catalog.Algorithm, n int) { all = append(all, fmt.Sprintf("%s %d", a.Name, n)) }
	each(uncontended, row)
	each(twoProcesses, row)
	return all
}

func rowsOf(text string) (all []string) {
	for _, m := range regexp.MustCompile(`(?m)^\| ([a-z-]+) \| (\d+) \| [\d.e+]+ \(.*\) \| .* \|$`).FindAllStringSubmatch(text, -1) {
		all = append(all, fmt.Sprintf("%s %s", m[1], m[2]))
	}
	return all
}

func TestTwinsThatFail(t *testing.T) {
	_, err := startTwins("./no-such-program")
	assert.Error(t, err)
	for _, program := range compile(t) {
		c, err := startTwins(program)
		require.NoError(t, err)
		assert.Zero(t, c.ask("alone spoon 8 1000"))
		assert.ErrorContains(t, c.stop(), `the twins do not answer "alone spoon 8 1000"`)
	}
}
