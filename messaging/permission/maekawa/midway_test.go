package maekawa_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/quorum"
)

// Next has a node send the next message of its outbox.
type Next struct{}

// A sender is a node that sends one message at a time: it may crash when some of those of a
// handler are sent, and others are not.
type sender struct {
	Inner  messaging.Node
	Outbox []messaging.Send
}

func midway(a messaging.Algorithm) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node { return &sender{Inner: a(start)} }
}

func (n *sender) Request(out messaging.Out) {
	n.Inner.(messaging.Exclusion).Request(outbox{out, n})
}

func (n *sender) Release(out messaging.Out) {
	n.Inner.(messaging.Exclusion).Release(outbox{out, n})
}

func (n *sender) Down(peer messaging.ID, out messaging.Out) {
	n.Inner.(messaging.Survivor).Down(peer, outbox{out, n})
}

func (n *sender) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if m != (Next{}) {
		n.Inner.Receive(from, m, outbox{out, n})
		return
	}
	out.Send(n.Outbox[0].To, n.Outbox[0].Message)
	if n.Outbox = n.Outbox[1:]; len(n.Outbox) > 0 {
		out.After(0, Next{})
	}
}

// outbox keeps what a node sends.
type outbox struct {
	messaging.Out
	n *sender
}

func (o outbox) Send(to messaging.ID, m messaging.Message) {
	o.n.Outbox = append(o.n.Outbox, messaging.Send{To: to, Message: m})
	if len(o.n.Outbox) == 1 {
		o.After(0, Next{})
	}
}

// A node may also crash when it has sent its request, or its release, to some of its quorum only.
func TestCrashWithinABroadcast(t *testing.T) {
	for _, c := range []struct {
		build    func(int) (quorum.System, error)
		requests []int
		full     bool
	}{
		{quorum.Plane, []int{1, 1, 0}, false},
		{quorum.Plane, []int{1, 1, 1}, true},
		{quorum.Majority, []int{1, 1, 0, 0}, true},
	} {
		if c.full && !tier.Full {
			continue
		}
		s := system(t, c.build, len(c.requests))
		r := explored(t, midway(maekawa.New(s)), c.requests, func(c *explore.NodesConfig) { c.AnyTime = true })
		t.Logf("%v, requests %v: %d states", s, c.requests, r.States)
		assert.Empty(t, r.Failures(), "%v, requests %v", s, c.requests)
		assert.Equal(t, explore.Holds, r.StarvationFree.Status)
	}
}
