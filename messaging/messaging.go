package messaging

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"example.org/doorway/internal/node/refusal"
)

// An ID is the number of a node: 0 <= id < nodes.
type ID int

// A Time is the reading of a logical clock. Time 0 is before every request, so the
// zero Stamp means none.
type Time uint64

// A Stamp is the timestamp of a request and identifies it: no two requests have the
// same stamp.
type Stamp struct {
	Time Time
	ID   ID
}

// Before reports whether s is older than t: its time is smaller, or the times are
// equal and its ID is smaller.
func (s Stamp) Before(t Stamp) bool {
	return s.Time < t.Time || s.Time == t.Time && s.ID < t.ID
}

// IsZero reports whether s is the zero Stamp, which no request has.
func (s Stamp) IsZero() bool { return s == Stamp{} }

// A Phase is the state of the request of a node, or of its user.
type Phase uint8

// The phases of a request; that of a node is never Absorbing.
const (
	Idle      Phase = iota // no request
	Waiting                // requested, not yet inside
	Inside                 // in the critical section
	Absorbing              // aborted by the user, but not withdrawn
)

func (p Phase) String() string {
	if names := [...]string{Idle: "idle", Waiting: "waiting", Inside: "inside", Absorbing: "giving up"}; int(p) < len(names) {
		return names[p]
	}
	return fmt.Sprintf("Phase(%d)", uint8(p))
}

// A Message is plain data, with one type per kind: type Request struct{ Of Stamp }. Its
// fields are exported, and none is a [Node]. A host copies it when it is sent and when it is
// received, as a network does: sender and receiver share no memory, an empty slice arrives as nil,
// no slice with spare capacity, and a [Set] without what it once had room for.
type Message any

// Out collects the effects of a handler. They take effect at the latest when the
// handler returns; another node may receive a message before that. An Out must not be
// used after its handler has returned.
type Out interface {
	// Send sends m to node to. A message to the node itself is delivered when the
	// handler has returned, before any other event, and does not count as a message; if there are
	// more than 10,000 in one event, the host panics.
	// Send panics unless 0 <= to < nodes.
	Send(to ID, m Message)

	// Enter enters the critical section. It panics if the node has no waiting request.
	Enter()

	// After sets a timer: m is delivered to the node, from itself, after at least d. It
	// panics if d is negative.
	After(d time.Duration, m Message)

	// Choose returns a number in [0, n). A cluster and the simulator draw it from a seeded
	// generator. A checker tries each, up to 1,000 numbers an event, and 10,000 results of them all
	// together. It panics if n < 1.
	Choose(n int) int

	// Emit passes v, a result other than an entry, to the observer of the node.
	Emit(v any)
}

// A Node is a process of a distributed algorithm. It must have no goroutine, clock,
// lock, channel or source of randomness of its own: an event comes in, and effects go
// out. Its host calls one method at a time.
//
// It is a pointer to a struct of plain data. The exported fields are its state,
// which package state copies, compares, encodes and prints; unexported fields never
// change. The state must not contain maps, whose iteration order differs from run to
// run; use a [Set] of nodes or sorted slices.
//
// Receive panics on an unknown or impossible message, before it changes anything; see
// [Refuse].
//
// Optional interfaces: [Starter], [Exclusion], [Sharer], [Withdrawer], [Epocher] and [Survivor].
// A node that wraps another, and has methods of these that the other may lack, has a method
// Unwrap() Node, too: it can do what both can ([As]). One that has a state of its own, of which
// the other is a part, has a method Can(kind any) bool instead, which reports whether it is of
// a kind, such as (*Withdrawer)(nil). Which of these interfaces a node has never changes, also not
// when it restarts.
type Node interface {
	// Receive handles m, sent by node from: 0 <= from < nodes, and from is the node
	// itself for its own messages, timers, and inputs of its user.
	Receive(from ID, m Message, out Out)
}

// As returns n as a T, such as a [Withdrawer], if it is one and can do what its methods say,
// and so can the node that it wraps, if any; see [Node].
func As[T Node](n Node) (t T, ok bool) {
	for inner := n; ; {
		if _, ok := inner.(T); !ok {
			return t, false
		}
		if c, ok := inner.(interface{ Can(kind any) bool }); ok && !c.Can((*T)(nil)) {
			return t, false
		}
		w, wraps := inner.(interface{ Unwrap() Node })
		if !wraps {
			return n.(T), true
		}
		inner = w.Unwrap()
	}
}

// A Starter is a Node that acts when the run begins, without having received anything.
// Its host calls Start once, before any other method; all nodes start before any
// message arrives or timer expires. That excludes no behavior: starts depend on
// nothing, so they commute with the events at other nodes.
type Starter interface {
	Node
	Start(out Out)
}

// An Exclusion is a Node of an algorithm for mutual exclusion. Request and
// Release are called by its host in the order Request, Enter, Release.
type Exclusion interface {
	Node

	// Request requests the critical section. The node calls out.Enter, in this or a
	// later call, when it enters.
	Request(out Out)

	// Release leaves the critical section.
	Release(out Out)
}

// A Sharer is an Exclusion of an algorithm for several resources, of which each node needs
// some: two nodes that have none in common may be inside at the same time. Nodes that are
// no Sharer exclude all others.
//
// Hosts that check exclusion check it for each pair of nodes that exclude each other. They
// also check that a node waits only for those that it excludes, or for which these wait in
// turn: if a request is pending, no message is in transit, and no such node is inside,
// that is a deadlock. A cluster of Sharers is locked by node; through a mutex.Share it
// would not exclude.
type Sharer interface {
	Exclusion

	// Excludes reports whether this node and node other must not be inside at the same
	// time. It is symmetric and does not change during a run. It is for hosts: a node
	// may know less.
	Excludes(other ID) bool
}

// A Withdrawer is an Exclusion that can withdraw a waiting request: after Withdraw it
// is idle and may request again at once. For other nodes the host absorbs an aborted
// request: it continues, and the node leaves as soon as it enters.
type Withdrawer interface {
	Exclusion
	Withdraw(out Out)
}

// A Survivor is a node that handles crashes of others. A host that detects a crash
// calls Down; if peer has not crashed, mutual exclusion may be violated.
type Survivor interface {
	Node
	Down(peer ID, out Out)
}

// Removed is emitted by a node that from now on treats Node as crashed, because its
// host said so or Node was silent, before it acts on that. If Node is live, mutual
// exclusion may be violated from then on.
type Removed struct{ Node ID }

// A Start is a node's initial configuration.
type Start struct {
	Self   ID
	Nodes  int // at least 1
	Holder ID  // the node that initially has the privilege, in algorithms with one

	// Neighbors are the nodes to which this one has links, in ascending order, if the
	// algorithm was given a topology by [On]; otherwise nil, and there are links to all.
	Neighbors []ID

	// Restarted reports that the node has crashed and starts again. It is new, but has what it has declared as durable: its
	// exported fields with the tag
	//
	//	Granted messaging.Stamp `messaging:"durable"`
	//
	// and those of structs within it.
	Restarted bool

	// Links is for the host: if it is not nil, On leaves there the links that the node may use; nil: all.
	Links *[]ID
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

// An Algorithm returns a node with the given initial configuration: an [Exclusion], or
// a node that is no lock. It must return a new node each time, which shares no mutable
// data with any other.
type Algorithm func(start Start) Node

// A Protocol names an algorithm, and makes it for a number of nodes.
type Protocol struct {
	Name string // in lower case: ricartagrawala

	// New returns the algorithm for n nodes, with sets of its own choice if it has sets.
	// It returns an error if there is none for n; most serve 1 to 1<<20.
	New func(n int) (Algorithm, error)

	Kinds []Message // one of each kind; only to be read
	FIFO  bool      // it needs FIFO links

	Perpetual bool      // it never comes to rest, such as one with a token that circulates forever
	Invariant Invariant // what holds in each of its states; nil: none is given
	Results   Results   // which results of its nodes are correct; nil: nothing is said
}

// An Invariant is a rule for each state of a run, when no handler runs: for example, that
// there is at most one token. It returns nil, or an error that says what breaks the rule, in
// one clause: "there are 2 tokens: at node 3 and in transit from node 1 to node 2".
//
// It gets the nodes by number, without nodes that wrap them; one that is down is nil. It
// also gets the From, To and Message of each message in transit, but for those to nodes that
// are down. Messages of the same FIFO link are in the order of sending, those of another in any
// order; timers and messages of a node to itself are not among them. It must change nothing, keep
// nothing, tell no nil slice from an empty one, and depend on nothing else.
//
// Package nodetest and package sim hold it in the initial state, when all nodes have
// started, and after each event.
type Invariant func(nodes []Node, transit []Event) error

// Results judges what the nodes of a run have emitted: for example, that at most one leader
// is elected in a term, and that in the end each live node knows it. It returns nil, or an
// error that says what is wrong, in one clause: "nodes 1 and 3 lead in term 2".
//
// It is to algorithms that are no locks what mutual exclusion and progress are to locks. It
// must change nothing, keep nothing, and depend on nothing else. Package nodetest, package sim
// and explore.CheckNodes hold it whenever a node has emitted something, and when nothing
// more can happen.
type Results func(o Outcome) error

// An Outcome is what the nodes of a run have come to.
type Outcome struct {
	Emitted [][]any // by node, each in order, with what it emitted before it crashed
	Down    Set     // the nodes that have crashed and not restarted
	Over    bool    // it is known that nothing more can happen, but for faults and requests, which no user has to make
}

// On restricts a to the links of a topology: node i has links to the nodes neighbors[i],
// which it finds in Start.Neighbors; if it sends to another, it panics. Package topology
// has the usual ones. On panics if a is nil or neighbors[i] names a node that does not
// exist; a link to itself, or a second one, changes nothing. The algorithm panics if it is
// started with another number of nodes than len(neighbors). If a has a topology itself, its
// nodes may only send on the links of both.
func On(neighbors [][]ID, a Algorithm) Algorithm {
	if a == nil {
		panic("messaging: a topology for an algorithm that is nil")
	}
	n := len(neighbors)
	links := make([][]ID, n)
	for i, peers := range neighbors {
		for _, j := range peers {
			if j < 0 || int(j) >= n {
				panic(fmt.Sprintf("messaging: a topology in which node %d has a link to node %d: the nodes are 0 to %d", i, j, n-1))
			}
		}
		peers = slices.DeleteFunc(slices.Clone(peers), func(j ID) bool { return int(j) == i })
		slices.Sort(peers)
		links[i] = slices.Compact(peers)
	}
	return func(start Start) Node {
		if start.Nodes != n || start.Self < 0 || int(start.Self) >= n {
			panic(fmt.Sprintf("messaging: node %d is one of %d, but the topology is for %d nodes", start.Self, start.Nodes, n))
		}
		own := links[start.Self]
		if start.Links != nil {
			allowed := append([]ID{}, own...) // not nil, which would be all
			if outer := *start.Links; outer != nil {
				allowed = slices.DeleteFunc(allowed, func(j ID) bool { _, linked := slices.BinarySearch(outer, j); return !linked })
			}
			*start.Links = allowed
		}
		start.Neighbors = append([]ID{}, own...) // likewise
		return a(start)
	}
}

// Refuse rejects an unknown or impossible message: it panics with an error that
// names the algorithm, the node, the sender and the reason.
//
//	default:
//		messaging.Refuse("maekawa", n.self, from, m, "it is not a message of this algorithm")
func Refuse(algorithm string, self, from ID, m Message, why string) {
	panic(&refusal.Error{Algorithm: algorithm, Node: int(self), From: int(from), Message: m, Why: why})
}
