package contract_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/bakery"
	"example.org/doorway/explore/internal/contract"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/internal/tier"
	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

// lock is a lock in a test file, like the first one that a user writes.
type lock struct {
	procs register.Processes
	turn  register.Word
	count int
}

func (l *lock) Processes() int { return 2 }

func (l *lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.turn.Await(p, func(turn uint64) bool { return turn == uint64(i) })
	p.Inside()
}

func (l *lock) Unlock(i int) {
	l.procs.Exit(i)
	l.count++
	l.turn.Store(uint64(1 - i))
}

// counting wraps a lock with a count that is no part of it.
type counting struct {
	of    *lock
	count int
}

func (c *counting) Processes() int { return c.of.Processes() }

func (c *counting) Lock(i int) {
	c.of.Lock(i)
	c.count++
}

func (c *counting) Unlock(i int) { c.of.Unlock(i) }

// promoted has the methods of a lock of another package.
type promoted struct{ *bakery.Classic }

// listing skips the test if a quick test may not run another program: examining
// source runs go list. Quick tests run it only in the build with the tag
// doorway_explore.
func listing(t *testing.T) {
	t.Helper()
	if !hook.Hosted {
		tier.NeedsFull(t, "has the go command list what a package imports")
	}
}

func TestTestFile(t *testing.T) {
	listing(t)
	t.Parallel()
	_, file, _, _ := runtime.Caller(0)
	source, err := contract.Read(file)
	require.NoError(t, err)
	assert.True(t, source.Has(file))
	assert.False(t, source.Has(filepath.Join(filepath.Dir(file), "load.go")), "a file of the package under test")
	var beside sync.WaitGroup // as another Check does, for which -race looks
	var over atomic.Bool
	beside.Go(func() {
		for !over.Load() {
			source.Has(file)
		}
	})
	defer beside.Wait()
	defer over.Store(true)
	const (
		unlock = "Unlock: writes plain memory reached through l"
		count  = "Lock: writes plain memory reached through c"
	)
	for _, c := range []struct {
		of   []mutex.Mutex
		want []string
	}{
		{of: []mutex.Mutex{&lock{}}, want: []string{unlock}},
		{of: []mutex.Mutex{promoted{}}},
		{of: []mutex.Mutex{&counting{}}, want: []string{unlock, count}},
		{want: []string{unlock, count}},
	} {
		var names []string
		for _, m := range c.of {
			names = append(names, reflect.Indirect(reflect.ValueOf(m)).Type().Name())
		}
		found, _, err := source.Examine(names...)
		require.NoError(t, err)
		expect(t, found, c.want...)
	}
}

func expect(t *testing.T, found []contract.Breach, want ...string) {
	t.Helper()
	require.Len(t, found, len(want), "found %q, want %q", found, want)
	for i, b := range found {
		assert.Contains(t, b.String(), want[i])
	}
}

// A package of another module that locks through a third package, under the tag
// doorway_explore, next to files for other systems and of other packages.
func TestModule(t *testing.T) {
	tier.NeedsFull(t, "has the go command list another module")
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	require.NoError(t, err)
	dir := t.TempDir()
	text := page.Read(t, filepath.Join("testdata", "module.txt"))
	for part := range strings.SplitSeq(strings.TrimPrefix(text, "-- "), "\n-- ") {
		name, source, ok := strings.Cut(part, " --\n")
		require.True(t, ok, part)
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(strings.ReplaceAll(source, "ROOT", root)+"\n"), 0o666))
	}
	for _, name := range []string{dir, filepath.Join(dir, "lock.go"), filepath.Join(dir, "own_test.go")} {
		found, err := check(name, "Lock[int]")
		require.NoError(t, err)
		want := []string{
			"gates.go:13: Open: writes package-level variable Opened",
			"gates.go:14: Open: writes plain memory reached through g",
			"last.go:3: last: writes plain memory reached through l",
		}
		if filepath.Base(name) != "own_test.go" {
			want = append(want, "lock.go:1: package locks: is built only with the tag doorway_explore, or only without it")
		}
		expect(t, found, want...)
	}
	found, err := check(filepath.Join(dir, "ext_test.go"), "wrapped")
	require.NoError(t, err)
	expect(t, found,
		"ext_test.go:16: Lock: writes plain memory reached through w",
		"gates.go:13: Open: writes package-level variable Opened",
		"gates.go:14: Open: writes plain memory reached through g",
		"last.go:3: last: writes l.value, which a protocol reads at ",
		"lock.go:1: package locks: is built only with the tag doorway_explore, or only without it",
	)
	_, err = check(filepath.Join(dir, "ext_test.go"), "unknown")
	assert.ErrorContains(t, err, "nowhere", "a lock of an unknown package")
}

// check examines the package of a file.
func check(name string, typeNames ...string) ([]contract.Breach, error) {
	source, err := contract.Read(name)
	if err != nil {
		return nil, err
	}
	found, _, err := source.Examine(typeNames...)
	return found, err
}

func TestErrors(t *testing.T) {
	listing(t)
	for _, c := range []struct {
		name, typeName, want string
	}{
		{"missing.go", "", "no such file"},
		{"testdata", "", "no buildable Go source files"},
		{filepath.Join("..", "..", "..", "bakery"), "Unknown", "no type Unknown in package bakery"},
		{filepath.Join("..", "..", "..", "mutex"), "Config", "no type Config in package mutex"},
		{".", "", "no lock in package contract"},
		{filepath.Join("testdata", "unresolved"), "", "Close cannot be examined because of "},
		{filepath.Join("..", "..", "..", "register"), "Word", "the source of the methods of register.Word was not found"},
	} {
		var names []string
		if c.typeName != "" {
			names = append(names, c.typeName)
		}
		_, err := check(c.name, names...)
		assert.ErrorContains(t, err, c.want, c.name)
	}
	_, err := check("missing.go")
	assert.ErrorIs(t, err, fs.ErrNotExist)
	t.Setenv("PATH", t.TempDir())
	_, err = check(filepath.Join("..", "..", "..", "bakery"))
	assert.ErrorIs(t, err, exec.ErrNotFound, "without the go command")
}
