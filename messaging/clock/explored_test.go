package clock_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/internal/wrap"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock"
	"example.org/doorway/messaging/clock/berkeley"
	"example.org/doorway/messaging/clock/cristian"
)

// A stopping node has a clock that stops after some ticks: it has finitely many states.
type stopping struct {
	wrap.Methods
	Left int
}

func (n *stopping) Start(out messaging.Out) { n.Methods.Start(few{out, n}) }

func (n *stopping) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	n.Node.Receive(from, m, few{out, n})
}

type few struct {
	messaging.Out
	n *stopping
}

func (o few) After(d time.Duration, m messaging.Message) {
	if o.n.Left > 0 {
		o.n.Left--
		o.Out.After(d, m)
	}
}

// In every schedule of a few ticks, whatever messages take, no clock goes back. (Time is not part of a schedule, so nothing
// is said of the error there; and clocks that tick forever have states without end.)
func TestExplored(t *testing.T) {
	for name, c := range map[string]struct {
		a     messaging.Algorithm
		ticks int
	}{
		"cristian": {cristian.New(0, cristian.Config{Tick: 10, Every: 2, Drift: 1000}), tier.Pick(2, 3)},
		"berkeley": {berkeley.New(0, berkeley.Config{Tick: 10, Every: 2, Wait: 1, Apart: time.Hour}), 2},
	} {
		r, err := explore.CheckNodes(explore.NodesConfig{
			New: func(start messaging.Start) messaging.Node {
				return &stopping{wrap.Methods{Node: c.a(start)}, c.ticks}
			},
			Nodes: 2, Unordered: true, AnyTime: true, Losses: 1, Duplicates: tier.Pick(0, 1), Results: clock.Results,
			Inputs: [][]messaging.Message{{clock.Set{Time: 100}}, {clock.Set{Time: 1000}, clock.Read{}, clock.Read{}}},
		})
		require.NoError(t, err, name)
		require.Empty(t, r.Failures(), name)
		assert.Equal(t, explore.Holds, r.Results.Status)
		t.Log(name, r.States, "states")
	}
}
