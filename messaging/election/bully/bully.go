// Package bully implements the election of H. Garcia-Molina: a node that gets no answer from
// those with larger numbers leads, and tells those with smaller ones.
//
// # Source
//
// H. Garcia-Molina, "Elections in a distributed computing system", IEEE Transactions on
// Computers C-31(1), 1982, as the slides of HAW Hamburg have it. Those of B. Prabhakaran have the
// example of A. S. Tanenbaum's textbook.
//
// # Messages
//
//	Election{Number, Term}   is the receiver live? The latest term known to the sender is Term
//	Answer{To}               it is live, and has a larger number: wait for a Coordinator
//	Coordinator{Term, To}    the sender leads in Term
//	Timeout{Number}          the timer of a node that waits for an Answer or a Coordinator
//
// # Algorithm
//
// HOLD_ELECTION. A node sends an Election to all nodes with larger numbers. If none answers
// within T, it leads: it begins a term, and sends a Coordinator to all nodes with smaller
// numbers. If one answers, it waits for a Coordinator for T', and then holds another election.
//
// CONTINUE_ELECTION. A node that gets an Election answers and, unless it holds one already, holds
// an election. One that leads answers with its Coordinator: a departure from the slides, where it
// holds an election, and so tells all others again.
//
// Terms are this library's. A leader begins one that is later than all of which it has heard,
// and that no other node can begin ([election.NextTerm]). A node holds an election again if a
// Coordinator is of an earlier term than one of which it has heard; the Election says of which.
// A leader that hears of a later term no longer leads, and holds an election. The term
// survives a crash.
//
// Crashes begin elections as the host detects them ([messaging.Survivor]): that of the leader, at
// each node that is told. No answer is awaited from a node that is said to be down. Its
// Coordinator may be from before the crash, or the node has started again; it counts only if
// it answers an Election sent since, and the node is sent one. Without a detector, users
// begin elections ([election.Hold]). A node that starts again holds an election.
//
// # Properties
//
// The live node with the largest number leads in the end. Any number of nodes may crash and
// start again. No message may be lost in transit; links need not be FIFO.
//
// At most one node leads in a term, whatever happens. At most one live node leads at a
// time ([election.OneAtATime]) if no node starts again, no live node is said to be down, and T
// is at least the time from an Election until the Answer arrives. If a timer expires
// before, two nodes may lead at the same time, in different terms, until they have heard of
// each other: no election can exclude that where messages take any time.
//
// T' should be at least T and the longest time that a message takes, or elections are held in
// vain.
//
// With N nodes of which the last has crashed, an election takes N-2 Coordinators and an Election if
// node N-2 holds it, and N²-N-1 messages if node 0 does: N(N-1)/2 Elections, (N-1)(N-2)/2 Answers
// and N-2 Coordinators.
package bully

import (
	"fmt"
	"slices"
	"time"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
)

// Election asks a node with a larger number whether it is live. Term is the latest term known to
// the sender; Number grows with each Election that it sends.
type Election struct {
	Number int
	Term   messaging.Time
}

// Answer answers the Election To: the sender is live, and so the receiver will not lead.
type Answer struct{ To int }

// Coordinator says that the sender leads in Term. To is the number of the Election that it
// answers; 0: none.
type Coordinator struct {
	Term messaging.Time
	To   int
}

// Timeout is a timer of a node; it is stale unless Number is that of the latest.
type Timeout struct{ Number int }

// Protocol is the algorithm with timeouts for a [messaging.Cluster], for hosts that are told
// which one to run. The last kind is the timer.
var Protocol = messaging.Protocol{
	Name:    "bully",
	New:     func(int) (messaging.Algorithm, error) { return New(time.Second, 3*time.Second), nil },
	Kinds:   []messaging.Message{election.Hold{}, Election{}, Answer{}, Coordinator{}, Timeout{}},
	Results: election.Results,
}

// New returns the algorithm with the timeouts T, for an Answer, and T', for a Coordinator after
// an Answer. It panics unless 0 < answer < coordinator.
func New(answer, coordinator time.Duration) messaging.Algorithm {
	if answer <= 0 || coordinator <= answer {
		panic(fmt.Sprintf("bully: New(%v, %v): want 0 < answer < coordinator", answer, coordinator))
	}
	return func(start messaging.Start) messaging.Node {
		return &node{start: start, answer: answer, coordinator: coordinator, Leader: none, Crashed: make([]int, start.Nodes)}
	}
}

// none is no node.
const none messaging.ID = -1

// A phase is how far the election is that a node holds.
type phase uint8

const (
	idle       phase = iota // it holds none
	asking                  // it waits for an Answer
	outbullied              // it waits for a Coordinator
)

func (p phase) String() string { return [...]string{"idle", "asking", "outbullied"}[p] }

type node struct {
	start               messaging.Start
	answer, coordinator time.Duration // T and T'

	Phase   phase
	Leader  messaging.ID // -1: none is known
	Crashed []int        // by node that is said to be down: the first Election whose answer disproves it; 0: it is live
	Timer   int          // the number of the latest timer

	// Number is that of the latest Election or timer, and Term the latest known.
	Number int            `messaging:"durable"`
	Term   messaging.Time `messaging:"durable"`
}

// Start holds an election if the node starts again.
func (n *node) Start(out messaging.Out) {
	if n.start.Restarted {
		n.hold(out)
	}
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("bully", n.start.Self, from, m, why)
	}
	switch m := m.(type) {
	case election.Hold:
		n.holdUnlessHolding(out)
	case Election:
		n.continueElection(from, m, out)
	case Answer:
		n.answered(from, m.To)
		if n.Phase == asking {
			n.Phase = outbullied
			n.Number++
			n.setTimer(n.coordinator, out)
		}
	case Coordinator:
		n.answered(from, m.To)
		n.finishElection(from, m.Term, out)
	case Timeout:
		if m.Number == n.Timer {
			n.timeout(out)
		}
	}
}

func (n *node) holdUnlessHolding(out messaging.Out) {
	if n.Phase == idle {
		n.hold(out)
	}
}

// hold is HOLD_ELECTION, also of a node that holds an election already.
func (n *node) hold(out messaging.Out) {
	n.Phase, n.Leader = asking, none
	if !n.outranked() {
		n.lead(out)
		return
	}
	n.Number++
	for j := n.start.Self + 1; j < messaging.ID(n.start.Nodes); j++ {
		if n.Crashed[j] == 0 {
			out.Send(j, Election{n.Number, n.Term})
		}
	}
	n.setTimer(n.answer, out)
}

// outranked reports whether there is a node with a larger number that may be live.
func (n *node) outranked() bool {
	return slices.Contains(n.Crashed[n.start.Self+1:], 0)
}

// continueElection is CONTINUE_ELECTION: node from has sent an Election.
func (n *node) continueElection(from messaging.ID, m Election, out messaging.Out) {
	if m.Term > n.Term {
		n.Term, n.Leader = m.Term, none
	}
	if n.Leader == n.start.Self {
		out.Send(from, Coordinator{n.Term, m.Number})
		return
	}
	out.Send(from, Answer{m.Number})
	n.holdUnlessHolding(out)
}

// answered notes that node from has answered Election to, and so was live after that was sent.
func (n *node) answered(from messaging.ID, to int) {
	if to >= n.Crashed[from] {
		n.Crashed[from] = 0
	}
}

// finishElection handles the Coordinator of node from.
func (n *node) finishElection(from messaging.ID, term messaging.Time, out messaging.Out) {
	switch {
	case n.Crashed[from] != 0:
		n.Number++
		out.Send(from, Election{n.Number, n.Term})
	case term < n.Term:
		n.hold(out)
	case n.Phase != idle || n.Leader != from || n.Term != term:
		n.Phase, n.Term = idle, term
		n.follow(from, out)
	}
}

func (n *node) timeout(out messaging.Out) {
	switch n.Phase {
	case asking:
		n.lead(out)
	case outbullied:
		n.hold(out)
	}
}

// lead begins a term.
func (n *node) lead(out messaging.Out) {
	self := n.start.Self
	n.Phase, n.Term = idle, election.NextTerm(n.Term, self, n.start.Nodes)
	n.follow(self, out)
	for j := range self {
		out.Send(j, Coordinator{Term: n.Term})
	}
}

func (n *node) follow(leader messaging.ID, out messaging.Out) {
	n.Leader = leader
	out.Emit(election.Elected{Leader: leader, Term: n.Term})
}

// Down holds an election if peer leads. A node that holds one leads if it waits for no other.
func (n *node) Down(peer messaging.ID, out messaging.Out) {
	n.Crashed[peer] = n.Number + 1
	switch {
	case n.Leader == peer:
		n.hold(out)
	case n.Phase != idle && !n.outranked():
		n.lead(out)
	}
}

func (n *node) setTimer(d time.Duration, out messaging.Out) {
	n.Timer = n.Number
	out.After(d, Timeout{n.Timer})
}
