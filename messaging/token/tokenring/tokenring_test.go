package tokenring_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/token/tokenring"
)

// newSite returns node self of three, of which node 0 has the token first, after its start.
func newSite(self messaging.ID) *messaging.Site {
	s := messaging.NewSite(tokenring.New(time.Second), messaging.Start{Self: self, Nodes: 3}, nil)
	s.Start()
	return s
}

// hops returns the token that the site has sent to its successor.
func hops(t *testing.T, s *messaging.Site) int {
	t.Helper()
	require.Len(t, s.Sends, 1)
	m := s.Sends[0].Message.(tokenring.Token)
	s.Done()
	return m.Hops
}

// The token pauses where it was used last, and only after a round in which no node
// wanted it.
func TestPause(t *testing.T) {
	one := newSite(1)
	require.Empty(t, one.Timers, "a node that does not have the token")
	one.Receive(0, tokenring.Token{Hops: 1})
	assert.Equal(t, 2, hops(t, one), "it passes by")
	one.Request()
	one.Receive(0, tokenring.Token{Hops: 2})
	require.Equal(t, messaging.Inside, one.Phase())
	one.Release()
	assert.Equal(t, 1, hops(t, one), "it was used")
	one.Receive(0, tokenring.Token{Hops: 3})
	require.Empty(t, one.Sends, "it pauses")
	require.Equal(t, []messaging.Timer{{After: time.Second, Message: tokenring.Resume{}}}, one.Timers)
	one.Receive(1, tokenring.Resume{})
	assert.Equal(t, 1, hops(t, one), "it goes round again")
}

// A request at the node where the token pauses enters at once. The timer then does no
// harm: inside, elsewhere, or in the next pause, which has no timer of its own.
func TestTimerOfAnEarlierPause(t *testing.T) {
	for what, late := range map[string]func(s *messaging.Site){
		"inside":    func(*messaging.Site) {},
		"elsewhere": func(s *messaging.Site) { s.Release(); s.Done() },
	} {
		zero := newSite(0)
		require.Len(t, zero.Timers, 1)
		zero.Request()
		require.Equal(t, messaging.Inside, zero.Phase())
		late(zero)
		zero.Receive(0, tokenring.Resume{})
		assert.Empty(t, zero.Sends, "%s", what)
	}

	zero := newSite(0)
	zero.Request()
	zero.Release()
	zero.Done()
	zero.Receive(2, tokenring.Token{Hops: 3})
	assert.Empty(t, zero.Timers, "a second timer")
	zero.Receive(0, tokenring.Resume{})
	assert.Equal(t, 1, hops(t, zero), "a short pause")
	zero.Receive(2, tokenring.Token{Hops: 3})
	assert.Len(t, zero.Timers, 1, "the next pause")
}

// A node that leaves and wants to enter again has to wait until the token comes back.
func TestOncePerVisit(t *testing.T) {
	zero := newSite(0)
	zero.Request()
	zero.Release()
	zero.Request()
	assert.Equal(t, messaging.Waiting, zero.Phase())
	assert.Equal(t, 1, hops(t, zero))
}

func TestPauseIsPositive(t *testing.T) {
	for _, pause := range []time.Duration{0, -time.Second} {
		assert.PanicsWithValue(t, "tokenring: New("+pause.String()+"): the pause must be positive, or an idle ring never rests",
			func() { tokenring.New(pause) })
	}
}
