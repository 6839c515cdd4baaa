package explore

import (
	"fmt"
	"slices"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/extract"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/explore/internal/replay"
	"example.org/doorway/internal/seam"
)

// safely explores the automata with safe registers: a write takes two steps, and a
// read between them may return any value that the register can ever hold
// (L. Lamport, "On interprocess communication", 1986). Registers with a single
// writer, and without read-modify-writes, are safe; the others stay atomic. It checks mutual
// exclusion.
type safely struct {
	layout
	cfg   *Config
	vars  []automaton.Variable
	nodes [][]automaton.Node
	busy  []field // by register: it is being written
	safe  []bool  // by register
	s     shard[[2]uint64]
	came  pages[came]
}

// came records how a state was found first.
type came struct {
	from   int32
	slot   int8
	answer int8 // the value that was read; -1: none, or the one that the register holds
}

func newSafely(cfg *Config, vars []automaton.Variable, nodes [][]automaton.Node) (*safely, error) {
	y := &safely{layout: newLayout(vars, nodes, false), cfg: cfg, vars: vars, nodes: nodes}
	y.safe = make([]bool, len(vars))
	for r := range vars {
		y.safe[r] = vars[r].Word != nil && vars[r].Writers() == 1
		y.busy = append(y.busy, y.lay(1))
	}
	for _, auto := range nodes {
		for i := range auto {
			switch auto[i].Op {
			case seam.OpCompareAndSwap, seam.OpSwap, seam.OpFetchAdd:
				y.safe[auto[i].Reg] = false
			}
		}
	}
	if y.bits > 128 {
		return nil, tooWide(y.bits)
	}
	y.s.table = make([]uint32, 1<<10)
	return y, nil
}

// A wideError means that a state does not fit into a key.
type wideError struct{ bits int }

func (e *wideError) Error() string {
	return fmt.Sprintf("explore: a state takes %d bits, more than 128: use fewer processes, registers or values", e.bits)
}

func tooWide(bits int) error { return &wideError{bits} }

// run returns the schedule to a state in which two processes are inside, or one
// panics, if there is one.
func (y *safely) run() (schedule []replay.Access, err error) {
	y.add([2]uint64{}, came{-1, -1, -1})
	for i := 0; i < y.s.keys.n; i++ {
		k := *y.s.keys.at(i)
		inside := 0
		for p := range y.nodes {
			if y.phase(&k, p) == phase.Inside {
				inside++
			}
			y.step(k, i, p)
		}
		if inside > 1 || y.panics(&k) {
			return y.schedule(int32(i)), nil
		}
		if bytes := y.s.size() + y.came.bytes(); bytes > y.cfg.Memory {
			return nil, &extract.MemoryError{Limit: y.cfg.Memory, States: y.s.keys.n}
		}
	}
	return nil, nil
}

// phase returns the phase of p. While the first write of its exit has only begun, p
// is still inside: the write is not observable yet.
func (y *safely) phase(k *[2]uint64, p int) phase.Phase {
	n := &y.nodes[p][get(k, y.locs[p])]
	if n.Phase == phase.Inside && n.Reg >= 0 && y.safe[n.Reg] && get(k, y.busy[n.Reg]) == 1 && y.writes(n) {
		return phase.Exit
	}
	return n.Phase
}

func (y *safely) panics(k *[2]uint64) bool {
	for p := range y.nodes {
		if y.nodes[p][get(k, y.locs[p])].Op == automaton.OpPanic {
			return true
		}
	}
	return false
}

func (y *safely) writes(n *automaton.Node) bool {
	return n.Op == seam.OpSet || n.Op == seam.OpStore || n.Op == seam.OpStoreGate
}

func (y *safely) add(k [2]uint64, c came) {
	if id := y.s.add(&k, hash(&k)); int(id) == y.came.n {
		y.came.add(c)
	}
}

// step adds the states to which a step of p leads from k.
func (y *safely) step(k [2]uint64, from, p int) {
	n := &y.nodes[p][get(&k, y.locs[p])]
	c := came{int32(from), int8(p), -1}
	goTo := func(answer int) {
		t := k
		set(&t, y.locs[p], uint64(n.Next[answer]))
		y.add(t, c)
	}
	if n.Reg < 0 || automaton.Relayed(n.Op) {
		if len(n.Next) > 0 {
			goTo(0)
		}
		return
	}
	f := y.regs[n.Reg]
	v := get(&k, f)
	seen := uint64(1) << v // the values that may be read
	if y.safe[n.Reg] && get(&k, y.busy[n.Reg]) == 1 {
		seen = 1<<len(y.vars[n.Reg].Values) - 1
	}
	switch {
	case y.writes(n):
		if n.Flags&automaton.Over != 0 {
			return
		}
		t := k
		if y.safe[n.Reg] && get(&k, y.busy[n.Reg]) == 0 {
			set(&t, y.busy[n.Reg], 1)
		} else {
			set(&t, y.busy[n.Reg], 0)
			set(&t, f, uint64(n.Value))
			set(&t, y.locs[p], uint64(n.Next[0]))
		}
		y.add(t, c)
	case n.Op == seam.OpBegin || n.Op == seam.OpEnd:
		if n.Op == seam.OpBegin && v != 0 {
			return
		}
		t := k
		set(&t, f, 1-v)
		set(&t, y.locs[p], uint64(n.Next[0]))
		y.add(t, c)
	case n.Op == seam.OpCompareAndSwap:
		if v != uint64(n.Old) {
			goTo(automaton.AnswerFail)
		} else if n.Flags&automaton.Over == 0 {
			t := k
			set(&t, f, uint64(n.Value))
			set(&t, y.locs[p], uint64(n.Next[automaton.AnswerTrue]))
			y.add(t, c)
		}
	case n.Op == seam.OpSwap || n.Op == seam.OpFetchAdd:
		if to := n.Exchanged(v); to != automaton.NoValue {
			t := k
			set(&t, f, uint64(to))
			set(&t, y.locs[p], uint64(n.Next[v]))
			y.add(t, c)
		}
	default:
		for k := range y.vars[n.Reg].Values {
			if seen>>k&1 == 1 {
				c.answer = int8(k)
				y.read(n, k, goTo)
			}
		}
	}
}

// read continues after n has read value k.
func (y *safely) read(n *automaton.Node, k int, goTo func(int)) {
	holds := int(n.Holds >> k & 1)
	switch n.Op {
	case seam.OpLoad:
		goTo(k)
	case seam.OpAwaitValue, seam.OpTryValue:
		if holds == 1 {
			goTo(automaton.AnswerValue + k)
		} else if n.Op == seam.OpTryValue {
			goTo(automaton.AnswerNoValue)
		}
	case seam.OpTest, seam.OpTestFirst, seam.OpTry:
		goTo(holds)
	case seam.OpAwait, seam.OpAwaitGate:
		if holds == 1 {
			goTo(automaton.AnswerDone)
		}
	}
}

func (y *safely) schedule(id int32) (all []replay.Access) {
	for {
		c := *y.came.at(int(id))
		if c.from < 0 {
			break
		}
		all = append(all, replay.Access{Process: int(c.slot), Value: int(c.answer)})
		id = c.from
	}
	slices.Reverse(all)
	return all
}
