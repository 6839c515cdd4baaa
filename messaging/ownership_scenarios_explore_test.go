//go:build doorway_explore

package messaging

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"strings"

	"example.org/doorway/internal/interleave"
	"example.org/doorway/internal/interleave/variants"
	"example.org/doorway/internal/seam"
)

// A stage is a cluster whose runners and users run in all interleavings, with the
// state to restore before each run of a thread.
type stage struct {
	c       *Cluster
	runners []*runner
	sends   [][]Send     // the buffers of their effects
	done    seam.Closing // of a context
	ended   [4]seam.Closing
	never   seam.Closing
	first   []ownedState

	desks  []*desk // the nodes
	askers []*asker

	at []int // by thread, the act

	remembers bool // threads do not forget what they have read
}

const capacity = 8 // messages in a mailbox, and nodes in a list

// newStage returns the stage of n nodes. Nothing is allocated on it later, since
// new allocations would make each run differ.
func newStage(n int, a Algorithm) *stage {
	s := &stage{c: NewCluster(n, a), done: make(seam.Closing), never: make(seam.Closing)}
	for i := range s.ended {
		s.ended[i] = make(seam.Closing)
	}
	for i := range s.c.members {
		m := &s.c.members[i]
		m.queue.ring = make([]delivery, capacity)
		s.first = append(s.first, m.ownedState())
		switch n := m.site.node.(type) {
		case *desk:
			s.desks = append(s.desks, n)
		case *asker:
			s.askers = append(s.askers, n)
		}
		s.prepare(m.runner)
	}
	return s
}

func (s *stage) prepare(r *runner) *runner {
	r.ready.ring = make([]*member, capacity)
	sends := make([]Send, capacity)
	r.effects.Sends = sends[:0]
	s.runners, s.sends = append(s.runners, r), append(s.sends, sends)
	return r
}

// A role is executed by a thread, which calls step before each act.
type role struct {
	name string
	run  func(r *interleave.Run, step func(int))
}

// scenario runs the roles, and audits the stage when all have ended, unless the
// cluster is closed.
func (s *stage) scenario(audited bool, roles ...role) interleave.Scenario {
	sc := interleave.Scenario{World: s, Attach: s.attach, Limit: 4e6}
	s.at = make([]int, len(roles)+1)
	for t, p := range roles {
		sc.Threads = append(sc.Threads, interleave.Thread{Name: p.name, Run: func(r *interleave.Run) {
			p.run(r, func(k int) { s.at[t] = k })
			if audited {
				r.Store(s.ended[t], true)
			}
		}})
	}
	if audited {
		sc.Threads = append(sc.Threads, interleave.Thread{Name: "audit", Run: func(r *interleave.Run) { s.audit(r, len(roles)) }})
	}
	return sc
}

func (s *stage) attach(r *interleave.Run) {
	if r == nil {
		seam.Schedule(nil)
	} else {
		seam.Schedule(scheduler{r, s})
	}
}

// A scheduler lets a thread forget all values that it has read whenever it checks
// whether the cluster is over: before each call and before each run of a node.
// There its position and the shared memory determine its future.
type scheduler struct {
	*interleave.Run
	s *stage
}

func (f scheduler) Load(x seam.Variable) any {
	if x == &f.s.c.over && !f.s.remembers {
		f.s.normalize()
		f.Forget(f.s.point())
	}
	return f.Run.Load(x)
}

// An explorer does not track memory that passes from one thread to another. So the
// state that belongs to the owner of a node passes through a variable: a new owner
// takes it from there, and puts it back on release.

type (
	stateVariable member
	stateLatch    member
)

// An ownedState is the state that belongs to the owner of a node. Its queue is
// empty when the owner changes.
type ownedState struct {
	phase    Phase
	absorbed bool
	entries  uint64
	token    Token
	served   uint64
	orphaned bool
	stopping *fault
	told     [3]uint64
	node     any // the struct of the node, which must be comparable
}

// taken is the value while a runner owns the state.
var taken = ownedState{phase: 255}

func (x *stateVariable) Initial() any { return (*member)(x).ownedState() }
func (x *stateLatch) Initial() any    { return false }

func (m *member) ownedState() ownedState {
	s := &m.site
	var told [3]uint64
	for j, life := range m.crash.told {
		told[j] = life
	}
	return ownedState{s.phase, s.absorbed, s.entries, s.token, m.served, m.crash.orphaned, m.crash.stopping, told, reflect.ValueOf(s.node).Elem().Interface()}
}

func (m *member) setState(p ownedState) {
	m.site.phase, m.site.absorbed, m.site.entries, m.site.token = p.phase, p.absorbed, p.entries, p.token
	m.served, m.crash.orphaned, m.crash.stopping, m.crash.told = p.served, p.orphaned, p.stopping, nil
	for j, life := range p.told {
		if life != 0 {
			m.crash.told = map[ID]uint64{ID(j): life} // there are two nodes
		}
	}
	reflect.ValueOf(m.site.node).Elem().Set(reflect.ValueOf(p.node))
}

func (f scheduler) Acquired(x any) {
	m := x.(*member)
	f.Lock((*stateLatch)(m))
	p := f.Load((*stateVariable)(m)).(ownedState)
	f.Store((*stateVariable)(m), taken)
	f.Unlock((*stateLatch)(m))
	if p == taken {
		panic("two runners have the same node")
	}
	m.setState(p)
}

func (f scheduler) Released(x any) {
	m := x.(*member)
	if m.queue.len > 0 {
		panic("a runner lets go of a node that has messages")
	}
	f.Lock((*stateLatch)(m))
	f.Store((*stateVariable)(m), m.ownedState())
	f.Unlock((*stateLatch)(m))
}

// normalize removes differences without effect: rings begin at 0, and memory of
// other owners has its initial value.
func (s *stage) normalize() {
	var mine [capacity]bool
	for _, r := range s.runners {
		rotate(&r.ready)
		for k := range r.ready.len {
			mine[(*r.ready.at(k)).id] = true
		}
	}
	for i := range s.c.members {
		m := &s.c.members[i]
		m.site.Effects = nil
		rotate(&m.queue)
		if !mine[i] {
			m.setState(s.first[i])
		}
	}
}

func rotate[T any](q *fifo[T]) {
	for q.head != 0 {
		first := q.ring[0]
		copy(q.ring, q.ring[1:])
		q.ring[len(q.ring)-1] = first
		q.head--
	}
}

// point describes the position of a thread and its memory. (That is all memory,
// since only one thread runs at a time.)
func (s *stage) point() string {
	var b strings.Builder
	var pcs [8]uintptr // up to the role
	fmt.Fprint(&b, s.at, pcs[:runtime.Callers(3, pcs[:])])
	for _, r := range s.runners {
		for k := range r.ready.len {
			fmt.Fprint(&b, " ", (*r.ready.at(k)).id)
		}
		b.WriteByte(';')
	}
	for i := range s.c.members {
		m := &s.c.members[i]
		fmt.Fprint(&b, m.ownedState())
		for k := range m.queue.len {
			fmt.Fprint(&b, *m.queue.at(k))
		}
	}
	return b.String()
}

// audit checks the final state: no node has an owner, all mailboxes are empty, all
// nodes are idle, and all messages were received.
func (s *stage) audit(r *interleave.Run, roles int) {
	for _, ended := range s.ended[:roles] {
		r.Receive(s.never, ended)
	}
	var nodes []peer
	for i := range s.c.members {
		m := &s.c.members[i]
		if m.life.Load() > 2 { // no scenario has more than one crash
			panic(fmt.Sprintf("node %d has crashed twice", i))
		}
		if m.owner.Load() != 0 {
			panic(fmt.Sprintf("a runner has kept node %d", i))
		}
		if m.posted.Load() || r.Load(&m.inbox) != new(seam.Mailbox[delivery]).Initial() {
			panic(fmt.Sprintf("a message was left to node %d, and lies there", i))
		}
		p := r.Load((*stateVariable)(m)).(ownedState)
		if p.orphaned {
			panic(fmt.Sprintf("the next exit of node %d will do nothing", i))
		}
		if p.phase != Idle {
			panic(fmt.Sprintf("node %d is %v in the end", i, p.phase))
		}
		nodes = append(nodes, p.node.(interface{ counts() peer }).counts())
	}
	for i, n := range nodes {
		for j, m := range nodes {
			if n.Sent[j] != m.Got[i] && !n.Lossy {
				panic(fmt.Sprintf("node %d has sent %d messages to node %d, which got %d", i, n.Sent[j], j, m.Got[i]))
			}
		}
	}
}

// A packet is a message in one byte, to avoid allocation: its kind, a time, and its
// number on the link.
type packet uint8

func (l packet) kind() packet   { return l >> 6 }
func (l packet) time() uint8    { return uint8(l>>3) & 7 }
func (l packet) number() uint8  { return uint8(l) & 7 }
func (l packet) String() string { return fmt.Sprintf("%d/%d#%d", l.kind(), l.time(), l.number()) }

// A peer is a node that numbers its messages, and rejects those out of order.
type peer struct {
	Self      ID
	Nodes     int
	Lossy     bool     // messages may be lost
	Sent, Got [3]uint8 `messaging:"durable"`
}

func (p *peer) send(out Out, to ID, kind packet, time uint8) {
	out.Send(to, kind<<6|packet(time)<<3|packet(p.Sent[to]&7))
	p.Sent[to]++
}

func (p *peer) receive(from ID, l packet) {
	if gap := l.number() - p.Got[from]; p.Lossy && gap&7 < 4 {
		p.Got[from] += gap & 7
	}
	if l.number() != p.Got[from]&7 {
		panic(fmt.Sprintf("node %d got message %d of node %d after %d others", p.Self, l.number(), from, p.Got[from]))
	}
	p.Got[from]++
}

// counts returns the peer in a node that embeds it.
func (p peer) counts() peer { return p }

// A desk is a node of an algorithm in which node 0 grants the lock to one node
// after another. The receiver thanks, only so that two messages follow each other
// on a link. Requests cannot be withdrawn.
type desk struct {
	peer
	Holder int // of node 0: 1 more than the node
	Queue  [3]ID
	Len    int
}

const (
	ask packet = iota
	grant
	thanks
	leave
)

func newDesk(s Start) Node { return &desk{peer: peer{Self: s.Self, Nodes: s.Nodes}} }

func (n *desk) Request(out Out) { n.tell(out, ask) }
func (n *desk) Release(out Out) { n.tell(out, leave) }

func (n *desk) tell(out Out, kind packet) {
	if n.Self == 0 {
		n.handle(0, kind, out)
	} else {
		n.send(out, 0, kind, 0)
	}
}

func (n *desk) Receive(from ID, m Message, out Out) {
	l := m.(packet)
	n.receive(from, l)
	if l.kind() == grant {
		n.send(out, 0, thanks, 0)
		out.Enter()
	} else {
		n.handle(from, l.kind(), out)
	}
}

func (n *desk) handle(from ID, kind packet, out Out) {
	switch kind {
	case ask:
		n.Queue[n.Len] = from
		n.Len++
	case leave:
		n.Holder = 0
	default:
		return
	}
	if n.Holder != 0 || n.Len == 0 {
		return
	}
	next := n.Queue[0]
	n.Len--
	copy(n.Queue[:], n.Queue[1:])
	n.Queue[n.Len] = 0
	if n.Holder = 1 + int(next); next == 0 {
		out.Enter()
	} else {
		n.send(out, next, grant, 0)
	}
}

// An asker is a node of the algorithm of Ricart and Agrawala, whose requests can
// be withdrawn.
type asker struct {
	peer
	Phase    Phase
	Highest  uint8
	Mine     uint8
	Replies  int
	Deferred [3]uint8
}

const (
	question packet = iota
	reply
)

func newAsker(s Start) Node { return &asker{peer: peer{Self: s.Self, Nodes: s.Nodes}} }

func (n *asker) Request(out Out) {
	n.Highest++
	n.Phase, n.Mine, n.Replies = Waiting, n.Highest, 0
	for j := range ID(n.Nodes) {
		if j != n.Self {
			n.send(out, j, question, n.Mine)
		}
	}
}

func (n *asker) Receive(from ID, m Message, out Out) {
	l := m.(packet)
	n.receive(from, l)
	switch {
	case l.kind() == question:
		n.Highest = max(n.Highest, l.time())
		mine := Stamp{Time(n.Mine), n.Self}
		if n.Phase == Inside || n.Phase == Waiting && mine.Before(Stamp{Time(l.time()), from}) {
			n.Deferred[from] = max(n.Deferred[from], l.time())
		} else {
			n.send(out, from, reply, l.time())
		}
	case n.Phase == Waiting && l.time() == n.Mine:
		if n.Replies++; n.Replies == n.Nodes-1 {
			n.Phase = Inside
			out.Enter()
		}
	}
}

func (n *asker) Release(out Out) {
	n.Phase, n.Mine, n.Replies = Idle, 0, 0
	for j, t := range n.Deferred {
		if t != 0 {
			n.Deferred[j] = 0
			n.send(out, ID(j), reply, t)
		}
	}
}

func (n *asker) Withdraw(out Out) { n.Release(out) }

// A mourner is an asker of two that enters without the reply of one that has crashed. One that
// restarts tells the other, since its notice may come too late for it.
type mourner struct {
	asker
	Restarted bool
	Alone     bool // the other is down, as far as it knows
}

const hello packet = 2

func newMourner(s Start) Node {
	n := &mourner{Restarted: s.Restarted}
	n.peer = peer{Self: s.Self, Nodes: s.Nodes, Lossy: true}
	return n
}

func (n *mourner) Start(out Out) {
	if n.Restarted {
		n.send(out, 1-n.Self, hello, 0)
	}
}

func (n *mourner) Receive(from ID, m Message, out Out) {
	if l := m.(packet); l.kind() == hello {
		n.receive(from, l)
		n.Down(from, out)
		n.Alone = false
	} else {
		n.asker.Receive(from, m, out)
	}
}

func (n *mourner) Down(peer ID, out Out) {
	n.Alone, n.Deferred[peer] = true, 0
	n.enterAlone(out)
}

func (n *mourner) enterAlone(out Out) {
	if n.Phase == Waiting {
		n.Phase = Inside
		out.Enter()
	}
}

func (n *mourner) Request(out Out) {
	n.asker.Request(out)
	if n.Alone {
		n.enterAlone(out)
	}
}

// The roles of threads.

// A way is how the user of node i enters. It reports whether it has.
type way func(s *stage, i int) bool

func locks(s *stage, i int) bool { s.c.Lock(i); return true }
func tries(s *stage, i int) bool { return s.c.TryLock(i) }

// unlessCancelled aborts if the context ends.
func unlessCancelled(s *stage, i int) bool {
	return s.c.LockContext(seam.Cancellable{On: s.done}, i) == nil
}

// unlessOver waits until it enters, the cluster is closed or the node is down.
func unlessOver(s *stage, i int) bool { return s.c.LockContext(context.Background(), i) == nil }

// insists tries to enter, and if that fails enters in that way.
func insists(then way) way {
	return func(s *stage, i int) bool { return s.c.TryLock(i) || then(s, i) }
}

// user has node i enter in these ways, one after the other, and leave.
func (s *stage) user(i int, ways ...way) role {
	return s.visitor(i, (*interleave.Run).Critical, ways...)
}

// mortal has node 1, which may crash while its user is inside, enter and leave: so another node may be
// inside, too.
func (s *stage) mortal(enters way) role { return s.visitor(1, func(*interleave.Run) {}, enters) }

func (s *stage) visitor(i int, inside func(*interleave.Run), ways ...way) role {
	return role{fmt.Sprintf("user %d", i), func(r *interleave.Run, step func(int)) {
		for k, enters := range ways {
			if step(k); enters(s, i) {
				inside(r)
				s.c.Unlock(i)
			}
		}
	}}
}

func (s *stage) closer() role {
	return role{"closer", func(*interleave.Run, func(int)) { s.c.Close() }}
}

// inflicter inflicts faults on node 1, one after the other, and then has it enter so often. A restart
// alone may find that it is up.
func (s *stage) inflicter(rounds int, what ...command) role {
	const i = 1
	var runners []*runner
	var faults []*fault
	for life, w := range what {
		runners = append(runners, s.prepare(s.c.newRunner()))
		faults = append(faults, &fault{what: w, life: uint64(life), done: make(seam.Slot[outcome], 1)})
	}
	return role{fmt.Sprintf("host %d", i), func(r *interleave.Run, step func(int)) {
		m := &s.c.members[i]
		for k, f := range faults {
			if step(k); f.what == crash {
				m.crashing.Store(true)
			}
			if s.c.inflict(runners[k], m, f) == wasUp && len(faults) > 1 {
				panic("it has not crashed")
			}
		}
		for k := range rounds {
			step(len(faults) + k)
			s.c.Lock(i)
			r.Critical()
			s.c.Unlock(i)
		}
	}}
}

func (s *stage) canceller() role {
	return role{"canceller", func(r *interleave.Run, _ func(int)) { r.Store(s.done, true) }}
}

// handedOver has the user of node i abort with a new runner, since a goroutine of
// the cluster has taken over the one of its request.
func (s *stage) handedOver(i int) []role {
	m := &s.c.members[i]
	r := m.runner
	m.runner, m.by, m.asked = s.prepare(s.c.newRunner()), byNumber, 1
	asked := make(seam.Closing)
	return []role{
		{"goroutine", func(run *interleave.Run, _ func(int)) {
			m.user.Store(entering)
			r.post(m, delivery{user, request, 0})
			run.Store(asked, true)
			r.runAll()
		}},
		{fmt.Sprintf("user %d", i), func(run *interleave.Run, step func(int)) {
			run.Receive(s.never, asked)
			step(0)
			s.c.submit(m, withdraw)
			if m.take(m.receive()) == nil {
				run.Critical()
				s.c.Unlock(i)
			}
		}},
	}
}

// Scenarios are small enough for all interleavings, or for a bound on preemptions. In those that end with the
// cluster open, the stage is audited.
var scenarios = []struct {
	name        string
	preemptions int
	algorithm   Algorithm
	nodes       int
	audited     bool
	roles       func(s *stage) []role
}{
	{"desk: two enter", 0, newDesk, 2, true, func(s *stage) []role { return []role{s.user(0, locks), s.user(1, locks)} }},
	{"desk: both enter twice", 0, newDesk, 2, true, func(s *stage) []role { return []role{s.user(0, locks, locks), s.user(1, locks, locks)} }},
	{"asker: two enter", 0, newAsker, 2, true, func(s *stage) []role { return []role{s.user(0, locks), s.user(1, locks)} }},
	{"asker: both enter twice", 3, newAsker, 2, true, func(s *stage) []role { return []role{s.user(0, locks, locks), s.user(1, locks, locks)} }},
	{"desk: one enters, one tries", 0, newDesk, 2, true, func(s *stage) []role { return []role{s.user(0, locks), s.user(1, tries)} }},
	{"desk: one tries, and then enters", 0, newDesk, 2, true, func(s *stage) []role { return []role{s.user(0, locks), s.user(1, insists(locks))} }},
	{"desk: one enters, one gives up", 0, newDesk, 2, true, func(s *stage) []role { return []role{s.user(0, locks), s.user(1, unlessCancelled), s.canceller()} }},
	{"desk: one enters, one gives up and comes again", 0, newDesk, 2, true, func(s *stage) []role {
		return []role{s.user(0, locks), s.user(1, unlessCancelled, locks), s.canceller()}
	}},
	{"asker: one enters, one gives up and comes again", 3, newAsker, 2, true, func(s *stage) []role {
		return []role{s.user(0, locks), s.user(1, unlessCancelled, locks), s.canceller()}
	}},
	{"asker: one enters, one tries", 0, newAsker, 2, true, func(s *stage) []role { return []role{s.user(0, locks), s.user(1, tries)} }},
	{"desk: two enter, and it is closed", 0, newDesk, 2, false, func(s *stage) []role { return []role{s.user(0, unlessOver), s.user(1, unlessOver), s.closer()} }},
	{"desk: one tries, and then enters, and it is closed", 0, newDesk, 2, false, func(s *stage) []role {
		return []role{s.user(0, unlessOver), s.user(1, insists(unlessOver)), s.closer()}
	}},
	{"asker: two enter, and it is closed", 0, newAsker, 2, false, func(s *stage) []role { return []role{s.user(0, unlessOver), s.user(1, unlessOver), s.closer()} }},
	{"desk: three enter", 2, newDesk, 3, true, func(s *stage) []role { return []role{s.user(0, locks), s.user(1, locks), s.user(2, locks)} }},
	{"mourner: one enters, the other crashes", 0, newMourner, 2, true, func(s *stage) []role { return []role{s.user(0, locks), s.inflicter(0, crash)} }},
	{"mourner: one enters, the other crashes and enters again", 3, newMourner, 2, true, func(s *stage) []role { return []role{s.user(0, locks), s.inflicter(1, crash, restart)} }},
	{"mourner: two enter, and one crashes", 2, newMourner, 2, true, func(s *stage) []role { return []role{s.user(0, locks), s.mortal(unlessOver), s.inflicter(0, crash)} }},
	{"mourner: two enter, and one stops", 2, newMourner, 2, true, func(s *stage) []role { return []role{s.user(0, locks), s.mortal(unlessOver), s.inflicter(0, stop)} }},
	{"mourner: one host crashes it, and another restarts it", 2, newMourner, 2, true, func(s *stage) []role { return []role{s.user(0, locks), s.inflicter(0, crash), s.inflicter(0, restart)} }},
	{"mourner: one enters, one tries and crashes", 2, newMourner, 2, true, func(s *stage) []role { return []role{s.user(0, locks), s.mortal(tries), s.inflicter(0, crash)} }},
	{"mourner: two enter, and one crashes and restarts", 2, newMourner, 2, true, func(s *stage) []role {
		return []role{s.user(0, locks), s.mortal(unlessOver), s.inflicter(0, crash, restart)}
	}},
	{"desk: a goroutine goes on, and its user gives up", 3, newDesk, 2, true, func(s *stage) []role { return append(s.handedOver(1), s.user(0, locks)) }},
	{"asker: a goroutine goes on, and its user gives up", 3, newAsker, 2, true, func(s *stage) []role { return append(s.handedOver(1), s.user(0, locks)) }},
}

// explorable returns scenario k.
func explorable(k int) interleave.Scenario {
	c := scenarios[k]
	s := newStage(c.nodes, c.algorithm)
	sc := s.scenario(c.audited, c.roles(s)...)
	sc.Preemptions = c.preemptions
	return sc
}

// Report prints the first failure in the scenarios whose names begin with shown, if
// this is a copy of the package with a change.
func Report(change int, shown string) {
	variants.Report(change, shown, len(scenarios), func(k int) (string, func() interleave.Scenario) {
		return scenarios[k].name, func() interleave.Scenario { return explorable(k) }
	})
}
