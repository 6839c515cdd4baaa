// Package votingtest tests algorithms in which arbiters vote, as Maekawa's do: messages about requests that are
// over, and messages that have overtaken each other, change nothing.
package votingtest

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// Run runs the nodes in the simulator, and returns the report and the number of messages about each
// request, which is the first field of each kind.
func Run(t *testing.T, a messaging.Algorithm, nodes int, c sim.Config) (sim.Report, map[messaging.Stamp]int) {
	t.Helper()
	about := map[messaging.Stamp]int{}
	c.Algorithm, c.Nodes = a, nodes
	c.Observe = func(e messaging.Event) {
		if e.Action == "sent" {
			about[reflect.ValueOf(e.Message).Field(0).Interface().(messaging.Stamp)]++
		}
	}
	r, err := sim.Run(c)
	require.NoError(t, err)
	return r, about
}

// All are the sets of nodes that each ask all.
func All(nodes int) [][]messaging.ID {
	all := make([]messaging.ID, nodes)
	for i := range all {
		all[i] = messaging.ID(i)
	}
	return slices.Repeat([][]messaging.ID{all}, nodes)
}

// Nodes are those of an algorithm in which each node asks all, and its messages about a request.
type Nodes struct {
	New                          func(nodes int) messaging.Algorithm
	Request, Release, Relinquish func(request messaging.Stamp) messaging.Message
	Failed, Inquire              func(to messaging.Stamp) messaging.Message
	Locked                       func(to messaging.Stamp, arbiter messaging.ID) messaging.Message
}

// Check runs the tests.
func Check(t *testing.T, n Nodes) {
	t.Helper()
	t.Run("a failed is over", n.failedIsOver)
	t.Run("relinquishes all", n.relinquishesAll)
	t.Run("a relinquish is over", n.relinquishIsOver)
	t.Run("a failed is said once", n.failedIsSaidOnce)
	t.Run("a request is over", n.requestIsOver)
	t.Run("nothing is kept", n.nothingIsKept)
	t.Run("later than what is known", n.laterThanWhatIsKnown)
}

func (n Nodes) site(self messaging.ID, nodes int) *host.Site {
	return host.NewSite(n.New(nodes), messaging.Start{Self: self, Nodes: nodes}, nil)
}

func stamp(time messaging.Time, id messaging.ID) messaging.Stamp {
	return messaging.Stamp{Time: time, ID: id}
}

// Node 1 got Failed and then Locked from node 0, in either order of arrival; or a Failed for a
// request that is over. Then it knows of no lock that it must wait for, and relinquishes none.
func (n Nodes) failedIsOver(t *testing.T) {
	mine := stamp(1, 1)
	failed, locked := n.Failed(mine), n.Locked(mine, 0)
	for name, messages := range map[string][]messaging.Message{
		"locked later": {failed, locked}, "overtaken": {locked, failed}, "withdrawn": {failed},
	} {
		s := n.site(1, 4)
		s.Request()
		for _, m := range messages {
			s.Receive(0, m)
		}
		current := mine
		if name == "withdrawn" {
			s.Withdraw()
			s.Request()
			current = stamp(2, 1)
		}
		s.Done()
		s.Receive(2, n.Locked(current, 2))
		s.Receive(2, n.Inquire(current))
		assert.Empty(t, s.Sends, "%s: what node 1 has sent", name)
	}
}

// A node that must wait gives back all locks that older requests wait for.
func (n Nodes) relinquishesAll(t *testing.T) {
	s, mine := n.site(1, 4), stamp(1, 1)
	s.Request()
	for _, q := range []messaging.ID{0, 2} {
		s.Receive(q, n.Locked(mine, q))
		s.Receive(q, n.Inquire(mine))
	}
	s.Done()
	s.Receive(3, n.Failed(mine))
	relinquish := n.Relinquish(mine)
	assert.Equal(t, []host.Send{{To: 0, Message: relinquish}, {To: 2, Message: relinquish}}, s.Sends)
}

// A Relinquish that the Release of its request has overtaken gives no lock back.
func (n Nodes) relinquishIsOver(t *testing.T) {
	s, request := n.site(1, 3), stamp(5, 0)
	s.Receive(0, n.Request(request))
	s.Receive(2, n.Request(stamp(6, 2)))
	s.Receive(0, n.Release(request))
	s.Done()
	s.Receive(0, n.Relinquish(request))
	assert.Empty(t, s.Sends)
}

// A request that is displaced from the head of the queue gets a Failed only if it had none.
func (n Nodes) failedIsSaidOnce(t *testing.T) {
	s := n.site(0, 5)
	for _, request := range []messaging.Stamp{stamp(5, 1), stamp(6, 2), stamp(4, 3), stamp(3, 4)} {
		s.Receive(request.ID, n.Request(request))
	}
	var failed []messaging.ID
	for _, m := range s.Sends {
		if messaging.Kind(m.Message) == "FAILED" {
			failed = append(failed, m.To)
		}
	}
	assert.Equal(t, []messaging.ID{2, 3}, failed, "2 is behind 1, and 3 behind 4; node 4 is prepared for either")
}

// Messages about a withdrawn request change nothing.
func (n Nodes) requestIsOver(t *testing.T) {
	s, old := n.site(0, 4), stamp(1, 0)
	s.Request()
	s.Withdraw()
	s.Done()
	before := state.Append(nil, s.Node())
	for _, m := range []messaging.Message{n.Locked(old, 1), n.Failed(old), n.Inquire(old)} {
		s.Receive(1, m)
		assert.Equal(t, before, state.Append(nil, s.Node()), "%T changed it", m)
		assert.Empty(t, s.Sends, "sent for %T", m)
	}
}

// Requests that are over leave the same, whether they came before their Releases or after.
func (n Nodes) nothingIsKept(t *testing.T) {
	requests := []messaging.Message{n.Request(stamp(5, 1)), n.Request(stamp(6, 2)), n.Request(stamp(4, 3))}
	releases := []messaging.Message{n.Release(stamp(5, 1)), n.Release(stamp(6, 2)), n.Release(stamp(4, 3))}
	after := func(messages ...messaging.Message) string {
		s := n.site(0, 4)
		for k, m := range messages {
			s.Receive(messaging.ID(1+k%3), m)
		}
		return state.Format(s.Node(), nil)
	}
	assert.Equal(t, after(slices.Concat(releases, requests)...), after(slices.Concat(requests, releases)...))
}

// A request is younger than all that its node has received.
func (n Nodes) laterThanWhatIsKnown(t *testing.T) {
	s := n.site(0, 2)
	s.Receive(1, n.Request(stamp(7, 1)))
	s.Done()
	s.Request()
	assert.Equal(t, host.Send{To: 1, Message: n.Request(stamp(8, 0))}, s.Sends[0])
}
