package graph

import (
	"slices"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/internal/space"
)

// The results of a step without a successor.
const (
	Blocked = space.ID(automaton.Blocked) // the process cannot take a step here
	Capped  = space.ID(automaton.Capped)  // it would write a value above the cap
)

// step takes the step of slot in k and returns 0, or Blocked or Capped if there is
// none. It also returns what is wrong with the step; nil: nothing.
func (g *Graph) step(k []uint64, slot int, written []uint64) (outcome space.ID, fault *Fault) {
	p := slot
	wasInside := false
	if slot >= g.N {
		p = slot % g.N
		if outcome = g.giveUp(k, p, slot/g.N); outcome != 0 {
			return outcome, nil
		}
	} else {
		auto := g.Automata[p]
		l := int32(g.layout.locs[p].Of(k))
		n := &auto[l]
		wasInside = n.Phase == phase.Inside
		for first := true; first || n.Flags&automaton.Joined != 0; first = false {
			var wrong *Fault
			if l, wrong = g.operation(k, p, n, written); wrong != nil {
				fault = wrong
			}
			if l < 0 {
				return space.ID(l), fault
			}
			n = &auto[l]
		}
		g.layout.locs[p].Set(k, uint64(l))
	}
	if !wasInside && g.layout.heard != nil && g.Automata[p][g.layout.locs[p].Of(k)].Phase == phase.Inside && !g.enters(k, p) {
		fault = &Fault{What: Unordered, Slot: slot, Process: p}
	}
	return 0, fault
}

// operation makes the operation of node n of process p in k, and returns its next node; or
// Blocked or Capped if there is none. It also returns what is wrong with it.
func (g *Graph) operation(k []uint64, p int, n *automaton.Node, written []uint64) (next int32, fault *Fault) {
	var v uint64
	if n.Reg >= 0 {
		v = g.layout.Registers[n.Reg].Of(k)
	}
	answer, to := n.Answer(v)
	if answer < 0 {
		switch n.Op {
		case hook.OpAwaitExclusive:
			g.join(k, g.layout.gate[n.Reg], p)
			return n.Asleep, nil
		case automaton.OpLook:
			return n.Asleep, nil
		}
		return int32(answer), nil
	}
	switch n.Op {
	case hook.OpSet:
		if g.awaited[n.Reg] {
			fault = g.set(k, p, n)
		}
	case hook.OpStore, hook.OpEnd:
	case automaton.OpStart, automaton.OpLeave:
		return n.Next[answer], nil
	case automaton.OpLook:
		g.leave(k, g.layout.gate[n.Reg], p)
		fallthrough
	default:
		g.acquire(k, p, n.Reg)
	}
	if to != automaton.NoValue {
		g.write(k, p, n, to, written)
	}
	return n.Next[answer], fault
}

// giveUp makes process p give up its wait, or enter in another way than LockContext,
// an answer of a start, if that differs.
func (g *Graph) giveUp(k []uint64, p, way int) space.ID {
	n := &g.Automata[p][g.layout.locs[p].Of(k)]
	answer := automaton.Aborted(n.Op)
	switch {
	case n.Op == automaton.OpStart:
		if answer = way; len(n.Next) <= way || slices.Contains(n.Next[:way], n.Next[way]) {
			return Blocked // it does the same
		}
	case way == automaton.AnswerLock:
		return Blocked
	}
	if answer < 0 || len(n.Next) <= answer || n.Next[answer] < 0 {
		return Blocked
	}
	if n.Op == automaton.OpSleep || n.Op == automaton.OpLook {
		g.leave(k, g.layout.gate[n.Reg], p)
		g.wakeFirst(k, g.layout.gate[n.Reg])
	}
	g.layout.locs[p].Set(k, uint64(n.Next[answer]))
	return 0
}

// set returns the fault that the Set of node n makes a condition true that a process awaits; nil if it does not.
func (g *Graph) set(k []uint64, writer int, n *automaton.Node) *Fault {
	from := g.layout.Registers[n.Reg].Of(k)
	for q := range g.N {
		if q == writer {
			continue
		}
		for _, w := range g.Automata[q][g.layout.locs[q].Of(k)].Watches {
			if w.Reg == n.Reg && w.Holds>>n.Value&1 == 1 && w.Holds>>from&1 == 0 {
				return &Fault{What: AwaitedSet, Slot: writer, Process: writer, Register: n.Reg, Awaits: q}
			}
		}
	}
	return nil
}

// write makes process p write v to the register of n, and notes the value. Unless by a Set, that
// wakes the first of those that await the register exclusively.
func (g *Graph) write(k []uint64, p int, n *automaton.Node, v uint8, written []uint64) {
	g.layout.Registers[n.Reg].Set(k, uint64(v))
	written[n.Reg] |= 1 << v
	if n.Op != hook.OpBegin {
		g.release(k, p, n.Reg)
	}
	if gate := g.layout.gate[n.Reg]; gate >= 0 && n.Op != hook.OpSet {
		g.wakeFirst(k, gate)
	}
}

// The line of a gate: its processes, the longest wait first.

func (g *Graph) join(k []uint64, gate int8, p int) {
	for _, f := range g.layout.lines[gate] {
		if f.Of(k) == 0 {
			f.Set(k, uint64(p)+1)
			return
		}
	}
}

func (g *Graph) leave(k []uint64, gate int8, p int) {
	line := g.layout.lines[gate]
	i := 0
	for line[i].Of(k) != uint64(p)+1 {
		i++
	}
	for ; i+1 < len(line); i++ {
		line[i].Set(k, line[i+1].Of(k))
	}
	line[i].Set(k, 0)
}

// wakeFirst wakes the first in line, if there is one that has not been woken.
func (g *Graph) wakeFirst(k []uint64, gate int8) {
	first := g.layout.lines[gate][0].Of(k)
	if first == 0 {
		return
	}
	f := g.layout.locs[first-1]
	if n := &g.Automata[first-1][f.Of(k)]; n.Op == automaton.OpSleep {
		f.Set(k, uint64(n.Awake))
	}
}

// The race monitor tracks which processes and registers have heard of the last
// entry and exit: those that they happen before, under the Go memory model. The
// process that was inside has heard; so has a register that it wrote afterwards,
// and a process that read that register; and so on.

func (g *Graph) acquire(k []uint64, p int, r int16) {
	if g.layout.heard != nil && g.layout.heard[g.N+int(r)].Of(k) == 1 {
		g.layout.heard[p].Set(k, 1)
	}
}

func (g *Graph) release(k []uint64, p int, r int16) {
	if g.layout.heard != nil {
		g.layout.heard[g.N+int(r)].Set(k, g.layout.heard[p].Of(k))
	}
}

// enters reports whether p, which enters, has heard of the last exit. It then
// resets the monitor: only p has heard of this entry.
func (g *Graph) enters(k []uint64, p int) bool {
	knew := g.layout.heard[p].Of(k) == 1
	for _, f := range g.layout.heard {
		f.Set(k, 0)
	}
	g.layout.heard[p].Set(k, 1)
	return knew
}
