package mutants_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/proof/mutants"
)

// The mutants of a small lock, each with the line that it changes.
func TestToy(t *testing.T) {
	all, err := mutants.Of("testdata", catalog.Entry{Name: "toy", Import: "toy.New(n)"})
	require.NoError(t, err)
	var b strings.Builder
	for _, m := range all {
		fmt.Fprintf(&b, "%s\n\t- %s\n\t+ %s\n", m, m.Before, m.After)
	}
	page.Golden(t, "testdata/toy.txt", "go test ./internal/proof/mutants -update", b.String())
}

// Every algorithm of the catalog has mutants, with unique keys.
func TestAll(t *testing.T) {
	ofLocks, ofNodes, err := mutants.All(root)
	require.NoError(t, err)
	of, keys := map[string]int{}, map[string]mutants.Mutant{}
	for _, m := range append(ofLocks, ofNodes...) {
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
	for _, p := range mutants.Packages() {
		assert.GreaterOrEqual(t, of[p], 8, "mutants of %s: its nodes were not understood", p)
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
		_, err := mutants.Of("testdata", catalog.Entry{Name: "toy", Import: c.call})
		assert.EqualError(t, err, c.want, c.call)
	}
}

// root is the directory of the module.
var root = filepath.Join("..", "..", "..")
