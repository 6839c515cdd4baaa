//go:build doorway_explore

package mutex

import (
	"slices"
	"testing"

	"example.org/doorway/internal/interleave"
	"example.org/doorway/internal/tier"
)

// dear are the scenarios of hundreds of thousands of states.
var dear = []string{
	"first come: one process, three goroutines", "first come: one process, three goroutines, one gives up",
	"first come: two processes, three goroutines", "first come: two processes, one of three goroutines fails",
	"first come, two are a crowd: one process, three goroutines", "first come, two are a crowd: one process, three goroutines, one gives up",
	"first come, two are a crowd: two processes, three goroutines",
	"first come, one is a crowd: one process, three goroutines, one gives up", "first come, one is a crowd: two processes, three goroutines",
}

// No goroutine sleeps forever in the queue of a Shared, and none has the process of
// another, in any interleaving.
func TestAdmission(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			if slices.Contains(dear, s.name) {
				tier.NeedsFull(t, "runs for seconds")
			}
			interleave.Check(t, s.make())
		})
	}
}
