package sanders_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/sanders"
)

// TestRefuse sends impossible messages to node 0 of four, which waits for the lock
// of node 1.
func TestRefuse(t *testing.T) {
	stamp := func(time messaging.Time, id messaging.ID) messaging.Stamp { return messaging.Stamp{Time: time, ID: id} }
	for _, c := range []struct {
		from messaging.ID
		m    messaging.Message
		why  string
	}{
		{1, "hello", "it is not a message of this algorithm"},
		{1, sanders.Request{Of: stamp(5, 2)}, "the request is another node's"},
		{2, sanders.Request{Of: stamp(1, 2)}, "the request has arrived already"},
		{2, sanders.Release{Of: stamp(1, 3)}, "the request is another node's"},
		{2, sanders.Relinquish{Of: stamp(1, 2)}, "this node has not inquired for that lock"},
		{1, sanders.Locked{To: stamp(2, 0)}, "this node has made no such request"},
		{1, sanders.Inquire{To: stamp(1, 1)}, "this node has made no such request"},
		{3, sanders.Failed{To: stamp(1, 0)}, "this node does not ask it"},
		{0, sanders.Locked{To: stamp(1, 0)}, "this node has that lock already"},
	} {
		site := messaging.NewSite(sanders.New(sanders.FourNodes()), messaging.Start{Nodes: 4}, nil)
		site.Request()
		site.Receive(2, sanders.Request{Of: stamp(1, 2)})
		site.Done()
		before := fmt.Sprintf("%+v", site.Node())
		want := fmt.Sprintf("sanders: node 0 got %T %+v from node %d: %s", c.m, c.m, c.from, c.why)
		assert.PanicsWithError(t, want, func() { site.Receive(c.from, c.m) })
		assert.Equal(t, before, fmt.Sprintf("%+v", site.Node()), "%T%+v from node %d was refused, but has changed it", c.m, c.m, c.from)
		assert.Empty(t, site.Sends, "%T%+v from node %d was refused", c.m, c.m, c.from)
	}
}

// TestStale: messages about a withdrawn request are ignored.
func TestStale(t *testing.T) {
	site := messaging.NewSite(sanders.New(sanders.FourNodes()), messaging.Start{Nodes: 4}, nil)
	site.Request()
	site.Withdraw()
	site.Done()
	old := messaging.Stamp{Time: 1, ID: 0}
	before := fmt.Sprintf("%+v", site.Node())
	for _, m := range []messaging.Message{sanders.Locked{To: old}, sanders.Failed{To: old}, sanders.Inquire{To: old}} {
		site.Receive(1, m)
		assert.Equal(t, before, fmt.Sprintf("%+v", site.Node()), "%T changed it", m)
		assert.Empty(t, site.Sends, "sent for %T", m)
	}
}

func TestNewPanics(t *testing.T) {
	assert.Contains(t, refusal(func() { sanders.New(sanders.Structure{}) }), "sanders: 0 request sets", "no structure")
	born := func() { sanders.New(sanders.FourNodes())(messaging.Start{Self: 1, Nodes: 3}) }
	assert.PanicsWithValue(t, "sanders: node 1 of 3: the structure is for 4 nodes", born)
}

// refusal returns what f panics with.
func refusal(f func()) (what string) {
	defer func() { what = fmt.Sprint(recover()) }()
	f()
	return ""
}

func TestKinds(t *testing.T) {
	site := messaging.NewSite(sanders.New(sanders.FourNodes()), messaging.Start{Nodes: 4}, nil)
	for _, m := range sanders.Protocol.Kinds {
		assert.NotContains(t, refusal(func() { site.Receive(1, m) }), "not a message of this algorithm", "%T is not known", m)
	}
}
