package link_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/sim"
)

// Every algorithm of the catalog is right and live over a link on which three of ten messages are
// lost, one of ten arrives twice, and messages overtake each other: each request is served within
// 2,000 T, some hundred times what it takes without loss.
func TestCatalogUnderLoss(t *testing.T) {
	for _, p := range catalog.Protocols {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(tier.Pick(10, 1000)) {
				n := int(seed%4) + 2
				_, err := sim.Run(sim.Config{
					Algorithm: link.Over(p.New(n), link.Config{Timeout: 4 * sim.T}), Nodes: n, Seed: seed,
					Load: sim.HighLoad{}, Entries: 3 * n, Perpetual: p.Perpetual, Patience: 2000 * sim.T,
					Loss: 0.3, Duplication: 0.1, Unordered: true, Latency: sim.Exponential(sim.T),
				})
				require.NoError(t, err, "%d nodes, seed %d", n, seed)
			}
		})
	}
}
