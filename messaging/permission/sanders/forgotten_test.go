package sanders_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/state"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/sanders"
)

// three returns the last node of three that ask and inform each other; its own lock
// is granted to another first.
func three() *messaging.Site {
	s := sanders.Maekawa(slices.Repeat([][]messaging.ID{{0, 1, 2}}, 3))
	site := messaging.NewSite(sanders.New(s), messaging.Start{Self: 2, Nodes: 3}, nil)
	site.Receive(0, sanders.Request{Of: messaging.Stamp{Time: 1, ID: 0}})
	return site
}

func wantNothingSent(t *testing.T, site *messaging.Site) {
	t.Helper()
	assert.Empty(t, site.Sends, "what was sent")
}

// TestLockedTakesFailedBack: a Locked supersedes an earlier Failed, even if the
// Failed arrives after it, and the node keeps its locks.
func TestLockedTakesFailedBack(t *testing.T) {
	mine := messaging.Stamp{Time: 2, ID: 2}
	failed, locked := sanders.Failed{To: mine}, sanders.Locked{To: mine}
	for _, order := range [][2]messaging.Message{{failed, locked}, {locked, failed}} {
		site := three()
		site.Request()
		site.Receive(2, locked)
		for _, m := range order {
			site.Receive(1, m)
		}
		site.Done()
		site.Receive(1, sanders.Inquire{To: mine})
		wantNothingSent(t, site)
	}
}

// TestFailedIsForgotten: a Failed does not affect the next request.
func TestFailedIsForgotten(t *testing.T) {
	site := three()
	site.Request()
	site.Receive(0, sanders.Failed{To: messaging.Stamp{Time: 2, ID: 2}})
	site.Withdraw()
	site.Request()
	site.Receive(2, sanders.Locked{To: messaging.Stamp{Time: 3, ID: 2}})
	site.Receive(1, sanders.Locked{To: messaging.Stamp{Time: 3, ID: 2}})
	site.Done()
	site.Receive(1, sanders.Inquire{To: messaging.Stamp{Time: 3, ID: 2}})
	wantNothingSent(t, site)
}

// A node that must wait gives back all locks that older requests wait for.
func TestRelinquishesAll(t *testing.T) {
	mine := messaging.Stamp{Time: 1, ID: 1}
	everyone := slices.Repeat([][]messaging.ID{{0, 1, 2, 3}}, 4)
	site := messaging.NewSite(sanders.New(sanders.Maekawa(everyone)), messaging.Start{Self: 1, Nodes: 4}, nil)
	site.Request()
	for _, q := range []messaging.ID{0, 2} {
		site.Receive(q, sanders.Locked{To: mine})
		site.Receive(q, sanders.Inquire{To: mine})
	}
	site.Done()
	site.Receive(3, sanders.Failed{To: mine})
	relinquish := sanders.Relinquish{Of: mine}
	assert.Equal(t, []messaging.Send{{To: 0, Message: relinquish}, {To: 2, Message: relinquish}}, site.Sends)
}

// A Relinquish that the Release of its request has overtaken gives no lock back.
func TestRelinquishIsOver(t *testing.T) {
	site, of := three(), messaging.Stamp{Time: 1, ID: 0}
	site.Receive(0, sanders.Release{Of: of})
	site.Done()
	site.Receive(0, sanders.Relinquish{Of: of})
	wantNothingSent(t, site)
}

// The caller may change the structure after New.
func TestNewKeepsTheStructure(t *testing.T) {
	s := sanders.Maekawa([][]messaging.ID{{0, 1}, {0, 1}})
	a := sanders.New(s)
	s.Request[0][1] = 0
	site := messaging.NewSite(a, messaging.Start{Nodes: 2}, nil)
	site.Request()
	assert.Equal(t, messaging.ID(1), site.Sends[0].To)
}

// A request that is displaced from the head of the queue gets a Failed only if it had
// none.
func TestFailedIsSaidOnce(t *testing.T) {
	at := func(time messaging.Time, id messaging.ID) messaging.Stamp { return messaging.Stamp{Time: time, ID: id} }
	everyone := []messaging.ID{0, 1, 2, 3}
	a := sanders.New(sanders.Maekawa([][]messaging.ID{everyone, everyone, everyone, everyone}))
	site := messaging.NewSite(a, messaging.Start{Nodes: 4}, nil)
	for _, of := range []messaging.Stamp{at(5, 1), at(6, 2), at(4, 3)} {
		site.Receive(of.ID, sanders.Request{Of: of})
	}
	assert.Equal(t, []messaging.Send{
		{To: 1, Message: sanders.Locked{To: at(5, 1)}},
		{To: 2, Message: sanders.Failed{To: at(6, 2)}},
	}, site.Sends[:2])
	for _, s := range site.Sends[2:] {
		assert.NotEqual(t, messaging.ID(2), s.To, "node 2 knows it")
	}
}

func TestNewPanics(t *testing.T) {
	assert.PanicsWithValue(t, "sanders: 0 request sets and 0 inform sets: each node needs one of each",
		func() { sanders.New(sanders.Structure{}) })
	assert.PanicsWithValue(t, "sanders: node 1 of 3: the structure is for 4 nodes",
		func() { sanders.New(sanders.FourNodes())(messaging.Start{Self: 1, Nodes: 3}) })
}

// TestStale: messages about a withdrawn request are ignored.
func TestStale(t *testing.T) {
	site := messaging.NewSite(sanders.New(sanders.FourNodes()), messaging.Start{Nodes: 4}, nil)
	site.Request()
	site.Withdraw()
	site.Done()
	old := messaging.Stamp{Time: 1, ID: 0}
	before := state.Append(nil, site.Node())
	for _, m := range []messaging.Message{sanders.Locked{To: old}, sanders.Failed{To: old}, sanders.Inquire{To: old}} {
		site.Receive(1, m)
		assert.Equal(t, before, state.Append(nil, site.Node()), "%T changed it", m)
		assert.Empty(t, site.Sends, "sent for %T", m)
	}
}
