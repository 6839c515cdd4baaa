package nodes_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/doorway/explore/internal/nodes"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/token/raymond"
	"example.org/doorway/messaging/topology"
)

// BenchmarkCheck is a whole check, with all verdicts.
func BenchmarkCheck(b *testing.B) {
	quorums, err := quorum.New(3)
	require.NoError(b, err)
	for _, bench := range []struct {
		name   string
		new    messaging.Algorithm
		nodes  int
		rounds int
	}{
		{"protocol=ricartagrawala/nodes=3/rounds=3", ricartagrawala.New, 3, 3},
		{"protocol=maekawa/nodes=3/rounds=2", maekawa.New(quorums), 3, 2},
		{"protocol=lamport/nodes=3/rounds=1", lamport.New, 3, 1},
		{"protocol=raymond/nodes=4/rounds=any", raymond.New(topology.Line(4)), 4, nodes.Unbounded},
	} {
		b.Run(bench.name, func(b *testing.B) {
			var states int
			var bytes int64
			for b.Loop() {
				r, err := nodes.Check(nodes.Config{New: bench.new, Nodes: bench.nodes, Rounds: bench.rounds})
				require.NoError(b, err)
				states, bytes = r.States, r.Bytes
			}
			b.ReportMetric(float64(states), "states")
			b.ReportMetric(float64(states)*float64(b.N)/b.Elapsed().Seconds(), "states/s")
			b.ReportMetric(float64(bytes)/float64(states), "B/state")
		})
	}
}
