//go:build doorway_explore

package register

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/interleave"
	"example.org/doorway/internal/tier"
)

// In no order does a process sleep for ever.
func TestNoWakeUpIsLost(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			r := interleave.Explore(s.make())
			require.Empty(t, r.Failure, r.Trace)
			assert.True(t, r.Whole, "not all orders were run")
			t.Logf("%d states, %d steps; the longest way to one: %d", r.States, r.Steps, r.Depth)
		})
	}
}

// The same with every single operation as a step, and nothing forgotten, where
// that takes not too many states.
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
	assert.GreaterOrEqual(t, done, len(scenarios)/tier.Pick(4, 3), "that is few")
}

// What the contract of a relay asks of those who use it, it asks for a reason.
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
	assert.Equal(t, "process 1 sleeps for ever", r.Failure, r.Trace)
	t.Logf("%s\n%v", r.Failure, r.Trace)
}
