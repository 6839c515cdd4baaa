package reliable_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/multicast"
	"example.org/doorway/messaging/multicast/reliable"
	"example.org/doorway/messaging/sim"
)

// With N members, a view change takes 3(N-1) messages: a Flush, an answer and an Install each. One that leaves
// tells the N-1 others, and one that joins all N of the others, and each member tells it.
func TestCountsOfViews(t *testing.T) {
	for n := 2; n <= 10; n++ {
		last := messaging.ID(n - 1)
		c := sim.Config{
			Algorithm: reliable.New(0, 0), Nodes: n, Results: multicast.Synchronous,
			Inputs: []sim.Input{{Node: last, Message: leave}},
		}
		r, err := sim.Run(c)
		require.NoError(t, err)
		assert.Equal(t, n-1+3*(n-1), r.Messages, "%d nodes, of which one leaves", n)

		crash := sim.Config{
			Algorithm: reliable.New(0, 0), Nodes: n, Results: multicast.Synchronous,
			Crashes: []sim.Crash{{Node: last, At: sim.T}}, Detection: sim.Constant(sim.T),
			Inputs: []sim.Input{{Node: 0, At: 9 * sim.T, Message: a}},
		}
		r, err = sim.Run(crash)
		require.NoError(t, err)
		assert.Equal(t, 2*(n-2)+n-1, r.Kinds["FLUSH"]+r.Kinds["FLUSHED"]+r.Kinds["INSTALL"], "%d nodes, of which one crashes", n)
		assert.Equal(t, n-2, r.Kinds["DATA"], "the next view has one node less")

		c.Inputs = append(c.Inputs, sim.Input{Node: last, At: 9 * sim.T, Message: join})
		r, err = sim.Run(c)
		require.NoError(t, err)
		assert.Equal(t, n-1, r.Kinds["JOIN"], "%d nodes, of which one joins", n)
		assert.Equal(t, (n-1)+(n-1), r.Kinds["FLUSH"], "the one that has left is asked once more")
		assert.Equal(t, (n-1)+(n-2)+(n-1), r.Kinds["INSTALL"])
	}
}

// Over the link, messages may be lost, arrive twice and overtake each other, and nodes crash, leave and join: in
// the end all live members have delivered the same.
func TestOverLink(t *testing.T) {
	delivered := 0
	for seed := range uint64(tier.Pick(30, 500)) {
		c := sim.Config{
			Algorithm: link.Over(reliable.New(0, 0), link.Config{Timeout: 4 * sim.T}), Nodes: 5, Seed: seed,
			Loss: 0.3, Duplication: 0.1, Unordered: true, Latency: sim.Exponential(sim.T),
			Crashes:   []sim.Crash{{Node: messaging.ID(seed % 5), At: time.Duration(seed%17) * sim.T / 2}},
			Detection: sim.Constant(5 * sim.T),
			Results:   multicast.Synchronous,
		}
		for k := range 20 {
			m := [...]messaging.Message{a, b, leave, join, a}[uint64(k)*(seed+1)%5]
			c.Inputs = append(c.Inputs, sim.Input{Node: messaging.ID(k % 5), At: time.Duration(k) * sim.T, Message: m})
		}
		r, err := sim.Run(c)
		require.NoError(t, err, "seed %d", seed)
		delivered += len(r.Emits)
	}
	t.Log(delivered, "emitted")
}

// If timeouts are longer than a round trip, no live node is removed, and one that has crashed is as soon as it is awaited.
func TestSilence(t *testing.T) {
	removed := false
	c := explore.NodesConfig{
		New: reliable.New(1, 2), Nodes: 3, Inputs: inputs{{a}, nil, nil}, Crashes: 1,
		Results: func(o messaging.Outcome) error {
			removed = removed || slices.Contains(o.Emitted[0], any(messaging.Removed{Node: 2}))
			o.Over = false // a crash may remain unnoticed
			return multicast.Synchronous(o)
		},
	}
	r, err := explore.CheckNodes(c)
	require.NoError(t, err)
	require.NoError(t, r.Err())
	assert.True(t, removed, "a crash is noticed")
}

// A node that starts again before it is missed is removed too, since it is silent, whatever was in transit to it.
func TestRestart(t *testing.T) {
	for seed := range uint64(tier.Pick(100, 1000)) {
		down := time.Duration(1+seed%30) * sim.T / 7
		c := sim.Config{
			Algorithm: reliable.New(4*sim.T, 2), Nodes: 3, Seed: seed, Latency: sim.Uniform(sim.T/2, 3*sim.T/2),
			Crashes: []sim.Crash{{Node: 1, At: down, Restart: down + time.Duration(1+seed%4)*sim.T/3}},
		}
		for k := range 12 {
			c.Inputs = append(c.Inputs, sim.Input{Node: messaging.ID(k % 3), At: time.Duration(k) * sim.T / 2, Message: a})
		}
		r, err := sim.Run(c)
		require.NoError(t, err, "seed %d", seed)
		views := make([]multicast.View, 3)
		for _, e := range r.Emits {
			if v, ok := e.Message.(multicast.View); ok {
				views[e.From] = v
			}
		}
		want := multicast.View{Number: 2, Members: []messaging.ID{0, 2}}
		assert.Equal(t, []multicast.View{want, want}, []multicast.View{views[0], views[2]}, "seed %d", seed)
	}
}

func TestMisuse(t *testing.T) {
	assert.PanicsWithValue(t, "reliable: New(-1ns, 3): want 0 or a positive tick, and then at least 2 ticks", func() { reliable.New(-1, 3) })
	assert.PanicsWithValue(t, "reliable: New(1ns, 1): want 0 or a positive tick, and then at least 2 ticks", func() { reliable.New(1, 1) })
}
