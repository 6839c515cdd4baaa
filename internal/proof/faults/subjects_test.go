package faults

import (
	"fmt"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/node/layer"
	"example.org/doorway/internal/node/physical"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock"
	"example.org/doorway/messaging/clock/berkeley"
	"example.org/doorway/messaging/clock/cristian"
	"example.org/doorway/messaging/sim"
)

// A subject is an algorithm in the instance in which it meets faults.
type subject struct {
	name   string
	pkg    string              // of the algorithm; "systems" of one that is no lock
	config explore.NodesConfig // without a fault
}

// nodes is the number of nodes of each instance of a lock.
const nodes = 3

// memory limits an exploration.
const memory = 160 << 20

// requests are those of each node of a lock, if they are not one of each: the others would
// have a hundred thousand states or more with a fault.
var requests = map[string][]int{
	"lamport":            {0, 1, 1},
	"lamport-suppressed": {0, 1, 1},
	"echo":               {0, 1, 1},
}

// locks are the algorithms for mutual exclusion.
func locks() (all []subject) {
	for _, p := range catalog.Protocols {
		all = append(all, lock(p))
	}
	return all
}

// recoveries are those with recovery, whose nodes are told of crashes, or suspect them. Node 0
// makes no request.
func recoveries() (all []subject) {
	for _, p := range catalog.Protocols {
		for _, name := range []string{catalog.Recovery + p.Name, catalog.Recovery + p.Name + catalog.Timeouts} {
			if r, has := catalog.FindProtocol(name); has {
				s := lock(r)
				s.pkg = p.Package()
				s.config.Requests = []int{0, 1, 1}
				all = append(all, s)
			}
		}
	}
	return all
}

// lock returns p in its instance. Timeouts are those of scenarios.
func lock(p catalog.Protocol) subject {
	return subject{p.Name, p.Package(), explore.NodesConfig{
		New: p.Within(nodes, sim.T), Name: p.Name, Nodes: nodes, Requests: requests[p.Name], Perpetual: p.Perpetual, Memory: memory, Workers: 1,
	}}
}

// three are the systems that have two nodes in a trial, and three here, with the number of users
// that act: of two a crash leaves one, which agrees with itself.
var three = map[string]int{"link-basic": 2, "reliable": 2, "snapshot-suzukikasami": 1}

// systems are the algorithms that are no locks, in their trials, and on FIFO links.
func systems() (all []subject) {
	for _, s := range catalog.Systems {
		all = append(all, system(s))
	}
	return all
}

// system returns s in its instance. It panics if the states of s grow forever, and it is no clock.
func system(s catalog.System) subject {
	n, acting := s.Trial.Nodes, s.Trial.Nodes
	if users, more := three[s.Name]; more {
		n, acting = 3, users
	}
	c := explore.NodesConfig{
		Name: s.Name, Nodes: n, Perpetual: s.Perpetual, Invariant: s.Invariant, Results: s.Results, Memory: memory, Workers: 1,
	}
	if n > 0 {
		c.Inputs = append(s.Trial.Inputs(acting), make([][]messaging.Message, n-acting)...)
		c.New = s.Within(n, sim.T)
		return subject{s.Name, "systems", c}
	}
	a, is := clocks[s.Name]
	if !is {
		panic(fmt.Sprintf("faults: the states of %s grow forever", s.Name))
	}
	c.New, c.Nodes = stopping(a), 2
	c.Inputs = [][]messaging.Message{{clock.Read{}}, {clock.Set{Time: time.Hour}, clock.Read{}, clock.Read{}}}
	return subject{s.Name, "systems", c}
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
	layer.Methods
	Left int `messaging:"durable"` // ticks
}

// stopping returns a with clocks that stop.
func stopping(a messaging.Algorithm) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node { return &mortal{layer.Methods{Node: a(start)}, ticks} }
}

func (n *mortal) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if _, tick := m.(physical.Tick); tick {
		if n.Left == 0 {
			return
		}
		n.Left--
	}
	n.Node.Receive(from, m, out)
}

// canBeTold reports whether the nodes can be told of crashes.
func (s subject) canBeTold() bool {
	_, is := messaging.As[messaging.Survivor](s.config.New(messaging.Start{Nodes: s.config.Nodes}))
	return is
}

// asking returns the nodes that request.
func (s subject) asking() (all []messaging.ID) {
	for i := range messaging.ID(s.config.Nodes) {
		if s.config.Requests == nil || s.config.Requests[i] > 0 {
			all = append(all, i)
		}
	}
	return all
}
