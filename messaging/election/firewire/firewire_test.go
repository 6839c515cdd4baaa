package firewire

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/topology"
)

// trees returns all n^(n-2) trees of nodes 0 to n-1.
func trees(n int) (all []topology.Graph) {
	known := map[string]bool{}
	for seed := uint64(0); len(all) < []int{1: 1, 2: 1, 3: 3, 4: 16, 5: 125}[n]; seed++ {
		g := topology.Random(n, n-1, seed)
		if key := fmt.Sprint(g); !known[key] {
			known[key], all = true, append(all, g)
		}
	}
	return all
}

// An identification is what a tree identify has come to.
type identification struct {
	sim.Report

	root   messaging.ID
	asked  map[messaging.ID]messaging.ID // by node that has asked one to be its parent
	rounds int                           // of contention
}

// identify runs one in which the nodes notice the bus reset at these times; nil: at 0.
func identify(t *testing.T, tree topology.Graph, a messaging.Algorithm, seed uint64, reset []time.Duration) (found identification) {
	t.Helper()
	n, timers := len(tree), 0
	found.asked = map[messaging.ID]messaging.ID{}
	c := sim.Config{Algorithm: a, Nodes: n, Seed: seed, Until: 1000 * sim.T, Invariant: Protocol.Invariant, Results: OneTree}
	for i := range n {
		in := sim.Input{Node: messaging.ID(i), Message: election.Hold{}}
		if reset != nil {
			in.At = reset[i]
		}
		c.Inputs = append(c.Inputs, in)
	}
	c.Observe = func(e messaging.Event) {
		switch e.Message.(type) {
		case Root:
			found.root = e.From
		case beMyParent:
			found.asked[e.From] = e.To
		}
		if e.Action == "expired" {
			timers++
		}
	}
	r, err := sim.Run(c)
	require.NoError(t, err, "%v", tree)
	require.Len(t, r.Emits, n)
	found.Report, found.rounds = r, timers/2 // each of two nodes sets one in each round
	return found
}

// Without contention there are n-1 requests and n-1 acknowledgements, and the node that notices the bus
// reset last is the root: any node of any tree (HAW, slide 11).
func TestWithoutContention(t *testing.T) {
	for n := 1; n <= 5; n++ {
		for _, tree := range trees(n) {
			for last := range messaging.ID(n) {
				reset := make([]time.Duration, n)
				reset[last] = 10 * sim.T
				for _, a := range []messaging.Algorithm{New(tree, sim.T, 4*sim.T), NewByID(tree)} {
					r := identify(t, tree, a, 0, reset)
					require.Equal(t, 2*(n-1), r.Messages, "%v", tree)
					require.Equal(t, n-1, r.Kinds["BEMYPARENT"], "%v", tree)
					require.Equal(t, n-1, r.Kinds["YOUAREMYCHILD"], "%v", tree)
					require.Equal(t, last, r.root, "%v", tree)
					require.Zero(t, r.rounds, "%v", tree)
				}
			}
		}
	}
}

// Each round of contention takes two more requests (HAW, slide 12).
func TestContention(t *testing.T) {
	for n := 2; n <= 5; n++ {
		for _, tree := range trees(n) {
			for seed := range uint64(tier.Pick(2, 5)) {
				r := identify(t, tree, New(tree, sim.T, 4*sim.T), seed, nil)
				require.Positive(t, r.rounds, "%v: all notice the reset at once, so requests cross", tree)
				require.Equal(t, 2*(n-1)+2*r.rounds, r.Messages, "%v, %d rounds", tree, r.rounds)
				require.Equal(t, n-1, r.Kinds["YOUAREMYCHILD"], "%v", tree)
			}
		}
	}
}

// With numbers, contention takes one more request, and the larger node is the root (HAW, slide 12).
func TestContentionByID(t *testing.T) {
	for n := 2; n <= 5; n++ {
		for _, tree := range trees(n) {
			r := identify(t, tree, NewByID(tree), 0, nil)
			require.Equal(t, 2*(n-1)+1, r.Messages, "%v", tree)
			require.Equal(t, n, r.Kinds["BEMYPARENT"], "%v", tree)
			require.Greater(t, r.root, r.asked[r.root], "%v: they have asked each other", tree)
		}
	}
}

// Of two nodes that choose at random, half choose differently: there are k rounds or more with
// probability 2^(1-k), and 2 on average.
func TestRounds(t *testing.T) {
	runs := tier.Pick(2000, 100_000)
	pair := topology.Line(2)
	atLeast := make([]int, 6)
	sum := 0
	for seed := range uint64(runs) {
		r := identify(t, pair, New(pair, sim.T, 4*sim.T), seed, nil)
		sum += r.rounds
		for k := range atLeast {
			if r.rounds >= k {
				atLeast[k]++
			}
		}
	}
	assert.InEpsilon(t, 2, float64(sum)/float64(runs), 0.05)
	for k := 1; k < len(atLeast); k++ {
		assert.InEpsilon(t, 1/float64(int(1)<<(k-1)), float64(atLeast[k])/float64(runs), 0.3, "%d rounds or more", k)
	}
}

func TestMisuse(t *testing.T) {
	for want, call := range map[string]func(){
		"firewire: topology: it is not a tree: the link of nodes 1 and 2 closes a cycle": func() { New(topology.Complete(3), 0, 1) },
		"firewire: topology: no path leads from node 0 to node 1":                        func() { NewByID(topology.Graph{{}, {}}) },
		"firewire: New(tree, 1s, 1s): want 0 <= short < long":                            func() { New(topology.Line(2), time.Second, time.Second) },
		"firewire: New(tree, -1ns, 1s): want 0 <= short < long":                          func() { New(topology.Line(2), -1, time.Second) },
		"messaging: node 0 is one of 4, but the topology is for 3 nodes":                 func() { NewByID(topology.Line(3))(messaging.Start{Nodes: 4}) },
	} {
		assert.PanicsWithValue(t, want, call)
	}
}

func TestOneTree(t *testing.T) {
	child := func(parent messaging.ID) []any { return []any{Child{Parent: parent}} }
	root := []any{Root{}}
	for _, test := range []struct {
		wrong   string
		emitted [][]any
		begun   bool // it is not over
	}{
		{"", [][]any{child(1), root, child(0)}, false},
		{"", [][]any{child(1), nil, child(0)}, true},
		{"", [][]any{child(1), child(0), nil}, true}, // only the end shows it
		{"nodes 0 and 2 are the root", [][]any{root, nil, root}, true},
		{"node 1 has found its place twice", [][]any{nil, {Child{}, Root{}}, nil}, true},
		{"there is no root", [][]any{child(1), child(2), child(0)}, false},
		{"node 2 has no parent", [][]any{child(1), root, nil}, false},
		{"the parents of node 0 do not lead to node 2, the root", [][]any{child(1), child(0), root}, false},
	} {
		err := OneTree(messaging.Outcome{Emitted: test.emitted, Over: !test.begun})
		if test.wrong == "" {
			assert.NoError(t, err, "%+v", test)
		} else {
			assert.EqualError(t, err, test.wrong, "%+v", test)
		}
	}
}

// Contention on two links is wrong.
func TestOneContention(t *testing.T) {
	contends := func(self messaging.ID, asked ...messaging.ID) messaging.Node {
		site := host.NewSite(New(topology.Line(4), 1, 2), messaging.Start{Self: self, Nodes: 4}, nil)
		site.Receive(self, election.Hold{})
		for _, by := range asked {
			site.Receive(by, beMyParent{})
		}
		return site.Node()
	}
	left, right := []messaging.Node{contends(0, 1), contends(1, 2, 0)}, []messaging.Node{contends(2, 1, 3), contends(3, 2)}
	rule := Protocol.Invariant
	assert.NoError(t, rule(append(left, contends(2), contends(3)), nil))
	const wrong = "nodes 1 and 2 are in contention, but not with each other"
	assert.EqualError(t, rule(append(left, right...), nil), wrong)
	assert.EqualError(t, rule([]messaging.Node{contends(0), contends(1, 2, 0), contends(2, 3, 1), contends(3)}, nil), wrong, "1 with 0, and 2 with 1")
}

// If timers expire at any time, all that is right is right, but contention may go on forever:
// wherever there are two nodes, as [ExampleNew_forever] shows.
func TestExploredAnyTime(t *testing.T) {
	for n := 2; n <= tier.Pick(3, 5); n++ {
		for _, tree := range trees(n) {
			r, err := explore.CheckNodes(explore.NodesConfig{
				New: New(tree, 1, 2), Nodes: n, Inputs: slices.Repeat([][]messaging.Message{{election.Hold{}}}, n),
				AnyTime: true, Unordered: true, Invariant: Protocol.Invariant, Results: OneTree,
			})
			require.NoError(t, err)
			require.Equal(t, explore.Holds, r.Results.Status, "%v", tree)
			require.Equal(t, explore.Holds, r.Invariant.Status, "%v", tree)
			require.Equal(t, explore.Fails, r.Quiescent.Status, "%v", tree)
		}
	}
}
