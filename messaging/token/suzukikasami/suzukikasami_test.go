package suzukikasami_test

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
	"example.org/doorway/messaging/token/suzukikasami"
)

func TestSchedules(t *testing.T) {
	for seed := range tier.Pick[uint64](300, 1000) {
		for nodes := range 6 {
			c := nodetest.Config{
				Nodes: nodes + 1, Seed: seed, Unordered: seed%2 == 0, Withdraw: float64(seed%3) / 4,
			}
			if err := nodetest.Run(suzukikasami.New, c); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Requests may arrive twice: those that are served have no effect.
func TestRepeatedRequests(t *testing.T) {
	for seed := range tier.Pick[uint64](50, 500) {
		r, err := sim.Run(sim.Config{
			Algorithm: suzukikasami.New, Nodes: 5, Seed: seed, Load: sim.HighLoad{Think: sim.Uniform(0, 10*sim.T)}, Entries: 60,
			Latency: sim.Exponential(sim.T), Unordered: true,
			Except: []sim.Exception{{Kind: "REQUEST", Double: true, Latency: sim.Uniform(0, 40*sim.T)}},
		})
		require.NoError(t, err)
		assert.Equal(t, 60, r.Entries)
		assert.Equal(t, 4*r.Kinds["TOKEN"], r.Kinds["REQUEST"], "a token for each request")
	}
}

// Nodes that ask while another is inside enter in ascending order; those that ask
// later queue behind them, whatever their numbers.
func TestOrder(t *testing.T) {
	r, err := sim.Run(sim.Config{
		Algorithm: suzukikasami.New, Nodes: 5, Holder: 2, Stay: sim.Constant(10 * sim.T), Order: true,
		Load: sim.Script{{Node: 2}, {Node: 4, At: sim.T}, {Node: 3, At: 2 * sim.T}, {Node: 0, At: 15 * sim.T}, {Node: 1, At: 16 * sim.T}},
	})
	require.NoError(t, err)
	var order []messaging.ID
	for _, v := range r.Order {
		order = append(order, v.Node)
	}
	assert.Equal(t, []messaging.ID{2, 3, 4, 0, 1}, order)
}

// A node changes no token that it has sent or received.
func TestTokenIsNotShared(t *testing.T) {
	site := messaging.NewSite(suzukikasami.New, messaging.Start{Nodes: 4, Holder: 3}, nil)
	site.Request()
	q := append(make([]messaging.ID, 0, 4), 2) // with room to append in place
	token := suzukikasami.Token{LN: []uint64{0, 0, 0, 0}, Q: q}
	site.Receive(3, token)
	site.Receive(1, suzukikasami.Request{Number: 1})
	site.Done()
	site.Release()
	require.Len(t, site.Sends, 1)
	sent := site.Sends[0]
	assert.Equal(t, messaging.Send{To: 2, Message: suzukikasami.Token{LN: []uint64{1, 0, 0, 0}, Q: []messaging.ID{1}}}, sent)
	assert.Equal(t, suzukikasami.Token{LN: []uint64{0, 0, 0, 0}, Q: []messaging.ID{2}}, token)
	assert.Equal(t, []messaging.ID{2, 0, 0, 0}, q[:4], "behind its end, too")
	site.Done()
	site.Request()
	site.Receive(2, suzukikasami.Token{LN: []uint64{1, 0, 1, 0}, Q: []messaging.ID{1}})
	assert.Equal(t, suzukikasami.Token{LN: []uint64{1, 0, 0, 0}, Q: []messaging.ID{1}}, sent.Message)
}

// Impossible messages are rejected, and leave the node unchanged.
func TestRefuses(t *testing.T) {
	token := func(ln []uint64, q ...messaging.ID) suzukikasami.Token { return suzukikasami.Token{LN: ln, Q: q} }
	const mixed = "Q is not a queue of other nodes, each once"
	for _, c := range []struct {
		waits bool
		from  messaging.ID
		m     messaging.Message
		why   string
	}{
		{true, 1, "no message", "it is not a message of this algorithm"},
		{true, 0, suzukikasami.Request{Number: 1}, "a node sends itself no message"},
		{true, 0, token([]uint64{0, 0, 0}), "a node sends itself no message"},
		{true, 1, suzukikasami.Request{}, "there is no such request"},
		{false, 1, token([]uint64{0, 0, 0}), "this node has not asked for the token"},
		{true, 1, token(nil), "LN is not one number for each node"},
		{true, 1, token([]uint64{0, 0}), "LN is not one number for each node"},
		{true, 1, token([]uint64{1, 0, 0}), "the request of this node was served before"},
		{true, 1, token([]uint64{0, 0, 0}, 0), mixed},
		{true, 1, token([]uint64{0, 0, 0}, 3), mixed},
		{true, 1, token([]uint64{0, 0, 0}, -1), mixed},
		{true, 1, token([]uint64{0, 0, 0}, 2, 2), mixed},
	} {
		site := messaging.NewSite(suzukikasami.New, messaging.Start{Nodes: 3, Holder: 1}, nil)
		if c.waits {
			site.Request()
			site.Done()
		}
		before := state.Append(nil, site.Node())
		want := fmt.Sprintf("suzukikasami: node 0 got %T %+v from node %d: %s", c.m, c.m, c.from, c.why)
		assert.PanicsWithError(t, want, func() { site.Receive(c.from, c.m) })
		assert.Equal(t, before, state.Append(nil, site.Node()), "%T%+v has changed the node", c.m, c.m)
		assert.Empty(t, site.Sends)
	}
}
