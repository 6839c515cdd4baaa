package ricartagrawala_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/state"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

func TestSchedules(t *testing.T) {
	for seed := range tier.Pick[uint64](300, 1000) {
		for nodes := range 6 {
			c := nodetest.Config{
				Nodes: nodes + 1, Seed: seed, Unordered: seed%2 == 0, Withdraw: float64(seed%3) / 4,
			}
			if err := nodetest.Run(ricartagrawala.New, c); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Impossible messages are rejected, and leave the node unchanged.
func TestRefuses(t *testing.T) {
	stamp := func(time messaging.Time, id messaging.ID) messaging.Stamp { return messaging.Stamp{Time: time, ID: id} }
	for _, m := range []messaging.Message{
		ricartagrawala.Request{},
		ricartagrawala.Request{Of: stamp(0, 1)},
		ricartagrawala.Request{Of: stamp(5, 2)},
		ricartagrawala.Reply{},
		ricartagrawala.Reply{To: stamp(1, 1)},
		ricartagrawala.Reply{To: stamp(2, 0)},
		"no message",
	} {
		site := messaging.NewSite(ricartagrawala.New, messaging.Start{Nodes: 3}, nil)
		site.Request()
		before := state.Append(nil, site.Node())
		assert.Panics(t, func() { site.Receive(1, m) }, "%T%+v is not refused", m, m)
		assert.Equal(t, before, state.Append(nil, site.Node()), "%T%+v has changed the node", m, m)
	}
}

// An idle node keeps nothing of its requests but their order: up to a shift of all times, its
// states are finitely many.
func TestUnbounded(t *testing.T) {
	for name, a := range map[string]messaging.Algorithm{
		"the algorithm": ricartagrawala.New, "acknowledged": ricartagrawala.NewAcknowledged(1, 3),
	} {
		r, err := explore.CheckNodes(explore.NodesConfig{New: a, Nodes: 2, Rounds: explore.Unbounded})
		require.NoError(t, err, name)
		assert.Empty(t, r.Failures(), name)
	}
}
