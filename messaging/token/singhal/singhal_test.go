package singhal

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
)

// newSite returns node self of three, of which node 0 has the token first.
func newSite(self messaging.ID) *host.Site {
	return host.NewSite(New, messaging.Start{Self: self, Nodes: 3}, nil)
}

func requestOf(time messaging.Time, id messaging.ID) request {
	return request{Of: messaging.Stamp{Time: time, ID: id}}
}

// sent returns the only message that the site has sent.
func sent(t *testing.T, s *host.Site) host.Send {
	t.Helper()
	require.Len(t, s.Sends, 1)
	only := s.Sends[0]
	s.Done()
	return only
}

// If a request arrives after the token has served it, its sender gets a hint: from a site
// that is inside, and from one that is idle.
func TestHint(t *testing.T) {
	zero, one, two := newSite(0), newSite(1), newSite(2)
	two.Request() // asks 0 and 1, the latter late
	two.Done()
	zero.Receive(2, requestOf(1, 2))
	two.Receive(0, sent(t, zero).Message)
	two.Release()
	one.Request()
	one.Done()
	zero.Receive(1, requestOf(1, 1))
	require.Empty(t, zero.Sends)
	two.Receive(1, requestOf(1, 1)) // of 1, which has 2 as N, and so does not ask it; zero would
	one.Receive(2, sent(t, two).Message)
	require.Equal(t, messaging.Inside, one.Phase())

	one.Receive(2, requestOf(1, 2))
	assert.Equal(t, host.Send{To: 2, Message: requestOf(1, 1)}, sent(t, one), "the hint of a site that is inside")
	one.Release()
	one.Receive(2, requestOf(1, 2))
	assert.Equal(t, host.Send{To: 2, Message: requestOf(1, 1)}, sent(t, one), "the hint of a site that is idle")
	one.Receive(2, requestOf(2, 2))
	assert.IsType(t, token{}, sent(t, one).Message, "a request that is not served")
}

func TestStateString(t *testing.T) {
	assert.Equal(t, "N", state(0).String())
	assert.Equal(t, "H", state(3).String())
	assert.Equal(t, "State(4)", state(4).String())
}
