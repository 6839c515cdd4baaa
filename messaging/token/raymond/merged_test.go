package raymond_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/raymond"
	"example.org/doorway/messaging/topology"
)

// At high load, a token that says that it must come back saves a quarter of the messages on a
// star: the Request of the middle to each leaf. It saves half of them on a long line, and
// more than a third on a balanced binary tree. A lone request takes as many as before.
func TestMergedSaves(t *testing.T) {
	const n, rounds = 31, 50
	for _, c := range []struct {
		shape       string
		tree        topology.Graph
		least, most float64 // part of the messages that is saved
	}{
		{"star", topology.Star(n), 0.249, 0.251},
		{"binary tree", topology.Tree(n, 2), 0.36, 0.37},
		{"line", topology.Line(n), 0.47, 0.49},
	} {
		config := sim.Config{Nodes: n, Load: sim.HighLoad{}, Entries: rounds * n, Algorithm: raymond.New(c.tree)}
		apart := run(t, config)
		config.Algorithm = raymond.NewMerged(c.tree)
		merged := run(t, config)
		saved := 1 - merged.PerEntry/apart.PerEntry
		assert.True(t, c.least <= saved && saved <= c.most, "%s: %.3f of the messages are saved", c.shape, saved)

		config.Load = sim.LowLoad{}
		alone := run(t, config)
		config.Algorithm = raymond.New(c.tree)
		assert.Equal(t, run(t, config).Messages, alone.Messages, "%s: messages at low load", c.shape)
	}
}

func run(t *testing.T, c sim.Config) sim.Report {
	t.Helper()
	r, err := sim.Run(c)
	require.NoError(t, err, r)
	return r
}
