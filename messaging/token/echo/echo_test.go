package echo_test

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
	"example.org/doorway/messaging/token/echo"
	"example.org/doorway/messaging/topology"
)

// ring is the ring whose links lead in both directions.
func ring(n int) topology.Graph {
	g := topology.Line(n)
	g[0], g[n-1] = append(g[0], messaging.ID(n-1)), append(g[n-1], 0)
	return g
}

// links is the number of pairs of nodes with a link.
func links(g topology.Graph) int {
	sum := 0
	for _, of := range g {
		sum += len(of)
	}
	return sum / 2
}

var (
	networks = map[string]topology.Graph{
		"ring": ring(5), "grid": topology.Grid(2, 3), "complete": topology.Complete(4), "line": topology.Line(4), "star": topology.Star(5),
		"random": topology.Random(7, 11, 3), "pair": topology.Line(2), "one": topology.Line(1),
	}
	trees = map[string]topology.Graph{
		"line": topology.Line(5), "star": topology.Star(5), "binary": topology.Tree(7, 2), "random": topology.Random(8, 7, 5), "one": topology.Line(1),
	}
)

func TestSchedules(t *testing.T) {
	schedules := func(name string, g topology.Graph, a messaging.Algorithm) {
		for seed := range tier.Pick[uint64](200, 2000) {
			c := nodetest.Config{Nodes: len(g), Seed: seed, Unordered: seed%2 == 0, Withdraw: float64(seed%3) / 4}
			if err := nodetest.Run(a, c); err != nil {
				t.Fatal(name, err)
			}
		}
	}
	for name, g := range networks {
		schedules(name, g, echo.New(g))
	}
	for name, g := range trees {
		schedules("tree: "+name, g, echo.NewTree(g))
	}
}

// A wave takes two messages on each link, or one on each of a tree, and the token one on each
// link of its way.
func TestMessages(t *testing.T) {
	for name, g := range networks {
		lone(t, name, g, echo.New(g), map[string]int{"EXPLORE": 2*links(g) - len(g) + 1, "ECHO": len(g) - 1})
	}
	for name, g := range trees {
		lone(t, "tree: "+name, g, echo.NewTree(g), map[string]int{"EXPLORE": len(g) - 1})
	}
}

// lone has each node ask for the token when each other has it.
func lone(t *testing.T, name string, g topology.Graph, a messaging.Algorithm, wave map[string]int) {
	t.Helper()
	for holder := range messaging.ID(len(g)) {
		way := g.Router()(holder)
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

// Waves take as many messages under every load and on all links, since those of a node do not
// meet. In a tree a late wave that the next one has overtaken ends there.
func TestMessagesUnderLoad(t *testing.T) {
	for seed := range tier.Pick[uint64](30, 300) {
		g := topology.Random(6, 5+int(seed%6), seed)
		tree := topology.Random(6, 5, seed)
		c := sim.Config{
			Nodes: 6, Load: sim.HighLoad{Think: sim.Uniform(0, 20*sim.T)}, Entries: 60, Order: true,
			Latency: sim.Exponential(sim.T), Unordered: seed%2 == 0, Seed: seed,
		}
		asked := func(a messaging.Algorithm) (sim.Report, int) {
			c.Algorithm = a
			r, err := sim.Run(c)
			require.NoError(t, err)
			here := 0
			for _, v := range r.Order {
				if v.Entered == v.Requested {
					here++
				}
			}
			return r, r.Entries - here
		}
		r, waves := asked(echo.New(g))
		assert.Equal(t, 2*links(g)*waves, r.Kinds["EXPLORE"]+r.Kinds["ECHO"], "seed %d: %d waves in %v", seed, waves, g)
		assert.GreaterOrEqual(t, r.Kinds["TOKEN"], waves)
		r, waves = asked(echo.NewTree(tree))
		if most := 5 * waves; c.Unordered {
			assert.LessOrEqual(t, r.Kinds["EXPLORE"], most, "seed %d: %d waves in %v", seed, waves, tree)
		} else {
			assert.Equal(t, most, r.Kinds["EXPLORE"], "seed %d: %d waves in %v", seed, waves, tree)
		}
	}
}

// The token may be faster than a wave. Node 0 knows that 2 and 3 wait, and sends the token to 2
// with 3 in the queue. But the wave of 3 is late at node 2, which keeps the token until it
// arrives: it knows no way before.
func TestTokenWaitsForTheWave(t *testing.T) {
	r, err := sim.Run(sim.Config{
		Algorithm: echo.New(topology.Graph{{1, 2, 3}, {0}, {0, 3}, {0, 2}}), Nodes: 4, Unordered: true, Order: true,
		Load:   sim.Script{{Node: 0, Stay: 5 * sim.T}, {Node: 2, At: sim.T}, {Node: 3, At: 2 * sim.T}},
		Except: []sim.Exception{{Kind: "EXPLORE", From: []messaging.ID{0, 3}, To: []messaging.ID{2}, Latency: sim.Constant(30 * sim.T)}},
	})
	require.NoError(t, err)
	require.Len(t, r.Order, 3)
	assert.Equal(t, messaging.ID(2), r.Order[1].Node)
	assert.Equal(t, 7*sim.T, r.Order[1].Left)
	assert.Equal(t, 33*sim.T, r.Order[2].Entered, "the wave that began at 2 arrives at 32")
}

// A crash of an idle node that is not between the others: where waves echo, each other node
// enters once more, since its next wave would have to wait for the end of that one. In a tree all go on.
func TestCrash(t *testing.T) {
	g := topology.Star(4)
	for name, a := range map[string]messaging.Algorithm{"echo": echo.New(g), "tree": echo.NewTree(g)} {
		_, err := sim.Run(sim.Config{
			Algorithm: a, Nodes: 4, Crashes: []sim.Crash{{Node: 3}},
			Load: sim.Script{{Node: 1, At: 10 * sim.T}, {Node: 2, At: 20 * sim.T}, {Node: 1, At: 30 * sim.T}},
		})
		assert.Equal(t, name == "echo", sim.Failure(err) == "deadlock", "%s: %v", name, err)
		if name == "echo" {
			assert.ErrorContains(t, err, "node 1 has been waiting since 30 T")
		}
	}
}

func TestInvalid(t *testing.T) {
	for want, make := range map[string]func(){
		"echo: topology: the graph has no node":                                                                func() { echo.New(nil) },
		"echo: topology: no path leads from node 0 to node 1":                                                  func() { echo.New(topology.Graph{{}, {}}) },
		"echo: topology: node 0 has a link to node 1, which has none to node 0: links lead in both directions": func() { echo.New(topology.Ring(3)) },
		"echo: topology: it is not a tree: nodes [1 0 2] form a cycle":                                         func() { echo.NewTree(topology.Complete(3)) },
		"messaging: node 0 is one of 4, but the topology is for 3 nodes":                                       func() { echo.New(topology.Line(3))(messaging.Start{Nodes: 4}) },
	} {
		assert.PanicsWithValue(t, want, make)
	}
}

// A node changes no token that it has sent or received.
func TestTokenIsNotShared(t *testing.T) {
	site := messaging.NewSite(echo.NewTree(topology.Star(4)), messaging.Start{Nodes: 4, Holder: 3}, nil)
	site.Request()
	q := append(make([]messaging.ID, 0, 4), 2) // with room to append in place
	token := echo.Token{LN: []uint64{0, 0, 0, 0}, Q: q}
	site.Receive(2, echo.Explore{Origin: 2, Number: 1})
	site.Receive(1, echo.Explore{Origin: 1, Number: 1})
	site.Receive(3, token)
	site.Done()
	site.Release()
	require.Len(t, site.Sends, 1)
	assert.Equal(t, messaging.Send{To: 2, Message: echo.Token{To: 2, LN: []uint64{1, 0, 0, 0}, Q: []messaging.ID{1}}}, site.Sends[0])
	assert.Equal(t, echo.Token{LN: []uint64{0, 0, 0, 0}, Q: []messaging.ID{2}}, token)
	assert.Equal(t, []messaging.ID{2, 0, 0, 0}, q[:4], "behind its end, too")
}

// Impossible messages are rejected, and leave the node unchanged. Node 0 waits and has got the
// first wave of node 2; in the network, an echo of node 1 is missing.
func TestRefuses(t *testing.T) {
	token := func(to messaging.ID, ln []uint64, q ...messaging.ID) echo.Token {
		return echo.Token{To: to, LN: ln, Q: q}
	}
	zero := []uint64{0, 0, 0, 0}
	const (
		unknown    = "it is not a message of this algorithm"
		unlinked   = "there is no link to this node"
		unasked    = "there is no such request"
		misplaced  = "that wave cannot be here now"
		unawaited  = "this node awaits no such echo"
		waitsNot   = "that node does not wait for the token"
		misqueued  = "Q is not a queue of other nodes, each once"
		comesBack  = "in a tree a wave does not come back"
		countedLN  = "LN is not one number for each node"
		inNetworks = 1
		inTrees    = 2
		inBoth     = inNetworks | inTrees
	)
	for _, c := range []struct {
		in   int
		from messaging.ID
		m    messaging.Message
		why  string
	}{
		{inBoth, 1, "no message", unknown},
		{inTrees, 1, echo.Echo{Origin: 2, Number: 1}, unknown},
		{inBoth, 0, echo.Explore{Origin: 2, Number: 1}, unlinked},
		{inBoth, 3, echo.Explore{Origin: 2, Number: 1}, unlinked},
		{inBoth, 1, echo.Explore{Origin: 4, Number: 1}, unasked},
		{inBoth, 1, echo.Explore{Origin: -1, Number: 1}, unasked},
		{inBoth, 1, echo.Explore{Origin: 3}, unasked},
		{inBoth, 1, echo.Explore{Origin: 0, Number: 2}, unasked},
		{inTrees, 1, echo.Explore{Origin: 0, Number: 1}, comesBack},
		{inNetworks, 1, echo.Explore{Origin: 3, Number: 2}, misplaced},
		{inNetworks, 1, echo.Explore{Origin: 2, Number: 2}, misplaced},
		{inNetworks, 1, echo.Echo{Origin: 4, Number: 1}, unawaited},
		{inNetworks, 1, echo.Echo{Origin: 3, Number: 0}, unawaited},
		{inNetworks, 1, echo.Echo{Origin: 2, Number: 2}, unawaited},
		{inBoth, 1, token(0, nil), countedLN},
		{inBoth, 1, token(0, []uint64{1, 0, 0, 0}), waitsNot},
		{inBoth, 1, token(3, zero), waitsNot},
		{inBoth, 1, token(4, zero), waitsNot},
		{inBoth, 1, token(-1, zero), waitsNot},
		{inBoth, 1, token(0, zero, 0), misqueued},
		{inBoth, 1, token(0, zero, 4), misqueued},
		{inBoth, 1, token(0, zero, 2, 2), misqueued},
	} {
		for in, a := range map[int]messaging.Algorithm{
			inNetworks: echo.New(topology.Graph{{1, 2}, {0, 3}, {0, 3}, {1, 2}}), inTrees: echo.NewTree(topology.Graph{{1, 2}, {0, 3}, {0}, {1}}),
		} {
			if c.in&in == 0 {
				continue
			}
			site := messaging.NewSite(a, messaging.Start{Nodes: 4, Holder: 1}, nil)
			site.Request()
			site.Receive(2, echo.Explore{Origin: 2, Number: 1})
			site.Done()
			before := state.Append(nil, site.Node())
			want := fmt.Sprintf("echo: node 0 got %T %+v from node %d: %s", c.m, c.m, c.from, c.why)
			assert.PanicsWithError(t, want, func() { site.Receive(c.from, c.m) })
			assert.Equal(t, before, state.Append(nil, site.Node()), "%T%+v has changed the node", c.m, c.m)
			assert.Empty(t, site.Sends)
		}
	}
	holder := messaging.NewSite(echo.New(topology.Line(2)), messaging.Start{Nodes: 2}, nil)
	assert.Panics(t, func() { holder.Receive(1, token(0, []uint64{0, 0})) }, "the token is here")
}
