package mutants_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/mutants"
	"example.org/doorway/internal/page"
)

// The mutants of a small lock, each with the line that it changes.
func TestToy(t *testing.T) {
	all, err := mutants.Of("testdata", catalog.Algorithm{Entry: catalog.Entry{Name: "toy", Import: "toy.New(n)"}})
	require.NoError(t, err)
	var b strings.Builder
	for _, m := range all {
		fmt.Fprintf(&b, "%s\n\t- %s\n\t+ %s\n", m, m.Before, m.After)
	}
	const golden = "testdata/toy.txt"
	if page.Updating() {
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String(), "the mutants of testdata/toy are not those of %s: go test -update", golden)
}

// Every algorithm of the catalog has mutants, with unique keys.
func TestAll(t *testing.T) {
	all, err := mutants.All(root(t))
	require.NoError(t, err)
	nodes, err := mutants.Nodes(root(t))
	require.NoError(t, err)
	all = append(all, nodes...)
	of, keys := map[string]int{}, map[string]mutants.Mutant{}
	for _, m := range all {
		of[m.Algorithm]++
		if other, ok := keys[m.Key()]; ok {
			t.Errorf("%v and %v have the same key", m, other)
		}
		keys[m.Key()] = m
		assert.NotEqual(t, m.Before, m.After, "%v changes nothing", m)
	}
	for _, a := range catalog.Algorithms {
		assert.GreaterOrEqual(t, of[a.Name], 10, "mutants of %s: its protocol was not understood", a.Name)
	}
	for _, p := range catalog.Protocols {
		pkg, _, _ := strings.Cut(p.Import, ".")
		assert.GreaterOrEqual(t, of[pkg], 8, "mutants of %s: its nodes were not understood", p.Name)
	}
	for _, list := range []map[string]string{mutants.Reasons, mutants.Open} {
		for key := range list {
			if _, ok := keys[key]; !ok {
				t.Errorf("mutant %q no longer exists: remove it from the lists", key)
			}
		}
	}
}

func TestNoSuchConstructor(t *testing.T) {
	for _, c := range []struct{ call, want string }{
		{"toy", `mutants: "toy" of toy is not a call of a constructor`},
		{"toy.Make(n)", "mutants: toy: there is no constructor Make"},
		{"nowhere.New(n)", "mutants: toy: there is no constructor New"},
	} {
		_, err := mutants.Of("testdata", catalog.Algorithm{Entry: catalog.Entry{Name: "toy", Import: c.call}})
		assert.EqualError(t, err, c.want, c.call)
	}
}

// root returns the directory of the module. It reads every Go file of the program of
// the mutants: the go command reruns a cached test only if a file has changed that
// the test itself has opened; files that child processes open do not count.
func root(t *testing.T) string {
	t.Helper()
	root := filepath.Join("..", "..")
	for _, dir := range []string{"register", "mutex", "explore", "explore/internal/*", "internal/catalog", "internal/costs", "messaging", "messaging/*", "messaging/*/*", "internal/variant", "internal/variant/*/*", "internal/mutants/judge"} {
		names, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s has no Go files: %v", dir, err)
		}
		for _, name := range names {
			_, err := os.ReadFile(name)
			require.NoError(t, err)
		}
	}
	return root
}
