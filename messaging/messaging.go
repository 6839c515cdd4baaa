package messaging

import (
	"fmt"
	"iter"
	"time"
)

// An ID is the number of a node: 0 <= id < nodes.
type ID int

// A Time is the reading of a logical clock. Time 0 is before every request, so
// that the zero Stamp stands for none.
type Time uint64

// A Stamp is the timestamp of a request, and at the same time its name: no two
// requests have the same one.
type Stamp struct {
	Time Time
	ID   ID
}

// Before reports whether s is older than t: its time is smaller, or the times are
// equal and its node's number is smaller.
func (s Stamp) Before(t Stamp) bool {
	return s.Time < t.Time || s.Time == t.Time && s.ID < t.ID
}

// IsZero reports whether s is the zero Stamp, which no request has.
func (s Stamp) IsZero() bool { return s == Stamp{} }

// A Message is plain data, one type a kind: type Request struct{ Of Stamp }. Its
// fields are exported; no part of it may be changed once it is sent, for the
// receiver has the same.
type Message any

// Out collects the effects of a handler. They take effect when the handler that was
// given the Out has returned, at the latest: another node may get a message before.
// An Out is for the duration of the handler only.
type Out interface {
	// Send sends m to node to. A message to the node itself is delivered when the
	// handler has returned, before anything from outside, and counts as none: a
	// node that never ends sending to itself hangs its host.
	// Send panics unless 0 <= to < nodes.
	Send(to ID, m Message)

	// Enter says that the critical section is the node's. It panics if the node
	// has no request that waits.
	Enter()

	// After has m delivered to the node, from itself, when d has passed or later. It
	// panics if d is negative.
	After(d time.Duration, m Message)

	// Choose returns a number in [0, n): drawn from a seed by Cluster and the
	// simulator, each in turn by a checker. It panics if n < 1.
	Choose(n int) int

	// Emit hands v to the observer of the node: a result that is not an entry.
	Emit(v any)
}

// A Node is one of the processes of a distributed algorithm. It must have no
// goroutine, clock, lock, channel or source of chance of its own: an event comes
// in, and effects go out. Its host calls one method at a time.
//
// It is a pointer to a struct of plain data. The exported fields are its state,
// which package state copies, compares, encodes and prints; what is unexported
// never changes. No map may be among the state, for the order in which one is
// walked differs from run to run: a [Set] of nodes and sorted slices serve.
//
// Receive panics on a message that the algorithm does not know or that cannot
// come, before it has changed anything.
type Node interface {
	// Receive handles m, which node from has sent: 0 <= from < nodes, and from is
	// the node itself for its own messages and timers.
	Receive(from ID, m Message, out Out)
}

// An Exclusion is a node of an algorithm for mutual exclusion. Request and
// Release are called by its host in the order Request, Enter, Release.
type Exclusion interface {
	Node

	// Request asks for the critical section; the node calls out.Enter, in this
	// or a later call, when it has it.
	Request(out Out)

	// Release leaves the critical section.
	Release(out Out)
}

// A Withdrawer is an Exclusion that can take back a request that waits: after
// Withdraw it is as if idle, and may request anew at once. From other nodes the
// host absorbs: the request goes on, and what it enters is left at once.
type Withdrawer interface {
	Exclusion
	Withdraw(out Out)
}

// A Survivor is a node that wants to be told of crashes. A host that learns of
// one calls Down; if it was mistaken, the algorithm may fail.
type Survivor interface {
	Node
	Down(peer ID, out Out)
}

// Removed is emitted by a node that takes Node for crashed from now on, because it
// was told so or has heard nothing of it, before it does anything on the strength of
// that. If Node lives, mutual exclusion may be violated from then on.
type Removed struct{ Node ID }

// A Start is a node's initial configuration.
type Start struct {
	Self   ID
	Nodes  int // at least 1
	Holder ID  // the node that has the privilege at first, in algorithms that have one
}

// Others yields every node but this one, in ascending order.
func (s Start) Others() iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for j := range ID(s.Nodes) {
			if j != s.Self && !yield(j) {
				return
			}
		}
	}
}

// An Algorithm returns the node that start describes. It must return a new node
// each time, which shares nothing that changes with any other.
type Algorithm func(start Start) Exclusion

// Refuse panics, naming the package that was handed m, the node, and the sender.
// It is for messages that an algorithm does not know or that cannot come:
//
//	default:
//		messaging.Refuse("maekawa", n.self, from, m, "it is not a message of this algorithm")
func Refuse(algorithm string, self, from ID, m Message, why string) {
	panic(fmt.Sprintf("%s: node %d got %T %+v from node %d: %s", algorithm, self, m, m, from, why))
}
