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
//	Election{Crash, Term}    is the receiver live? The latest term known to the sender is Term
//	Answer{Crash, Term}      it is live, and has a larger number: wait for a Coordinator
//	Coordinator{Term, Crash} the sender leads in Term
//	Timeout{Coordinator}     the timer of a node that waits for an Answer, or for a Coordinator
//
// # Algorithm
//
// HOLD_ELECTION. A node sends an Election to all nodes with larger numbers. If none answers
// within T, it leads: it begins a term, and sends a Coordinator to all nodes with smaller
// numbers. If one answers, it waits for a Coordinator for T', and then holds another election.
//
// CONTINUE_ELECTION. A node that gets an Election answers and, unless it holds one already, holds
// an election. This departs from the slides where it saves messages:
//   - One that leads answers with its Coordinator. There it holds an election, and so tells all
//     others again.
//   - One that waits for no other node leads at once, and its Coordinator is the answer.
//   - One that follows a leader only answers if the term of the Election is an earlier one: the
//     sender will hear of that leader or, if it does not within T', ask again, by then in this term.
//
// Terms are this library's. A leader begins one that is later than all of which it has heard,
// and that no other node can begin ([election.NextTerm]). Elections and Answers say which the
// sender knows. A node that hears of a later term follows no node and does not lead, and holds an
// election. So does one that gets a Coordinator of an earlier term; if it holds one already, that
// is no more than an answer. The term survives a crash.
//
// Crashes begin elections as the host detects them ([messaging.Survivor]): that of the leader, at
// each node that is told. No answer is awaited from a node that is said to be down. Its
// Coordinator may be from before the crash, or the node has started again; it counts only if
// it answers an Election sent since, and the node is sent one. So crashes are numbered: Crash is
// that of the receiver of an Election, 0 if it counts as live, and its answer repeats it.
//
// Without a detector, users begin elections ([election.Hold]). A node that starts again holds an
// election.
//
// # Properties
//
// The live node with the largest number leads in the end. Any number of nodes may crash and
// start again. No message may be lost in transit; links need not be FIFO. But if a live node is
// said to be down, two may lead forever, in different terms.
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

// Election asks a node with a larger number whether it is live. Crash is the number of the crash of
// the receiver, of which the sender was told; 0: it counts as live. Term is the latest term known
// to the sender.
type Election struct {
	Crash int
	Term  messaging.Time
}

// Answer answers an Election, whose Crash it repeats: the sender is live, and so the receiver
// will not lead. Term is the latest term known to the sender.
type Answer struct {
	Crash int
	Term  messaging.Time
}

// Coordinator says that the sender leads in Term. If it answers an Election, it repeats its Crash.
type Coordinator struct {
	Term  messaging.Time
	Crash int
}

// Timeout is a timer of a node, for a Coordinator or for an Answer. It is stale if a later one of
// the same kind runs.
type Timeout struct{ Coordinator bool }

// Protocol is the algorithm with timeouts for a cluster.Cluster, for hosts that are told
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
	Crashed []int        // by node with a larger number: that of its crash; 0: it counts as live

	Answers, Coordinators int // how many timers run for one

	// Crashes is how many it has been told of, and Term the latest known.
	Crashes int            `messaging:"durable"`
	Term    messaging.Time `messaging:"durable"`
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
		n.answered(from, m.Crash)
		n.learn(m.Term)
		switch {
		case n.Phase == asking:
			n.wait(out)
		case n.Leader == none: // it knew the leader of an earlier term
			n.holdUnlessHolding(out)
		}
	case Coordinator:
		n.answered(from, m.Crash)
		n.finishElection(from, m.Term, out)
	case Timeout:
		n.timeout(m, out)
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
	for j := n.start.Self + 1; j < messaging.ID(n.start.Nodes); j++ {
		if n.Crashed[j] == 0 {
			n.ask(j, out)
		}
	}
	n.Answers++
	out.After(n.answer, Timeout{})
}

func (n *node) ask(j messaging.ID, out messaging.Out) {
	out.Send(j, Election{n.Crashed[j], n.Term})
}

// outranked reports whether there is a node with a larger number that may be live.
func (n *node) outranked() bool {
	return slices.Contains(n.Crashed[n.start.Self+1:], 0)
}

// continueElection is CONTINUE_ELECTION: node from has sent an Election.
func (n *node) continueElection(from messaging.ID, m Election, out messaging.Out) {
	n.learn(m.Term)
	switch {
	case n.Leader == n.start.Self:
		out.Send(from, Coordinator{n.Term, m.Crash})
	case !n.outranked():
		n.lead(out)
		if m.Crash != 0 {
			out.Send(from, Coordinator{n.Term, m.Crash})
		}
	default:
		out.Send(from, Answer{m.Crash, n.Term})
		if n.Leader == none || m.Term == n.Term {
			n.holdUnlessHolding(out)
		}
	}
}

// learn notes that there is a term; who leads in it is not known if it is a later one.
func (n *node) learn(term messaging.Time) {
	if term > n.Term {
		n.Term, n.Leader = term, none
	}
}

// answered notes that node from has answered an Election that was sent after its crash of that
// number.
func (n *node) answered(from messaging.ID, crash int) {
	if crash == n.Crashed[from] {
		n.Crashed[from] = 0
	}
}

// wait has a node that has got an Answer wait for a Coordinator.
func (n *node) wait(out messaging.Out) {
	n.Phase = outbullied
	n.Coordinators++
	out.After(n.coordinator, Timeout{Coordinator: true})
}

// finishElection handles the Coordinator of node from.
func (n *node) finishElection(from messaging.ID, term messaging.Time, out messaging.Out) {
	switch {
	case n.Crashed[from] != 0:
		n.ask(from, out)
	case term < n.Term && n.Phase == asking:
		n.wait(out)
	case term < n.Term:
		n.holdUnlessHolding(out)
	case n.Phase != idle || n.Leader != from || n.Term != term:
		n.Phase, n.Term = idle, term
		n.follow(from, out)
	}
}

// timeout handles a timer. Those of one kind run for the same time, so the last one is the latest.
func (n *node) timeout(m Timeout, out messaging.Out) {
	running := &n.Answers
	if m.Coordinator {
		running = &n.Coordinators
	}
	*running--
	switch {
	case *running > 0: // it is stale
	case n.Phase == asking && !m.Coordinator:
		n.lead(out)
	case n.Phase == outbullied && m.Coordinator:
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

// Down holds an election if peer leads. A node that holds one leads if it waits for no other. It
// waits for no node with a smaller number.
func (n *node) Down(peer messaging.ID, out messaging.Out) {
	if peer < n.start.Self {
		return
	}
	n.Crashes++
	n.Crashed[peer] = n.Crashes
	switch {
	case n.Leader == peer:
		n.hold(out)
	case n.Phase != idle && !n.outranked():
		n.lead(out)
	}
}
