package maekawa

import (
	"slices"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/quorum"
)

// The plausible ways to go on after a crash that are wrong.
type Wrong struct {
	KeepsLock    bool // an arbiter waits for the Release of a crashed node
	HearsDead    bool // an arbiter grants its lock to a request that it gets after Down
	ForgetsLeft  bool // on exit, a node sends no Release to arbiters that it left for others
	Shrinks      bool // a request does without the lock of a crashed arbiter
	YieldsToDead bool // a request relinquishes the lock of a crashed arbiter
}

// NewWrong is New with nodes that are wrong.
func NewWrong(quorums quorum.System, how Wrong) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node {
		return &wrong{Inner: New(quorums)(start), how: how}
	}
}

type wrong struct {
	Inner messaging.Node
	how   Wrong
}

func (w *wrong) node() *node { return w.Inner.(*node) }

func (w *wrong) Request(out messaging.Out) { w.node().Request(out) }

func (w *wrong) Release(out messaging.Out) {
	n := w.node()
	if w.how.ForgetsLeft {
		n.Asked = slices.DeleteFunc(n.Asked, n.Left.Has)
	}
	n.Release(out)
}

func (w *wrong) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	n := w.node()
	if w.how.HearsDead {
		crashed := n.Crashed
		n.Crashed = nil
		defer func() { n.Crashed = crashed }()
	}
	n.Receive(from, m, out)
}

func (w *wrong) Down(peer messaging.ID, out messaging.Out) {
	n := w.node()
	switch {
	case w.how.KeepsLock:
		lock, waiting := n.Lock, n.Waiting
		n.Lock, n.Waiting = messaging.Stamp{}, nil
		defer func() { n.Lock, n.Waiting = lock, waiting }()
	case w.how.Shrinks && n.Phase == messaging.Waiting && slices.Contains(n.Asked, peer):
		n.Got.Add(peer)
		defer n.enterOrYield(out)
	case w.how.YieldsToDead && n.Inquired.Has(peer):
		defer n.Inquired.Add(peer)
	}
	n.Down(peer, out)
}
