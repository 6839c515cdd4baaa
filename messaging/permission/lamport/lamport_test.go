package lamport

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
)

// Of two requests that cross, the younger replaces the reply to the older: its node gets none.
func TestSuppressed(t *testing.T) {
	for self, replies := range []int{1, 0} {
		site := host.NewSite(NewSuppressed, messaging.Start{Self: messaging.ID(self), Nodes: 2}, nil)
		site.Request()
		site.Done()
		other := messaging.ID(1 - self)
		site.Receive(other, request{Of: messaging.Stamp{Time: 1, ID: other}})
		assert.Len(t, site.Sends, replies, "replies of node %d", self)
	}
}

// An idle node keeps nothing of its requests but their order: up to a shift of all times, its
// states are finitely many.
func TestNothingIsKept(t *testing.T) {
	site := host.NewSite(New, messaging.Start{Nodes: 1}, nil)
	site.Request()
	site.Release()
	assert.Contains(t, fmt.Sprintf("%+v", site.Node()), "Mine:{Time:0 ID:0}")
}
