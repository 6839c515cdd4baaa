package snepscheut_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/paths"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/snepscheut"
	"example.org/doorway/messaging/topology"
)

// A count is the number of messages: Request, Token and Invert.
type count [3]int

var kinds = []string{"REQUEST", "TOKEN", "INVERT"}

// counts returns the messages of each of the requests, made one after the other.
func counts(t *testing.T, g topology.Graph, requests ...messaging.ID) (each []count) {
	t.Helper()
	var script sim.Script
	for k, i := range requests {
		script = append(script, sim.Request{Node: i, At: time.Duration(k) * 100 * sim.T})
	}
	_, err := sim.Run(sim.Config{
		Algorithm: snepscheut.New(g), Nodes: len(g), Load: script,
		Observe: func(e messaging.Event) {
			switch e.Action {
			case "requested":
				each = append(each, count{})
			case "sent":
				each[len(each)-1][slices.Index(kinds, messaging.Kind(e.Message))]++
			}
		},
	})
	require.NoError(t, err)
	return each
}

// Corner to corner of a 3x3 grid: 4 Requests, 4 Tokens and 2 Inverts. On the way back
// each node has one link that leads away.
func TestGridCornerToCorner(t *testing.T) {
	assert.Equal(t, []count{{4, 4, 2}}, counts(t, topology.Grid(3, 3), 8))
	assert.Equal(t, []count{{}, {4, 4, 2}, {}, {4, 4, 0}}, counts(t, topology.Grid(3, 3), 0, 8, 8, 0))
}

// In a complete graph the first to ask, S2, has one link that leads away, and takes 2
// messages; S5 has four, and takes 3 Inverts more. If all ask in turn, each asks the
// holder, as all others have told it of their visits: N messages, Suzuki and Kasami's
// cost. In another order a request may take a longer way, since a node is not told of a
// visit at the end of a link that leads there already: S3 asks S1, which has passed the
// token to S2.
func TestComplete(t *testing.T) {
	k5 := topology.Complete(5)
	assert.Equal(t, []count{{1, 1, 0}, {1, 1, 0}}, counts(t, k5, 1, 0))
	assert.Equal(t, []count{{1, 1, 3}, {1, 1, 0}}, counts(t, k5, 4, 0))
	assert.Equal(t, []count{{1, 1, 0}, {2, 2, 1}}, counts(t, k5, 1, 2))
	for _, n := range []int{2, 5, 8} {
		r, err := sim.Run(sim.Config{Algorithm: snepscheut.New(topology.Complete(n)), Nodes: n, Load: sim.LowLoad{}, Entries: 100 * n})
		require.NoError(t, err)
		assert.InDelta(t, n, r.PerEntry, 0.05*float64(n), "%d nodes in turn: messages an entry", n)
	}
}

// A lone request takes d Requests and d Tokens on a path of d links, and of each node that the
// token visits, an Invert for each link but one that led away from it.
func TestLoneRequest(t *testing.T) {
	for name, g := range map[string]topology.Graph{
		"one node": topology.Complete(1), "line": topology.Line(4), "tree": topology.Tree(7, 2), "3x3 grid": topology.Grid(3, 3),
		"ring": {{5, 1}, {0, 2}, {1, 3}, {2, 4}, {3, 5}, {4, 0}}, "K5": topology.Complete(5), "random": topology.Random(8, 14, 1),
	} {
		o := orient(g, 0)
		var want, got count
		_, err := sim.Run(sim.Config{
			Algorithm: snepscheut.New(g), Nodes: len(g), Load: sim.LowLoad{Random: true}, Entries: 300, Seed: 1,
			Observe: func(e messaging.Event) {
				switch kind := messaging.Kind(e.Message); {
				case e.Action == "sent":
					got[slices.Index(kinds, kind)]++
					if kind == "REQUEST" {
						assert.Contains(t, o[e.From], e.To, "%s: a request follows a link", name)
						want[0]++
						want[1]++
					}
				case e.Action == "delivered" && kind == "TOKEN":
					want[2] += o.visited(e.To) - 1
				}
			},
		})
		require.NoError(t, err)
		assert.Equal(t, want, got, name)
		assert.True(t, len(g) == 1 || got[0] > 0, name)
	}
}

// An orientation has for each node those to which its links lead, by the rule of the lecture
// ("Regel: Wenn das Token wandert, werden alle Ausgangskanten des Empfängers invertiert").
type orientation [][]messaging.ID

// orient returns that in which links lead to the node that is nearer to the token or, of
// two at the same distance, to the smaller number.
func orient(g topology.Graph, token messaging.ID) orientation {
	distance, o := paths.Router(g)(token).Distance, make(orientation, len(g))
	for i, of := range g {
		for _, j := range of {
			if distance[j] < distance[i] || distance[j] == distance[i] && int(j) < i {
				o[i] = append(o[i], j)
			}
		}
	}
	return o
}

// visited inverts the links that led away from node i, and returns how many there were.
func (o orientation) visited(i messaging.ID) int {
	inverted := o[i]
	o[i] = nil
	for _, j := range inverted {
		o[j] = append(o[j], i)
	}
	return len(inverted)
}
