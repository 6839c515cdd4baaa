package mutants_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/mutants"
)

var update = flag.Bool("update", false, "write the mutants of the toy to testdata")

// The mutants of a small lock, each with the line that it changes.
func TestToy(t *testing.T) {
	all, err := mutants.Of("testdata", catalog.Algorithm{Name: "toy", Import: "toy.New(n)"})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, m := range all {
		fmt.Fprintf(&b, "%s\n\t- %s\n\t+ %s\n", m, m.Before, m.After)
	}
	const golden = "testdata/toy.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("the mutants of testdata/toy are not those of %s; see what differs after go test -update. They are:\n%s", golden, &b)
	}
}

// Every algorithm of the catalog has mutants, whose keys tell them apart.
func TestAll(t *testing.T) {
	all, err := mutants.All(root(t))
	if err != nil {
		t.Fatal(err)
	}
	of, keys := map[string]int{}, map[string]mutants.Mutant{}
	for _, m := range all {
		of[m.Algorithm]++
		if other, ok := keys[m.Key()]; ok {
			t.Errorf("%v and %v have the same key", m, other)
		}
		keys[m.Key()] = m
		if m.Before == m.After {
			t.Errorf("%v changes nothing: %s", m, m.Before)
		}
	}
	for _, a := range catalog.Algorithms {
		if of[a.Name] < 10 {
			t.Errorf("%s has %d mutants: its protocol was not understood", a.Name, of[a.Name])
		}
	}
	for key := range mutants.Reasons {
		if _, ok := keys[key]; !ok {
			t.Errorf("there is no mutant %q any more: take it out of the list of equivalents", key)
		}
	}
}

func TestNoSuchConstructor(t *testing.T) {
	for _, c := range []struct{ call, want string }{
		{"toy", `mutants: "toy" of toy is not a call of a constructor`},
		{"toy.Make(n)", "mutants: toy: there is no constructor Make"},
		{"nowhere.New(n)", "mutants: toy: there is no constructor New"},
	} {
		_, err := mutants.Of("testdata", catalog.Algorithm{Name: "toy", Import: c.call})
		if err == nil || err.Error() != c.want {
			t.Errorf("Of %s: %v, want %s", c.call, err, c.want)
		}
	}
}

// root returns the directory of the module. It reads every Go file that the
// program of the mutants is made of: the go command runs a test anew only if a
// file has changed that the test itself has opened, and what its child processes
// open does not count.
func root(t *testing.T) string {
	t.Helper()
	root := filepath.Join("..", "..")
	for _, dir := range []string{"register", "mutex", "explore", "explore/*", "internal/catalog", "internal/broken", "internal/mutants/judge"} {
		names, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatalf("%s has no Go files: %v", dir, err)
		}
		for _, name := range names {
			if _, err := os.ReadFile(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	return root
}
