package catalog_test

import (
	"testing"

	"example.org/doorway/internal/catalog"
)

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
