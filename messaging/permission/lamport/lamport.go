// Package lamport is Lamport's algorithm: every node keeps the queue of all
// requests, and enters when its own is the oldest and no older one can come.
//
// # Source
//
// L. Lamport, "Time, clocks, and the ordering of events in a distributed system",
// Communications of the ACM 21(7), 1978, 558-565. The variant with suppressed
// replies is in Prabhakaran, "Mutual Exclusion Algorithms", slide 10.
//
// # Messages
//
//	Request{Of}       node Of.ID asks for the critical section; Of is when it was sent, too
//	Reply{At}         the sender has received a request; At is the time of sending
//	Release{Of, At}   the request Of has left, or was withdrawn
//
// A Reply need not name the request: what counts is only that a message with a
// later stamp has come, whatever its kind.
//
// Links must be FIFO. If not, a Reply that overtakes an older Request lets two
// enter, and a Release that overtakes its Request leaves a request in the queue
// for ever, behind which all wait.
//
// # State
//
//	Phase   idle, waiting or inside
//	Clock   the logical clock; larger than the stamps of all messages that came
//	Mine    the last request of this node
//	Queue   the requests of all nodes that are not over, this one's included
//	Last    by node, the largest time that came from it
//
// # Properties
//
// Exclusion: when every other node has sent something younger than Mine, all
// requests older than Mine have come, because links are FIFO; so of two requests
// the younger waits until the Release of the older has come.
//
// Requests enter in the order of their stamps, hence never before one that they
// know of; it is starvation-free. An entry takes 3(N-1) messages, whatever the load.
// (Reiser 2002, slide 5.6, has them sent "to all, including oneself" and counts
// 3(N-1) all the same: what one tells oneself is no message.) From an exit to the
// next entry it takes one message delay. Any crash blocks all.
//
// With suppressed replies, each pair of requests that cross saves one Reply: of m
// nodes that ask at the same time, the m entries take 3m(N-1) - m(m-1)/2 messages
// altogether; one entry takes from 2(N-1) to 3(N-1).
package lamport

import (
	"example.org/doorway/internal/requests"
	"example.org/doorway/messaging"
)

// Request asks for the critical section.
type Request struct{ Of messaging.Stamp }

// Reply says that all that its sender will send from now on is younger than At.
type Reply struct{ At messaging.Stamp }

// Release ends the request Of.
type Release struct{ Of, At messaging.Stamp }

// Kinds returns a message of each kind.
func Kinds() []messaging.Message {
	return []messaging.Message{Request{}, Reply{}, Release{}}
}

// New returns node start.Self. It is a [messaging.Algorithm] for FIFO links, and
// its nodes can withdraw.
func New(start messaging.Start) messaging.Exclusion { return newNode(start, false) }

// NewSuppressed returns node start.Self of the variant in which a node does not
// reply to a request that is older than one of its own, which is under way to the
// other already and tells it as much. It is a [messaging.Algorithm] for FIFO
// links, and its nodes can withdraw.
func NewSuppressed(start messaging.Start) messaging.Exclusion { return newNode(start, true) }

func newNode(start messaging.Start, suppresses bool) *node {
	return &node{start: start, suppresses: suppresses, Last: make([]messaging.Time, start.Nodes)}
}

type node struct {
	start      messaging.Start
	suppresses bool

	Phase messaging.Phase
	Clock messaging.Clock
	Mine  messaging.Stamp
	Queue requests.Queue
	Last  []messaging.Time
}

func (n *node) Request(out messaging.Out) {
	n.Phase, n.Mine = messaging.Waiting, n.Clock.Tick(n.start.Self)
	n.Queue.Insert(n.Mine)
	n.broadcast(Request{n.Mine}, out)
	n.enterIfFirst(out)
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("lamport", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case Request:
		now := n.observe(m.Of)
		n.Queue.Insert(m.Of)
		if n.suppresses && n.Phase == messaging.Waiting && m.Of.Before(n.Mine) {
			break // Mine is under way to it, and younger: that says as much as a Reply
		}
		out.Send(from, Reply{now})
	case Reply:
		n.observe(m.At)
	case Release:
		n.observe(m.At)
		n.Queue.Remove(m.Of)
	}
	n.enterIfFirst(out)
}

// observe takes notice of a message by when it was sent, and returns when it came.
func (n *node) observe(at messaging.Stamp) messaging.Stamp {
	n.Last[at.ID] = max(n.Last[at.ID], at.Time)
	n.Clock.Witness(at)
	return n.Clock.Tick(n.start.Self)
}

// enterIfFirst enters if the own request is the oldest of those that are known,
// and no older one can come any more.
func (n *node) enterIfFirst(out messaging.Out) {
	if n.Phase == messaging.Waiting && n.Queue.First() == n.Mine && n.laterFromAll(n.Mine) {
		n.Phase = messaging.Inside
		out.Enter()
	}
}

// laterFromAll reports whether something younger than r has come from all others. It
// goes by the stamp of what they sent, never by the clock of this node.
func (n *node) laterFromAll(r messaging.Stamp) bool {
	for j := range n.start.Others() {
		if !r.Before(messaging.Stamp{Time: n.Last[j], ID: j}) {
			return false
		}
	}
	return true
}

func (n *node) Release(out messaging.Out) {
	n.Phase = messaging.Idle
	n.Queue.Remove(n.Mine)
	n.broadcast(Release{Of: n.Mine, At: n.Clock.Tick(n.start.Self)}, out)
}

// Withdraw takes the request back: FIFO links keep the Release behind its Request.
func (n *node) Withdraw(out messaging.Out) { n.Release(out) }

func (n *node) broadcast(m messaging.Message, out messaging.Out) {
	for j := range n.start.Others() {
		out.Send(j, m)
	}
}
