//go:build doorway_explore

package suzukikasami_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging/nodetest"
)

var stale, _ = catalog.FindProtocol("suzukikasami/stale")

// If stale requests are trusted, the token comes to nodes that have not asked for it: with
// three nodes, and not with two, where only the holder gets a request.
func TestStale(t *testing.T) {
	for nodes := 2; nodes <= 5; nodes++ {
		unasked := 0
		for seed := range uint64(200) {
			switch err := nodetest.Run(stale.New(nodes), nodetest.Config{Nodes: nodes, Seed: seed, Unordered: true}); {
			case nodetest.Failure(err) == "panic":
				assert.ErrorContains(t, err, "this node has not asked for the token")
				unasked++
			case err != nil:
				t.Fatal(err)
			}
		}
		assert.Equal(t, nodes > 2, unasked > 0, "%d nodes: %d of 200 schedules fail", nodes, unasked)
	}
}
