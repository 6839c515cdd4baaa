package ricartagrawala

import (
	"fmt"
	"slices"
	"time"

	"example.org/doorway/messaging"
)

// Grant agrees to the request To, as Reply does. It is Late if the request was
// deferred first: then it answers nothing, and is to be acknowledged.
type Grant struct {
	To   messaging.Stamp
	Late bool
}

// Deferred says that the request To has come, and that its Grant will come later.
type Deferred struct{ To messaging.Stamp }

// Acknowledge says that the late Grant of the request To has come.
type Acknowledge struct{ To messaging.Stamp }

// Tick is a timer, which a node sets for itself while it waits for an answer.
type Tick struct{}

// AcknowledgedKinds returns a message of each kind that nodes of NewAcknowledged
// send, the timer being the last.
func AcknowledgedKinds() []messaging.Message {
	return []messaging.Message{Request{}, Grant{}, Deferred{}, Acknowledge{}, Tick{}}
}

// NewAcknowledged returns the algorithm in which silence means a crash: every
// message is answered at once, so that a node that does not answer is no longer
// active, and is asked no more. Its nodes are [messaging.Survivor]s and can
// withdraw. It is what a lecture proposes for Ricart-Agrawala (HAW Hamburg, slides
// 23 and 26, in one sentence; the rules are this library's).
//
//	Request{Of}       node Of.ID asks for the critical section; repeated until all have granted
//	Grant{To}         the sender has nothing against the request To
//	Deferred{To}      it has, for the time being
//	Grant{To, Late}   it has not any more; repeated until it is acknowledged
//	Acknowledge{To}   of a late Grant
//
// A node repeats what is not answered, one to two intervals of retransmit after
// it was sent and then with every interval. A node that has deferred a
// request is asked again in the same way, so that its crash is noticed.
// A node that does not answer is taken for crashed when it has been silent for more
// than failure, and at most two intervals longer; at once, if the host says that it
// is ([messaging.Survivor]). Then it is Removed from the group, for good: its
// grant is not waited for, and what still comes from it is dropped. When nothing is
// waited for, no timer runs; as long as one does, a [messaging.Cluster] that is not
// closed is not collected. NewAcknowledged panics unless
// 0 < retransmit < failure, and failure is less than 1<<30 intervals.
// [NewFaultTolerant] chooses both.
//
// Messages may be lost, duplicated and overtaken: all name the request that they
// are about, which is the only one of its name, and to get one twice changes
// nothing. Any number of nodes may crash; those that are left go on.
//
// It excludes as long as no node that lives is removed: nodes that crash stop for
// good, and there is a round trip R and a number L such that of more than L tries in
// a row to get an answer one succeeds within R; then failure must be at least
// (L+2) retransmit + R. R is not only the network's: it lasts from when a node sends
// a message until it handles the answer, and so contains all that the two wait for a
// processor, behind other goroutines or other programs, and while the garbage
// collector, the hypervisor or a debugger has stopped them. If R is ever longer, a
// node that is merely slow may be inside while others, which have removed it, enter
// as well; and as it is removed for good, they go on without each other.
//
// What is noticed of that depends on the host. In a [messaging.Cluster] it does not
// happen, whatever the durations: timers wait there for the answers that are under
// way. Package sim ends a run with an error when two are inside, and reports what is
// Removed. In another host, each node that removes emits Removed, before it enters by
// it; but the node that is removed does not learn of it, may be inside, and may have
// been so when Removed was emitted.
//
// An entry takes N-1 Requests and N-1 Grants, and a Deferred and an Acknowledge
// more for each request that is deferred, where N is the size of the group. What is
// lost and repeated comes on top; so does a Request and its answer for each
// interval or two that a deferred request waits, and nothing if retransmit is
// longer than anybody waits.
func NewAcknowledged(retransmit, failure time.Duration) messaging.Algorithm {
	if retransmit <= 0 || failure <= retransmit || failure/retransmit >= 1<<30 {
		panic(fmt.Sprintf("ricartagrawala: NewAcknowledged(%v, %v): it takes 0 < retransmit < failure, and failure less than 1<<30 intervals", retransmit, failure))
	}
	patience := int((failure-1)/retransmit) + 1 // intervals, rounded up
	return func(start messaging.Start) messaging.Exclusion {
		return newAcknowledged(start, retransmit, patience)
	}
}

// What BenchmarkAnswer shows of 5 nodes with 500 callers on 2 processors (Xeon, Go
// 1.26, Linux). It is how long a node waits for the answer to a message, the processor
// being its own, or shared with six programs that do nothing but use it:
//
//	                   median     p99     p99.9   longest
//	alone               1 µs      7 µs    20 µs      3 ms
//	alone, -race       37 µs    120 µs   180 µs      2 ms
//	shared              1 µs      3 µs    82 µs    668 ms
//	shared, -race      29 µs      8 ms    32 ms    234 ms
//
// A hundred times the largest p99.9 is 3.2 s, some five times the longest of all. So
// nothing that is answered is repeated before 4 s are over, and with R = 3.2 s and
// L = 0 the failure timeout must be at least (0+2) 4 s + 3.2 s = 11.2 s.
const (
	unhurriedRetransmit = 4 * time.Second
	unhurriedFailure    = 12 * time.Second
)

// NewFaultTolerant returns the algorithm of [NewAcknowledged] with margins for nodes
// that share a program, or fast links: it repeats what is not answered for 4 s, and
// removes a node that is silent for 12 s, which is after 12 to 20 s. It leaves 3.2 s
// for a round trip, a hundred times what 999 in 1000 take on a machine that is short of
// processors, with the race detector; none may be lost. Where answers may take longer
// than that, or messages are lost, use NewAcknowledged.
func NewFaultTolerant() messaging.Algorithm {
	return NewAcknowledged(unhurriedRetransmit, unhurriedFailure)
}

func newAcknowledged(start messaging.Start, retransmit time.Duration, patience int) *acknowledged {
	n := &acknowledged{
		start: start, retransmit: retransmit, patience: patience,
		Silent:   make([]int, start.Nodes),
		Deferred: make([]messaging.Time, start.Nodes),
		Late:     make([]messaging.Time, start.Nodes),
		Waited:   make([]int, start.Nodes),
	}
	for j := range start.Others() {
		n.Group.Add(j)
	}
	return n
}

type acknowledged struct {
	start      messaging.Start
	retransmit time.Duration
	patience   int // how many intervals a node may be silent

	Phase   messaging.Phase
	Highest messaging.Clock
	Mine    messaging.Stamp

	Group   messaging.Set // the others that are not taken for crashed
	Missing messaging.Set // while waiting: those that have not granted Mine
	Silent  []int         // by node of Missing: ticks since it was first asked, or has last answered

	Deferred []messaging.Time // as in New
	Late     []messaging.Time // by node, the time of its request whose late grant is not acknowledged; 0: none
	Waited   []int            // by node: ticks since that grant was first sent

	Ticking bool // there is a timer, and only one
}

func (n *acknowledged) Request(out messaging.Out) {
	n.Phase, n.Mine = messaging.Waiting, n.Highest.Tick(n.start.Self)
	n.Missing = n.Group.Clone()
	clear(n.Silent)
	for j := range n.Missing.All() {
		out.Send(j, Request{n.Mine})
	}
	n.enterIfGranted(out)
	n.keepTicking(out)
}

func (n *acknowledged) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("ricartagrawala", n.start.Self, from, m, why)
	}
	if from != n.start.Self && !n.Group.Has(from) {
		return // it has crashed since
	}
	switch m := m.(type) {
	case Request:
		n.answer(m.Of, out)
	case Deferred:
		if m.To == n.Mine {
			n.Silent[from] = 0
		}
	case Grant:
		if m.Late {
			out.Send(from, Acknowledge{m.To})
		}
		if m.To == n.Mine {
			n.Silent[from] = 0
			n.Missing.Remove(from)
			n.enterIfGranted(out)
		}
	case Acknowledge:
		if m.To.Time == n.Late[from] {
			n.Late[from], n.Waited[from] = 0, 0
		}
	case Tick:
		n.tick(out)
	}
}

// answer answers the request r at once, whether it came for the first time or not.
func (n *acknowledged) answer(r messaging.Stamp, out messaging.Out) {
	n.Highest.Witness(r)
	if n.Phase == messaging.Inside || n.Phase == messaging.Waiting && n.Mine.Before(r) {
		n.Deferred[r.ID] = max(n.Deferred[r.ID], r.Time)
		out.Send(r.ID, Deferred{r})
	} else {
		out.Send(r.ID, Grant{To: r})
	}
}

func (n *acknowledged) enterIfGranted(out messaging.Out) {
	if n.Phase == messaging.Waiting && n.Missing.Empty() {
		n.Phase = messaging.Inside
		out.Enter()
	}
}

func (n *acknowledged) Release(out messaging.Out) {
	n.Phase = messaging.Idle
	n.Missing.Clear()
	clear(n.Silent)
	for j, t := range n.Deferred {
		if t != 0 {
			n.Deferred[j] = 0
			n.Late[j], n.Waited[j] = t, 0
			n.grantLate(messaging.Stamp{Time: t, ID: messaging.ID(j)}, out)
		}
	}
	n.keepTicking(out)
}

// Withdraw takes a request back: all that wait for this node are answered, and
// what still comes to it names a request that is over.
func (n *acknowledged) Withdraw(out messaging.Out) { n.Release(out) }

// Down removes peer from the group.
func (n *acknowledged) Down(peer messaging.ID, out messaging.Out) {
	n.remove(peer, out)
	n.enterIfGranted(out)
}

// tick repeats what is not answered, and removes nodes that are silent for too long.
// It may come right after a message was sent, so that after k ticks it is certain
// only that k-1 intervals have passed.
func (n *acknowledged) tick(out messaging.Out) {
	n.Ticking = false
	for j := range n.Group.All() {
		if n.Missing.Has(j) {
			n.Silent[j]++
		}
		if n.Late[j] != 0 {
			n.Waited[j]++
		}
		if max(n.Silent[j], n.Waited[j]) > n.patience {
			n.remove(j, out)
		} else {
			n.repeat(j, out)
		}
	}
	n.enterIfGranted(out)
	n.keepTicking(out)
}

// repeat sends node j again what it has not answered for an interval. (Reset to 0
// is the count of what it has.)
func (n *acknowledged) repeat(j messaging.ID, out messaging.Out) {
	if n.Silent[j] > 1 {
		out.Send(j, Request{n.Mine})
	}
	if n.Waited[j] > 1 {
		n.grantLate(messaging.Stamp{Time: n.Late[j], ID: j}, out)
	}
}

func (n *acknowledged) grantLate(r messaging.Stamp, out messaging.Out) {
	out.Send(r.ID, Grant{To: r, Late: true})
}

// keepTicking has a timer run as long as something is to be answered.
func (n *acknowledged) keepTicking(out messaging.Out) {
	waits := !n.Missing.Empty() || slices.ContainsFunc(n.Late, func(t messaging.Time) bool { return t != 0 })
	if waits && !n.Ticking {
		n.Ticking = true
		out.After(n.retransmit, Tick{})
	}
}

func (n *acknowledged) remove(j messaging.ID, out messaging.Out) {
	if n.Group.Has(j) {
		n.Group.Remove(j)
		n.Missing.Remove(j)
		n.Silent[j], n.Deferred[j], n.Late[j], n.Waited[j] = 0, 0, 0, 0
		out.Emit(messaging.Removed{Node: j})
	}
}
