package lecture_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/echo"
	"example.org/doorway/messaging/topology"
)

// Mattern, "Token-basierte Algorithmen": the wish may be spread by the echo algorithm. Its wave
// takes 2 messages on each link, whoever asks, and the token one for each link of its way: 2E+d.
func TestMatternEchoSearch(t *testing.T) {
	ring := topology.Graph{{1, 4}, {0, 2}, {1, 3}, {2, 4}, {0, 3}}
	assert.Equal(t, 10+2, run(t, sim.Config{Algorithm: echo.New(ring), Nodes: 5, Load: together(2)}).Messages, "on a ring of 5, at distance 2")
	assert.Equal(t, 24+4, run(t, sim.Config{Algorithm: echo.New(topology.Grid(3, 3)), Nodes: 9, Load: together(8)}).Messages, "from corner to corner of a grid")
	for seed := range seeds(100) {
		n := int(seed%10) + 2
		pairs := n - 1 + int(seed)%((n-1)*(n-2)/2+1)
		g := topology.Random(n, pairs, seed)
		searched(t, g, echo.New(g), 2*pairs)
	}
}

// Mattern, "Token-basierte Algorithmen": search messages on the links of a spanning tree only, "at
// most n-1 single messages to inform each of the n nodes of the wish". It is n-1, and the
// token takes d more.
func TestMatternTreeSearch(t *testing.T) {
	for seed := range seeds(100) {
		n := int(seed%10) + 2
		g := topology.Random(n, n-1, seed)
		searched(t, g, echo.NewTree(g), n-1)
	}
}

// searched checks the messages of each entry at low load, on links of any kind. If all messages
// take as long, the token comes by a shortest way.
func searched(t *testing.T, g topology.Graph, a messaging.Algorithm, wave int) {
	t.Helper()
	n, router := len(g), g.Router()
	for k, latency := range latencies {
		each := costs(t, sim.Config{
			Algorithm: a, Nodes: n, Load: sim.LowLoad{}, Entries: 2 * n, Latency: latency, Unordered: k > 0, Seed: uint64(n),
		})
		assert.Zero(t, each[0], "node 0 has the token")
		for i, messages := range each[1:] {
			holder, asks := messaging.ID(i%n), (i+1)%n
			d := router(holder).Distance[asks]
			if k == 0 || wave == n-1 {
				assert.Equal(t, wave+d, messages, "%v: node %d asks, and %d has the token", g, asks, holder)
			} else {
				assert.GreaterOrEqual(t, messages, wave+d, "%v: node %d asks, and %d has the token", g, asks, holder)
			}
		}
	}
}
