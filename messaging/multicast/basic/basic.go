// Package basic implements the basic multicast: a node sends a message to each other node, and
// each delivers it on arrival.
//
// # Source
//
// The B-multicast of G. Coulouris, J. Dollimore, T. Kindberg, *Distributed Systems: Concepts and
// Design*. Slide 42 of B. Prabhakaran, after A. S. Tanenbaum's textbook, shows what it does not
// promise: a replicated database is updated in a different order at each replica.
//
// # Messages
//
//	Data{Number, Body}   message Number of the sender
//
// # Properties
//
// If no node crashes, all nodes deliver all messages ([multicast.Reliable]), on FIFO links in FIFO
// order ([multicast.FIFO]); but neither in causal nor in the same order. If a sender crashes, its
// last message may have been sent to some nodes only, and nothing repairs that. No message may be
// lost in transit. A message takes N-1 messages, and one delay.
package basic

import (
	"cmp"

	"example.org/doorway/internal/node/impossible"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/multicast"
)

// data is message Number of the sender.
type data struct {
	Number int
	Body   string
}

// Protocol is the algorithm for hosts that are told which one to run.
var Protocol = messaging.Protocol{
	Name:    "basic",
	New:     func(int) (messaging.Algorithm, error) { return New, nil },
	Kinds:   []messaging.Message{multicast.Send{}, data{}},
	Results: multicast.Reliable,
}

type node struct {
	start messaging.Start

	Number int // of the last message that it has sent
}

// New is the algorithm.
func New(start messaging.Start) messaging.Node { return &node{start: start} }

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("basic", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case multicast.Send:
		n.Number++
		out.Emit(multicast.Sent{Number: n.Number, Body: m.Body})
		for j := range n.start.Others() {
			out.Send(j, data{n.Number, m.Body})
		}
		out.Emit(multicast.Delivered{From: from, Number: n.Number, Body: m.Body})
	case data:
		out.Emit(multicast.Delivered{From: from, Number: m.Number, Body: m.Body})
	}
}

// impossible returns why node from cannot have sent m; "" if it can.
func (n *node) impossible(from messaging.ID, m messaging.Message) string {
	self := n.start.Self
	switch m := m.(type) {
	case multicast.Send:
		return impossible.If(from != self, "only its user has a node send to the group")
	case data:
		return cmp.Or(
			impossible.If(from == self, "a node does not send to itself"),
			impossible.If(m.Number < 1, "its messages are numbered from 1"),
		)
	}
	return "it is not a message of this algorithm"
}
