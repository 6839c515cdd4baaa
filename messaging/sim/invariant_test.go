package sim_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// A run in the hands of its caller holds the invariant after each choice, and goes on once the
// choice that violates it is taken back.
func TestInvariantStepByStep(t *testing.T) {
	var transit []messaging.Event // in the last state
	r, err := sim.Start(sim.Config{
		Algorithm: newRing, Nodes: 3, Perpetual: true,
		Invariant: func(_ []messaging.Node, now []messaging.Event) error {
			if transit = slices.Clone(now); len(transit) > 1 {
				return fmt.Errorf("%d tokens are in transit", len(transit))
			}
			return nil
		},
	})
	require.NoError(t, err)
	require.NoError(t, r.Do("a0.l0"))
	assert.Equal(t, []messaging.Event{{From: 0, To: 1, Message: Token{}}}, transit)

	require.NoError(t, r.Do("y1"))
	assert.EqualError(t, r.Err(), "sim: at 0 T: the invariant is violated: 2 tokens are in transit")
	assert.Equal(t, "invariant", sim.Failure(r.Err()))
	assert.ErrorContains(t, r.Do("d1"), "the run has ended: at 0 T: the invariant is violated")
	text, err := r.MarshalText()
	require.NoError(t, err)
	assert.Contains(t, string(text), "; run a0.l0.y1")

	require.NoError(t, r.Undo(1))
	require.NoError(t, r.Err())
	require.NoError(t, r.Do("d1"))
	assert.Equal(t, []messaging.Event{{From: 1, To: 2, Message: Token{}}}, transit)
	require.NoError(t, r.Do("x2"))
	assert.Empty(t, transit)
}

// A message that is lost when it is sent is never in transit; one that is duplicated is twice.
func TestInvariantOfFaults(t *testing.T) {
	most := 0
	c := sim.Config{
		Algorithm: newRing, Nodes: 3, Load: sim.Script{{Node: 0}}, Perpetual: true,
		Invariant: func(_ []messaging.Node, transit []messaging.Event) error {
			most = max(most, len(transit))
			return nil
		},
	}
	for _, test := range []struct {
		loss, duplication float64
		most              int
	}{{0, 0, 1}, {0, 1, 2}, {1, 0, 0}} {
		c.Loss, c.Duplication, most = test.loss, test.duplication, 0
		run(t, c)
		assert.Equal(t, test.most, most, "%+v", test)
	}
}
