// Package multicast has what algorithms that send messages to a group have in common: the inputs of
// users, the results of members, and when results are correct.
//
// A user makes a node send a message with the input [Send]. The node emits [Sent], and each member
// of the group, the sender too, emits [Delivered] when the message is delivered to its user:
//
//	c := cluster.New(5, total.New, cluster.Observe(f)) // f sees what is emitted
//	err := c.Input(3, multicast.Send{Body: "+100"})
//
// [Reliable] says which results are correct. So do the orders [FIFO], [Causal] and [Total], each of
// which includes it. They are those of V. Hadzilacos, S. Toueg, "A modular approach to
// fault-tolerant broadcasts and related problems", 1994.
package multicast

import (
	"fmt"

	"example.org/doorway/messaging"
)

// Send is the input with which a user has a node send Body to the group.
type Send struct{ Body string }

// Sent is emitted by a node when it sends a message to the group. Number counts the messages of
// the node from 1.
type Sent struct {
	Number int
	Body   string
}

// Delivered is emitted by a node when it delivers message Number of node From to its user.
type Delivered struct {
	From   messaging.ID
	Number int
	Body   string
}

// Reliable is the [messaging.Results] of a reliable multicast to all nodes: each delivers each
// message at most once, and only if it was sent; and in the end, all live nodes have delivered the
// same messages, all those of live senders among them. No node may start again.
func Reliable(o messaging.Outcome) error {
	sent := sentBy(o)
	for i := range o.Emitted {
		delivered := map[[2]int]bool{}
		for d := range deliveries(o, i) {
			m := [2]int{int(d.From), d.Number}
			switch {
			case !isNode(o, d.From) || d.Number < 1 || d.Number > len(sent[d.From]):
				return fmt.Errorf("node %d delivers %s, which was not sent", i, message(d))
			case d.Body != sent[d.From][d.Number-1]:
				return fmt.Errorf("node %d delivers %s as %q, and %q was sent", i, message(d), d.Body, sent[d.From][d.Number-1])
			case delivered[m]:
				return fmt.Errorf("node %d delivers %s twice", i, message(d))
			}
			delivered[m] = true
		}
	}
	if !o.Over {
		return nil
	}
	return agreed(o, sent)
}

// agreed returns an error unless all live nodes have delivered what one of them has delivered or
// sent.
func agreed(o messaging.Outcome, sent [][]string) error {
	type cause struct {
		node int
		did  string
	}
	due := map[[2]int]cause{}
	for i := range o.Emitted {
		if o.Down.Has(messaging.ID(i)) {
			continue
		}
		for d := range deliveries(o, i) {
			due[[2]int{int(d.From), d.Number}] = cause{i, "delivered"}
		}
		for k := range sent[i] {
			due[[2]int{i, k + 1}] = cause{i, "sent"}
		}
	}
	for i := range o.Emitted {
		if o.Down.Has(messaging.ID(i)) {
			continue
		}
		delivered := map[[2]int]bool{}
		for d := range deliveries(o, i) {
			delivered[[2]int{int(d.From), d.Number}] = true
		}
		for from := range o.Emitted { // in order, so that the error is the same each time
			for k := range sent[from] {
				m := [2]int{from, k + 1}
				if by, is := due[m]; is && !delivered[m] {
					return fmt.Errorf("node %d has not delivered message %d of node %d, which node %d has %s", i, k+1, from, by.node, by.did)
				}
			}
		}
	}
	return nil
}
