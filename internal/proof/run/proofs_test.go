package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog/variant"
	"example.org/doorway/internal/catalog/variant/overlay"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/tier"
)

const root = "../../.."

// proving are the packages with the tests that prove, which call [tier.Each]; those that write golden files
// have the flag -update.
var proving = []struct {
	dir, tests, tags string
	writes           bool
}{
	{"internal/catalog", "TestProtocols", "doorway_full", true},
	{"internal/proof", "TestProperties|TestSizes", "doorway_explore,doorway_full", true},
	{"internal/proof/mutants", "TestMutants|TestNodeMutants", "doorway_full", true},
	{"internal/proof/faults", "TestMatrix", "doorway_full", true},
	{"explore", "TestCatalog", "doorway_explore,doorway_full", false},
	{"explore", "TestNodesClocks", "doorway_full", false},
	{"stress", "TestCatalog|TestClusters", "doorway_explore,doorway_full", false},
	{"stress", "TestCatalog|TestClusters", "doorway_full", false},
	{"messaging/recovery", "TestExplored|TestOneTokenAnEpoch|TestRegeneration|TestRestarts|TestSilence|TestStorms", "doorway_full", false},
}

func TestProof(t *testing.T) {
	tier.NeedsFull(t, "proves all that the catalog claims")
	all, err := algorithms(root)
	require.NoError(t, err)
	for _, algorithm := range all {
		name := path.Base(algorithm)
		t.Run(name, func(t *testing.T) {
			tier.Each(t, name)
			// The suite gives the structures of Sanders' algorithm to all that take sets.
			with := []string{"internal/proof/mutants/judge", "messaging/permission/sanders"}
			for _, p := range proving {
				with = append(with, p.dir)
			}
			open(t, algorithm, with...)
			for _, p := range proving {
				program, err := filepath.Abs(compiled(t, p.dir, p.tags))
				require.NoError(t, err)
				args := []string{"-test.v", "-test.timeout=1h", "-test.run=^(" + p.tests + ")$"}
				if page.Updating() && p.writes {
					args = append(args, "-update")
				}
				cmd := exec.CommandContext(t.Context(), program, args...)
				cmd.Dir = filepath.Join(root, p.dir)
				out, err := cmd.CombinedOutput()
				assert.NoError(t, err, "%s\n%s", p.dir, out)
				assert.NotContains(t, string(out), "no tests to run", "%s has none of %s", p.dir, p.tests)
			}
		})
	}
}

// open opens the files on which the tests of an algorithm depend, and those of these packages, which test
// it with others.
func open(t *testing.T, algorithm string, with ...string) {
	t.Helper()
	needed := append([]string{algorithm}, with...)
	tested := len(needed)
	for k := 0; k < len(needed); k++ {
		dir := needed[k]
		imported, err := imports(root, dir, k < tested)
		require.NoError(t, err)
		for _, i := range imported {
			lists := dir != algorithm && k < tested || dir == "internal/catalog"
			if !slices.Contains(needed, i) && (!lists || !isAlgorithm(i)) {
				needed = append(needed, i)
			}
		}
	}
	for _, name := range []string{"go.mod", "go.sum", "go.work", "go.work.sum"} { // the root is not opened: that would count the time of .git
		page.Read(t, filepath.Join(root, name))
	}
	for _, dir := range needed {
		for _, name := range files(t, dir) {
			if dir == algorithm || owner(t, name) == "" || owner(t, name) == path.Base(algorithm) {
				page.Read(t, name)
			}
		}
	}
}

// files returns the files of a package: source, and what its tests read.
func files(t *testing.T, dir string) (all []string) {
	t.Helper()
	for _, pattern := range []string{"*.go", "*.s", "*.diff", "*.txt", "testdata/*.*", "testdata/*/*.*"} {
		names, err := filepath.Glob(filepath.Join(root, dir, pattern))
		require.NoError(t, err)
		all = append(all, names...)
	}
	return all
}

// owner returns the package of algorithms whose name a file of testdata begins with, as
// that of an algorithm does.
func owner(t *testing.T, file string) (longest string) {
	t.Helper()
	all, err := algorithms(root)
	require.NoError(t, err)
	for _, dir := range all {
		if name := path.Base(dir); strings.Contains(file, "testdata") && strings.HasPrefix(filepath.Base(file), name) && len(name) > len(longest) {
			longest = name
		}
	}
	return longest
}

// compiled returns the program of the tests in dir. The go command leaves one as it is that
// is there already and not stale.
func compiled(t *testing.T, dir, tags string) string {
	t.Helper()
	at, err := filepath.Abs(root)
	require.NoError(t, err)
	cache, err := overlay.Dir(at)
	require.NoError(t, err)
	program := filepath.Join(cache, path.Base(dir)+"-"+tags+".test")
	cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-tags", tags, "-o", program, "./"+dir)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOTMPDIR="+cache) // the program is renamed, as another may be running
	require.NoError(t, os.MkdirAll(cache, 0o777))
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return program
}

// A change that breaks an algorithm is found though the cache has a result of it, and
// no other algorithm is proved again.
func TestNoStaleResult(t *testing.T) {
	tier.NeedsFull(t, "proves locks in a copy of the library")
	dir := copied(t)
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".git"), 0o777))
	proofs := func(lock, want string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", "run", "./internal/proof/run", lock)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "PWD="+dir)
		out, err := cmd.CombinedOutput()
		assert.Contains(t, string(out), want, "%s", lock)
		assert.Equal(t, want == "FAIL", err != nil, "%s\n%s", lock, out)
	}
	for _, lock := range []string{"peterson", "graunkethakkar"} {
		proofs(lock, "ok")
		write(t, filepath.Join(dir, ".git", lock), "as a commit does", 1)
		proofs(lock, "(cached)")
	}
	name := filepath.Join(dir, "peterson", "peterson.go")
	text := page.Read(t, name)
	broken := strings.Replace(text, "return turn != uint64(i)", "return turn <= 1", 1) // none waits
	require.NotEqual(t, text, broken)
	write(t, name, broken, 2)
	proofs("peterson", "FAIL")
	proofs("graunkethakkar", "(cached)")
	write(t, name, text, 1)
	proofs("peterson", "(cached)")
}

// copied returns the directory of a copy of the library that proves the properties of locks alone.
func copied(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cache, err := overlay.Dir(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(cache) })
	require.NoError(t, filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		within, err := filepath.Rel(root, name)
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && within != ".":
			return fs.SkipDir
		case d.Name() == ".git": // a file, in a worktree
			return nil
		case d.IsDir():
			return os.MkdirAll(filepath.Join(dir, within), 0o777)
		}
		text, err := os.ReadFile(name)
		if within == filepath.Join("internal", "proofs", "proofs_test.go") {
			text = regexp.MustCompile(`(?m)^\t\{"(internal/(catalog|proof/mutants|proof/faults)|explore|stress|messaging/recovery)".*$`).ReplaceAll(text, nil)
		}
		write(t, filepath.Join(dir, within), string(text), 1)
		return err
	}))
	return dir
}

// write writes a file with a time that many hours after 1970, as the go command keeps no result
// of a test that has read a file of the last seconds.
func write(t *testing.T, name, text string, hours int64) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	at := time.Unix(3600*hours, 0)
	require.NoError(t, os.Chtimes(name, at, at))
}

// Each rule of multicasts, snapshots, links, recovery and clocks is needed: without it fails the test that
// testdata/broken.diff names.
func TestBroken(t *testing.T) {
	rules, err := variant.ReadChanges("testdata/broken.diff")
	require.NoError(t, err)
	at, err := filepath.Abs(root)
	require.NoError(t, err)
	for _, c := range rules {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			changed, err := c.Apply(root)
			require.NoError(t, err)
			tier.NeedsFull(t, "builds the tests without the rule")
			pkg, test, _ := strings.Cut(c.Shown, " ")
			open(t, path.Dir(c.Edits[0].File), pkg)
			dir, replaced := t.TempDir(), map[string]string{}
			for name, text := range changed {
				file := filepath.Join(dir, filepath.Base(name))
				replaced[filepath.Join(at, name)] = file
				require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
			}
			overlay, err := json.Marshal(map[string]any{"Replace": replaced})
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o666))
			cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-overlay", filepath.Join(dir, "overlay.json"), "-run", "^"+strings.ReplaceAll(test, "/", "$/^")+"$", "./"+pkg)
			cmd.Dir = root
			out, _ := cmd.CombinedOutput()
			assert.Contains(t, string(out), "--- FAIL: "+test, "without the rule")
		})
	}
}
