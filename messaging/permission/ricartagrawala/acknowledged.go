package ricartagrawala

import (
	"fmt"
	"slices"
	"time"

	"example.org/doorway/messaging"
)

// The messages, as above.
type (
	grant struct {
		To   messaging.Stamp
		Late bool
	}

	deferred    struct{ To messaging.Stamp }
	acknowledge struct{ To messaging.Stamp }

	within struct {
		Epoch   uint64
		Message messaging.Message
	}

	tick struct{}
)

// Acknowledged is the algorithm of NewAcknowledged, with timeouts for a cluster.Cluster. The last
// kind is the timer.
var Acknowledged = messaging.Protocol{
	Name:  "ricartagrawala-acknowledged",
	New:   func(int) (messaging.Algorithm, error) { return NewAcknowledged(time.Second, time.Minute), nil },
	Kinds: []messaging.Message{Request{}, grant{}, deferred{}, acknowledge{}, within{}, tick{}},
}

// NewAcknowledged returns the algorithm in which silence means a crash: every message is
// answered at once, so a node that does not answer has crashed and is removed. Its nodes
// implement [messaging.Survivor], [messaging.Withdrawer] and [messaging.Epocher]. A lecture proposes this for
// Ricart-Agrawala (HAW Hamburg, slides 23 and 26, in one sentence; the rules are this
// library's).
//
//	Request{Of}       node Of.ID asks for the critical section; repeated until all have granted
//	Grant{To}         the sender agrees to the request To
//	Deferred{To}      the sender will agree later
//	Grant{To, Late}   the sender agrees to a deferred request; repeated until acknowledged
//	Acknowledge{To}   acknowledges a late Grant
//	Within{Epoch, m}  the message m, of a node in a later epoch than the first
//
// A node repeats an unanswered message, first one to two retransmit intervals after
// it was sent and then once per interval. It also repeats a request that was
// deferred, to notice a crash of that node. A node is suspected once it has been
// silent for more than failure, at most two intervals late, or at once if the host
// reports a crash ([messaging.Survivor]). It is then removed from the group
// permanently: its grant is not awaited, and its messages are dropped. A timer runs
// only while a node waits for an answer; while it does, a cluster.Cluster that
// is not closed is not garbage collected. NewAcknowledged panics unless 0 <
// retransmit < failure, and failure is less than 1<<30 intervals.
// [NewFaultTolerant] chooses both.
//
// A node that removes a silent one goes into the next epoch, and one that gets a message of a later epoch into that. If
// it waits, it asks again all that are left, and only grants of its epoch count: so all know its epoch before
// it enters, and those that find it silent will be in a later one. Therefore tokens grow
// ([messaging.Token]), though silence tells nothing of the entries of a node that has crashed.
//
// Messages may be lost, duplicated and reordered: each names a unique request, and a
// duplicate has no effect. Any number of nodes may crash; the rest continue.
//
// Mutual exclusion holds as long as no live node is removed. For that, nodes that crash
// must stop permanently, and there must be a round-trip time R and a number L such that
// of more than L consecutive attempts to get an answer one succeeds within R; then
// failure must be at least (L+2) retransmit + R. R is not only the network's: it lasts
// from when a node sends a message until it handles the answer, and so includes the time
// that both wait for a processor, behind other goroutines or programs, or are stopped by
// the garbage collector, the hypervisor or a debugger. If a round trip ever takes longer
// than R, a slow node may be inside while others, which have removed it, enter too; and
// as the removal is permanent, they continue without each other.
//
// Whether that is noticed depends on the host. In a cluster.Cluster it does not
// happen, whatever the durations: its timers wait for the answers in transit. Package sim
// ends a run with an error when two nodes are inside, and reports removals. In
// another host, a node that removes another emits [messaging.Removed] before it enters by
// that removal; but the removed node is not told, and may already be inside.
//
// An entry takes N-1 Requests and N-1 Grants, plus a Deferred and an Acknowledge for each
// deferred request, where N is the size of the group. Lost and repeated messages come on
// top, as do a Request and its answer for each interval or two that a deferred request
// waits; none if retransmit is longer than the longest wait.
func NewAcknowledged(retransmit, failure time.Duration) messaging.Algorithm {
	if retransmit <= 0 || failure <= retransmit || failure/retransmit >= 1<<30 {
		panic(fmt.Sprintf("ricartagrawala: NewAcknowledged(%v, %v): want 0 < retransmit < failure, and failure less than 1<<30 intervals", retransmit, failure))
	}
	patience := int((failure-1)/retransmit) + 1 // intervals, rounded up
	return func(start messaging.Start) messaging.Node {
		return newAcknowledged(start, retransmit, patience)
	}
}

// In a Cluster of 5 nodes with 500 callers on 2 processors, the answers to 99.9 % of the messages arrived within 32 ms,
// also beside six busy programs and with the race detector; the last one after 668 ms. A hundred times the former is
// 3.2 s. So the retransmit interval is 4 s, which repeats no message that is answered in time, and with R = 3.2 s and
// L = 0 the failure timeout must be at least (0+2) 4 s + 3.2 s = 11.2 s.
const (
	unhurriedRetransmit = 4 * time.Second
	unhurriedFailure    = 12 * time.Second
)

// NewFaultTolerant returns the algorithm of [NewAcknowledged] with margins for nodes
// in one program or on fast links: retransmit is 4 s and failure is 12 s, so that a
// crashed node is removed after 12 to 20 s. This allows 3.2 s for a round trip, a
// hundred times the 99.9th percentile on an overloaded machine with the race detector,
// and no message loss. Use NewAcknowledged where answers may take longer or messages
// may be lost.
func NewFaultTolerant() messaging.Algorithm {
	return NewAcknowledged(unhurriedRetransmit, unhurriedFailure)
}

func newAcknowledged(start messaging.Start, retransmit time.Duration, patience int) *acknowledged {
	n := &acknowledged{
		start: start, retransmit: retransmit, patience: patience, Peers: make([]peer, start.Nodes),
	}
	for j := range start.Others() {
		n.Group.Add(j)
	}
	return n
}

type acknowledged struct {
	start      messaging.Start
	retransmit time.Duration
	patience   int // the number of intervals a node may be silent

	Phase   messaging.Phase
	Highest messaging.Clock
	Mine    messaging.Stamp // none while it is idle
	Present uint64          // the epoch

	Group   messaging.Set // the other nodes, without those removed
	Missing messaging.Set // while waiting: the nodes that have not granted Mine
	Peers   []peer        // by node

	Ticking bool // there is a timer, and only one
}

// A peer is another node, as this one sees it.
type peer struct {
	Silent   int            // if it is one of Missing: ticks since it was first asked or last answered
	Deferred messaging.Time // of its request that is to be granted later; 0: none
	Late     messaging.Time // of its request whose late grant is not acknowledged; 0: none
	Waited   int            // ticks since that grant was first sent
}

func (n *acknowledged) Request(out messaging.Out) {
	n.Phase, n.Mine = messaging.Waiting, n.Highest.Tick(n.start.Self)
	n.forgetSilence()
	n.ask(out)
}

func (n *acknowledged) forgetSilence() {
	for j := range n.Peers {
		n.Peers[j].Silent = 0
	}
}

// ask asks all that are left.
func (n *acknowledged) ask(out messaging.Out) {
	n.Missing = slices.Clone(n.Group)
	for j := range n.Missing.All() {
		n.send(j, Request{n.Mine}, out)
	}
	n.enterIfGranted(out)
	n.keepTicking(out)
}

func (n *acknowledged) send(to messaging.ID, m messaging.Message, out messaging.Out) {
	if n.Present > 0 {
		m = within{n.Present, m}
	}
	out.Send(to, m)
}

// Epoch returns the epoch of the node.
func (n *acknowledged) Epoch() uint64 { return n.Present }

// begin goes into a later epoch.
func (n *acknowledged) begin(epoch uint64, out messaging.Out) {
	n.Present = epoch
	if n.Phase == messaging.Waiting {
		n.ask(out)
	}
}

func (n *acknowledged) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("ricartagrawala", n.start.Self, from, m, why)
	}
	if from != n.start.Self && !n.Group.Has(from) {
		return // it was removed
	}
	epoch := uint64(0)
	if within, later := m.(within); later {
		m, epoch = within.Message, within.Epoch
	}
	if epoch > n.Present {
		n.begin(epoch, out)
	}
	switch m := m.(type) {
	case Request:
		n.answer(m.Of, out)
	case deferred:
		if m.To == n.Mine {
			n.Peers[from].Silent = 0
		}
	case grant:
		if m.Late {
			n.send(from, acknowledge{m.To}, out)
		}
		if m.To != n.Mine {
			break
		}
		n.Peers[from].Silent = 0
		if epoch == n.Present {
			n.Missing.Remove(from)
			n.enterIfGranted(out)
		}
	case acknowledge:
		if p := &n.Peers[from]; m.To.Time == p.Late {
			p.Late, p.Waited = 0, 0
		}
	case tick:
		n.tick(out)
	}
}

// answer grants or defers the request r at once, even if it is a repetition.
func (n *acknowledged) answer(r messaging.Stamp, out messaging.Out) {
	n.Highest.Witness(r)
	if n.Phase == messaging.Inside || n.Phase == messaging.Waiting && n.Mine.Before(r) {
		p := &n.Peers[r.ID]
		p.Deferred = max(p.Deferred, r.Time)
		n.send(r.ID, deferred{r}, out)
	} else {
		n.send(r.ID, grant{To: r}, out)
	}
}

func (n *acknowledged) enterIfGranted(out messaging.Out) {
	if n.Phase == messaging.Waiting && n.Missing.Len() == 0 {
		n.Phase = messaging.Inside
		out.Enter()
	}
}

func (n *acknowledged) Release(out messaging.Out) {
	n.Phase, n.Mine = messaging.Idle, messaging.Stamp{}
	clear(n.Missing)
	n.forgetSilence()
	for j := range n.Peers {
		if p := &n.Peers[j]; p.Deferred != 0 {
			p.Deferred, p.Late, p.Waited = 0, p.Deferred, 0
			n.grantLate(messaging.ID(j), out)
		}
	}
	n.keepTicking(out)
}

// Withdraw grants all deferred requests. Answers to the withdrawn request that are
// still in transit are stale.
func (n *acknowledged) Withdraw(out messaging.Out) { n.Release(out) }

// Down removes peer from the group.
func (n *acknowledged) Down(peer messaging.ID, out messaging.Out) {
	n.remove(peer, out)
	n.enterIfGranted(out)
}

// tick repeats unanswered messages, and removes nodes that are silent for too long. A
// tick may come right after a message was sent: after k ticks, only k-1 intervals have
// certainly passed.
func (n *acknowledged) tick(out messaging.Out) {
	n.Ticking = false
	removed := false
	for j := range n.Group.All() {
		p := &n.Peers[j]
		if n.Missing.Has(j) {
			p.Silent++
		}
		if p.Late != 0 {
			p.Waited++
		}
		if max(p.Silent, p.Waited) > n.patience {
			n.remove(j, out)
			removed = true
		} else {
			n.repeat(j, out)
		}
	}
	if removed {
		n.begin(n.Present+1, out)
	}
	n.keepTicking(out)
}

// repeat sends node j again what it has not answered for an interval. An answer resets
// the count to 0.
func (n *acknowledged) repeat(j messaging.ID, out messaging.Out) {
	if n.Peers[j].Silent > 1 {
		n.send(j, Request{n.Mine}, out)
	}
	if n.Peers[j].Waited > 1 {
		n.grantLate(j, out)
	}
}

// grantLate grants the request of node j that was deferred.
func (n *acknowledged) grantLate(j messaging.ID, out messaging.Out) {
	n.send(j, grant{To: messaging.Stamp{Time: n.Peers[j].Late, ID: j}, Late: true}, out)
}

// keepTicking keeps a timer running while an answer is awaited.
func (n *acknowledged) keepTicking(out messaging.Out) {
	waits := n.Missing.Len() > 0 || slices.ContainsFunc(n.Peers, func(p peer) bool { return p.Late != 0 })
	if waits && !n.Ticking {
		n.Ticking = true
		out.After(n.retransmit, tick{})
	}
}

func (n *acknowledged) remove(j messaging.ID, out messaging.Out) {
	if n.Group.Has(j) {
		n.Group.Remove(j)
		n.Missing.Remove(j)
		n.Peers[j] = peer{}
		out.Emit(messaging.Removed{Node: j})
	}
}
