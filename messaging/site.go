package messaging

import (
	"fmt"
	"slices"
	"time"

	"example.org/doorway/internal/action"
	"example.org/doorway/internal/seam"
)

// A site is a node and its user, without a host; package internal/raw has the documentation.
type site struct {
	*effects

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

// The effects of a node that are not carried out yet.
type effects struct {
	collected

	own []Message // sent by the node to itself, and not yet delivered

	runner *runner // of a Cluster, which posts messages at once, bypassing Sends
}

type (
	collected = seam.Effects[ID, Message]
	send      = seam.Send[ID, Message]
	timer     = seam.Timer[Message]
)

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

func init() {
	seam.NewSite = func(algorithm, start any, choose func(n int) int) any {
		s := new(site)
		s.init(algorithm.(Algorithm), start.(Start), choose)
		return s
	}
}

// init is seam.NewSite in place.
func (s *site) init(a Algorithm, start Start, choose func(n int) int) {
	if start.Nodes < 1 || start.Self < 0 || int(start.Self) >= start.Nodes {
		panic(fmt.Sprintf("messaging: node %d of %d: the nodes are 0 to %d", start.Self, start.Nodes, start.Nodes-1))
	}
	if start.Holder < 0 || int(start.Holder) >= start.Nodes {
		panic(fmt.Sprintf("messaging: node %d has the privilege at first: the nodes are 0 to %d", start.Holder, start.Nodes-1))
	}
	if a == nil {
		panic(fmt.Sprintf("messaging: node %d of %d has no algorithm: it is nil", start.Self, start.Nodes))
	}
	*s = site{effects: new(effects), self: start.Self, nodes: start.Nodes, choose: choose, algorithm: a, start: start}
	s.make()
}

// make makes the node.
func (s *site) make() {
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

// The methods are those of package internal/raw, in its order.

func (s *site) Node() Node { return s.node }

func (s *site) Start() bool {
	n, ok := As[Starter](s.node)
	if ok {
		n.Start((*outlet)(s))
		s.settle()
	}
	return ok
}

func (s *site) Restart() {
	crashed := s.node
	s.start.Restarted = true
	s.make()
	recall(s.node, crashed)
	clear(s.own)
	s.own, s.phase, s.absorbed, s.token = s.own[:0], Idle, false, Token{}
}

func (s *site) Phase() Phase { return s.phase }

func (s *site) Request() {
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

func (s *site) Release() {
	if s.phase != Inside {
		panic(fmt.Sprintf("messaging: release of node %d, which is %v", s.self, s.phase))
	}
	s.phase = Idle
	s.lock.Release((*outlet)(s))
	s.settle()
}

func (s *site) Withdraw() {
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

func (s *site) Receive(from ID, m Message) {
	if from < 0 || int(from) >= s.nodes {
		panic(fmt.Sprintf("messaging: node %d got %s from node %d: the nodes are 0 to %d", s.self, action.Type(m), from, s.nodes-1))
	}
	s.receive(from, copied(m))
}

// receive is Receive of what the node may keep.
func (s *site) receive(from ID, m Message) {
	s.node.Receive(from, m, (*outlet)(s))
	s.settle()
}

func (s *site) Down(peer ID) {
	if n, ok := As[Survivor](s.node); ok {
		n.Down(peer, (*outlet)(s))
		s.settle()
	}
}

func (s *site) Collected() *collected { return &s.collected }

func (s *site) Share(with any) { s.effects = with.(*site).effects }

func (s *site) CopyTo(other any) any {
	c, _ := other.(*site)
	if c == nil {
		c = new(site)
	}
	*c = *s
	c.effects = new(effects)
	return c
}

// acted reports whether there are effects to carry out.
func (e *effects) acted() bool { return len(e.Sends)+len(e.Timers)+len(e.Emits) > 0 }

// settle delivers messages of the node to itself, and leaves an absorbed entry.
func (s *site) settle() {
	if len(s.own) > 0 || s.absorbed {
		s.settleAll()
	}
}

// settleAll does so in a loop after the handler, not when it sends: a reentered handler
// would see half of its own changes. (A node of Maekawa's algorithm would relinquish
// the same lock twice, and two nodes would enter.)
func (s *site) settleAll() {
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
		s.lock.Release((*outlet)(s))
	}
}

// An outlet is the Out that a site presents to its node.
type outlet site

func (o *outlet) Send(to ID, m Message) {
	m = copied(m)
	switch {
	case to == o.self:
		o.own = append(o.own, m)
	case to < 0 || int(to) >= o.nodes:
		panic(fmt.Sprintf("messaging: node %d sends %s to node %d: the nodes are 0 to %d", o.self, action.Type(m), to, o.nodes-1))
	case o.links != nil && !o.linked(to):
		panic(fmt.Sprintf("messaging: node %d sends %s to node %d, to which it has no link: it has links to %v", o.self, action.Type(m), to, o.links))
	case o.runner != nil:
		o.runner.send(to, m)
	default:
		o.Sends = append(o.Sends, send{To: to, Message: m})
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
	(*site)(o).enter()
}

func (o *outlet) After(d time.Duration, m Message) {
	if d < 0 {
		panic(fmt.Sprintf("messaging: node %d sets a timer of %v: a duration must not be negative", o.self, d))
	}
	o.Timers = append(o.Timers, timer{After: d, Message: copied(m)})
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
