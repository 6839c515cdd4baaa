package cluster

import (
	"context"
	"fmt"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
)

// A stage is a cluster whose users and hosts run in all interleavings.
type stage struct {
	c      *Cluster
	cancel chan struct{} // of a context
	ended  []chan struct{}
	inside bool // written by whoever is, without another word: a race if two are
}

// newStage returns the stage of n nodes.
func newStage(n int, a messaging.Algorithm) *stage {
	s := &stage{c: New(n, a), cancel: make(chan struct{})}
	for i := range s.c.members {
		m := &s.c.members[i]
		m.queue.ring = make([]delivery, 8) // what is not made while it runs need not be found in each state
		m.inbox = make([]delivery, 0, 8)
		prepare(m.runner)
	}
	return s
}

func prepare(r *runner) *runner {
	r.ready.ring = make([]*member, 8)
	r.effects.Sends = make([]host.Send, 0, 8)
	return r
}

type roles = []func()

// Scenario returns the name of scenario k, and what goroutines run in it: module anylock runs them in all interleavings. No
// message is lost, overtaken on its link or handled by two runners at a time, and no caller waits forever. In those that end
// with the cluster open, the stage is audited.
func Scenario(k int) (name string, run roles) {
	all := scenarios()
	if k >= len(all) {
		return "", nil
	}
	s := newStage(all[k].nodes, all[k].algorithm)
	run = all[k].roles(s)
	if !all[k].audited {
		return all[k].name, run
	}
	for i, role := range run {
		ended := make(chan struct{})
		s.ended = append(s.ended, ended)
		run[i] = func() {
			role()
			close(ended)
		}
	}
	return all[k].name, append(run, s.audit)
}

// audit waits for the other roles, and checks the final state: no node has an owner, all mailboxes are empty, all
// nodes are idle, and all messages were received.
func (s *stage) audit() {
	for _, ended := range s.ended {
		<-ended
	}
	var nodes []peer
	for i := range s.c.members {
		m := &s.c.members[i]
		if m.life.Load() > 2 { // no scenario has more than one crash
			panic("a node has crashed twice")
		}
		if m.owner.Load() != 0 {
			panic("a runner has kept a node")
		}
		if m.posted.Load() || len(m.inbox) > 0 || m.queue.len > 0 {
			panic("a message was left to a node, and lies there")
		}
		if m.crash.orphaned {
			panic("the next exit of a node will do nothing")
		}
		if m.site.Phase() != messaging.Idle {
			panic("a node is not idle in the end")
		}
		nodes = append(nodes, m.site.Node().(interface{ counts() peer }).counts())
	}
	for i, n := range nodes {
		for j, m := range nodes {
			if n.Sent[j] != m.Got[i] && !n.Lossy {
				panic("a node has not got all messages of another")
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
	Self      messaging.ID
	Nodes     int
	Lossy     bool     // messages may be lost
	Sent, Got [3]uint8 `messaging:"durable"`
}

func (p *peer) send(out messaging.Out, to messaging.ID, kind packet, time uint8) {
	out.Send(to, kind<<6|packet(time)<<3|packet(p.Sent[to]&7))
	p.Sent[to]++
}

func (p *peer) receive(from messaging.ID, l packet) {
	if gap := l.number() - p.Got[from]; p.Lossy && gap&7 < 4 {
		p.Got[from] += gap & 7
	}
	if l.number() != p.Got[from]&7 {
		panic("a node got a message out of order")
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
	Queue  [3]messaging.ID
	Len    int
}

const (
	ask packet = iota
	grant
	thanks
	leave
)

func newDesk(s messaging.Start) messaging.Node {
	return &desk{peer: peer{Self: s.Self, Nodes: s.Nodes}}
}

func (n *desk) Request(out messaging.Out) { n.tell(out, ask) }
func (n *desk) Release(out messaging.Out) { n.tell(out, leave) }

func (n *desk) tell(out messaging.Out, kind packet) {
	if n.Self == 0 {
		n.handle(0, kind, out)
	} else {
		n.send(out, 0, kind, 0)
	}
}

func (n *desk) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	l := m.(packet)
	n.receive(from, l)
	if l.kind() == grant {
		n.send(out, 0, thanks, 0)
		out.Enter()
	} else {
		n.handle(from, l.kind(), out)
	}
}

func (n *desk) handle(from messaging.ID, kind packet, out messaging.Out) {
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
	Phase    messaging.Phase
	Highest  uint8
	Mine     uint8
	Replies  int
	Deferred [3]uint8
}

const (
	question packet = iota
	reply
)

func newAsker(s messaging.Start) messaging.Node {
	return &asker{peer: peer{Self: s.Self, Nodes: s.Nodes}}
}

func (n *asker) Request(out messaging.Out) {
	n.Highest++
	n.Phase, n.Mine, n.Replies = messaging.Waiting, n.Highest, 0
	for j := range messaging.ID(n.Nodes) {
		if j != n.Self {
			n.send(out, j, question, n.Mine)
		}
	}
}

func (n *asker) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	l := m.(packet)
	n.receive(from, l)
	switch {
	case l.kind() == question:
		n.Highest = max(n.Highest, l.time())
		mine := messaging.Stamp{Time: messaging.Time(n.Mine), ID: n.Self}
		if n.Phase == messaging.Inside || n.Phase == messaging.Waiting && mine.Before(messaging.Stamp{Time: messaging.Time(l.time()), ID: from}) {
			n.Deferred[from] = max(n.Deferred[from], l.time())
		} else {
			n.send(out, from, reply, l.time())
		}
	case n.Phase == messaging.Waiting && l.time() == n.Mine:
		if n.Replies++; n.Replies == n.Nodes-1 {
			n.Phase = messaging.Inside
			out.Enter()
		}
	}
}

func (n *asker) Release(out messaging.Out) {
	n.Phase, n.Mine, n.Replies = messaging.Idle, 0, 0
	for j, t := range n.Deferred {
		if t != 0 {
			n.Deferred[j] = 0
			n.send(out, messaging.ID(j), reply, t)
		}
	}
}

func (n *asker) Withdraw(out messaging.Out) { n.Release(out) }

var _ interface{ Recall(messaging.Node) } = (*mourner)(nil)

// recall takes over what is durable: where anylock runs this, it stands for the function that uses reflection.
func (n *mourner) Recall(crashed messaging.Node) {
	n.Sent, n.Got = crashed.(*mourner).Sent, crashed.(*mourner).Got
}

// A mourner is an asker of two that enters without the reply of one that has crashed. One that
// restarts tells the other, since its notice may come too late for it.
type mourner struct {
	asker
	Restarted bool
	Alone     bool // the other is down, as far as it knows
}

const hello packet = 2

func newMourner(s messaging.Start) messaging.Node {
	n := &mourner{Restarted: s.Restarted}
	n.peer = peer{Self: s.Self, Nodes: s.Nodes, Lossy: true}
	return n
}

func (n *mourner) Start(out messaging.Out) {
	if n.Restarted {
		n.send(out, 1-n.Self, hello, 0)
	}
}

func (n *mourner) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if l := m.(packet); l.kind() == hello {
		n.receive(from, l)
		n.Down(from, out)
		n.Alone = false
	} else {
		n.asker.Receive(from, m, out)
	}
}

func (n *mourner) Down(peer messaging.ID, out messaging.Out) {
	n.Alone, n.Deferred[peer] = true, 0
	n.enterAlone(out)
}

func (n *mourner) enterAlone(out messaging.Out) {
	if n.Phase == messaging.Waiting {
		n.Phase = messaging.Inside
		out.Enter()
	}
}

func (n *mourner) Request(out messaging.Out) {
	n.asker.Request(out)
	if n.Alone {
		n.enterAlone(out)
	}
}

// The roles of goroutines.

// A way is how the user of node i enters. It reports whether it has.
type way func(s *stage, i int) bool

func locks(s *stage, i int) bool { s.c.Lock(i); return true }
func tries(s *stage, i int) bool { return s.c.TryLock(i) }

// unlessCancelled aborts if the context ends.
func unlessCancelled(s *stage, i int) bool {
	return s.c.LockContext(canceled{context.Background(), s.cancel}, i) == nil
}

// A canceled context is done once its channel is closed.
type canceled struct {
	context.Context
	done chan struct{}
}

func (c canceled) Done() <-chan struct{} { return c.done }

func (c canceled) Err() error {
	select {
	case <-c.done:
		return context.Canceled
	default:
		return nil
	}
}

// unlessOver waits until it enters, the cluster is closed or the node is down.
func unlessOver(s *stage, i int) bool { return s.c.LockContext(context.Background(), i) == nil }

// insists tries to enter, and if that fails enters in that way.
func insists(then way) way {
	return func(s *stage, i int) bool { return s.c.TryLock(i) || then(s, i) }
}

// user has node i enter in these ways, one after the other, and leave.
func (s *stage) user(i int, ways ...way) func() {
	return s.visitor(i, func() { s.inside = true }, ways...)
}

// mortal has node 1, which may crash while its user is inside, enter and leave: so another node may be
// inside, too.
func (s *stage) mortal(enters way) func() { return s.visitor(1, func() {}, enters) }

func (s *stage) visitor(i int, inside func(), ways ...way) func() {
	return func() {
		for _, enters := range ways {
			if enters(s, i) {
				inside()
				s.c.Unlock(i)
			}
		}
	}
}

// inflicter inflicts faults on node 1, one after the other, and then has it enter so often. A restart
// alone may find that it is up.
func (s *stage) inflicter(rounds int, what ...command) func() {
	const i = 1
	var runners []*runner
	var faults []*fault
	for life, w := range what {
		runners = append(runners, prepare(s.c.newRunner()))
		faults = append(faults, &fault{what: w, life: uint64(life), done: make(chan outcome, 1)})
	}
	return func() {
		m := &s.c.members[i]
		for k, f := range faults {
			if f.what == crash {
				m.crashing.Store(true)
			}
			if s.c.inflict(runners[k], m, f) == wasUp && len(faults) > 1 {
				panic("it has not crashed")
			}
		}
		for range rounds {
			s.c.Lock(i)
			s.inside = true
			s.c.Unlock(i)
		}
	}
}

func (s *stage) giveUp() { close(s.cancel) }

// handedOver has the user of node i abort with a new runner, since a goroutine of
// the cluster has taken over the one of its request.
func (s *stage) handedOver(i int) []func() {
	m := &s.c.members[i]
	r := m.runner
	m.runner, m.by, m.asked = prepare(s.c.newRunner()), byNumber, 1
	asked := make(chan struct{})
	return []func(){
		func() {
			m.user.Store(entering)
			r.post(m, delivery{user, request, 0})
			close(asked)
			r.runAll()
		},
		func() {
			<-asked
			s.c.submit(m, withdraw)
			if m.take(m.receive()) == nil {
				s.inside = true
				s.c.Unlock(i)
			}
		},
	}
}

type scenario struct {
	name      string
	algorithm messaging.Algorithm
	nodes     int
	audited   bool
	roles     func(s *stage) roles
}

func scenarios() []scenario {
	return []scenario{
		{"desk: two enter", newDesk, 2, true, func(s *stage) roles { return roles{s.user(0, locks), s.user(1, locks)} }},
		{"desk: both enter twice", newDesk, 2, true, func(s *stage) roles { return roles{s.user(0, locks, locks), s.user(1, locks, locks)} }},
		{"asker: two enter", newAsker, 2, true, func(s *stage) roles { return roles{s.user(0, locks), s.user(1, locks)} }},
		{"asker: both enter twice", newAsker, 2, true, func(s *stage) roles { return roles{s.user(0, locks, locks), s.user(1, locks, locks)} }},
		{"desk: one enters, one tries", newDesk, 2, true, func(s *stage) roles { return roles{s.user(0, locks), s.user(1, tries)} }},
		{"desk: one tries, and then enters", newDesk, 2, true, func(s *stage) roles { return roles{s.user(0, locks), s.user(1, insists(locks))} }},
		{"desk: one enters, one gives up", newDesk, 2, true, func(s *stage) roles { return roles{s.user(0, locks), s.user(1, unlessCancelled), s.giveUp} }},
		{"desk: one enters, one gives up and comes again", newDesk, 2, true, func(s *stage) roles {
			return roles{s.user(0, locks), s.user(1, unlessCancelled, locks), s.giveUp}
		}},
		{"asker: one enters, one gives up and comes again", newAsker, 2, true, func(s *stage) roles {
			return roles{s.user(0, locks), s.user(1, unlessCancelled, locks), s.giveUp}
		}},
		{"asker: one enters, one tries", newAsker, 2, true, func(s *stage) roles { return roles{s.user(0, locks), s.user(1, tries)} }},
		{"desk: two enter, and it is closed", newDesk, 2, false, func(s *stage) roles { return roles{s.user(0, unlessOver), s.user(1, unlessOver), s.c.Close} }},
		{"desk: one tries, and then enters, and it is closed", newDesk, 2, false, func(s *stage) roles {
			return roles{s.user(0, unlessOver), s.user(1, insists(unlessOver)), s.c.Close}
		}},
		{"asker: two enter, and it is closed", newAsker, 2, false, func(s *stage) roles { return roles{s.user(0, unlessOver), s.user(1, unlessOver), s.c.Close} }},
		{"desk: three enter", newDesk, 3, true, func(s *stage) roles { return roles{s.user(0, locks), s.user(1, locks), s.user(2, locks)} }},
		{"mourner: one enters, the other crashes", newMourner, 2, true, func(s *stage) roles { return roles{s.user(0, locks), s.inflicter(0, crash)} }},
		{"mourner: one enters, the other crashes and enters again", newMourner, 2, true, func(s *stage) roles { return roles{s.user(0, locks), s.inflicter(1, crash, restart)} }},
		{"mourner: two enter, and one crashes", newMourner, 2, true, func(s *stage) roles { return roles{s.user(0, locks), s.mortal(unlessOver), s.inflicter(0, crash)} }},
		{"mourner: two enter, and one stops", newMourner, 2, true, func(s *stage) roles { return roles{s.user(0, locks), s.mortal(unlessOver), s.inflicter(0, stop)} }},
		{"mourner: one host crashes it, and another restarts it", newMourner, 2, true, func(s *stage) roles { return roles{s.user(0, locks), s.inflicter(0, crash), s.inflicter(0, restart)} }},
		{"mourner: one enters, one tries and crashes", newMourner, 2, true, func(s *stage) roles { return roles{s.user(0, locks), s.mortal(tries), s.inflicter(0, crash)} }},
		{"mourner: two enter, and one crashes and restarts", newMourner, 2, true, func(s *stage) roles {
			return roles{s.user(0, locks), s.mortal(unlessOver), s.inflicter(0, crash, restart)}
		}},
		{"desk: a goroutine goes on, and its user gives up", newDesk, 2, true, func(s *stage) roles { return append(s.handedOver(1), s.user(0, locks)) }},
		{"asker: a goroutine goes on, and its user gives up", newAsker, 2, true, func(s *stage) roles { return append(s.handedOver(1), s.user(0, locks)) }},
	}
}
