// Package steps is the step relation of nodes: what can happen next in a run, and what happens then. It is that of
// package sim, for hosts that choose every step; users have it as a sim.Simulation, which also keeps all events, and
// can undo.
package steps

import (
	"time"

	"example.org/doorway/messaging"
)

// New makes the nodes of a run of a sim.Config, which is valid; they draw by draw. Package sim sets it, as it
// exports no name for that.
var New func(config any, draw func(n int) int) Run

// A Run is a run of nodes. If a node panics, so does the method that called it.
type Run interface {
	// Start starts the nodes. It is called once, before the methods below.
	Start()

	// Pending appends what can happen next, in the order of time: the numbers of messages, of which no other is in
	// front on the same FIFO link, and the rest, but for what users, crashes and restarts do.
	Pending(messages []uint64, others []Pending) ([]uint64, []Pending)

	// Do makes a choice of sim.Simulation.Do, which must be possible.
	Do(what byte, number uint64)

	// Failed returns how the run has failed, or nil.
	Failed() error

	// Over returns how it fails if no choice is made any more, or nil.
	Over() error

	// Phases sets the phase of each node.
	Phases(all []messaging.Phase)

	// Token returns the token of the last entry of node i, or the zero Token.
	Token(i messaging.ID) messaging.Token

	// Excludes reports whether two nodes must not be inside at the same time.
	Excludes(i, j messaging.ID) bool
}

// Down is the phase of a node that is down.
const Down messaging.Phase = 255

// A Pending is a running timer, an input or a notice of a crash.
type Pending struct {
	Number uint64
	Action string // of the event: expired, input or told
	Node   messaging.ID
	After  time.Duration // how long it takes
	Due    bool          // now
}
