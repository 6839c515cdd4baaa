package extinction_test

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/extinction"
	"example.org/doorway/messaging/topology"
)

// networks returns all connected networks of nodes 0 to n-1.
func networks(n int) (all []topology.Graph) {
	var pairs [][2]messaging.ID
	for i, of := range topology.Complete(n) {
		for _, j := range of[i:] { // those above i
			pairs = append(pairs, [2]messaging.ID{messaging.ID(i), j})
		}
	}
	for links := range 1 << len(pairs) {
		g := make(topology.Graph, n)
		for k, p := range pairs {
			if links>>k&1 == 1 {
				g[p[0]], g[p[1]] = append(g[p[0]], p[1]), append(g[p[1]], p[0])
			}
		}
		if g.Check() == nil {
			all = append(all, g)
		}
	}
	return all
}

// links is the number of links of a network.
func links(g topology.Graph) int {
	sum := 0
	for _, of := range g {
		sum += len(of)
	}
	return sum / 2
}

// hold returns the inputs of n nodes, of which those in holders hold an election: bit i is that of
// node i.
func hold(n, holders int) [][]messaging.Message {
	inputs := make([][]messaging.Message, n)
	for i := range inputs {
		if holders>>i&1 == 1 {
			inputs[i] = []messaging.Message{election.Hold{}}
		}
	}
	return inputs
}

// winners is which nodes may lead, besides what results say: the largest, if all join; else
// those that hold it.
func winners(results messaging.Results, largest messaging.ID, holders int, joins bool) messaging.Results {
	return func(o messaging.Outcome) error {
		for _, of := range o.Emitted {
			for _, v := range of {
				e, ok := v.(election.Elected)
				if ok && (joins && e.Leader != largest || !joins && holders>>e.Leader&1 == 0) {
					return fmt.Errorf("node %d leads", e.Leader)
				}
				m, ok := v.(extinction.Largest)
				if last := largest; ok && o.Over && v == of[len(of)-1] {
					if !joins {
						last = messaging.ID(bits.Len(uint(holders)) - 1)
					}
					if m.ID != last {
						return fmt.Errorf("node %d is the largest known", m.ID)
					}
				}
			}
		}
		return results(o)
	}
}

// In all connected networks, whichever nodes hold the election, and whenever, there is one leader that all
// know, one of those that hold it; if woken nodes join, the largest. Without echoes, all know the
// largest in the end.
func TestExplored(t *testing.T) {
	for n := 1; n <= tier.Pick(3, 4); n++ {
		all := networks(n)
		require.Len(t, all, []int{1: 1, 2: 1, 3: 4, 4: 38}[n])
		for _, g := range all {
			for holders := 1; holders < 1<<n; holders++ {
				for _, joins := range []bool{false, true} {
					candidates := bits.OnesCount(uint(holders))
					if joins {
						candidates = n
					}
					if links(g)+candidates > 8 {
						continue // 32 million states, which have been visited once
					}
					c := explore.NodesConfig{Nodes: n, Inputs: hold(n, holders), Unordered: n < 4}
					for _, p := range []struct {
						a messaging.Algorithm
						messaging.Protocol
					}{{extinction.New(g, joins), extinction.Protocol}, {extinction.NewPlain(g, joins), extinction.Plain}} {
						c.New, c.Results = p.a, winners(p.Results, messaging.ID(n-1), holders, joins)
						r, err := explore.CheckNodes(c)
						require.NoError(t, err, "%v, held by %b", g, holders)
						require.Empty(t, r.Failures(), "%v, held by %b", g, holders)
						require.Equal(t, explore.Holds, r.Results.Status)
						require.Equal(t, explore.Holds, r.Quiescent.Status)
					}
				}
			}
		}
	}
}

// A node that a smaller wave has reached must not be a candidate any more: that wave may come back, and a
// node that knows its leader gets the wave of another.
func TestLate(t *testing.T) {
	_, err := explore.CheckNodes(explore.NodesConfig{
		New: extinction.Late(extinction.New(topology.Line(2), false)), Nodes: 2, Inputs: hold(2, 3), Results: election.Results,
	})
	require.ErrorContains(t, err, "node 0 got extinction.Explore {Candidate:1} from node 1: that candidate is larger than the leader")
}
