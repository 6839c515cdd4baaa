// Package steps is the step relation of nodes: what can happen next in a run, and what happens then. A host decides
// which of it does: package sim by virtual time or as its caller says, and package nodetest at random.
package steps

import (
	"math"
	"time"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/conflict"
	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
)

// A Config is what a [System] is made of. Hosts have checked it.
type Config struct {
	Algorithm messaging.Algorithm
	Nodes     int
	Holder    messaging.ID
	Choose    func(n int) int       // draws for a node
	Observe   func(messaging.Event) // is called with each event; nil: none is
	Detected  bool                  // survivors are told of crashes

	Own func(i messaging.ID, m messaging.Message) // is called with each message that a node gets from itself; nil: none is

	Invariant messaging.Invariant // nil: none is held
	Results   messaging.Results   // nil: none are
}

// A Host decides when what its nodes do takes effect elsewhere.
type Host interface {
	// Send has a node send messages.
	Send(from messaging.ID, all []host.Send)

	// Schedule has a timer expire after d.
	Schedule(e Event, d time.Duration)

	// Notify has a survivor learn of a crash.
	Notify(e Event)

	// Entered is called when a node has entered; if it passed, for a request that it had given up, and it has left at once.
	Entered(i messaging.ID, passed bool)

	// Fail ends the run with an error, unless that is nil.
	Fail(err error)
}

// A System is the nodes of a run. If a node panics, so does the method that called it, and Acting is that node.
type System struct {
	Now    time.Duration
	Last   time.Duration // the time of the last event
	Number uint64        // of that event
	Cause  uint64        // the number of the event on which the node that acts does so

	Sites  []host.Site
	Lives  []Life // by node
	Down   int    // how many nodes are down
	Graph  conflict.Graph
	Inside []messaging.ID    // the nodes that are inside and have not crashed
	Emits  []messaging.Event // all that were emitted

	Delivered, Lost int // messages that were delivered, or lost as their receiver was down

	Acting   messaging.ID // the node whose code runs, or None
	Starting bool         // it runs Start

	config  Config
	host    Host
	effects host.Effects // of the node that acts
	emitted [][]any      // by node, for the results
	view    view         // for the invariant
}

// None is no node.
const None messaging.ID = -1

// A Life is what has become of a node.
type Life struct {
	Crashed bool
	Crashes int32  // how many there were
	Since   uint64 // the number of the event with which it began to wait, entered, or crashed
}

// New returns a system whose nodes are not made yet.
func New(c Config, of Host) System {
	s := System{config: c, host: of, Acting: None, Sites: make([]host.Site, c.Nodes), Lives: make([]Life, c.Nodes)}
	if c.Invariant != nil {
		s.view.nodes = make([]messaging.Node, c.Nodes)
	}
	if c.Results != nil {
		s.emitted = make([][]any, c.Nodes)
	}
	return s
}

// Make makes the nodes.
func (s *System) Make() {
	defer history.Made(&s.Acting)
	if s.config.Own != nil {
		s.effects.Own = func(m messaging.Message) { s.config.Own(s.Acting, m) }
	}
	for i := range s.Sites {
		s.Acting = messaging.ID(i)
		start := messaging.Start{Self: s.Acting, Nodes: s.config.Nodes, Holder: s.config.Holder}
		s.Sites[i] = *host.NewSite(s.config.Algorithm, start, s.config.Choose)
		s.Sites[i].Effects = &s.effects
	}
	s.Acting = None
	s.Graph = conflict.Of(s.config.Nodes, func(i messaging.ID) messaging.Node { return s.Sites[i].Node() })
}

// Start starts the nodes but for those that crash before everything else.
func (s *System) Start(crashes messaging.Set) {
	s.Starting = true
	for i := range s.Sites {
		id := messaging.ID(i)
		if crashes.Has(id) {
			continue
		}
		s.Acting = id
		starts := s.Sites[i].Start()
		s.Acting = None
		if starts {
			s.Cause = s.Observe(0, action.Started, id, id, nil)
			s.carryOut(id, messaging.Idle)
		}
	}
	s.Acting, s.Starting = None, false
}

// Observe counts an event, passes it to the observer, if any, and returns its number.
func (s *System) Observe(cause uint64, action string, from, to messaging.ID, m any) uint64 {
	s.Last = s.Now
	s.Number++
	if s.config.Observe != nil {
		s.config.Observe(messaging.Event{
			Number: s.Number, Cause: cause, At: s.Now, Action: action, From: from, To: to, Message: m,
		})
	}
	return s.Number
}

// EndOfTime is the last tick of the clock.
const EndOfTime time.Duration = math.MaxInt64

// After returns the time d from now.
func (s *System) After(d time.Duration) time.Duration { return Sum(s.Now, d) }

// Sum returns a + b for nonnegative times, at most EndOfTime.
func Sum(a, b time.Duration) time.Duration {
	if b > EndOfTime-a {
		return EndOfTime
	}
	return a + b
}

// IsLock reports whether a node is an Exclusion.
func (s *System) IsLock(i messaging.ID) bool {
	_, lock := messaging.As[messaging.Exclusion](s.Sites[i].Node())
	return lock
}
