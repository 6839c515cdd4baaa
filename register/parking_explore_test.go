//go:build doorway_explore

package register

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/interleave"
	"example.org/doorway/internal/tier"
)

// dear are the scenarios of hundreds of thousands of states.
var dear = []string{
	"word: one goes on to the next, one stays", "word: two go round and meet",
	"gate: opened, closed and opened", "gate: two take a lock twice and give way",
}

// No process sleeps forever, in any interleaving.
func TestNoWakeUpIsLost(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			if slices.Contains(dear, s.name) {
				tier.NeedsFull(t, "runs for seconds")
			}
			interleave.Check(t, s.make())
		})
	}
}

// The same in a crowd, where no process that awaits a word yields before it parks.
func TestNoWakeUpIsLostInACrowd(t *testing.T) {
	for _, s := range scenarios {
		if !strings.HasPrefix(s.name, "word: ") {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			if slices.Contains(dear, s.name) {
				tier.NeedsFull(t, "runs for seconds")
			}
			in := s.make()
			in.World.(*memory).ps.of[0].lot.crowd = 0
			interleave.Check(t, in)
		})
	}
}

// Every scenario with every single operation as a step and without merging states,
// where the number of states allows it.
func TestNoWakeUpIsLostInTheSmallestSteps(t *testing.T) {
	done := 0
	for _, s := range scenarios {
		fine := s.make()
		fine.Fine, fine.Limit = true, tier.Pick(10_000, 100_000)
		switch r := interleave.Explore(fine); {
		case r.Whole:
			done++
		case r.Trace != nil:
			t.Errorf("%s: %s\n%v", s.name, r.Failure, r.Trace)
		}
	}
	t.Logf("%d scenarios of %d", done, len(scenarios))
	assert.GreaterOrEqual(t, done, len(scenarios)/tier.Pick(4, 3), "scenarios explored in full")
}

// The contract of a relay is necessary: a process that aborts without Pass leaves
// another asleep.
func TestWhoGivesUpMustPass(t *testing.T) {
	s := scenario(3, func(m *memory) []interleave.Thread {
		return append(waitElsewhere(m, func(m *memory, i int, _ func(*Process)) interleave.Thread {
			return aborter(m, i, func(p *Process) bool {
				return AwaitEitherRelay(p, &m.relay[0], equals(1), &m.relay[2], never) &&
					AwaitEitherRelay(p, &m.relay[1], equals(1), &m.relay[2], never)
			}, func() { m.ps.of[i].Pass() })
		}), canceller(m))
	})
	r := interleave.Explore(s())
	assert.Equal(t, "process 1 sleeps forever", r.Failure, r.Trace)
	t.Logf("%s\n%v", r.Failure, r.Trace)
}
