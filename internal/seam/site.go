package seam

import "time"

// Effects are the sends, timers and emitted values of a node that its host has not carried out
// yet, each in order. They are here since package messaging collects them, and package
// internal/raw hands them to hosts.
type Effects[ID, Message any] struct {
	Sends  []Send[ID, Message]
	Timers []Timer[Message]
	Emits  []any
}

// A Send is a message to another node.
type Send[ID, Message any] struct {
	To      ID
	Message Message
}

// A Timer is a message that the node gets back after a delay.
type Timer[Message any] struct {
	After   time.Duration
	Message Message
}

// Done discards the effects, once the host has carried them out.
func (e *Effects[ID, Message]) Done() {
	clear(e.Sends) // for the garbage collector
	clear(e.Timers)
	clear(e.Emits)
	e.Sends, e.Timers, e.Emits = e.Sends[:0], e.Timers[:0], e.Emits[:0]
}

// NewSite makes a site of package messaging, which sets it: the algorithm and the start are of
// its types. Package internal/raw has the documentation.
var NewSite func(algorithm, start any, choose func(n int) int) any
