package caosinghal_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/caosinghal"
	"example.org/doorway/messaging/permission/quorum"
)

// TestRefuse sends impossible messages to node 0, which asks itself and node 1, has
// its own lock, has an Inquire for it, and waits for the other lock.
func TestRefuse(t *testing.T) {
	sets, err := quorum.Sets([][]messaging.ID{{0, 1}, {0, 1}, {0, 2}, {0, 3}})
	require.NoError(t, err)
	stamp := func(time messaging.Time, id messaging.ID) messaging.Stamp { return messaging.Stamp{Time: time, ID: id} }
	for _, c := range []struct {
		from messaging.ID
		m    messaging.Message
		why  string
	}{
		{1, "hello", "it is not a message of this algorithm"},
		{1, caosinghal.Request{Of: stamp(5, 2)}, "the request is another node's"},
		{1, caosinghal.Request{Of: stamp(0, 1)}, "there is no such request"},
		{2, caosinghal.Request{Of: stamp(5, 2)}, "the request has arrived already"},
		{2, caosinghal.Yield{Of: stamp(5, 2)}, "this node has not inquired for that lock"},
		{2, caosinghal.Release{Of: stamp(5, 2), Next: stamp(5, 3)}, "the lock cannot have been forwarded so"},
		{0, caosinghal.Release{Of: stamp(1, 0), Next: stamp(5, 3)}, "the lock cannot have been forwarded so"},
		{0, caosinghal.Release{Of: stamp(1, 0), Next: stamp(5, 99)}, "the lock cannot have been forwarded so"},
		{0, caosinghal.Release{Of: stamp(1, 0), Next: stamp(0, 2)}, "the lock cannot have been forwarded so"},
		{1, caosinghal.Transfer{To: stamp(1, 0), Next: stamp(5, 99)}, "the next is not a request of a node"},
		{1, caosinghal.Transfer{To: stamp(1, 0), Next: stamp(5, -1)}, "the next is not a request of a node"},
		{1, caosinghal.Transfer{To: stamp(1, 0)}, "the next is not a request of a node"},
		{1, caosinghal.Locked{To: stamp(5, 2), Arbiter: 1}, "the request is another node's"},
		{1, caosinghal.Locked{To: stamp(2, 0), Arbiter: 1}, "there is no such request"},
		{1, caosinghal.Locked{To: stamp(1, 0), Arbiter: 2}, "it was not asked"},
		{1, caosinghal.Locked{To: stamp(1, 0), Arbiter: 0}, "this node has that lock already"},
		{2, caosinghal.Failed{To: stamp(1, 0)}, "it was not asked"},
		{1, caosinghal.Transfer{To: stamp(2, 0), Next: stamp(1, 1)}, "there is no such request"},
	} {
		site := messaging.NewSite(caosinghal.New(sets), messaging.Start{Nodes: 4}, nil)
		site.Request()
		site.Receive(2, caosinghal.Request{Of: stamp(5, 2)})
		site.Done()
		before := fmt.Sprintf("%+v", site.Node())
		want := fmt.Sprintf("caosinghal: node 0 got %T %+v from node %d: %s", c.m, c.m, c.from, c.why)
		assert.PanicsWithError(t, want, func() { site.Receive(c.from, c.m) })
		assert.Equal(t, before, fmt.Sprintf("%+v", site.Node()), "%T%+v from node %d was refused, but has changed it", c.m, c.m, c.from)
		assert.Empty(t, site.Sends, "%T%+v from node %d was refused", c.m, c.m, c.from)
	}
}

// TestStale: messages about a withdrawn request are ignored.
func TestStale(t *testing.T) {
	site := messaging.NewSite(caosinghal.New(system(t, all, 2)), messaging.Start{Nodes: 2}, nil)
	site.Request()
	site.Withdraw()
	site.Done()
	old := messaging.Stamp{Time: 1, ID: 0}
	before := fmt.Sprintf("%+v", site.Node())
	for _, m := range []messaging.Message{
		caosinghal.Locked{To: old, Arbiter: 1},
		caosinghal.Failed{To: old},
		caosinghal.Transfer{To: old, Next: messaging.Stamp{Time: 1, ID: 1}, Inquire: true, Version: 1},
	} {
		site.Receive(1, m)
		assert.Equal(t, before, fmt.Sprintf("%+v", site.Node()), "%T changed it", m)
		assert.Empty(t, site.Sends, "sent for %T", m)
	}
}

func TestWrongNumberOfNodes(t *testing.T) {
	born := func() { caosinghal.New(system(t, all, 2))(messaging.Start{Self: 1, Nodes: 3}) }
	assert.Contains(t, refusal(born), "caosinghal: node 1 is one of 3, but the quorums are for 2 nodes")
}

func TestKinds(t *testing.T) {
	site := messaging.NewSite(caosinghal.New(system(t, all, 2)), messaging.Start{Nodes: 2}, nil)
	for _, m := range caosinghal.Protocol.Kinds {
		assert.NotContains(t, refusal(func() { site.Receive(1, m) }), "not a message of this algorithm", "%T is not known", m)
	}
}

// refusal returns what f panics with.
func refusal(f func()) (what string) {
	defer func() { what = fmt.Sprint(recover()) }()
	f()
	return ""
}
