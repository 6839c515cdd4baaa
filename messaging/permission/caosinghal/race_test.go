package caosinghal

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/votingtest"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
)

// Node 0 has inquired of node 2 for an older request of node 1, while the lock is in transit from
// node 1 to node 2.
func TestInquiryBeforeLocked(t *testing.T) {
	mine, older := messaging.Stamp{Time: 2, ID: 2}, messaging.Stamp{Time: 1, ID: 1}
	site := host.NewSite(New(system(t, central, 3)), messaging.Start{Self: 2, Nodes: 3}, nil)
	site.Receive(1, request{Of: older})
	site.Request()
	site.Done()
	site.Receive(0, failed{To: mine})
	site.Receive(0, transfer{To: mine, Next: older, Inquire: true, Version: 1})
	assert.Empty(t, site.Sends)
	site.Receive(1, locked{To: mine, Arbiter: 0})
	assert.Equal(t, messaging.Inside, site.Phase())
}

// TestTransferOfAnEarlierTime: a Transfer arrives after its lock was yielded, or
// even after the lock has come again. It must be ignored.
func TestTransferOfAnEarlierTime(t *testing.T) {
	sets, err := quorum.Sets(slices.Repeat([][]messaging.ID{{0, 1}}, 5))
	require.NoError(t, err)
	mine := messaging.Stamp{Time: 1, ID: 2}
	older, oldest := messaging.Stamp{Time: 1, ID: 1}, messaging.Stamp{Time: 1, ID: 0}
	late := transfer{To: mine, Next: oldest, Version: 2}
	again := locked{To: mine, Arbiter: 0, Version: 3}
	for _, order := range [][2]messaging.Message{{late, again}, {again, late}} {
		site := host.NewSite(New(sets), messaging.Start{Self: 2, Nodes: 5}, nil)
		site.Request()
		site.Receive(1, failed{To: mine})
		site.Receive(0, locked{To: mine, Arbiter: 0})
		site.Receive(0, transfer{To: mine, Next: older, Inquire: true, Version: 1})
		wantLast(t, site, host.Send{To: 0, Message: yield{Of: mine}})
		for _, m := range order {
			site.Receive(0, m)
		}
		site.Receive(1, locked{To: mine, Arbiter: 1})
		site.Done()
		site.Release()
		wantLast(t, site,
			host.Send{To: 0, Message: release{Of: mine}},
			host.Send{To: 1, Message: release{Of: mine}})
	}
}

// TestOneLockedForAllTransfers: of several Transfers the latest counts, in whatever
// order they arrive, and the lock is forwarded to one request.
func TestOneLockedForAllTransfers(t *testing.T) {
	mine, next := messaging.Stamp{Time: 1, ID: 1}, messaging.Stamp{Time: 1, ID: 2}
	transfers := []transfer{
		{To: mine, Next: messaging.Stamp{Time: 2, ID: 2}, Version: 1}, // withdrawn since
		{To: mine, Next: next, Version: 2},
	}
	for first := range transfers {
		site := host.NewSite(New(system(t, central, 3)), messaging.Start{Self: 1, Nodes: 3}, nil)
		site.Request()
		site.Receive(0, locked{To: mine, Arbiter: 0})
		site.Receive(0, transfers[first])
		site.Receive(0, transfers[1-first])
		site.Done()
		site.Release()
		wantLast(t, site,
			host.Send{To: 2, Message: locked{To: next, Arbiter: 0, Version: 2}},
			host.Send{To: 0, Message: release{Of: mine, Next: next}})
		site.Receive(0, transfer{To: mine, Next: messaging.Stamp{Time: 1, ID: 0}, Version: 3}) // late
		if len(site.Sends) > 2 {
			t.Errorf("the node has left, and sent %+v", site.Sends[2:])
		}
	}
}

func wantLast(t *testing.T, site *host.Site, want ...host.Send) {
	t.Helper()
	if got := site.Sends; len(got) < len(want) || !slices.Equal(got[len(got)-len(want):], want) {
		t.Errorf("sent %+v, want %+v in the end", got, want)
	}
}

func TestVotes(t *testing.T) {
	votingtest.Check(t, votingtest.Nodes{
		New:        func(nodes int) messaging.Algorithm { return New(system(t, all, nodes)) },
		Request:    func(of messaging.Stamp) messaging.Message { return request{Of: of} },
		Release:    func(of messaging.Stamp) messaging.Message { return release{Of: of} },
		Relinquish: func(of messaging.Stamp) messaging.Message { return yield{Of: of} },
		Failed:     func(to messaging.Stamp) messaging.Message { return failed{To: to} },
		Inquire: func(to messaging.Stamp) messaging.Message {
			return transfer{To: to, Next: messaging.Stamp{Time: 1, ID: 0}, Inquire: true, Version: 1}
		},
		Locked: func(to messaging.Stamp, arbiter messaging.ID) messaging.Message {
			return locked{To: to, Arbiter: arbiter}
		},
	})
}
