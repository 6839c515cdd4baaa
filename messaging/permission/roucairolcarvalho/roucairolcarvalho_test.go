package roucairolcarvalho

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
)

func TestWithdraws(t *testing.T) {
	start := messaging.Start{Nodes: 2}
	for name, a := range map[string]messaging.Algorithm{"empty": New, "triangle": NewTriangle} {
		assert.NotImplements(t, (*messaging.Withdrawer)(nil), a(start), name)
	}
	assert.Implements(t, (*messaging.Withdrawer)(nil), NewWithdrawing(start))
}

// Only a reply to a request of this node that is over may come late.
func TestLateReplies(t *testing.T) {
	for _, c := range []struct {
		to   messaging.Stamp
		late bool
	}{
		{messaging.Stamp{Time: 1, ID: 2}, true},
		{messaging.Stamp{Time: 1, ID: 1}, false}, // another's
		{messaging.Stamp{Time: 3, ID: 2}, false},
	} {
		site := host.NewSite(NewWithdrawing, messaging.Start{Self: 2, Nodes: 3}, nil)
		site.Request()
		site.Withdraw()
		site.Request()
		get := func() { site.Receive(1, reply{To: c.to}) }
		if c.late {
			assert.NotPanics(t, get)
		} else {
			assert.Panics(t, get, "a reply to %v", c.to)
		}
	}
}
