//go:build doorway_explore

package mcs

import (
	"testing"

	"example.org/doorway/internal/interleave"
	"example.org/doorway/internal/interleave/variants"
	"example.org/doorway/internal/tier"
)

// In any interleaving, at most one goroutine is inside a Queue, and none sleeps forever, though
// nodes are used again as soon as they are given back.
func TestQueueInterleavings(t *testing.T) {
	for k, c := range scenarios {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "two, three times" || c.name == "one left, two, and one aborts" {
				tier.NeedsFull(t, "has millions of states")
			}
			_, of := scenario(k)
			interleave.Check(t, of())
		})
	}
}

// The exploration must find known faults: it shows a failing run of each broken
// variant of the source.
func TestBrokenQueues(t *testing.T) {
	tier.NeedsFull(t, "compiles a copy of this package with each change")
	variants.Check(t, "queue_scenarios_explore_test.go", variants.Read(t, "testdata/changes.txt"))
}
