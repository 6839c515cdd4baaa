package reliable_test

import (
	"time"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
)

// Next has a node send the next message of its outbox.
type Next struct{}

// midway returns a with nodes that send one message at a time: a node may crash when a message has been
// sent to some nodes and not to others. If timers expire at any time, pause is 0, and a must have none.
func midway(a messaging.Algorithm, pause time.Duration) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node { return &sender{Inner: a(start), pause: pause} }
}

type sender struct {
	Inner  messaging.Node
	Outbox []host.Send
	pause  time.Duration
}

func (n *sender) Start(out messaging.Out) { n.Inner.(messaging.Starter).Start(outbox{out, n}) }

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
		out.After(n.pause, Next{})
	}
}

// outbox keeps what a node sends.
type outbox struct {
	messaging.Out
	n *sender
}

func (o outbox) Send(to messaging.ID, m messaging.Message) {
	o.n.Outbox = append(o.n.Outbox, host.Send{To: to, Message: m})
	if len(o.n.Outbox) == 1 {
		o.After(o.n.pause, Next{})
	}
}
