//go:build !doorway_explore

package explore_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
)

// A landlord, node 0, enters without asking, and looks at his mail whenever his timer
// expires. He then lends the room to the tenant that has asked for it, but only if he is
// inside, or only if he is not.
type landlord struct {
	start  messaging.Start
	inside bool

	Here, Asked, Lent, Waits bool
}

func (n *landlord) Start(out messaging.Out) { n.sleep(out) }

func (n *landlord) sleep(out messaging.Out) {
	if n.start.Self == 0 {
		out.After(time.Second, tick{})
	}
}

func (n *landlord) Request(out messaging.Out) {
	switch {
	case n.start.Self != 0:
		out.Send(0, asking{})
	case n.Lent:
		n.Waits = true
	default:
		n.Here = true
		out.Enter()
	}
}

func (n *landlord) Release(out messaging.Out) {
	switch {
	case n.start.Self != 0:
		out.Send(0, leaving{})
	case n.Lent:
		out.Send(1, admitted{})
	}
	n.Here = false
}

func (n *landlord) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	switch m.(type) {
	case admitted:
		out.Enter()
	case asking:
		n.Asked = true
	case leaving:
		n.Lent = false
		if n.Waits {
			n.Waits, n.Here = false, true
			out.Enter()
		}
	case tick:
		n.sleep(out)
		if n.Asked && n.Here == n.inside {
			n.Asked, n.Lent = false, true
			if !n.Here {
				out.Send(1, admitted{})
			}
		}
	}
}

type tick struct{}

// An aloof node is an usher that excludes all others, or need not exclude any. A nervous one has a timer that always runs.
type aloof struct {
	usher
	nervous, excludes bool
}

func (n *aloof) Excludes(messaging.ID) bool { return n.excludes }

func (n *aloof) Start(out messaging.Out) {
	if n.nervous {
		out.After(time.Second, tick{})
	}
}

func (n *aloof) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if _, is := m.(tick); is {
		n.Start(out)
		return
	}
	n.usher.Receive(from, m, out)
}

// A node waits until one leaves that it does not exclude, which need not be: while a timer
// always runs, too.
func TestNodesWaitForNoReason(t *testing.T) {
	for k := range 8 {
		nervous, excludes, anyTime := k&1 > 0, k&2 > 0, k&4 > 0
		r := checkedNodes(t, explore.NodesConfig{
			New:   func(start messaging.Start) messaging.Node { return &aloof{usher{start: start}, nervous, excludes} },
			Nodes: 2, AnyTime: anyTime, Perpetual: nervous,
		})
		if excludes {
			assert.NoError(t, r.Err())
			continue
		}
		require.Equal(t, explore.Fails, r.DeadlockFree.Status, "nervous %t, any time %t", nervous, anyTime)
		assert.Equal(t, r.DeadlockFree, r.StarvationFree)
		assert.NotEmpty(t, r.Starving)
		assert.NotContains(t, r.DeadlockFree.History.String(), "leaves")
		assert.Equal(t, nervous, r.DeadlockFree.History.Loop >= 0, "%v", r.DeadlockFree.History)
	}
}

// The timer always runs, and must expire again and again. In one state that ends the wait of
// the tenant, in the other it changes nothing: as it may expire in the second one each time,
// the tenant starves. That does not depend on which state is visited first.
func TestNodesFairnessInOneState(t *testing.T) {
	for _, inside := range []bool{false, true} {
		r := checkedNodes(t, explore.NodesConfig{
			New:   func(start messaging.Start) messaging.Node { return &landlord{start: start, inside: inside} },
			Nodes: 2, Requests: []int{explore.Unbounded, 1}, AnyTime: true, Perpetual: true,
		})
		assert.Equal(t, explore.Holds, r.MutualExclusion.Status)
		assert.Equal(t, []messaging.ID{1}, r.Starving, "inside %t", inside)
	}
}

// A pair pings each other while the first waits, until that aborts, or is told of a crash or something by its user.
type pair struct {
	self        messaging.ID
	Waits, Told bool
}

func (n *pair) Request(out messaging.Out) {
	if n.Waits = !n.Told; n.Waits {
		out.Send(1, tick{})
	} else {
		out.Enter()
	}
}

func (*pair) Release(messaging.Out)    {}
func (n *pair) Withdraw(messaging.Out) { n.Waits = false }

func (n *pair) Down(_ messaging.ID, out messaging.Out) { n.Receive(n.self, asking{}, out) }

func (n *pair) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	switch m.(type) {
	case tick:
		if n.self == 1 || n.Waits {
			out.Send(1-n.self, tick{})
		}
	case asking:
		if n.Told = true; n.Waits {
			n.Waits = false
			out.Enter()
		}
	}
}

// A run is fair in which what users may do, and faults, never happen, though they may at any time, and then one enters
// or none waits.
func TestNodesFairnessWithoutFaults(t *testing.T) {
	for name, c := range map[string]explore.NodesConfig{
		"an abort":          {Withdrawals: 1},
		"an input":          {Inputs: [][]messaging.Message{{asking{}}, nil}},
		"a crash":           {Crashes: 1, CrashOf: []messaging.ID{1}, Detected: true},
		"a wrong suspicion": {Suspicions: 1},
	} {
		c.New = func(start messaging.Start) messaging.Node { return &pair{self: start.Self} }
		c.Nodes, c.Requests = 2, []int{1, 0}
		r := checkedNodes(t, c)
		require.Equal(t, explore.Fails, r.DeadlockFree.Status, name)
		assert.Equal(t, "livelock: a request is pending, and no node ever enters", r.DeadlockFree.History.Title, name)
	}
}

// A host, node 1, answers, and says that it is up when it starts, for which its guest, node 0, waits. Another pings the guest.
type host struct {
	self  messaging.ID
	Waits bool
}

func (n *host) Start(out messaging.Out) {
	switch n.self {
	case 1:
		out.Send(0, admitted{})
	case 2:
		out.Send(0, tick{})
	}
}

func (n *host) Request(out messaging.Out) { n.Waits = true; out.Send(1, asking{}) }
func (*host) Release(messaging.Out)       {}

func (n *host) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch m.(type) {
	case asking:
		out.Send(0, admitted{})
	case tick:
		out.Send(from, tick{})
	case admitted:
		if n.Waits {
			n.Waits = false
			out.Enter()
		}
	}
}

// A node that may restart does so.
func TestNodesFairnessOfRestarts(t *testing.T) {
	c := explore.NodesConfig{
		New:   func(start messaging.Start) messaging.Node { return &host{self: start.Self} },
		Nodes: 3, Requests: []int{1, 0, 0}, Crashes: 1, CrashOf: []messaging.ID{1}, Perpetual: true,
	}
	assert.Equal(t, explore.Fails, checkedNodes(t, c).DeadlockFree.Status)
	c.Restarts = 1
	assert.Equal(t, explore.Holds, checkedNodes(t, c).DeadlockFree.Status)
}
