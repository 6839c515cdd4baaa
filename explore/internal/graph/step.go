package graph

import (
	"slices"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/seam"
	"example.org/doorway/internal/space"
)

// The results of a step without a successor.
const (
	Blocked = space.ID(-1) // the process cannot take a step here
	capped  = space.ID(-2) // it would write a value above the cap
)

// step takes the step of slot in k and returns 0, or Blocked or capped if there is
// none.
func (g *Graph[K]) step(k *K, slot int, written []uint64) (outcome space.ID, t failure) {
	p := slot
	if slot >= g.N {
		p = slot % g.N
		if outcome = g.giveUp(k, p, slot/g.N); outcome == 0 {
			t = g.arrives(k, p)
		}
		return outcome, t
	}
	auto := g.Automata[p]
	l := space.Get(k, g.layout.locs[p])
	n := &auto[l]
	wasInside := n.Phase == phase.Inside
	for first := true; first || n.Flags&automaton.Joined != 0; first = false {
		var f space.Field
		var v uint64
		if n.Reg >= 0 {
			f = g.layout.Registers[n.Reg]
			v = space.Get(k, f)
		}
		next := int32(0)
		switch n.Op {
		case seam.OpLoad:
			next = n.Next[v]
			g.acquire(k, p, n.Reg)
		case seam.OpSet, seam.OpStore, seam.OpStoreGate:
			if n.Flags&automaton.Over != 0 {
				return capped, t
			}
			if n.Op == seam.OpSet && g.awaited[n.Reg] {
				if q := g.awaiting(k, p, n.Reg, v, uint64(n.Value)); q >= 0 {
					t = failure{what: AwaitedSet, reg: n.Reg, with: q}
				}
			}
			space.Set(k, f, uint64(n.Value))
			written[n.Reg] |= 1 << n.Value
			g.release(k, p, n.Reg)
			if n.Op == seam.OpStoreGate {
				g.wakeFirst(k, g.layout.gate[n.Reg])
			}
			next = n.Next[0]
		case seam.OpCompareAndSwap:
			g.acquire(k, p, n.Reg)
			if v != uint64(n.Old) {
				next = n.Next[automaton.AnswerFail]
				break
			}
			if n.Flags&automaton.Over != 0 {
				return capped, t
			}
			space.Set(k, f, uint64(n.Value))
			written[n.Reg] |= 1 << n.Value
			g.release(k, p, n.Reg)
			next = n.Next[automaton.AnswerTrue]
		case seam.OpSwap, seam.OpFetchAdd:
			to := n.Exchanged(v)
			if to == automaton.NoValue {
				return capped, t
			}
			g.acquire(k, p, n.Reg)
			space.Set(k, f, uint64(to))
			written[n.Reg] |= 1 << to
			g.release(k, p, n.Reg)
			next = n.Next[v]
		case seam.OpAwait:
			if n.Holds>>v&1 == 0 {
				return Blocked, t
			}
			g.acquire(k, p, n.Reg)
			next = n.Next[automaton.AnswerDone]
		case seam.OpAwaitValue, seam.OpTryValue:
			answer := automaton.AnswerNoValue
			if n.Holds>>v&1 == 1 {
				answer = automaton.AnswerValue + int(v)
			} else if n.Op == seam.OpAwaitValue {
				return Blocked, t
			}
			g.acquire(k, p, n.Reg)
			next = n.Next[answer]
		case seam.OpTest, seam.OpTestFirst, seam.OpTry:
			g.acquire(k, p, n.Reg)
			next = n.Next[n.Holds>>v&1]
		case seam.OpAwaitGate, automaton.OpLook:
			if n.Holds>>v&1 == 1 {
				g.acquire(k, p, n.Reg)
				if n.Op == automaton.OpLook {
					g.leave(k, g.layout.gate[n.Reg], p)
				}
				next = n.Next[automaton.AnswerDone]
				break
			}
			if n.Op == seam.OpAwaitGate {
				g.join(k, g.layout.gate[n.Reg], p)
			}
			next = n.Asleep
		case seam.OpBegin:
			if v != 0 {
				return Blocked, t
			}
			space.Set(k, f, 1)
			g.acquire(k, p, n.Reg)
			next = n.Next[0]
		case seam.OpEnd:
			space.Set(k, f, 0)
			g.release(k, p, n.Reg)
			next = n.Next[0]
		case seam.OpDue, seam.OpStand, seam.OpQuit, seam.OpPass, seam.OpPark:
			if !g.relay(k, p, n) {
				return Blocked, t
			}
			next = n.Next[0]
		case automaton.OpSleep, automaton.OpPanic:
			return Blocked, t
		default: // opStart, opLeave
			next = n.Next[0]
		}
		l = uint64(next)
		n = &auto[l]
	}
	space.Set(k, g.layout.locs[p], l)
	if !wasInside {
		if f := g.arrives(k, p); f.what != nothing {
			t = f
		}
	}
	return 0, t
}

// arrives returns the fault of a step of p, which was not inside: that it is now, and
// that the entry does not happen after the last exit.
func (g *Graph[K]) arrives(k *K, p int) (t failure) {
	if g.layout.heard != nil && g.Automata[p][space.Get(k, g.layout.locs[p])].Phase == phase.Inside && !g.enters(k, p) {
		t.what = Unordered
	}
	return t
}

// giveUp makes process p give up its wait, or enter in another way than LockContext,
// an answer of a start, if that differs.
func (g *Graph[K]) giveUp(k *K, p, way int) space.ID {
	n := &g.Automata[p][space.Get(k, g.layout.locs[p])]
	answer := automaton.AnswerGiveUp
	if n.Op != automaton.OpStart && way == automaton.AnswerLock {
		return Blocked
	}
	switch n.Op {
	case automaton.OpStart:
		if len(n.Next) <= way || slices.Contains(n.Next[:way], n.Next[way]) {
			return Blocked // it does the same
		}
		answer = way
	case seam.OpTestFirst:
		answer = automaton.AnswerTestGiveUp
	case seam.OpAwaitValue:
		answer = automaton.AnswerNoValue
	case seam.OpAwait, seam.OpAwaitGate, seam.OpPark, automaton.OpSleep, automaton.OpLook:
	default:
		return Blocked
	}
	if len(n.Next) <= answer || n.Next[answer] < 0 {
		return Blocked
	}
	if n.Op == automaton.OpSleep || n.Op == automaton.OpLook {
		g.leave(k, g.layout.gate[n.Reg], p)
		g.wakeFirst(k, g.layout.gate[n.Reg])
	}
	space.Set(k, g.layout.locs[p], uint64(n.Next[answer]))
	return 0
}

// awaiting returns a process whose awaited condition becomes true when register r
// changes from one value to another, or -1.
func (g *Graph[K]) awaiting(k *K, writer int, r int16, from, to uint64) int {
	for q := range g.N {
		if q == writer {
			continue
		}
		for _, w := range g.Automata[q][space.Get(k, g.layout.locs[q])].Watches {
			if w.Reg == r && w.Holds>>to&1 == 1 && w.Holds>>from&1 == 0 {
				return q
			}
		}
	}
	return -1
}

// The line of a gate: its processes, the longest wait first.

func (g *Graph[K]) join(k *K, gate int8, p int) {
	for _, f := range g.layout.lines[gate] {
		if space.Get(k, f) == 0 {
			space.Set(k, f, uint64(p)+1)
			return
		}
	}
}

func (g *Graph[K]) leave(k *K, gate int8, p int) {
	line := g.layout.lines[gate]
	i := 0
	for space.Get(k, line[i]) != uint64(p)+1 {
		i++
	}
	for ; i+1 < len(line); i++ {
		space.Set(k, line[i], space.Get(k, line[i+1]))
	}
	space.Set(k, line[i], 0)
}

// wakeFirst wakes the first in line, if there is one that has not been woken.
func (g *Graph[K]) wakeFirst(k *K, gate int8) {
	first := space.Get(k, g.layout.lines[gate][0])
	if first == 0 {
		return
	}
	f := g.layout.locs[first-1]
	if n := &g.Automata[first-1][space.Get(k, f)]; n.Op == automaton.OpSleep {
		space.Set(k, f, uint64(n.Awake))
	}
}

// The race monitor tracks which processes and registers have heard of the last
// entry and exit: those that they happen before, under the Go memory model. The
// process that was inside has heard; so has a register that it wrote afterwards,
// and a process that read that register; and so on.

func (g *Graph[K]) acquire(k *K, p int, r int16) {
	if g.layout.heard != nil && space.Get(k, g.layout.heard[g.N+int(r)]) == 1 {
		space.Set(k, g.layout.heard[p], 1)
	}
}

func (g *Graph[K]) release(k *K, p int, r int16) {
	if g.layout.heard != nil {
		space.Set(k, g.layout.heard[g.N+int(r)], space.Get(k, g.layout.heard[p]))
	}
}

// enters reports whether p, which enters, has heard of the last exit. It then
// resets the monitor: only p has heard of this entry.
func (g *Graph[K]) enters(k *K, p int) bool {
	knew := space.Get(k, g.layout.heard[p]) == 1
	for _, f := range g.layout.heard {
		space.Set(k, f, 0)
	}
	space.Set(k, g.layout.heard[p], 1)
	return knew
}
