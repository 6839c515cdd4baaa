package huntedring

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
)

// newSite returns node self of four, of which node 0 has the token first.
func newSite(self messaging.ID) *host.Site {
	return host.NewSite(New, messaging.Start{Self: self, Nodes: 4}, nil)
}

// sent returns the only message that node 2 has sent, which must be to its successor.
func sent(t *testing.T, s *host.Site) messaging.Message {
	t.Helper()
	require.Len(t, s.Sends, 1)
	only := s.Sends[0]
	require.Equal(t, messaging.ID(3), only.To)
	s.Done()
	return only.Message
}

// A node that hunts the token already swallows other Hunts, until the token has come.
func TestOneHunt(t *testing.T) {
	two := newSite(2)
	two.Receive(1, hunt{Origin: 1})
	assert.Equal(t, hunt{Origin: 1}, sent(t, two))
	two.Request()
	two.Receive(1, hunt{Origin: 1})
	assert.Empty(t, two.Sends)
	two.Receive(1, token{Goal: -1})
	require.Equal(t, messaging.Inside, two.Phase())
	two.Release()
	assert.Equal(t, token{Goal: -1}, sent(t, two), "it sweeps")
	two.Request()
	assert.Equal(t, hunt{Origin: 2}, sent(t, two), "a new Hunt")
	two.Receive(1, hunt{Origin: 2})
	assert.Empty(t, two.Sends, "it has been all the way round")
}
