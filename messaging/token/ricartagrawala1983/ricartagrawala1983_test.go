package ricartagrawala1983_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/state"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/ricartagrawala1983"
)

func TestSchedules(t *testing.T) {
	for seed := range tier.Pick[uint64](300, 1000) {
		for nodes := range 6 {
			c := nodetest.Config{
				Nodes: nodes + 1, Seed: seed, Unordered: seed%2 == 0, Withdraw: float64(seed%3) / 4,
			}
			if err := nodetest.Run(ricartagrawala1983.New, c); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Requests may arrive twice: those that are served have no effect.
func TestRepeatedRequests(t *testing.T) {
	for seed := range tier.Pick[uint64](50, 500) {
		r, err := sim.Run(sim.Config{
			Algorithm: ricartagrawala1983.New, Nodes: 5, Seed: seed, Load: sim.HighLoad{Think: sim.Uniform(0, 10*sim.T)}, Entries: 60,
			Latency: sim.Exponential(sim.T), Unordered: true,
			Except: []sim.Exception{{Kind: "REQUEST", Double: true, Latency: sim.Uniform(0, 40*sim.T)}},
		})
		require.NoError(t, err)
		assert.Equal(t, 60, r.Entries)
		assert.Equal(t, 4*r.Kinds["TOKEN"], r.Kinds["REQUEST"], "a token for each request")
	}
}

// The nodes that wait enter in cyclic order, in whatever order they have asked: the token
// that leaves node 2 does not come to node 1 before it has been at 3, 4 and 0.
func TestOrder(t *testing.T) {
	r, err := sim.Run(sim.Config{
		Algorithm: ricartagrawala1983.New, Nodes: 5, Holder: 2, Stay: sim.Constant(10 * sim.T), Order: true,
		Load: sim.Script{{Node: 2}, {Node: 1, At: sim.T}, {Node: 4, At: 2 * sim.T}, {Node: 0, At: 3 * sim.T}, {Node: 3, At: 4 * sim.T}},
	})
	require.NoError(t, err)
	var order []messaging.ID
	for _, v := range r.Order {
		order = append(order, v.Node)
	}
	assert.Equal(t, []messaging.ID{2, 3, 4, 0, 1}, order)
}

// Under high load every node enters once in each round.
func TestRounds(t *testing.T) {
	const nodes = 7
	r, err := sim.Run(sim.Config{Algorithm: ricartagrawala1983.New, Nodes: nodes, Load: sim.HighLoad{}, Entries: 10 * nodes, Order: true})
	require.NoError(t, err)
	for k, v := range r.Order {
		assert.Equal(t, messaging.ID(k%nodes), v.Node, "entry %d", k)
	}
}

// A node changes no token that it has sent or received.
func TestTokenIsNotShared(t *testing.T) {
	site := messaging.NewSite(ricartagrawala1983.New, messaging.Start{Nodes: 3, Holder: 2}, nil)
	site.Request()
	token := ricartagrawala1983.Token{L: []uint64{0, 0, 0}}
	site.Receive(2, token)
	site.Receive(1, ricartagrawala1983.Request{Number: 1})
	site.Done()
	site.Release()
	require.Len(t, site.Sends, 1)
	sent := site.Sends[0]
	assert.Equal(t, messaging.Send{To: 1, Message: ricartagrawala1983.Token{L: []uint64{1, 0, 0}}}, sent)
	assert.Equal(t, ricartagrawala1983.Token{L: []uint64{0, 0, 0}}, token)
	site.Done()
	site.Request()
	site.Receive(1, ricartagrawala1983.Token{L: []uint64{1, 1, 0}})
	site.Release()
	assert.Equal(t, ricartagrawala1983.Token{L: []uint64{1, 0, 0}}, sent.Message)
}

// Impossible messages are rejected, and leave the node unchanged.
func TestRefuses(t *testing.T) {
	token := func(l ...uint64) ricartagrawala1983.Token { return ricartagrawala1983.Token{L: l} }
	for _, c := range []struct {
		waits bool
		from  messaging.ID
		m     messaging.Message
		why   string
	}{
		{true, 1, "no message", "it is not a message of this algorithm"},
		{true, 0, ricartagrawala1983.Request{Number: 1}, "a node sends itself no message"},
		{true, 0, token(0, 0, 0), "a node sends itself no message"},
		{true, 1, ricartagrawala1983.Request{}, "there is no such request"},
		{false, 1, token(0, 0, 0), "this node has not asked for the token"},
		{true, 1, token(), "L is not one number for each node"},
		{true, 1, token(0, 0), "L is not one number for each node"},
		{true, 1, token(1, 0, 0), "the request of this node was served before"},
	} {
		site := messaging.NewSite(ricartagrawala1983.New, messaging.Start{Nodes: 3, Holder: 1}, nil)
		if c.waits {
			site.Request()
			site.Done()
		}
		before := state.Append(nil, site.Node())
		want := fmt.Sprintf("ricartagrawala1983: node 0 got %T %+v from node %d: %s", c.m, c.m, c.from, c.why)
		assert.PanicsWithError(t, want, func() { site.Receive(c.from, c.m) })
		assert.Equal(t, before, state.Append(nil, site.Node()), "%T%+v has changed the node", c.m, c.m)
		assert.Empty(t, site.Sends)
	}
}
