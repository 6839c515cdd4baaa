package sim_test

import (
	"time"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// A coordinator is a centralized algorithm: node Holder grants requests, in FIFO
// order or newest first. A request cannot be withdrawn.
type coordinator struct {
	start  messaging.Start
	newest bool

	Queue []messaging.ID
	Busy  bool
}

type (
	Ask   struct{}
	Grant struct{}
	Done  struct{}
)

func fair(start messaging.Start) messaging.Node { return &coordinator{start: start} }

func newestFirst(start messaging.Start) messaging.Node {
	return &coordinator{start: start, newest: true}
}

func (n *coordinator) Request(out messaging.Out) { out.Send(n.start.Holder, Ask{}) }
func (n *coordinator) Release(out messaging.Out) { out.Send(n.start.Holder, Done{}) }

func (n *coordinator) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch m.(type) {
	case Grant:
		out.Enter()
		return
	case Ask:
		n.Queue = append(n.Queue, from)
	case Done:
		n.Busy = false
	}
	if !n.Busy && len(n.Queue) > 0 {
		n.Busy = true
		out.Send(n.pop(), Grant{})
	}
}

func (n *coordinator) pop() (id messaging.ID) {
	last := len(n.Queue) - 1
	if n.newest {
		id, n.Queue = n.Queue[last], n.Queue[:last]
	} else {
		id, n.Queue = n.Queue[0], n.Queue[1:]
	}
	return id
}

// A ring passes a token around forever, once its holder has entered.
type ring struct {
	start messaging.Start

	Wants, Started bool
}

type Token struct{}

func newRing(start messaging.Start) messaging.Node { return &ring{start: start} }

func (n *ring) Request(out messaging.Out) {
	n.Wants = true
	if n.start.Self == n.start.Holder && !n.Started {
		n.Started = true
		out.Enter()
	}
}

func (n *ring) Release(out messaging.Out) {
	n.Wants = false
	out.Send((n.start.Self+1)%messaging.ID(n.start.Nodes), Token{})
}

func (n *ring) Receive(_ messaging.ID, _ messaging.Message, out messaging.Out) {
	if n.Wants {
		out.Enter()
	} else {
		n.Release(out)
	}
}

// handlers is a node given by its handlers.
type handlers struct {
	messaging.Start
	request func(h *handlers, out messaging.Out)
	receive func(h *handlers, from messaging.ID, m messaging.Message, out messaging.Out)
	release func(h *handlers, out messaging.Out)
}

func (h *handlers) Request(out messaging.Out) { h.request(h, out) }

func (h *handlers) Release(out messaging.Out) {
	if h.release != nil {
		h.release(h, out)
	}
}

func (h *handlers) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	h.receive(h, from, m, out)
}

// of returns the algorithm whose nodes all have those handlers.
func of(h handlers) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node {
		node := h
		node.Start = start
		return &node
	}
}

// afterwards returns an algorithm in which a node enters d after its request, without
// mutual exclusion.
func afterwards(d time.Duration) messaging.Algorithm {
	return of(handlers{
		request: func(_ *handlers, out messaging.Out) { out.After(d, Ask{}) },
		receive: func(_ *handlers, _ messaging.ID, _ messaging.Message, out messaging.Out) { out.Enter() },
	})
}

// enter grants each request at once, without mutual exclusion.
func enter(_ *handlers, out messaging.Out) { out.Enter() }

// wait never grants a request.
func wait(*handlers, messaging.Out) {}

// ignore drops the message.
func ignore(*handlers, messaging.ID, messaging.Message, messaging.Out) {}

func ids(list ...messaging.ID) []messaging.ID { return list }

// tenths returns n tenths of T.
func tenths(n int) time.Duration { return time.Duration(n) * sim.T / 10 }
