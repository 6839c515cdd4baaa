//go:build doorway_explore

package messaging

import (
	"slices"
	"testing"

	"example.org/doorway/internal/interleave"
	"example.org/doorway/internal/tier"
)

// quick are the scenarios that are explored completely within a second.
var quick = []string{
	"desk: two enter", "asker: two enter", "desk: one enters, one tries", "desk: one enters, one gives up",
	"mourner: one enters, the other crashes",
}

// In no interleaving is a message lost, overtaken on its link or handled by two
// runners at a time, and no caller waits forever.
func TestOwnership(t *testing.T) {
	for k, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			if !slices.Contains(quick, s.name) {
				tier.NeedsFull(t, "runs for seconds")
			}
			interleave.Check(t, explorable(k))
		})
	}
}

// The same with every single operation as a step, without state reduction, up to
// three preemptions.
func TestOwnershipInTheSmallestSteps(t *testing.T) {
	tier.NeedsFull(t, "runs for seconds")
	for _, a := range []Algorithm{newDesk, newAsker} {
		s := newStage(2, a)
		s.remembers = true
		sc := s.scenario(true, s.user(0, locks), s.user(1, locks))
		sc.Fine, sc.Preemptions = true, 3
		interleave.Check(t, sc)
	}
}
