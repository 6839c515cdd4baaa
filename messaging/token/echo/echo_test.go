package echo

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/paths"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/topology"
)

// ring is the ring whose links lead in both directions.
func ring(n int) topology.Graph {
	g := topology.Line(n)
	g[0], g[n-1] = append(g[0], messaging.ID(n-1)), append(g[n-1], 0)
	return g
}

// links is the number of pairs of nodes with a link.
func links(g topology.Graph) int { return len(slices.Concat(g...)) / 2 }

var (
	networks = map[string]topology.Graph{
		"ring": ring(5), "grid": topology.Grid(2, 3), "complete": topology.Complete(4), "line": topology.Line(4), "star": topology.Star(5),
		"random": topology.Random(7, 11, 3), "pair": topology.Line(2), "one": topology.Line(1),
	}
	trees = map[string]topology.Graph{
		"line": topology.Line(5), "star": topology.Star(5), "binary": topology.Tree(7, 2), "random": topology.Random(8, 7, 5), "one": topology.Line(1),
	}
)

// A wave takes two messages on each link, or one on each of a tree, and the token one on each
// link of its way.
func TestMessages(t *testing.T) {
	for name, g := range networks {
		lone(t, name, g, New(g), map[string]int{"EXPLORE": 2*links(g) - len(g) + 1, "ECHO": len(g) - 1})
	}
	for name, g := range trees {
		lone(t, "tree: "+name, g, NewTree(g), map[string]int{"EXPLORE": len(g) - 1})
	}
}

// lone has each node ask for the token when each other has it.
func lone(t *testing.T, name string, g topology.Graph, a messaging.Algorithm, wave map[string]int) {
	t.Helper()
	for holder := range messaging.ID(len(g)) {
		way := paths.Router(g)(holder)
		for i := range messaging.ID(len(g)) {
			want := map[string]int{}
			if i != holder {
				for kind, k := range wave {
					if k > 0 {
						want[kind] = k
					}
				}
				want["TOKEN"] = way.Distance[i]
			}
			r, err := sim.Run(sim.Config{Algorithm: a, Nodes: len(g), Holder: holder, Load: sim.Script{{Node: i}}})
			require.NoError(t, err)
			if len(want) == 0 {
				assert.Zero(t, r.Messages)
			} else {
				assert.Equal(t, want, r.Kinds, "%s: node %d asks, and node %d has the token", name, i, holder)
			}
		}
	}
}

// The token may be faster than a wave. Node 0 knows that 2 and 3 wait, and sends the token to 2
// with 3 in the queue. But the wave of 3 is late at node 2, which keeps the token until it
// arrives: it knows no way before.
func TestTokenWaitsForTheWave(t *testing.T) {
	r, err := sim.Run(sim.Config{
		Algorithm: New(topology.Graph{{1, 2, 3}, {0}, {0, 3}, {0, 2}}), Nodes: 4, Unordered: true, Order: true,
		Load:   sim.Script{{Node: 0, Stay: 5 * sim.T}, {Node: 2, At: sim.T}, {Node: 3, At: 2 * sim.T}},
		Except: []sim.Exception{{Kind: "EXPLORE", From: []messaging.ID{0, 3}, To: []messaging.ID{2}, Latency: sim.Constant(30 * sim.T)}},
	})
	require.NoError(t, err)
	require.Len(t, r.Order, 3)
	assert.Equal(t, messaging.ID(2), r.Order[1].Node)
	assert.Equal(t, 7*sim.T, r.Order[1].Left)
	assert.Equal(t, 33*sim.T, r.Order[2].Entered, "the wave that began at 2 arrives at 32")
}

func TestInvalid(t *testing.T) {
	for want, make := range map[string]func(){
		"echo: topology: node 0 has a link to node 1, which has none to node 0: links lead in both directions": func() { New(topology.Ring(3)) },
		"echo: topology: it is not a tree: the link of nodes 1 and 2 closes a cycle":                           func() { NewTree(topology.Complete(3)) },
		"messaging: node 0 is one of 4, but the topology is for 3 nodes":                                       func() { New(topology.Line(3))(messaging.Start{Nodes: 4}) },
	} {
		assert.PanicsWithValue(t, want, make)
	}
}

// A node changes no token that it has sent or received.
func TestTokenIsNotShared(t *testing.T) {
	site := host.NewSite(NewTree(topology.Star(4)), messaging.Start{Nodes: 4, Holder: 3}, nil)
	site.Request()
	q := append(make([]messaging.ID, 0, 4), 2) // with room to append in place
	got := token{LN: []uint64{0, 0, 0, 0}, Q: q}
	site.Receive(2, explore{Origin: 2, Number: 1})
	site.Receive(1, explore{Origin: 1, Number: 1})
	site.Receive(3, got)
	site.Done()
	site.Release()
	require.Len(t, site.Sends, 1)
	assert.Equal(t, host.Send{To: 2, Message: token{To: 2, LN: []uint64{1, 0, 0, 0}, Q: []messaging.ID{1}}}, site.Sends[0])
	assert.Equal(t, token{LN: []uint64{0, 0, 0, 0}, Q: []messaging.ID{2}}, got)
	assert.Equal(t, []messaging.ID{2, 0, 0, 0}, q[:4], "behind its end, too")
}
