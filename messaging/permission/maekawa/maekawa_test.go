package maekawa

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/internal/node/votingtest"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
)

func system(t *testing.T, build func(int) (quorum.System, error), nodes int) quorum.System {
	t.Helper()
	s, err := build(nodes)
	require.NoError(t, err)
	return s
}

// all is the system in which each of the nodes asks all of them.
func all(nodes int) (quorum.System, error) { return quorum.Sets(votingtest.All(nodes)) }

func TestVotes(t *testing.T) {
	votingtest.Check(t, votingtest.Nodes{
		New:        func(nodes int) messaging.Algorithm { return New(system(t, all, nodes)) },
		Request:    func(of messaging.Stamp) messaging.Message { return request{Of: of} },
		Release:    func(of messaging.Stamp) messaging.Message { return release{Of: of} },
		Relinquish: func(of messaging.Stamp) messaging.Message { return relinquish{Of: of} },
		Failed:     func(to messaging.Stamp) messaging.Message { return failed{To: to} },
		Inquire:    func(to messaging.Stamp) messaging.Message { return inquire{To: to} },
		Locked:     func(to messaging.Stamp, _ messaging.ID) messaging.Message { return locked{To: to} },
	})
}

// An Inquire that arrives just before the entry leaves the same state as one that
// arrives just after it.
func TestInquireAroundEntry(t *testing.T) {
	mine := messaging.Stamp{Time: 1, ID: 1}
	inquire, locked := inquire{To: mine}, locked{To: mine}
	after := func(messages ...messaging.Message) messaging.Node {
		s := host.NewSite(New(system(t, all, 3)), messaging.Start{Self: 1, Nodes: 3}, nil)
		s.Request()
		s.Receive(0, locked)
		for _, m := range messages {
			s.Receive(2, m)
		}
		require.Equal(t, messaging.Inside, s.Phase(), "%v", messages)
		return s.Node()
	}
	early, late := after(inquire, locked), after(locked, inquire)
	assert.Equal(t, state.Format(late, nil), state.Format(early, nil))
	assert.Equal(t, state.Append(nil, late), state.Append(nil, early))
}

func TestNewPanics(t *testing.T) {
	assert.PanicsWithValue(t, "maekawa: node 2 is one of 5, but the quorums are for 7 nodes (plane of order 2, 7 nodes)",
		func() { New(system(t, quorum.Plane, 7))(messaging.Start{Self: 2, Nodes: 5}) })
	assert.PanicsWithValue(t, "maekawa: node 0 is one of 1, but the quorums are for 0 nodes (no quorums)",
		func() { New(quorum.System{})(messaging.Start{Nodes: 1}) })
}
