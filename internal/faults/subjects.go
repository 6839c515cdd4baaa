package faults

import (
	"fmt"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/wrap"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock"
	"example.org/doorway/messaging/clock/berkeley"
	"example.org/doorway/messaging/clock/cristian"
	"example.org/doorway/messaging/sim"
)

// A Subject is an algorithm in the instance in which it meets faults.
type Subject struct {
	Name    string
	Package string              // of the algorithm; "systems" of one that is no lock
	config  explore.NodesConfig // without a fault
}

// Nodes is the number of nodes of each instance of a lock.
const Nodes = 3

// memory limits an exploration.
const memory = 160 << 20

// requests are those of each node of a lock, if they are not one of each: the others would
// have a hundred thousand states or more with a fault.
var requests = map[string][]int{
	"lamport":            {0, 1, 1},
	"lamport-suppressed": {0, 1, 1},
	"echo":               {0, 1, 1},
}

// Locks are the algorithms for mutual exclusion.
func Locks() (all []Subject) {
	for _, p := range catalog.Protocols {
		all = append(all, Lock(p))
	}
	return all
}

// Recoveries are those with recovery, whose nodes are told of crashes, or suspect them. Node 0
// makes no request.
func Recoveries() (all []Subject) {
	for _, p := range catalog.Protocols {
		for _, name := range []string{catalog.Recovery + p.Name, catalog.Recovery + p.Name + catalog.Timeouts} {
			if r, has := catalog.FindProtocol(name); has {
				s := Lock(r)
				s.Package = p.Package()
				s.config.Requests = []int{0, 1, 1}
				all = append(all, s)
			}
		}
	}
	return all
}

// Lock returns p in its instance. Timeouts are those of scenarios.
func Lock(p catalog.Protocol) Subject {
	a := p.New(Nodes)
	if p.Timed != nil {
		a = p.Timed(sim.T)
	}
	return Subject{p.Name, p.Package(), explore.NodesConfig{
		New: a, Name: p.Name, Nodes: Nodes, Requests: requests[p.Name], Perpetual: p.Perpetual, Memory: memory, Workers: 1,
	}}
}

// three are the systems that have two nodes in a trial, and three here, with the number of users
// that act: of two a crash leaves one, which agrees with itself.
var three = map[string]int{"link-basic": 2, "reliable": 2, "snapshot-suzukikasami": 1}

// Systems are the algorithms that are no locks, in their trials, and on FIFO links.
func Systems() (all []Subject) {
	for _, s := range catalog.Systems {
		all = append(all, System(s))
	}
	return all
}

// System returns s in its instance. It panics if the states of s grow forever, and it is no clock.
func System(s catalog.System) Subject {
	n, acting := s.Trial.Nodes, s.Trial.Nodes
	if users, more := three[s.Name]; more {
		n, acting = 3, users
	}
	c := explore.NodesConfig{
		Name: s.Name, Nodes: n, Perpetual: s.Perpetual, Invariant: s.Invariant, Results: s.Results, Memory: memory, Workers: 1,
	}
	if n > 0 {
		c.Inputs = append(s.Trial.Inputs(acting), make([][]messaging.Message, n-acting)...)
		if c.New = s.New(n); s.Timed != nil {
			c.New = s.Timed(sim.T)
		}
		return Subject{s.Name, "systems", c}
	}
	a, is := clocks[s.Name]
	if !is {
		panic(fmt.Sprintf("faults: the states of %s grow forever", s.Name))
	}
	c.New, c.Nodes = stopping(a), 2
	c.Inputs = [][]messaging.Message{{clock.Read{}}, {clock.Set{Time: time.Hour}, clock.Read{}, clock.Read{}}}
	return Subject{s.Name, "systems", c}
}

// clocks are the algorithms that synchronize clocks, with a round in two ticks or four.
var clocks = map[string]messaging.Algorithm{
	cristian.Protocol.Name: cristian.New(0, cristian.Config{Tick: time.Second, Every: 2, Drift: 10_000}),
	berkeley.Protocol.Name: berkeley.New(0, berkeley.Config{Tick: time.Second, Every: 4, Wait: 2, Apart: time.Hour}),
}

// ticks is how often each clock ticks: with more there is a state for each of them.
const ticks = 4

// A mortal is a node with a clock that stops.
type mortal struct {
	wrap.Methods
	Left int `messaging:"durable"` // ticks
}

// stopping returns a with clocks that stop.
func stopping(a messaging.Algorithm) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node { return &mortal{wrap.Methods{Node: a(start)}, ticks} }
}

func (n *mortal) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if _, tick := m.(clock.Tick); tick {
		if n.Left == 0 {
			return
		}
		n.Left--
	}
	n.Node.Receive(from, m, out)
}

// Told reports whether the nodes can be told of crashes.
func (s Subject) Told() bool {
	_, told := messaging.As[messaging.Survivor](s.config.New(messaging.Start{Nodes: s.config.Nodes}))
	return told
}

// asking returns the nodes that request.
func (s Subject) asking() (all []messaging.ID) {
	for i := range messaging.ID(s.config.Nodes) {
		if s.config.Requests == nil || s.config.Requests[i] > 0 {
			all = append(all, i)
		}
	}
	return all
}
