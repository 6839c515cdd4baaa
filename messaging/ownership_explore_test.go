//go:build doorway_explore

package messaging

import (
	"testing"

	"example.org/doorway/internal/interleave"
)

// In no order is a message lost, overtaken on its link or handled by two runners
// at a time, and nobody waits for ever.
func TestOwnership(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			sc := s.make()
			sc.Preemptions = s.preemptions
			r := interleave.Explore(sc)
			if r.Failure != "" {
				t.Fatalf("%s\n%v", r.Failure, r.Trace)
			}
			if !r.Whole && s.preemptions == 0 {
				t.Error("not all orders were run")
			}
			t.Logf("%d states, %d steps, %d states of threads; the longest way to one: %d", r.States, r.Steps, r.Threads, r.Depth)
		})
	}
}

// The same with every single operation as a step, and nothing forgotten, as far
// as three preemptions lead.
func TestOwnershipInTheSmallestSteps(t *testing.T) {
	for _, a := range []Algorithm{newDesk, newAsker} {
		s := newStage(2, a)
		s.remembers = true
		sc := s.scenario(true, s.user(0, 1), s.user(1, 1))
		sc.Fine, sc.Preemptions = true, 3
		r := interleave.Explore(sc)
		if r.Failure != "" {
			t.Errorf("%s\n%v", r.Failure, r.Trace)
		}
		t.Logf("%d states, %d steps, %d states of threads", r.States, r.Steps, r.Threads)
	}
}
