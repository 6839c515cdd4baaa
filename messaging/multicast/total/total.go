// Package total implements the totally ordered multicast of L. Lamport: messages are delivered in
// the order of their timestamps, each when no node can still send an older one.
//
// # Source
//
// L. Lamport, "Time, clocks, and the ordering of events in a distributed system", Communications of
// the ACM 21(7), 1978, which has it as a replicated state machine. His algorithm for mutual
// exclusion (package [example.org/doorway/messaging/permission/lamport]) orders requests in the
// same way. It is the remedy for slide 42 of B. Prabhakaran, after A. S. Tanenbaum's textbook.
//
// # Messages
//
//	Update{Of, Number, Body}   message Number of the sender, with its timestamp Of
//	Ack{Time}                  an Update has arrived; what the sender sends from now on is later than Time
//
// # State
//
//	Clock    the logical clock
//	Queue    the messages that are not delivered yet, in the order of their timestamps
//	Latest   by node, the time of the last message from it
//	Number   of the last message that the node has sent to the group
//
// # Algorithm
//
// A sender puts its message into its own queue, and sends it to all others. A node that gets it
// puts it into its queue, and sends an Ack to all others. The first message of the queue is
// delivered when a message that is not older has arrived from every other node; the sender's is the
// message itself. Clocks only advance and links are FIFO, so nothing older can arrive.
//
// # Properties
//
// All nodes deliver the same messages in the same order ([multicast.Total]), which is causal
// ([multicast.Causal]). Links must be FIFO, and lose nothing. No crash is tolerated: the others
// wait for the crashed node forever.
//
// With N nodes, a message takes N(N-1) messages: N-1 Updates, and N-1 Acks of each of the N-1 nodes
// that get it. It is delivered after two delays at most, if no older one is late. If all nodes send
// at the same time, the message with the oldest timestamp is delivered after one.
package total

import (
	"cmp"
	"slices"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/multicast"
)

// update is message Number of the node Of.ID, which sent it at Of.Time.
type update struct {
	Of     messaging.Stamp
	Number int
	Body   string
}

// ack says that what the sender sends from now on is later than Time.
type ack struct{ Time messaging.Time }

// Protocol is the algorithm for hosts that are told which one to run.
var Protocol = messaging.Protocol{
	Name:    "total",
	New:     func(int) (messaging.Algorithm, error) { return New, nil },
	Kinds:   []messaging.Message{multicast.Send{}, update{}, ack{}},
	FIFO:    true,
	Results: ordered,
}

// ordered is both orders.
func ordered(o messaging.Outcome) error {
	return cmp.Or(multicast.Total(o), multicast.Causal(o))
}

type node struct {
	start messaging.Start

	Clock  messaging.Clock
	Queue  []update
	Latest []messaging.Time
	Number int
}

// New is the algorithm.
func New(start messaging.Start) messaging.Node {
	return &node{start: start, Latest: make([]messaging.Time, start.Nodes)}
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("total", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case multicast.Send:
		n.Number++
		out.Emit(multicast.Sent{Number: n.Number, Body: m.Body})
		u := update{n.Clock.Tick(n.start.Self), n.Number, m.Body}
		n.broadcast(u, out)
		n.enqueue(u)
	case update:
		n.hear(m.Of)
		n.enqueue(m)
		n.broadcast(ack{n.Clock.Tick(n.start.Self).Time}, out)
	case ack:
		n.hear(messaging.Stamp{Time: m.Time, ID: from})
	}
	n.deliver(out)
}

// hear notes the stamp of a message.
func (n *node) hear(stamp messaging.Stamp) {
	n.Clock.Witness(stamp)
	n.Latest[stamp.ID] = stamp.Time
}

func (n *node) broadcast(m messaging.Message, out messaging.Out) {
	for j := range n.start.Others() {
		out.Send(j, m)
	}
}

func (n *node) enqueue(u update) {
	k, _ := slices.BinarySearchFunc(n.Queue, u, func(a, b update) int {
		return cmp.Or(cmp.Compare(a.Of.Time, b.Of.Time), cmp.Compare(a.Of.ID, b.Of.ID))
	})
	n.Queue = slices.Insert(n.Queue, k, u)
}

// deliver delivers the messages at the head of the queue for which no node can send an older one.
func (n *node) deliver(out messaging.Out) {
	for len(n.Queue) > 0 && n.acknowledged(n.Queue[0].Of) {
		u := n.Queue[0]
		n.Queue = slices.Delete(n.Queue, 0, 1)
		out.Emit(multicast.Delivered{From: u.Of.ID, Number: u.Number, Body: u.Body})
	}
}

// acknowledged reports whether each other node has sent a message that is not older than stamp.
func (n *node) acknowledged(stamp messaging.Stamp) bool {
	for j := range n.start.Others() {
		if (messaging.Stamp{Time: n.Latest[j], ID: j}).Before(stamp) {
			return false
		}
	}
	return true
}
