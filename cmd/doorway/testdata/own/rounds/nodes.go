// Package rounds has a protocol that is wrong unless rounds are kept apart: a coordinator
// collects requests and sends a list of the requesters, which each of them passes on when it
// leaves.
package rounds

import (
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/intervals"
)

// Want requests a place in a round.
type Want struct{}

// Round admits its receiver, and after it the rest, in that order.
type Round struct{ Rest []messaging.ID }

// Back tells the coordinator that the round is over.
type Back struct{}

type node struct {
	start messaging.Start // its Holder is the coordinator

	Wants bool
	Rest  []messaging.ID // of the round, while this node is inside

	Queue []messaging.ID // of the coordinator: requests since the last round began

	apart bool
	Busy  bool // of the coordinator: a round is under way
}

// New returns node start.Self.
func New(start messaging.Start) messaging.Node { return &node{start: start} }

// NewApart returns an algorithm that begins a round when the one before is over.
func NewApart(int) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node { return &node{start: start, apart: true} }
}

// NewIntervals returns an algorithm that lets in several at once.
func NewIntervals(n int) messaging.Algorithm {
	a, err := intervals.Protocol.New(n)
	if err != nil {
		panic(err)
	}
	return a
}

func (n *node) Request(out messaging.Out) {
	n.Wants = true
	out.Send(n.start.Holder, Want{})
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch m := m.(type) {
	case Want:
		n.Queue = append(n.Queue, from)
		if len(n.Queue) == 1 && !n.Busy { // it is the first
			n.begin(out)
		}
	case Round:
		if !n.Wants {
			messaging.Refuse("rounds", n.start.Self, from, m, "it has no request")
		}
		n.Wants, n.Rest = false, m.Rest
		out.Enter()
	case Back:
		n.Busy = false
		if len(n.Queue) > 0 {
			n.begin(out)
		}
	default:
		messaging.Refuse("rounds", n.start.Self, from, m, "it is not a message of this protocol")
	}
}

// begin starts a round of all requests.
func (n *node) begin(out messaging.Out) {
	out.Send(n.Queue[0], Round{n.Queue[1:]})
	n.Queue, n.Busy = nil, n.apart
}

// Release hands the round on.
func (n *node) Release(out messaging.Out) {
	if len(n.Rest) == 0 {
		out.Send(n.start.Holder, Back{})
		return
	}
	out.Send(n.Rest[0], Round{n.Rest[1:]})
	n.Rest = nil
}
