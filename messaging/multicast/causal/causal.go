// Package causal implements the causally ordered multicast of K. Birman, A. Schiper and P.
// Stephenson: a message names the messages that its sender had delivered, and is delivered after
// these.
//
// # Source
//
// K. Birman, A. Schiper, P. Stephenson, "Lightweight causal and atomic group multicast", ACM
// Transactions on Computer Systems 9(3), 1991: the vector time protocol of section 5.1.
//
// # Messages
//
//	Data{Vector, Body}   a message of the sender, with its vector timestamp
//
// The component of the sender is the number of the message; that of another node is how many of
// its messages the sender had delivered.
//
// # State
//
//	Delivered   by node, how many of its messages are delivered
//	Early       messages that arrived before one that happened before them
//
// # Algorithm
//
// A node delivers its own message at once. It delivers that of another node when it is the next
// one of that node, and it has delivered at least as many messages of each third node as the
// sender had.
//
// # Properties
//
// All nodes deliver all messages, in causal order ([multicast.Causal]); of two that are sent
// concurrently, some may deliver one first, and some the other. No crash is tolerated: if a crashed
// node has sent a message to some nodes only, the others lack it, and so do not deliver any that
// follow. No message may be lost or arrive twice; links need not be FIFO.
//
// With N nodes, a message takes N-1 messages, each with N numbers, and one delay, if nothing that
// happened before it is late.
package causal

import (
	"slices"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock"
	"example.org/doorway/messaging/multicast"
)

// data is a message of the sender.
type data struct {
	Vector clock.Vector
	Body   string
}

// Protocol is the algorithm for hosts that are told which one to run.
var Protocol = messaging.Protocol{
	Name:    "causal",
	New:     func(int) (messaging.Algorithm, error) { return New, nil },
	Kinds:   []messaging.Message{multicast.Send{}, data{}},
	Results: multicast.Causal,
}

type node struct {
	start messaging.Start

	Delivered clock.Vector
	Early     []early
}

// An early message has arrived from a node.
type early struct {
	From messaging.ID
	Data data
}

// New is the algorithm.
func New(start messaging.Start) messaging.Node {
	return &node{start: start, Delivered: make(clock.Vector, start.Nodes)}
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("causal", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case multicast.Send:
		vector := slices.Clone(n.Delivered)
		vector[from]++
		out.Emit(multicast.Sent{Number: int(vector[from]), Body: m.Body})
		for j := range n.start.Others() {
			out.Send(j, data{vector, m.Body})
		}
		n.deliver(from, m.Body, out)
	case data:
		n.Early = append(n.Early, early{from, m})
		n.deliverEarly(out)
	}
}

// deliverEarly delivers the messages that need not wait any more.
func (n *node) deliverEarly(out messaging.Out) {
	for k := 0; k < len(n.Early); k++ {
		if e := n.Early[k]; n.deliverable(e.From, e.Data.Vector) {
			n.Early = slices.Delete(n.Early, k, k+1)
			n.deliver(e.From, e.Data.Body, out)
			k = -1 // the others may have waited for it
		}
	}
}

// deliverable reports whether a message of node from with that timestamp is its next one, and
// what its sender had delivered is delivered here.
func (n *node) deliverable(from messaging.ID, vector clock.Vector) bool {
	for k, delivered := range n.Delivered {
		due := vector[k]
		if messaging.ID(k) == from {
			due--
		}
		if delivered < due {
			return false
		}
	}
	return true
}

func (n *node) deliver(from messaging.ID, body string, out messaging.Out) {
	n.Delivered[from]++
	out.Emit(multicast.Delivered{From: from, Number: int(n.Delivered[from]), Body: body})
}
