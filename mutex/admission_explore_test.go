//go:build doorway_explore

package mutex

import (
	"slices"
	"strings"
	"testing"

	"example.org/doorway/internal/interleave"
	"example.org/doorway/internal/interleave/variants"
	"example.org/doorway/internal/tier"
)

// dear are the beginnings of the names of scenarios for the full proof: those of hundreds of
// thousands of states, and orders that differ from another only in a number.
var dear = []string{
	"barging, impatient: ", "first come: one process, three goroutines", "first come: two processes, ",
}

// No goroutine sleeps forever in the queue of a Shared, and none has the process of
// another, in any interleaving.
func TestAdmission(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			if slices.ContainsFunc(dear, func(begin string) bool { return strings.HasPrefix(s.name, begin) }) {
				tier.NeedsFull(t, "runs for seconds")
			}
			interleave.Check(t, s.make())
		})
	}
}

// The exploration must find known faults: it shows a failing run of each broken
// variant of the source.
func TestBrokenAdmissions(t *testing.T) {
	variants.Check(t, "admission_scenarios_explore_test.go", variants.Read(t, "testdata/changes.txt"))
}
