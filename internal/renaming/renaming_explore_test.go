//go:build doorway_explore

package renaming

import (
	"strings"
	"testing"

	"example.org/doorway/internal/interleave"
	"example.org/doorway/internal/interleave/variants"
	"example.org/doorway/internal/tier"
)

// No two goroutines have the same number, none is lost, and the table grows only if all
// are taken, in any interleaving.
func TestInterleavings(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			if strings.HasPrefix(s.name, "four numbers") {
				tier.NeedsFull(t, "has millions of states")
			}
			interleave.Check(t, s.make())
		})
	}
}

// The exploration must find known faults: it shows a failing run of each broken
// variant of the source.
func TestBroken(t *testing.T) {
	variants.Check(t, "renaming_scenarios_explore_test.go", variants.Read(t, "testdata/changes.txt"))
}
