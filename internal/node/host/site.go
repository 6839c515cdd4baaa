// Package host has what all hosts of nodes have in common: the cluster, the simulator, the checkers and the engine.
package host

import (
	"fmt"
	"reflect"
	"slices"
	"time"

	"example.org/doorway/internal/node/layer"
	"example.org/doorway/internal/node/loopback"
	"example.org/doorway/internal/node/typename"
	"example.org/doorway/messaging"
)

// A Site is a node and its user, if the node is an [messaging.Exclusion]: the part that all hosts have in
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

	node     messaging.Node
	self     messaging.ID
	nodes    int
	phase    messaging.Phase
	absorbed bool   // the node is inside by an aborted request
	entries  uint64 // the clock of entries

	lock   messaging.Exclusion // the node, or nil if it is none
	epochs messaging.Epocher   // likewise
	token  messaging.Token     // of the last entry
	choose func(n int) int

	algorithm messaging.Algorithm
	start     messaging.Start
	links     []messaging.ID // the nodes to which it has links, in ascending order; nil: all
}

// Effects are the sends, timers and emitted values of a node, each in order.
type Effects struct {
	Sends  []Send
	Timers []Timer
	Emits  []any

	// Immediate, if it is not nil, gets messages, entries and removals when they occur, rather than after the handler. Then
	// there are no Sends, and Site.Entries is what it has counted.
	Immediate Immediate

	// Own, if it is not nil, gets each message of a node to itself, just before the node does.
	Own func(m messaging.Message)

	own loopback.Queue[messaging.Message]
}

// An Immediate is the part of a host that acts while a handler runs.
type Immediate interface {
	Send(to messaging.ID, m messaging.Message)
	Entry() uint64 // counts an entry of the node, and returns how many there have been of all nodes
	Removes(node messaging.ID)
}

// A Send is a message to another node.
type Send struct {
	To      messaging.ID
	Message messaging.Message
}

// A Timer is a message that the node gets back after a delay.
type Timer struct {
	After   time.Duration
	Message messaging.Message
}

// NewSite returns the site of node start.Self. The host's choose implements the node's
// [messaging.Out.Choose]; nil always chooses 0. It panics if start is invalid, or if a is or
// returns nil.
func NewSite(a messaging.Algorithm, start messaging.Start, choose func(n int) int) *Site {
	s := new(Site)
	s.Init(a, start, choose)
	return s
}

// Init is NewSite in place.
func (s *Site) Init(a messaging.Algorithm, start messaging.Start, choose func(n int) int) {
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
	start.Links = &s.links
	s.node = s.algorithm(start)
	if v := reflect.ValueOf(s.node); s.node == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		panic(fmt.Sprintf("messaging: the algorithm returned nil for node %d of %d: it must return a new node each time", s.self, s.nodes))
	}
	if layer.Innermost(s.node) == nil {
		panic(fmt.Sprintf("messaging: node %d of %d wraps nil: its method Unwrap must return a node", s.self, s.nodes))
	}
	checkDurable(s.node)
	s.lock, _ = messaging.As[messaging.Exclusion](s.node)
	s.epochs, _ = messaging.As[messaging.Epocher](s.node)
}

// Resume continues with another node of the same algorithm and start, or one that has restarted, in a state in which its
// user is in that phase.
func (s *Site) Resume(node messaging.Node, phase messaging.Phase) {
	s.node, s.phase = node, phase
	if s.lock != nil {
		s.lock = node.(messaging.Exclusion)
	}
	if s.epochs != nil {
		s.epochs = node.(messaging.Epocher)
	}
}

// Node returns the node.
func (s *Site) Node() messaging.Node { return s.node }

// Start calls Start of the node, if it is a [messaging.Starter], and reports whether it is one. The
// host calls it once, before any other method.
func (s *Site) Start() bool {
	n, ok := messaging.As[messaging.Starter](s.node)
	if ok {
		n.Start((*outlet)(s))
		s.settle()
	}
	return ok
}

// Restart replaces the node, which has crashed, by a new one with Start.Restarted set.
// Only what is declared as durable survives. All other fields have their initial values, and the
// user is Idle. The clock of entries goes on. The host has carried out or discarded the effects,
// and calls [Site.Start] next.
func (s *Site) Restart() {
	crashed := s.node
	s.start.Restarted = true
	s.make()
	recall(s.node, crashed)
	s.own.Clear()
	s.phase, s.absorbed, s.token = messaging.Idle, false, messaging.Token{}
}

// Phase returns the state of the user of the site.
func (s *Site) Phase() messaging.Phase { return s.phase }

// Absorbs reports whether the node is inside by an aborted request, and leaves next.
func (s *Site) Absorbs() bool { return s.absorbed }

// Crash ends the request of the user, as the node has crashed; [Site.Restart] may follow.
func (s *Site) Crash() { s.phase = messaging.Idle }

// Request requests the critical section. Afterwards the site is Waiting or already
// Inside. While a request is being absorbed, the node is not called, and enters for the new one. It
// panics if the site is Waiting or Inside.
func (s *Site) Request() {
	switch s.phase {
	case messaging.Idle:
		if s.lock == nil {
			panic(fmt.Sprintf("messaging: request of node %d, a %T: it is no Exclusion", s.self, layer.Innermost(s.node)))
		}
		s.phase = messaging.Waiting
		s.lock.Request((*outlet)(s))
		s.settle()
	case messaging.Absorbing:
		s.phase = messaging.Waiting
	default:
		panic(fmt.Sprintf("messaging: request of node %d, which is %v", s.self, s.phase))
	}
}

// Release leaves the critical section. It panics unless the site is Inside.
func (s *Site) Release() {
	if s.phase != messaging.Inside {
		panic(fmt.Sprintf("messaging: release of node %d, which is %v", s.self, s.phase))
	}
	s.phase = messaging.Idle
	s.lock.Release((*outlet)(s))
	s.settle()
}

// Withdraw aborts a request. If the node is a [messaging.Withdrawer], the site is Idle afterwards;
// otherwise it is Absorbing until the node enters, and then leaves at once. It panics
// unless the site is Waiting.
func (s *Site) Withdraw() {
	if s.phase != messaging.Waiting {
		panic(fmt.Sprintf("messaging: withdrawal of node %d, which is %v", s.self, s.phase))
	}
	w, ok := messaging.As[messaging.Withdrawer](s.node)
	if !ok {
		s.phase = messaging.Absorbing
		return
	}
	s.phase = messaging.Idle
	w.Withdraw((*outlet)(s))
	s.settle()
}

// Receive delivers m from node from, which is the node itself for a timer and for an input
// of its user. It panics unless from is the number of a node.
func (s *Site) Receive(from messaging.ID, m messaging.Message) {
	if from < 0 || int(from) >= s.nodes {
		panic(fmt.Sprintf("messaging: node %d got %s from node %d: the nodes are 0 to %d", s.self, typename.Of(m), from, s.nodes-1))
	}
	s.Deliver(from, Copied(m))
}

// Deliver is Receive of what the node may keep.
func (s *Site) Deliver(from messaging.ID, m messaging.Message) {
	s.node.Receive(from, m, (*outlet)(s))
	s.settle()
}

// Down reports a crash of peer to the node, if it is a [messaging.Survivor].
func (s *Site) Down(peer messaging.ID) {
	if n, ok := messaging.As[messaging.Survivor](s.node); ok {
		n.Down(peer, (*outlet)(s))
		s.settle()
	}
}

// Acted reports whether there are effects to carry out.
func (e *Effects) Acted() bool { return len(e.Sends)+len(e.Timers)+len(e.Emits) > 0 }

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
		s.own.Deliver(func(m messaging.Message) {
			if s.Own != nil {
				s.Own(m)
			}
			s.node.Receive(s.self, m, (*outlet)(s))
		})
		if !s.absorbed {
			return
		}
		s.absorbed = false
		s.phase = messaging.Idle
		s.lock.Release((*outlet)(s))
	}
}

// Entries returns the clock of entries: how many there have been at least, of all nodes, that
// this one knows of. The host sends it with each message, reading it when it carries out the
// sends, and the receiving host calls [Site.Witness] before it delivers the message. It survives a
// restart.
func (s *Site) Entries() uint64 { return s.entries }

// Witness advances the clock of entries to that of a message, or of what the host knows
// otherwise: that of a node that has crashed, before it calls Down.
func (s *Site) Witness(entries uint64) { s.entries = max(s.entries, entries) }

// Token returns the token of the entry by which the node is inside, or else of the last one; the
// zero Token if it has not entered since it was started.
func (s *Site) Token() messaging.Token { return s.token }

// enter ticks the clock.
func (s *Site) enter() {
	if s.Immediate != nil {
		s.entries = s.Immediate.Entry()
	} else {
		s.entries++
	}
	s.token = messaging.Token{Count: s.entries}
	if s.epochs != nil {
		s.token.Epoch = s.epochs.Epoch()
	}
}

// An outlet is the Out that a site presents to its node.
type outlet Site

func (o *outlet) Send(to messaging.ID, m messaging.Message) {
	m = Copied(m)
	switch {
	case to == o.self:
		o.own.Send(int(o.self), m)
	case to < 0 || int(to) >= o.nodes:
		panic(fmt.Sprintf("messaging: node %d sends %s to node %d: the nodes are 0 to %d", o.self, typename.Of(m), to, o.nodes-1))
	case o.links != nil && !o.linked(to):
		panic(fmt.Sprintf("messaging: node %d sends %s to node %d, to which it has no link: it has links to %v", o.self, typename.Of(m), to, o.links))
	case o.Immediate != nil:
		o.Immediate.Send(to, m)
	default:
		o.Sends = append(o.Sends, Send{to, m})
	}
}

func (o *outlet) linked(to messaging.ID) bool {
	_, found := slices.BinarySearch(o.links, to)
	return found
}

func (o *outlet) Enter() {
	switch o.phase {
	case messaging.Waiting:
		o.phase = messaging.Inside
	case messaging.Absorbing:
		o.phase, o.absorbed = messaging.Inside, true
	default:
		panic(fmt.Sprintf("messaging: node %d enters, but it is %v: a node enters once per request", o.self, o.phase))
	}
	(*Site)(o).enter()
}

func (o *outlet) After(d time.Duration, m messaging.Message) {
	if d < 0 {
		panic(fmt.Sprintf("messaging: node %d sets a timer of %v: a duration must not be negative", o.self, d))
	}
	o.Timers = append(o.Timers, Timer{d, Copied(m)})
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
	if v, ok := v.(messaging.Removed); ok && o.Immediate != nil {
		o.Immediate.Removes(v.Node)
	}
	o.Emits = append(o.Emits, Copied(v))
}
