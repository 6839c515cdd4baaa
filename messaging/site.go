package messaging

import (
	"fmt"
	"slices"
	"time"

	"example.org/doorway/internal/node/loopback"
	"example.org/doorway/internal/node/typename"
)

// A Site is a node and its user, if the node is an [Exclusion]: the part that all hosts have in
// common, without goroutines, clocks or a network. It enforces the order Request, Enter, Release;
// delivers messages of the node to itself; withdraws or absorbs aborted requests; and
// collects the effects of the node for the host. (It resembles RawNode in etcd's raft.)
//
// A Site is not safe for concurrent use. After each method call the host carries out
// Sends, Timers and Emits, and then calls Done. A method that panics on misuse changes
// nothing.
type Site struct {
	// Effects are the effects of the node that are not carried out yet. A host that
	// runs several sites, one at a time, may share one Effects among them.
	*Effects

	node     Node
	self     ID
	nodes    int
	phase    Phase
	absorbed bool   // the node is inside by an aborted request
	entries  uint64 // the clock of entries

	lock   Exclusion // the node, or nil if it is none
	epochs Epocher   // likewise
	token  Token     // of the last entry
	choose func(n int) int

	algorithm Algorithm
	start     Start
	links     []ID // the nodes to which it has links, in ascending order; nil: all
}

// Effects are the sends, timers and emitted values of a node, each in order.
type Effects struct {
	Sends  []Send
	Timers []Timer
	Emits  []any

	own loopback.Queue[Message]

	runner *runner // of a Cluster, which posts messages at once, bypassing Sends
}

// A Send is a message to another node.
type Send struct {
	To      ID
	Message Message
}

// A Timer is a message that the node gets back after a delay.
type Timer struct {
	After   time.Duration
	Message Message
}

// A Phase is the state of the user of a site, or of the request of a node, which is
// never Absorbing.
type Phase uint8

// The phases of a site.
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

// NewSite returns the site of node start.Self. The host's choose implements the node's
// [Out.Choose]; nil always chooses 0. It panics if start is invalid, or if a is or
// returns nil.
func NewSite(a Algorithm, start Start, choose func(n int) int) *Site {
	s := new(Site)
	s.init(a, start, choose)
	return s
}

// init is NewSite in place.
func (s *Site) init(a Algorithm, start Start, choose func(n int) int) {
	if start.Nodes < 1 || start.Self < 0 || int(start.Self) >= start.Nodes {
		panic(fmt.Sprintf("messaging: node %d of %d: the nodes are 0 to %d", start.Self, start.Nodes, start.Nodes-1))
	}
	if start.Holder < 0 || int(start.Holder) >= start.Nodes {
		panic(fmt.Sprintf("messaging: node %d has the privilege at first: the nodes are 0 to %d", start.Holder, start.Nodes-1))
	}
	if a == nil {
		panic(fmt.Sprintf("messaging: node %d of %d has no algorithm: it is nil", start.Self, start.Nodes))
	}
	*s = Site{Effects: new(Effects), self: start.Self, nodes: start.Nodes, choose: choose, algorithm: a, start: start}
	s.make()
}

// make makes the node.
func (s *Site) make() {
	start := s.start
	start.links = &s.links
	s.node = s.algorithm(start)
	if s.node == nil {
		panic(fmt.Sprintf("messaging: the algorithm returned nil for node %d of %d: it must return a new node each time", s.self, s.nodes))
	}
	if innermost(s.node) == nil {
		panic(fmt.Sprintf("messaging: node %d of %d wraps nil: its method Unwrap must return a node", s.self, s.nodes))
	}
	checkDurable(s.node)
	s.lock, _ = As[Exclusion](s.node)
	s.epochs, _ = As[Epocher](s.node)
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

// Node returns the node.
func (s *Site) Node() Node { return s.node }

// Start calls Start of the node, if it is a [Starter], and reports whether it is one. The
// host calls it once, before any other method.
func (s *Site) Start() bool {
	n, ok := As[Starter](s.node)
	if ok {
		n.Start((*outlet)(s))
		s.settle()
	}
	return ok
}

// Restart replaces the node, which has crashed, by a new one with Start.Restarted set.
// Only what is declared as durable survives: the exported fields of the node with the
// tag
//
//	Granted messaging.Stamp `messaging:"durable"`
//
// and those of structs within it. All other fields have their initial values, and the
// user is Idle. The clock of entries goes on. The host has carried out or discarded the effects,
// and calls [Site.Start] next.
func (s *Site) Restart() {
	crashed := s.node
	s.start.Restarted = true
	s.make()
	recall(s.node, crashed)
	s.own.Clear()
	s.phase, s.absorbed, s.token = Idle, false, Token{}
}

// Phase returns the state of the user of the site.
func (s *Site) Phase() Phase { return s.phase }

// Request requests the critical section. Afterwards the site is Waiting or already
// Inside. While a request is being absorbed, the node is not called, and enters for the new one. It
// panics if the site is Waiting or Inside.
func (s *Site) Request() {
	switch s.phase {
	case Idle:
		if s.lock == nil {
			panic(fmt.Sprintf("messaging: request of node %d, a %T: it is no Exclusion", s.self, innermost(s.node)))
		}
		s.phase = Waiting
		s.lock.Request((*outlet)(s))
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
	s.lock.Release((*outlet)(s))
	s.settle()
}

// Withdraw aborts a request. If the node is a [Withdrawer], the site is Idle afterwards;
// otherwise it is Absorbing until the node enters, and then leaves at once. It panics
// unless the site is Waiting.
func (s *Site) Withdraw() {
	if s.phase != Waiting {
		panic(fmt.Sprintf("messaging: withdrawal of node %d, which is %v", s.self, s.phase))
	}
	w, ok := As[Withdrawer](s.node)
	if !ok {
		s.phase = Absorbing
		return
	}
	s.phase = Idle
	w.Withdraw((*outlet)(s))
	s.settle()
}

// Receive delivers m from node from, which is the node itself for a timer and for an input
// of its user. It panics unless from is the number of a node.
func (s *Site) Receive(from ID, m Message) {
	if from < 0 || int(from) >= s.nodes {
		panic(fmt.Sprintf("messaging: node %d got %s from node %d: the nodes are 0 to %d", s.self, typename.Of(m), from, s.nodes-1))
	}
	s.receive(from, copied(m))
}

// receive is Receive of what the node may keep.
func (s *Site) receive(from ID, m Message) {
	s.node.Receive(from, m, (*outlet)(s))
	s.settle()
}

// Down reports a crash of peer to the node, if it is a [Survivor].
func (s *Site) Down(peer ID) {
	if n, ok := As[Survivor](s.node); ok {
		n.Down(peer, (*outlet)(s))
		s.settle()
	}
}

// acted reports whether there are effects to carry out.
func (e *Effects) acted() bool { return len(e.Sends)+len(e.Timers)+len(e.Emits) > 0 }

// Done discards the effects, once the host has carried them out.
func (e *Effects) Done() {
	clear(e.Sends) // for the garbage collector
	clear(e.Timers)
	clear(e.Emits)
	e.Sends, e.Timers, e.Emits = e.Sends[:0], e.Timers[:0], e.Emits[:0]
}

// settle delivers messages of the node to itself, and leaves an absorbed entry.
func (s *Site) settle() {
	if len(s.own) > 0 || s.absorbed {
		s.settleAll()
	}
}

func (s *Site) settleAll() {
	for {
		s.own.Deliver(func(m Message) { s.node.Receive(s.self, m, (*outlet)(s)) })
		if !s.absorbed {
			return
		}
		s.absorbed = false
		s.phase = Idle
		s.lock.Release((*outlet)(s))
	}
}

// An outlet is the Out that a site presents to its node.
type outlet Site

func (o *outlet) Send(to ID, m Message) {
	m = copied(m)
	switch {
	case to == o.self:
		o.own.Send(int(o.self), m)
	case to < 0 || int(to) >= o.nodes:
		panic(fmt.Sprintf("messaging: node %d sends %s to node %d: the nodes are 0 to %d", o.self, typename.Of(m), to, o.nodes-1))
	case o.links != nil && !o.linked(to):
		panic(fmt.Sprintf("messaging: node %d sends %s to node %d, to which it has no link: it has links to %v", o.self, typename.Of(m), to, o.links))
	case o.runner != nil:
		o.runner.send(to, m)
	default:
		o.Sends = append(o.Sends, Send{to, m})
	}
}

func (o *outlet) linked(to ID) bool {
	_, found := slices.BinarySearch(o.links, to)
	return found
}

func (o *outlet) Enter() {
	switch o.phase {
	case Waiting:
		o.phase = Inside
	case Absorbing:
		o.phase, o.absorbed = Inside, true
	default:
		panic(fmt.Sprintf("messaging: node %d enters, but it is %v: a node enters once per request", o.self, o.phase))
	}
	(*Site)(o).enter()
}

func (o *outlet) After(d time.Duration, m Message) {
	if d < 0 {
		panic(fmt.Sprintf("messaging: node %d sets a timer of %v: a duration must not be negative", o.self, d))
	}
	o.Timers = append(o.Timers, Timer{d, copied(m)})
}

func (o *outlet) Choose(n int) int {
	if n < 1 {
		panic(fmt.Sprintf("messaging: node %d chooses among %d: there must be at least 1", o.self, n))
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
	o.Emits = append(o.Emits, copied(v))
}
