package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/internal/variant/overlay"
)

const root = "../.."

// proving are the packages with the tests that prove, which call [tier.Each].
var proving = []struct{ dir, tests, tags string }{
	{"internal/catalog", "TestProtocols", "doorway_full"},
	{"internal/proved", "TestSizes", "doorway_full"},
	{"internal/proof", "TestProperties", "doorway_explore,doorway_full"},
	{"internal/mutants", "TestMutants|TestNodeMutants", "doorway_full"},
}

var update = flag.Bool("update", false, "write what is proved to the golden files")

func TestProof(t *testing.T) {
	tier.NeedsFull(t, "proves all that the catalog claims")
	all, err := algorithms(root)
	require.NoError(t, err)
	for _, algorithm := range all {
		name := path.Base(algorithm)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open(t, algorithm)
			for _, p := range proving {
				program, err := filepath.Abs(compiled(t, p.dir, p.tags))
				require.NoError(t, err)
				cmd := exec.CommandContext(t.Context(), program, "-test.v", "-test.timeout=1h", "-test.run=^("+p.tests+")$", fmt.Sprint("-update=", *update))
				cmd.Dir = filepath.Join(root, p.dir)
				cmd.Env = append(os.Environ(), tier.Variable+"="+name)
				out, err := cmd.CombinedOutput()
				assert.NoError(t, err, "%s\n%s", p.dir, out)
			}
		})
	}
}

// open opens the files on which the proofs of an algorithm depend. Proofs run its tests, too.
func open(t *testing.T, algorithm string) {
	t.Helper()
	needed := []string{".", algorithm, "internal/mutants/judge"}
	for _, p := range proving {
		needed = append(needed, p.dir)
	}
	tested := len(needed)
	for k := 0; k < len(needed); k++ {
		dir := needed[k]
		imported, err := imports(root, dir, k < tested)
		require.NoError(t, err)
		for _, i := range imported {
			lists := dir != algorithm && k < tested || dir == "internal/catalog"
			if !slices.Contains(needed, i) && !(lists && isAlgorithm(i)) {
				needed = append(needed, i)
			}
		}
	}
	for _, dir := range needed {
		for _, name := range files(t, dir) {
			if dir == algorithm || owner(t, name) == "" || owner(t, name) == path.Base(algorithm) {
				_, err := os.ReadFile(name)
				require.NoError(t, err)
			}
		}
	}
}

// files returns the files of a package: source, and what its tests read.
func files(t *testing.T, dir string) (all []string) {
	t.Helper()
	for _, pattern := range []string{"*.go", "*.s", "go.*", "testdata/*.*", "testdata/*/*.*"} {
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

// programs are the compiled tests, by directory: once for all algorithms.
var programs sync.Map

// compiled returns the program of the tests in dir. The go command leaves one as it is that
// is there already and not stale.
func compiled(t *testing.T, dir, tags string) string {
	t.Helper()
	compile, _ := programs.LoadOrStore(dir, sync.OnceValue(func() string {
		own, err := overlay.Dir(root)
		require.NoError(t, err)
		program := filepath.Join(own, path.Base(dir)+".test")
		cmd := exec.CommandContext(t.Context(), "go", "test", "-c", "-tags", tags, "-o", program, "./"+dir)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return program
	}))
	return compile.(func() string)()
}
