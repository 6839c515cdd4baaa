package messaging

import (
	"fmt"
	"time"
)

// A Site is a node together with the user in front of it: what every host of
// nodes does alike, without goroutines, clocks or a network. It holds the order
// Request, Enter, Release; delivers what the node sends to itself; withdraws or
// absorbs requests that are given up; and collects what the node does for the
// host to carry out. (As RawNode in etcd's raft.)
//
// Methods are for one goroutine at a time. After each of them the host carries
// out Sends, Timers and Emits, and calls Done. A method that panics because it
// was misused has changed nothing.
type Site struct {
	// Effects are what the node has done. A host that runs many sites, one at a
	// time, may have them share theirs.
	*Effects

	node     Exclusion
	self     ID
	nodes    int
	phase    Phase
	absorbed bool // the node is inside by a request that was given up
	choose   func(n int) int
}

// Effects are what a node has done, in that order each.
type Effects struct {
	Sends  []Send
	Timers []Timer
	Emits  []any

	own []Message // sent by the node to itself, and not yet delivered

	runner *runner // of a Cluster, which takes messages at once: they are not in Sends
}

// A Send is a message on its way to another node.
type Send struct {
	To      ID
	Message Message
}

// A Timer is a message that is to come back to its sender.
type Timer struct {
	After   time.Duration
	Message Message
}

// A Phase is how far the user of a site is, or the request of a node, which is
// never Absorbing.
type Phase uint8

// The phases of a site.
const (
	Idle      Phase = iota // nobody wants to enter
	Waiting                // requested, and not yet inside
	Inside                 // in the critical section
	Absorbing              // the user has given up, the request has not
)

func (p Phase) String() string {
	switch p {
	case Idle:
		return "idle"
	case Waiting:
		return "waiting"
	case Inside:
		return "inside"
	case Absorbing:
		return "giving up"
	}
	return fmt.Sprintf("Phase(%d)", uint8(p))
}

// NewSite returns the site of node start.Self. The host's choose serves the
// node's [Out.Choose]; nil always chooses 0.
func NewSite(a Algorithm, start Start, choose func(n int) int) *Site {
	s := new(Site)
	s.Init(a, start, choose)
	return s
}

// Init is NewSite in place.
func (s *Site) Init(a Algorithm, start Start, choose func(n int) int) {
	if start.Nodes < 1 || start.Self < 0 || int(start.Self) >= start.Nodes {
		panic(fmt.Sprintf("messaging: node %d of %d: the nodes are 0 to %d", start.Self, start.Nodes, start.Nodes-1))
	}
	if a == nil {
		panic(fmt.Sprintf("messaging: node %d of %d has no algorithm: it is nil", start.Self, start.Nodes))
	}
	node := a(start)
	if node == nil {
		panic(fmt.Sprintf("messaging: the algorithm returned nil for node %d of %d: it returns a new node each time", start.Self, start.Nodes))
	}
	*s = Site{Effects: new(Effects), node: node, self: start.Self, nodes: start.Nodes, choose: choose}
}

// Node returns the node.
func (s *Site) Node() Exclusion { return s.node }

// Phase returns how far the user of the site is.
func (s *Site) Phase() Phase { return s.phase }

// Request asks for the critical section. Afterwards the site is Waiting, or
// Inside already. A request that is being absorbed is taken up again. It panics
// if the site is Waiting or Inside.
func (s *Site) Request() {
	switch s.phase {
	case Idle:
		s.phase = Waiting
		s.node.Request((*outlet)(s))
		s.settle()
	case Absorbing:
		s.phase = Waiting
	default:
		panic(fmt.Sprintf("messaging: request of node %d, which is %v", s.self, s.phase))
	}
}

// Release leaves the critical section. It panics unless the site is Inside.
func (s *Site) Release() {
	if s.phase != Inside {
		panic(fmt.Sprintf("messaging: release of node %d, which is %v", s.self, s.phase))
	}
	s.phase = Idle
	s.node.Release((*outlet)(s))
	s.settle()
}

// Withdraw gives up a request. If the node can withdraw it, the site is Idle
// afterwards; otherwise it is Absorbing until the node enters, and then leaves
// at once. It panics unless the site is Waiting.
func (s *Site) Withdraw() {
	if s.phase != Waiting {
		panic(fmt.Sprintf("messaging: withdrawal of node %d, which is %v", s.self, s.phase))
	}
	w, ok := s.node.(Withdrawer)
	if !ok {
		s.phase = Absorbing
		return
	}
	s.phase = Idle
	w.Withdraw((*outlet)(s))
	s.settle()
}

// Receive delivers m, which node from has sent, or the node itself by a timer.
// It panics unless from is the number of a node.
func (s *Site) Receive(from ID, m Message) {
	if from < 0 || int(from) >= s.nodes {
		panic(fmt.Sprintf("messaging: node %d got %T from node %d: the nodes are 0 to %d", s.self, m, from, s.nodes-1))
	}
	s.receive(from, m)
}

func (s *Site) receive(from ID, m Message) {
	s.node.Receive(from, m, (*outlet)(s))
	s.settle()
}

// Down tells the node that peer has crashed, if it is a [Survivor].
func (s *Site) Down(peer ID) {
	if n, ok := s.node.(Survivor); ok {
		n.Down(peer, (*outlet)(s))
		s.settle()
	}
}

// acted says whether there is anything to carry out.
func (e *Effects) acted() bool { return len(e.Sends)+len(e.Timers)+len(e.Emits) > 0 }

// Done forgets what the node has done.
func (e *Effects) Done() {
	clear(e.Sends) // so that messages can be collected
	clear(e.Timers)
	clear(e.Emits)
	e.Sends, e.Timers, e.Emits = e.Sends[:0], e.Timers[:0], e.Emits[:0]
}

// settle delivers what the node has sent to itself, and leaves an entry that
// nobody wants any more.
func (s *Site) settle() {
	if len(s.own) > 0 || s.absorbed {
		s.settleAll()
	}
}

// settleAll does so in a loop, after the handler and not where it sends: a handler
// that is entered anew in its midst sees half of its own changes. (A node of
// Maekawa's algorithm would relinquish the same lock twice, and two would enter.)
func (s *Site) settleAll() {
	for {
		for k := 0; k < len(s.own); k++ {
			s.node.Receive(s.self, s.own[k], (*outlet)(s))
		}
		clear(s.own)
		s.own = s.own[:0]
		if !s.absorbed {
			return
		}
		s.absorbed = false
		s.phase = Idle
		s.node.Release((*outlet)(s))
	}
}

// An outlet is a site as its node sees it: an Out.
type outlet Site

func (o *outlet) Send(to ID, m Message) {
	switch {
	case to == o.self:
		o.own = append(o.own, m)
	case to < 0 || int(to) >= o.nodes:
		panic(fmt.Sprintf("messaging: node %d sends %T to node %d: the nodes are 0 to %d", o.self, m, to, o.nodes-1))
	case o.runner != nil:
		o.runner.send(to, m)
	default:
		o.Sends = append(o.Sends, Send{to, m})
	}
}

func (o *outlet) Enter() {
	switch o.phase {
	case Waiting:
		o.phase = Inside
	case Absorbing:
		o.phase, o.absorbed = Inside, true
	default:
		panic(fmt.Sprintf("messaging: node %d enters, but it is %v: a node enters once for each request", o.self, o.phase))
	}
}

func (o *outlet) After(d time.Duration, m Message) {
	if d < 0 {
		panic(fmt.Sprintf("messaging: node %d sets a timer of %v: a duration is not negative", o.self, d))
	}
	o.Timers = append(o.Timers, Timer{d, m})
}

func (o *outlet) Choose(n int) int {
	if n < 1 {
		panic(fmt.Sprintf("messaging: node %d chooses among %d: it needs at least 1", o.self, n))
	}
	if o.choose == nil {
		return 0
	}
	return o.choose(n)
}

func (o *outlet) Emit(v any) {
	if v, ok := v.(Removed); ok && o.runner != nil {
		o.runner.removes(v.Node)
	}
	o.Emits = append(o.Emits, v)
}
