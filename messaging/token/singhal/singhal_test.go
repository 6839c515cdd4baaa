package singhal_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/state"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/token/singhal"
)

func TestSchedules(t *testing.T) {
	for seed := range tier.Pick[uint64](300, 2000) {
		for nodes := range 7 {
			c := nodetest.Config{
				Nodes: nodes + 1, Holder: messaging.ID(seed) % messaging.ID(nodes+1), Seed: seed,
				Unordered: seed%2 == 0, Withdraw: float64(seed%3) / 4,
			}
			require.NoError(t, nodetest.Run(singhal.New, c))
		}
	}
}

// The token is a message whose arrays change at each exit: sender and receiver must not
// share them.
func TestTokenIsCopied(t *testing.T) {
	kinds := singhal.Protocol.Kinds
	assert.NoError(t, nodetest.Check(singhal.New, kinds, nodetest.Config{Nodes: 3}, nodetest.Config{Nodes: 4, Seed: 1, Holder: 2}))
}

// newSite returns node self of three, of which node 0 has the token first.
func newSite(self messaging.ID) *messaging.Site {
	return messaging.NewSite(singhal.New, messaging.Start{Self: self, Nodes: 3}, nil)
}

func request(time messaging.Time, id messaging.ID) singhal.Request {
	return singhal.Request{Of: messaging.Stamp{Time: time, ID: id}}
}

// sent returns the only message that the site has sent.
func sent(t *testing.T, s *messaging.Site) messaging.Send {
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
	zero.Receive(2, request(1, 2))
	two.Receive(0, sent(t, zero).Message)
	two.Release()
	one.Request()
	one.Done()
	zero.Receive(1, request(1, 1))
	require.Empty(t, zero.Sends)
	two.Receive(1, request(1, 1)) // of 1, which has 2 as N, and so does not ask it; zero would
	one.Receive(2, sent(t, two).Message)
	require.Equal(t, messaging.Inside, one.Phase())

	one.Receive(2, request(1, 2))
	assert.Equal(t, messaging.Send{To: 2, Message: request(1, 1)}, sent(t, one), "the hint of a site that is inside")
	one.Release()
	one.Receive(2, request(1, 2))
	assert.Equal(t, messaging.Send{To: 2, Message: request(1, 1)}, sent(t, one), "the hint of a site that is idle")
	one.Receive(2, request(2, 2))
	assert.IsType(t, singhal.Token{}, sent(t, one).Message, "a request that is not served")
}

// Impossible messages are rejected, and leave the site unchanged.
func TestRefuses(t *testing.T) {
	zero := newSite(0)
	zero.Receive(1, request(1, 1))
	token := sent(t, zero).Message.(singhal.Token) // for the first request of node 1
	tsv := func(of ...int) []singhal.State {
		changed := make([]singhal.State, 3)
		for _, k := range of {
			changed[k] = token.TSV[1]
		}
		return changed
	}
	for _, c := range []struct {
		from messaging.ID
		m    messaging.Message
		why  string
	}{
		{0, singhal.Request{}, "there is no such request"},
		{0, request(0, 0), "there is no such request"},
		{0, request(1, 2), "the request is another node's"},
		{1, request(1, 1), "a site sends nothing to itself"},
		{0, singhal.Token{}, "the token has another number of sites"},
		{0, singhal.Token{TSV: token.TSV[:2], TSN: token.TSN[:2]}, "the token has another number of sites"},
		{0, singhal.Token{TSV: token.TSV}, "the token has another number of sites"},
		{0, singhal.Token{TSV: tsv(2), TSN: token.TSN}, "the token does not have the request of this site"},
		{0, singhal.Token{TSV: token.TSV, TSN: []messaging.Time{0, 2, 0}}, "the token does not have the request of this site"},
		{0, singhal.Token{TSV: tsv(0, 1), TSN: token.TSN}, "its sender has left, and the token does not have that"},
		{0, "no message", "it is not a message of this algorithm"},
		{0, nil, "it is not a message of this algorithm"},
	} {
		one := newSite(1)
		one.Request()
		refused(t, one, c.from, c.m, c.why)
	}

	one := newSite(1)
	refused(t, one, 0, token, "this site has not asked for the token")
	one.Request()
	one.Receive(0, token)
	refused(t, one, 2, token, "this site has the token")
}

// refused asserts that site 1 refuses m and stays as it is.
func refused(t *testing.T, s *messaging.Site, from messaging.ID, m messaging.Message, why string) {
	t.Helper()
	before := state.Append(nil, s.Node())
	want := fmt.Sprintf("singhal: node 1 got %T %+v from node %d: %s", m, m, from, why)
	assert.PanicsWithError(t, want, func() { s.Receive(from, m) })
	assert.Equal(t, before, state.Append(nil, s.Node()), "%T%+v has changed the site", m, m)
}

func TestStateString(t *testing.T) {
	assert.Equal(t, "N", singhal.State(0).String())
	assert.Equal(t, "H", singhal.State(3).String())
	assert.Equal(t, "State(4)", singhal.State(4).String())
}
