package recovery

import (
	"slices"

	"example.org/doorway/internal/node/layer"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election"
	"example.org/doorway/messaging/election/bully"
)

// none is no node.
const none messaging.ID = -1

type node struct {
	start     messaging.Start
	algorithm func(n int) messaging.Algorithm
	has       func(m messaging.Message) bool // whether it is of a kind of the algorithm
	config    Config
	withdraws bool
	epochs    bool          // nodes of the algorithm have epochs of their own
	out       messaging.Out // of the handler that runs; nil: none does

	Incarnation, Notices, Promised uint64 `messaging:"durable"`
	Answered, Kept                 bool
	Reports                        uint64

	Present uint64
	Members []messaging.ID
	Holder  messaging.ID
	Inner   messaging.Node
	Early   []early
	Own     layer.Loopback

	Phase      messaging.Phase
	Timers     int
	Suspicious bool

	Election     messaging.Node
	Leader       messaging.ID
	Crashed      []uint64
	Incarnations []uint64

	Regenerates uint64
	Answers     []status
	Awaited     messaging.Set
	Probed      bool
}

// An early message of an epoch that has not begun here yet.
type early struct {
	From    messaging.ID
	Message messaging.Message
}

// active reports whether the node takes part in an epoch.
func (n *node) active() bool { return len(n.Members) > 0 }

// Start has a node that starts again ask for an epoch to take part in. It asks all nodes. Those that count it as crashed
// are not told of the restart otherwise, and have to probe it.
func (n *node) Start(out messaging.Out) {
	defer n.end(n.begin(out))
	if n.start.Restarted {
		n.Incarnation++
		n.Suspicious = true
		for j := range n.start.Others() {
			n.accuse(j)
		}
		n.vote(func(out messaging.Out) { n.Election.(messaging.Starter).Start(out) })
		return
	}
	if starter, ok := messaging.As[messaging.Starter](n.Inner); ok {
		n.act(starter.Start)
	}
}

func (n *node) Request(out messaging.Out) {
	defer n.end(n.begin(out))
	n.Phase = messaging.Waiting
	n.wait()
	if n.active() {
		n.act(n.Inner.(messaging.Exclusion).Request)
	}
}

func (n *node) Release(out messaging.Out) {
	defer n.end(n.begin(out))
	n.Phase = messaging.Idle
	if n.active() {
		n.act(n.Inner.(messaging.Exclusion).Release)
	} else {
		n.reportAgain()
	}
}

func (n *node) Withdraw(out messaging.Out) {
	defer n.end(n.begin(out))
	n.Phase = messaging.Idle
	if n.active() {
		n.act(n.Inner.(messaging.Withdrawer).Withdraw)
	}
}

// Down has the leader regenerate. If there is none, an election is held.
func (n *node) Down(peer messaging.ID, out messaging.Out) {
	defer n.end(n.begin(out))
	n.lose(peer)
	regenerates := n.Regenerates
	n.vote(func(out messaging.Out) { n.Election.(messaging.Survivor).Down(peer, out) })
	switch {
	case n.Regenerates != regenerates: // it was elected
	case n.Leader == none:
		n.hold()
	case n.Leader == n.start.Self && n.Regenerates == 0:
		n.regenerate(n.Promised)
	}
	n.reportAgain()
	n.suspectIfOrphaned()
}

// lose treats a node as crashed from now on.
func (n *node) lose(peer messaging.ID) {
	n.out.Emit(messaging.Removed{Node: peer})
	n.Notices++
	n.Crashed[peer] = n.Notices
	n.Probed = false
	if n.Leader == peer {
		n.Leader = none
	}
}

// crashed returns the nodes that count as crashed.
func (n *node) crashed() (s messaging.Set) {
	for j, number := range n.Crashed {
		if number != 0 {
			s.Add(messaging.ID(j))
		}
	}
	return s
}

func (n *node) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if why := n.impossible(from, m); why != "" {
		messaging.Refuse("recovery", n.start.Self, from, m, why)
	}
	defer n.end(n.begin(out))
	awaited, taken := n.Awaited.Has(from), false
	n.Awaited.Remove(from) // its answer to a Freeze may be a Probe, a Suspect or a Later
	defer func() {
		if awaited && !taken { // a node within has refused it
			n.Awaited.Add(from)
		}
	}()
	switch m := m.(type) {
	case election.Hold, bully.Election, bully.Answer, bully.Coordinator, bully.Timeout:
		n.vote(func(out messaging.Out) { n.Election.Receive(from, m, out) })
	case suspect:
		n.suspected(from, m)
	case freeze:
		n.freeze(from, m)
	case status:
		n.answered(from, m)
	case probe:
		n.out.Send(from, alive{m.Number, n.Incarnation})
	case alive:
		n.alive(from, m)
	case begin:
		n.began(m)
	case later:
		n.later(m.Epoch)
	case silence:
		n.silence(m.Epoch)
	case impatience:
		n.impatience()
	case within:
		n.within(from, m.Epoch, m.Message)
	default:
		n.within(from, 0, m)
	}
	taken = true
}

// within takes a message of the algorithm in an epoch.
func (n *node) within(from messaging.ID, epoch uint64, m messaging.Message) {
	switch {
	case epoch == n.Promised && n.active():
		n.Inner.Receive(n.rank(from), m, (*outlet)(n))
		n.settle()
	case epoch == n.Promised && n.Answered:
		n.Early = append(n.Early, early{from, m})
	case epoch < n.Promised && n.active() && !slices.Contains(n.Members, from):
		n.out.Send(from, later{n.Present})
	}
}

// rank returns the number in the present epoch of a member.
func (n *node) rank(member messaging.ID) messaging.ID {
	if len(n.Members) == n.start.Nodes {
		return member
	}
	k, _ := slices.BinarySearch(n.Members, member)
	return messaging.ID(k)
}

// freeze answers the Freeze of node from.
func (n *node) freeze(from messaging.ID, m freeze) {
	switch {
	case m.Epoch < n.Promised:
		n.out.Send(from, later{n.Promised})
		return
	case m.To != n.Incarnation: // it is for one that has crashed
		n.accuse(from)
		return
	case m.Epoch > n.Promised:
		n.promise(m.Epoch)
	case n.active():
		return // it has begun meanwhile
	}
	if n.Crashed[from] != 0 && (n.Leader == n.start.Self || n.Regenerates != 0) {
		n.probe(from)
		n.regenerate(m.Epoch) // the Freeze may be from before the crash
		return
	}
	if n.Regenerates < m.Epoch {
		n.stopRegenerating()
	}
	n.Answered = true
	n.probeAll(m.Crashed)
	n.report()
	n.suspectIfOrphaned()
}

// suspectIfOrphaned suspects if the node waits for an epoch of one that counts as crashed.
func (n *node) suspectIfOrphaned() {
	if n.Answered && !n.active() && n.Crashed[n.regenerator(n.Promised)] != 0 {
		n.suspect()
	}
}

// promise has the node take part in no epoch before this one. What it has in them is given up.
func (n *node) promise(epoch uint64) {
	n.Promised, n.Answered, n.Reports = epoch, false, 0
	n.Members, n.Holder, n.Inner, n.Early = nil, 0, nil, nil
}

// report sends the Status of the node to the one that regenerates.
func (n *node) report() {
	n.Reports++
	n.out.Send(n.regenerator(n.Promised), status{
		Epoch: n.Promised, Number: n.Reports, Inside: n.Phase == messaging.Inside, Waiting: n.Phase == messaging.Waiting,
		Kept: n.Kept, Crashed: n.crashed(),
	})
}

// reportAgain does so if something has changed since.
func (n *node) reportAgain() {
	if n.Answered && !n.active() {
		n.report()
	}
}

// regenerator returns the node that names an epoch.
func (n *node) regenerator(epoch uint64) messaging.ID {
	return messaging.ID(epoch % uint64(n.start.Nodes))
}

// begins reports whether a Begin is that of the epoch that was promised.
func (n *node) begins(m begin) bool { return m.Epoch == n.Promised && n.Answered && !n.active() }

// began begins the epoch that was promised.
func (n *node) began(m begin) {
	if !n.begins(m) {
		return
	}
	n.Present, n.Members, n.Suspicious, n.Kept = m.Epoch, slices.Clone(m.Members), false, true
	n.Holder = n.holder(m)
	n.out.Emit(Began{m.Epoch, m.Members})
	self, out := n.rank(n.start.Self), (*outlet)(n)
	r := n.rehearse(m, self)
	n.Inner = r.sites[self].Node()
	for _, e := range r.transit {
		if e.from == self {
			out.Send(e.to, e.message)
		}
	}
	inside, waits := r.sites[self].Phase() == messaging.Inside, n.Phase == messaging.Waiting
	if waits {
		n.wait()
	}
	switch {
	case waits && inside:
		out.Enter()
	case waits && !r.asked.Has(self): // it has requested since, or has to anew
		n.Inner.(messaging.Exclusion).Request(out)
	case !waits && inside: // it has given up since
		n.Inner.(messaging.Exclusion).Release(out)
	case !waits && r.asked.Has(self):
		n.Inner.(messaging.Withdrawer).Withdraw(out)
	}
	n.settle()
	arrived := n.Early
	n.Early = nil
	for _, e := range arrived {
		n.within(e.From, n.Present, e.Message)
	}
}

// later learns of an epoch without this node.
func (n *node) later(epoch uint64) {
	if epoch <= n.Promised {
		return
	}
	n.promise(epoch)
	regenerates := n.Regenerates != 0 || n.Leader == n.start.Self
	switch named := n.regenerator(epoch); {
	case !regenerates:
		n.suspect()
	case n.Crashed[named] != 0:
		n.regenerate(epoch)
	default: // two that do would outbid each other
		n.stopRegenerating()
		n.Suspicious = true
		n.accuse(named)
	}
}

// inner returns the node of the algorithm for the member of that rank of an epoch.
func (n *node) inner(rank messaging.ID, members int, holder messaging.ID) messaging.Node {
	return n.algorithm(members)(messaging.Start{Self: rank, Nodes: members, Holder: holder})
}

// act has the inner node handle an event, and then its messages to itself.
func (n *node) act(handle func(out messaging.Out)) {
	handle((*outlet)(n))
	n.settle()
}

func (n *node) settle() {
	n.Own.Deliver(func(m messaging.Message) { n.Inner.Receive(n.rank(n.start.Self), m, (*outlet)(n)) })
}
