// Package raw has nodes without a host: the part that all hosts have in common. Its
// code is in package messaging, where a Cluster uses it.
package raw

import (
	"example.org/doorway/internal/seam"
	"example.org/doorway/messaging"
)

// A Site is a node and its user, if the node is a [messaging.Exclusion], without goroutines, clocks or
// a network. It enforces the order Request, Enter, Release; delivers messages of the node to itself;
// withdraws or absorbs aborted requests; and collects the effects of the node for the host. (It
// resembles RawNode in etcd's raft.)
//
// A Site is not safe for concurrent use. After each method call the host carries out
// Sends, Timers and Emits, and then calls Done. A method that panics on misuse changes
// nothing.
type Site struct {
	*Effects // that are not carried out yet
	site
}

// Effects are the sends, timers and emitted values of a node, each in order.
type Effects = seam.Effects[messaging.ID, messaging.Message]

// A Send is a message to another node.
type Send = seam.Send[messaging.ID, messaging.Message]

// A Timer is a message that the node gets back after a delay.
type Timer = seam.Timer[messaging.Message]

type site interface {
	// Node returns the node.
	Node() messaging.Node

	// Start calls Start of the node, if it is a [messaging.Starter], and reports whether it is one.
	// The host calls it once, before any other method.
	Start() bool

	// Restart replaces the node, which has crashed, by a new one with Start.Restarted set. Only what
	// is declared as durable survives ([messaging.Start]), and the user is Idle. The clock of entries
	// goes on. The host has carried out or discarded the effects, and calls Start next.
	Restart()

	// Phase returns the state of the user of the site.
	Phase() messaging.Phase

	// Request requests the critical section. Afterwards the site is Waiting or already Inside. While
	// a request is being absorbed, the node is not called, and enters for the new one. It panics if
	// the site is Waiting or Inside.
	Request()

	// Release leaves the critical section. It panics unless the site is Inside.
	Release()

	// Withdraw aborts a request. If the node is a [messaging.Withdrawer], the site is Idle afterwards;
	// otherwise it is Absorbing until the node enters, and then leaves at once. It panics unless the
	// site is Waiting.
	Withdraw()

	// Receive delivers m from node from, which is the node itself for a timer and for an input of its
	// user. It panics unless from is the number of a node.
	Receive(from messaging.ID, m messaging.Message)

	// Down reports a crash of peer to the node, if it is a [messaging.Survivor].
	Down(peer messaging.ID)

	// Token returns the token of the entry by which the node is inside, or else of the last one; the
	// zero Token if it has not entered since it was started.
	Token() messaging.Token

	// Entries returns the clock of entries: how many there have been at least, of all nodes, that
	// this one knows of. The host sends it with each message, reading it when it carries out the
	// sends, and the receiving host calls Witness before it delivers the message. It survives a
	// restart.
	Entries() uint64

	// Witness advances the clock of entries to that of a message, or of what the host knows otherwise:
	// that of a node that has crashed, before it calls Down.
	Witness(entries uint64)

	// Collected returns where the effects are collected.
	Collected() *Effects

	// Share has the site collect its effects where another does.
	Share(with any)

	// CopyTo makes a site a copy of this one, with effects of its own, and returns it; nil: a new one.
	CopyTo(other any) any
}

// New returns the site of node start.Self. The host's choose implements Choose of the node's
// [messaging.Out]; nil always chooses 0. It panics if start is invalid, or if a is or returns nil.
func New(a messaging.Algorithm, start messaging.Start, choose func(n int) int) *Site {
	s := seam.NewSite(a, start, choose).(site)
	return &Site{s.Collected(), s}
}

// Share has s collect its effects where another site does, for a host that runs one at a time.
func (s *Site) Share(with *Site) {
	s.site.Share(with.site)
	s.Effects = with.Effects
}

// Copy makes s a copy of another site, with effects of its own.
func (s *Site) Copy(of *Site) {
	s.site = of.CopyTo(s.site).(site)
	s.Effects = s.Collected()
}
