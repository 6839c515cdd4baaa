package maekawa_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/state"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/quorum"
)

func system(t *testing.T, build func(int) (quorum.System, error), nodes int) quorum.System {
	t.Helper()
	s, err := build(nodes)
	require.NoError(t, err)
	return s
}

// all is the system in which each of the nodes asks all of them.
func all(nodes int) (quorum.System, error) {
	sets := make([][]messaging.ID, nodes)
	for i := range sets {
		for j := range messaging.ID(nodes) {
			sets[i] = append(sets[i], j)
		}
	}
	return quorum.Sets(sets)
}

// newSite returns node 1 of three, each of which asks all, which has handled
// the messages of the nodes.
func newSite(t *testing.T, messages ...delivery) *messaging.Site {
	t.Helper()
	s := messaging.NewSite(maekawa.New(system(t, all, 3)), messaging.Start{Self: 1, Nodes: 3}, nil)
	s.Request()
	for _, m := range messages {
		s.Receive(m.from, m.message)
	}
	return s
}

type delivery struct {
	from    messaging.ID
	message messaging.Message
}

// Node 1 got Failed and then Locked from node 0, in either order of arrival; or a
// Failed for a request that is over. Then it knows of no lock that it must wait
// for, and relinquishes none.
func TestFailedIsOver(t *testing.T) {
	first, second := messaging.Stamp{Time: 1, ID: 1}, messaging.Stamp{Time: 2, ID: 1}
	failed, locked := delivery{0, maekawa.Failed{To: first}}, delivery{0, maekawa.Locked{To: first}}
	for name, c := range map[string]struct {
		mine     messaging.Stamp
		delivery []delivery
	}{
		"locked later": {first, []delivery{failed, locked}},
		"overtaken":    {first, []delivery{locked, failed}},
		"withdrawn":    {second, []delivery{failed}},
	} {
		s := messaging.NewSite(maekawa.New(system(t, all, 4)), messaging.Start{Self: 1, Nodes: 4}, nil)
		s.Request()
		for _, m := range c.delivery {
			s.Receive(m.from, m.message)
		}
		if c.mine == second {
			s.Withdraw()
			s.Request()
		}
		s.Done()
		s.Receive(2, maekawa.Locked{To: c.mine})
		s.Receive(2, maekawa.Inquire{To: c.mine})
		assert.Empty(t, s.Sends, "%s: what node 1 has sent", name)
	}
}

// A node that must wait gives back all locks that older requests wait for.
func TestRelinquishesAll(t *testing.T) {
	mine := messaging.Stamp{Time: 1, ID: 1}
	s := messaging.NewSite(maekawa.New(system(t, all, 4)), messaging.Start{Self: 1, Nodes: 4}, nil)
	s.Request()
	for _, q := range []messaging.ID{0, 2} {
		s.Receive(q, maekawa.Locked{To: mine})
		s.Receive(q, maekawa.Inquire{To: mine})
	}
	s.Done()
	s.Receive(3, maekawa.Failed{To: mine})
	relinquish := maekawa.Relinquish{Of: mine}
	assert.Equal(t, []messaging.Send{{To: 0, Message: relinquish}, {To: 2, Message: relinquish}}, s.Sends)
}

// A Relinquish that the Release of its request has overtaken gives no lock back.
func TestRelinquishIsOver(t *testing.T) {
	s, of := newArbiter(t), messaging.Stamp{Time: 5, ID: 0}
	s.Receive(0, maekawa.Release{Of: of})
	s.Done()
	s.Receive(0, maekawa.Relinquish{Of: of})
	assert.Empty(t, s.Sends)
}

// A request that is displaced from the head of the queue gets a Failed only if it
// had none.
func TestFailedIsSaidOnce(t *testing.T) {
	at := func(time messaging.Time, id messaging.ID) messaging.Stamp { return messaging.Stamp{Time: time, ID: id} }
	s := messaging.NewSite(maekawa.New(system(t, all, 5)), messaging.Start{Nodes: 5}, nil)
	for from, of := range []messaging.Stamp{1: at(5, 1), 2: at(6, 2), 3: at(4, 3), 4: at(3, 4)} {
		if from > 0 {
			s.Receive(messaging.ID(from), maekawa.Request{Of: of})
		}
	}
	want := []messaging.Send{
		{To: 1, Message: maekawa.Locked{To: at(5, 1)}},
		{To: 2, Message: maekawa.Failed{To: at(6, 2)}},
		{To: 1, Message: maekawa.Inquire{To: at(5, 1)}}, // for 3; that 2 is displaced, it is prepared for
		{To: 3, Message: maekawa.Failed{To: at(4, 3)}},  // by 4
	}
	assert.Equal(t, want, s.Sends, "what node 0 has sent")
}

// An Inquire that arrives just before the entry leaves the same state as one that
// arrives just after it.
func TestInquireAroundEntry(t *testing.T) {
	mine := messaging.Stamp{Time: 1, ID: 1}
	inquire, locked := delivery{2, maekawa.Inquire{To: mine}}, delivery{2, maekawa.Locked{To: mine}}
	before := newSite(t, delivery{0, maekawa.Locked{To: mine}}, inquire, locked)
	after := newSite(t, delivery{0, maekawa.Locked{To: mine}}, locked, inquire)
	require.Equal(t, messaging.Inside, before.Phase(), "an Inquire before")
	require.Equal(t, messaging.Inside, after.Phase(), "an Inquire after")
	assert.Equal(t, state.Format(after.Node(), nil), state.Format(before.Node(), nil))
	assert.Equal(t, state.Append(nil, after.Node()), state.Append(nil, before.Node()))
}

func TestNewPanics(t *testing.T) {
	assert.PanicsWithValue(t, "maekawa: node 2 is one of 5, but the quorums are for 7 nodes (plane of order 2, 7 nodes)",
		func() { maekawa.New(system(t, quorum.Plane, 7))(messaging.Start{Self: 2, Nodes: 5}) })
	assert.PanicsWithValue(t, "maekawa: node 0 is one of 1, but the quorums are for 0 nodes (no quorums)",
		func() { maekawa.New(quorum.System{})(messaging.Start{Nodes: 1}) })
}

// A request is younger than all that its node has received.
func TestLaterThanWhatIsKnown(t *testing.T) {
	s := messaging.NewSite(maekawa.New(system(t, all, 2)), messaging.Start{Nodes: 2}, nil)
	s.Receive(1, maekawa.Request{Of: messaging.Stamp{Time: 7, ID: 1}})
	s.Done()
	s.Request()
	want := []messaging.Send{{To: 1, Message: maekawa.Request{Of: messaging.Stamp{Time: 8}}}}
	assert.Equal(t, want, s.Sends[:1])
}
