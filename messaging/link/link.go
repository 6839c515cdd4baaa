// Package link gives the nodes of any algorithm links that lose nothing, over ones that lose,
// duplicate and reorder messages.
//
// # Source
//
// V. Jacobson, M. J. Karels, "Congestion avoidance and control", SIGCOMM 1988: the estimate of
// the round trip. P. Karn, C. Partridge, "Improving round-trip time estimates in reliable
// transport protocols", SIGCOMM 1987: no estimate from a message that was repeated, and the
// timeout stays doubled until one that was not is acknowledged. The rest is as in TCP.
//
// # Messages
//
//	Frame{Of, To, Number, Seen, Message}   a message of the algorithm, and an acknowledgement
//	Ack{Of, To, Seen, First, Last}         only that; First to Last are missing, 0: none
//	Hello{Of}                              the sender has restarted: in which incarnation are you?
//	Here{Of, To, Answers, Asks}            the answer: the sender is up; and are you?
//	Tick{}                                 the timer of a node
//
// Of is the incarnation of the sender, To that of the receiver. Messages from one incarnation
// to another are numbered from 1. Seen acknowledges all up to that number: they were
// delivered. Inputs, timers and messages of a node to itself are those of the algorithm, as
// they are.
//
// # State
//
// Of a node, which holds that of the algorithm as Inner:
//
//	Incarnation      how often it has started; durable
//	Ticking          a timer runs
//	Peers            by node, its link:
//	  Incarnation     the latest that is known of the peer; 0: none
//	  Sent            the number of the last message to it
//	  Unacknowledged  the last messages to it, with the ticks since each was sent
//	  Seen            the number of the last message from it that was delivered
//	  Early           messages from it that arrived before an earlier one
//	  Asked           the number of the last message that was asked for
//	  Owes            in which tick, from 1, an acknowledgement is waiting to be sent; 0: none is
//	  Mean, Deviation of the round trip, in eighths and quarters of a tick; 0: none was measured
//	  Doubled         how often the timeout was doubled
//	  Full            a message was not taken; see [Full]
//	  Greets          this node has restarted, and its Hello is not answered
//	  Waited          the ticks since the last Hello
//	  Down            a detector has found that it is
//	  Notices         how often one has
//
// # Rules
//
// A node delivers the messages of a peer in the order of their numbers, once each. A frame acknowledges; if none
// is sent for Config.Delay, an Ack does. If messages are missing before one that has arrived, and are still missing at
// the next tick, they are requested once: the negative acknowledgement. It waits for a tick, or messages that only
// overtake each other would be sent again. A message that is not acknowledged in time is sent again.
//
// A node that is told of the crash of another repeats and acknowledges nothing to it. A message that still arrives
// from it may have been sent before the crash, so the node replies with the question whether the other is up,
// which a live node answers. A node that has restarted sends each other a Hello, repeatedly, until it gets an
// answer without such a question. So only a live node keeps the two of them busy.
//
// A node has no clock: it knows of time only how many timers have expired. So a timer ticks while something is
// unacknowledged, and the round trip is measured in its ticks, as in the Unix of Jacobson and Karels, which ticked
// twice a second: the timeout is the mean and four mean deviations, at least a tick, and doubles with each
// repetition up to 16-fold. A tick may come right after a message was sent, so k+1 of them are a timeout of k. A
// quiet link has no timer.
//
// # Properties
//
// A node that restarts is a new incarnation. One incarnation delivers a part of the messages of another, in order
// and without a gap, each once, whatever is lost, duplicated or reordered. So an algorithm that needs FIFO links
// runs on any. A topology ([messaging.On]) must have each link in both directions.
//
// The part begins with the first message that no earlier incarnation of the receiver has acknowledged. It ends
// with the last message, if a message that is repeated arrives eventually and neither node crashes; if a detector
// was wrong, once the suspected node sends another message. What a crashed node has sent may be lost with it.
//
// So an incarnation may get again what an earlier one got, if that crashed before its acknowledgement arrived. To
// drop such messages would also drop answers to the new incarnation, from a node that does not yet know that it is
// new. Without a durable write for each message there is no third way (A. Fekete, N. Lynch, Y. Mansour, J.
// Spinelli, "The impossibility of implementing reliable communication in the face of crashes", 1993).
//
// Buffers are bounded. If one is full, the message is refused, and the link to that node ends, since a later
// message must not be delivered without it. The node emits [Full], and drops what it has kept for the other when
// that has restarted.
//
// Without loss, a message takes a frame and at most one Ack, and none if an answer follows within a
// tick.
package link

import (
	"fmt"
	"slices"
	"time"

	"example.org/doorway/internal/node/layer"
	"example.org/doorway/messaging"
)

// The messages, as above.
type (
	frame struct {
		Of, To       uint64
		Number, Seen uint64
		Message      messaging.Message
	}

	ack struct {
		Of, To      uint64
		Seen        uint64
		First, Last uint64
	}

	hello struct{ Of uint64 }

	// It goes to a node that has restarted, or does not know that the sender has, or answers its question number Answers;
	// 0: none. Asks is the number of a question of the sender, which counts the receiver as down; 0: it does not.
	here struct {
		Of, To        uint64
		Answers, Asks uint64
	}

	tick struct{}
)

// Full is emitted by a node that has not taken a message of the algorithm to node To, since
// Config.Buffer messages are not acknowledged. It takes none to that node from then on, until
// one of both has restarted.
type Full struct{ To messaging.ID }

// A Config has the timeouts and the buffers of a link. Nodes of a system have the same.
type Config struct {
	// Timeout is when a message is sent again that was not acknowledged, until the round trip
	// has been measured. It must be positive, and should be more than a round trip and a tick.
	Timeout time.Duration

	// Tick is the unit in which round trips are measured. It must not be negative or longer than
	// Timeout. Default: a twelfth of Timeout.
	Tick time.Duration

	// Delay is how long an acknowledgement may wait for a message that carries it, rounded up to
	// ticks; that of a message which came twice or too early waits for one. It must not be negative or
	// longer than Timeout. Default: a tick.
	Delay time.Duration

	// Buffer is how many messages to a node may be unacknowledged, and how many that came too
	// early are kept. It must not be negative. Default: 1024.
	Buffer int
}

// Over returns a over links as c has them. Its nodes are what those of a are:
// [messaging.Exclusion], [messaging.Withdrawer], [messaging.Sharer] and [messaging.Epocher]. They are also
// [messaging.Starter] and [messaging.Survivor]: if a node is said to have crashed, nothing is sent to it
// again until it is known to be up.
//
// It panics if a is nil or c is invalid, and the algorithm panics if its nodes are links
// already.
func Over(a messaging.Algorithm, c Config) messaging.Algorithm {
	if a == nil {
		panic("link: a link for an algorithm that is nil")
	}
	c.check()
	ticks := func(d time.Duration) int { return int((d + c.Tick - 1) / c.Tick) }
	return func(start messaging.Start) messaging.Node {
		n := node{start: start, tick: c.Tick, timeout: ticks(c.Timeout), delay: ticks(c.Delay), buffer: c.Buffer, Inner: a(start), Peers: make([]peer, start.Nodes)}
		if n.Inner == nil {
			return nil
		}
		if layer.Has[*node](n.Inner) {
			panic("link: a link over a link")
		}
		for j := range layer.Linked(start) {
			if start.Restarted {
				n.Peers[j].Greets = true
			} else {
				n.Peers[j].Incarnation = 1
			}
		}
		return &n
	}
}

// check panics if c is invalid, and fills in what it leaves out.
func (c *Config) check() {
	if c.Timeout <= 0 {
		panic(fmt.Sprintf("link: a timeout of %v: it must be positive", c.Timeout))
	}
	if c.Tick == 0 {
		c.Tick = max(1, c.Timeout/12)
	}
	if c.Tick < 0 || c.Tick > c.Timeout || c.Timeout/c.Tick > 1<<20 {
		panic(fmt.Sprintf("link: a tick of %v: it must be at most the timeout, %v, and at least a millionth of it", c.Tick, c.Timeout))
	}
	if c.Delay == 0 {
		c.Delay = c.Tick
	}
	if c.Delay < 0 || c.Delay > c.Timeout {
		panic(fmt.Sprintf("link: a delay of %v: it must be at most the timeout, %v, and not negative", c.Delay, c.Timeout))
	}
	if c.Buffer == 0 {
		c.Buffer = 1024
	}
	if c.Buffer < 0 {
		panic(fmt.Sprintf("link: a buffer of %d messages: it must not be negative", c.Buffer))
	}
}

// Of returns the protocol of p over links as c has them. The kinds of p are still messages of
// its nodes to themselves, and timers. Its invariant is held as if the messages were in transit
// that a node has sent and its peer not delivered.
func Of(p messaging.Protocol, c Config) messaging.Protocol {
	c.check()
	return messaging.Protocol{
		Name:      "link-" + p.Name,
		New:       layer.Over("link", p, func(a messaging.Algorithm, _ int) messaging.Algorithm { return Over(a, c) }),
		Kinds:     slices.Concat(p.Kinds, []messaging.Message{frame{}, ack{}, hello{}, here{}, tick{}}),
		Perpetual: p.Perpetual,
		Invariant: invariant(p.Invariant),
		Results:   p.Results,
	}
}
