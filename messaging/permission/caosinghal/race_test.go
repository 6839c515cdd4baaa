package caosinghal_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/voting"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/caosinghal"
	"example.org/doorway/messaging/permission/quorum"
)

// network keeps messages until a test delivers them, in any order.
type network struct {
	t     *testing.T
	sites []*messaging.Site
	sent  []transit
}

type transit struct {
	from messaging.ID
	messaging.Send
}

// newNetwork returns a network of three nodes that all ask node 0 only.
func newNetwork(t *testing.T) *network {
	t.Helper()
	n := &network{t: t}
	a := caosinghal.New(system(t, central, 3))
	for i := range messaging.ID(3) {
		n.sites = append(n.sites, messaging.NewSite(a, messaging.Start{Self: i, Nodes: 3}, nil))
	}
	return n
}

func (n *network) request(i messaging.ID)  { n.do(i, (*messaging.Site).Request) }
func (n *network) release(i messaging.ID)  { n.do(i, (*messaging.Site).Release) }
func (n *network) withdraw(i messaging.ID) { n.do(i, (*messaging.Site).Withdraw) }

func (n *network) do(i messaging.ID, act func(*messaging.Site)) {
	act(n.sites[i])
	for _, s := range n.sites[i].Sends {
		n.sent = append(n.sent, transit{i, s})
	}
	n.sites[i].Done()
}

// deliver delivers the first message of that kind between those two, for example
// "Locked 1 2".
func (n *network) deliver(messages ...string) {
	n.t.Helper()
	for _, m := range messages {
		if !n.deliverOne(m) {
			n.t.Fatalf("%s is not in transit, but %+v", m, n.sent)
		}
	}
}

func (n *network) deliverOne(message string) bool {
	for k, s := range n.sent {
		kind := strings.TrimPrefix(fmt.Sprintf("%T", s.Message), "caosinghal.")
		if fmt.Sprint(kind, " ", s.from, " ", s.To) == message {
			n.sent = append(n.sent[:k], n.sent[k+1:]...)
			n.do(s.To, func(site *messaging.Site) { site.Receive(s.from, s.Message) })
			return true
		}
	}
	return false
}

// deliverAll delivers all messages in transit, and those that they cause, in FIFO
// order.
func (n *network) deliverAll() {
	for len(n.sent) > 0 {
		s := n.sent[0]
		n.sent = n.sent[1:]
		n.do(s.To, func(site *messaging.Site) { site.Receive(s.from, s.Message) })
	}
}

func (n *network) wantPhases(want ...messaging.Phase) {
	n.t.Helper()
	for i, s := range n.sites {
		assert.Equal(n.t, want[i], s.Phase(), "node %d", i)
	}
}

const (
	idle    = messaging.Idle
	waiting = messaging.Waiting
	inside  = messaging.Inside
)

// Node 0 has inquired of node 2 for an older request of node 1, while the lock is in transit from
// node 1 to node 2.
func TestInquiryBeforeLocked(t *testing.T) {
	n := newNetwork(t)
	n.request(2) // so that the next request of node 2 is younger than that of node 1
	n.deliverAll()
	n.release(2)
	n.deliverAll()

	n.request(1)
	n.deliverAll()
	n.request(2)
	n.deliverAll()
	n.release(1) // sends the lock to node 2: it takes long
	n.request(1)
	n.deliver("Release 1 0", "Request 1 0", "Transfer 0 2")
	n.deliver("Locked 1 2")
	n.wantPhases(idle, waiting, inside)
	n.release(2)
	n.deliverAll()
	n.wantPhases(idle, inside, idle)
}

// TestHandedToWithdrawn: node 1 forwards the lock to a withdrawn request of node 2,
// whose Release reaches node 0 after, or before, that of node 1.
func TestHandedToWithdrawn(t *testing.T) {
	for _, order := range [][]string{{"Release 1 0", "Release 2 0"}, {"Release 2 0", "Release 1 0"}} {
		n := newNetwork(t)
		n.request(1)
		n.deliverAll()
		n.request(2)
		n.deliverAll()
		n.request(0)
		n.deliverAll()
		n.release(1)
		n.withdraw(2)
		n.deliver("Locked 1 2")
		n.deliver(order...)
		n.deliverAll()
		n.wantPhases(inside, idle, idle)
	}
}

// TestTransferOfAnEarlierTime: a Transfer arrives after its lock was yielded, or
// even after the lock has come again. It must be ignored.
func TestTransferOfAnEarlierTime(t *testing.T) {
	sets, err := quorum.Sets(slices.Repeat([][]messaging.ID{{0, 1}}, 5))
	require.NoError(t, err)
	mine := messaging.Stamp{Time: 1, ID: 2}
	older, oldest := messaging.Stamp{Time: 1, ID: 1}, messaging.Stamp{Time: 1, ID: 0}
	late := caosinghal.Transfer{To: mine, Next: oldest, Version: 2}
	again := caosinghal.Locked{To: mine, Arbiter: 0, Version: 3}
	for _, order := range [][2]messaging.Message{{late, again}, {again, late}} {
		site := messaging.NewSite(caosinghal.New(sets), messaging.Start{Self: 2, Nodes: 5}, nil)
		site.Request()
		site.Receive(1, caosinghal.Failed{To: mine})
		site.Receive(0, caosinghal.Locked{To: mine, Arbiter: 0})
		site.Receive(0, caosinghal.Transfer{To: mine, Next: older, Inquire: true, Version: 1})
		wantLast(t, site, messaging.Send{To: 0, Message: caosinghal.Yield{Of: mine}})
		for _, m := range order {
			site.Receive(0, m)
		}
		site.Receive(1, caosinghal.Locked{To: mine, Arbiter: 1})
		site.Done()
		site.Release()
		wantLast(t, site,
			messaging.Send{To: 0, Message: caosinghal.Release{Of: mine}},
			messaging.Send{To: 1, Message: caosinghal.Release{Of: mine}})
	}
}

// TestOneLockedForAllTransfers: of several Transfers the latest counts, in whatever
// order they arrive, and the lock is forwarded to one request.
func TestOneLockedForAllTransfers(t *testing.T) {
	mine, next := messaging.Stamp{Time: 1, ID: 1}, messaging.Stamp{Time: 1, ID: 2}
	transfers := []caosinghal.Transfer{
		{To: mine, Next: messaging.Stamp{Time: 2, ID: 2}, Version: 1}, // withdrawn since
		{To: mine, Next: next, Version: 2},
	}
	for first := range transfers {
		site := messaging.NewSite(caosinghal.New(system(t, central, 3)), messaging.Start{Self: 1, Nodes: 3}, nil)
		site.Request()
		site.Receive(0, caosinghal.Locked{To: mine, Arbiter: 0})
		site.Receive(0, transfers[first])
		site.Receive(0, transfers[1-first])
		site.Done()
		site.Release()
		wantLast(t, site,
			messaging.Send{To: 2, Message: caosinghal.Locked{To: next, Arbiter: 0, Version: 2}},
			messaging.Send{To: 0, Message: caosinghal.Release{Of: mine, Next: next}})
		site.Receive(0, caosinghal.Transfer{To: mine, Next: messaging.Stamp{Time: 1, ID: 0}, Version: 3}) // late
		if len(site.Sends) > 2 {
			t.Errorf("the node has left, and sent %+v", site.Sends[2:])
		}
	}
}

// TestNothingIsKept: when all requests are over, including withdrawn ones, a node
// keeps only one time per node.
func TestNothingIsKept(t *testing.T) {
	n := newNetwork(t)
	for range 3 {
		for i := range messaging.ID(3) {
			n.request(i)
		}
		n.deliverAll()
		for i, s := range n.sites {
			if s.Phase() == messaging.Waiting {
				n.withdraw(messaging.ID(i))
			}
		}
		for i, s := range n.sites {
			if s.Phase() == messaging.Inside {
				n.release(messaging.ID(i))
			}
		}
		n.deliverAll()
	}
	const kept = "Lock:{Time:0 ID:0} Waiting:[] Inquiring:false Version:0 Over:["
	assert.Contains(t, fmt.Sprintf("%+v", n.sites[0].Node()), kept)
}

func wantLast(t *testing.T, site *messaging.Site, want ...messaging.Send) {
	t.Helper()
	if got := site.Sends; len(got) < len(want) || !slices.Equal(got[len(got)-len(want):], want) {
		t.Errorf("sent %+v, want %+v in the end", got, want)
	}
}

func TestVotes(t *testing.T) {
	voting.Check(t, voting.Nodes{
		New:        func(nodes int) messaging.Algorithm { return caosinghal.New(system(t, all, nodes)) },
		Request:    func(of messaging.Stamp) messaging.Message { return caosinghal.Request{Of: of} },
		Release:    func(of messaging.Stamp) messaging.Message { return caosinghal.Release{Of: of} },
		Relinquish: func(of messaging.Stamp) messaging.Message { return caosinghal.Yield{Of: of} },
		Failed:     func(to messaging.Stamp) messaging.Message { return caosinghal.Failed{To: to} },
		Inquire: func(to messaging.Stamp) messaging.Message {
			return caosinghal.Transfer{To: to, Next: messaging.Stamp{Time: 1, ID: 0}, Inquire: true, Version: 1}
		},
		Locked: func(to messaging.Stamp, arbiter messaging.ID) messaging.Message {
			return caosinghal.Locked{To: to, Arbiter: arbiter}
		},
	})
}
