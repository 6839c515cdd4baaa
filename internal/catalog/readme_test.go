package catalog_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"example.org/doorway/internal/catalog"
)

var update = flag.Bool("update", false, "write the table of the catalog into the README")

// The table of the README is that of the catalog.
func TestREADME(t *testing.T) {
	const path, begin, end = "../../README.md", "<!-- table: go test ./internal/catalog -update -->\n", "<!-- end of table -->\n"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	table, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for a table between %q and %q", path, begin, end)
	}
	want := catalog.Markdown()
	if table == want {
		return
	}
	if !*update {
		t.Fatalf("the table in %s is stale: run go test ./internal/catalog -update", path)
	}
	if err := os.WriteFile(path, []byte(before+begin+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFind(t *testing.T) {
	for _, a := range catalog.Algorithms {
		found, ok := catalog.Find(a.Name)
		if !ok || found.Import != a.Import {
			t.Errorf("Find(%q) = %v, %t", a.Name, found.Import, ok)
		}
		for n, want := range map[int]bool{-1: false, 0: false, 1: true, 2: true, 3: a.Max == 0} {
			if got := a.For(n); got != want {
				t.Errorf("%s is for %d processes: %t, want %t", a.Name, n, got, want)
			}
		}
	}
	if _, ok := catalog.Find("nothing"); ok {
		t.Error("found a lock named nothing")
	}
}
