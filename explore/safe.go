package explore

import (
	"fmt"

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
	vars  []variable
	nodes [][]node
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

func newSafely(cfg *Config, vars []variable, nodes [][]node) (*safely, error) {
	y := &safely{layout: newLayout(vars, nodes, false), cfg: cfg, vars: vars, nodes: nodes}
	y.safe = make([]bool, len(vars))
	for r := range vars {
		y.safe[r] = vars[r].word != nil && writers(&vars[r]) == 1
		y.busy = append(y.busy, y.lay(1))
	}
	for _, auto := range nodes {
		for i := range auto {
			switch auto[i].op {
			case seam.OpCompareAndSwap, seam.OpSwap, seam.OpFetchAdd:
				y.safe[auto[i].reg] = false
			}
		}
	}
	if y.bits > 128 {
		return nil, tooWide(y.bits)
	}
	y.s.table = make([]uint32, 1<<10)
	return y, nil
}

func writers(v *variable) int {
	n := 0
	for _, w := range v.writes {
		if w {
			n++
		}
	}
	return n
}

// A wideError means that a state does not fit into a key.
type wideError struct{ bits int }

func (e *wideError) Error() string {
	return fmt.Sprintf("explore: a state takes %d bits, more than 128: use fewer processes, registers or values", e.bits)
}

func tooWide(bits int) error { return &wideError{bits} }

// run returns the schedule to a state in which two processes are inside, or one
// panics, if there is one.
func (y *safely) run() (schedule []came, err error) {
	y.add([2]uint64{}, came{-1, -1, -1})
	for i := 0; i < y.s.keys.n; i++ {
		k := *y.s.keys.at(i)
		inside := 0
		for p := range y.nodes {
			if y.phase(&k, p) == phaseInside {
				inside++
			}
			y.step(k, i, p)
		}
		if inside > 1 || y.panics(&k) {
			return y.schedule(int32(i)), nil
		}
		if bytes := y.s.size() + y.came.bytes(); bytes > y.cfg.Memory {
			return nil, &memoryError{limit: y.cfg.Memory, states: y.s.keys.n}
		}
	}
	return nil, nil
}

// phase returns the phase of p. While the first write of its exit has only begun, p
// is still inside: the write is not observable yet.
func (y *safely) phase(k *[2]uint64, p int) phase {
	n := &y.nodes[p][get(k, y.locs[p])]
	if n.phase == phaseInside && n.reg >= 0 && y.safe[n.reg] && get(k, y.busy[n.reg]) == 1 && y.writes(n) {
		return phaseExit
	}
	return n.phase
}

func (y *safely) panics(k *[2]uint64) bool {
	for p := range y.nodes {
		if y.nodes[p][get(k, y.locs[p])].op == opPanic {
			return true
		}
	}
	return false
}

func (y *safely) writes(n *node) bool {
	return n.op == seam.OpSet || n.op == seam.OpStore || n.op == seam.OpStoreGate
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
		set(&t, y.locs[p], uint64(n.next[answer]))
		y.add(t, c)
	}
	if n.reg < 0 || relayed(n.op) {
		if len(n.next) > 0 {
			goTo(0)
		}
		return
	}
	f := y.regs[n.reg]
	v := get(&k, f)
	seen := uint64(1) << v // the values that may be read
	if y.safe[n.reg] && get(&k, y.busy[n.reg]) == 1 {
		seen = 1<<len(y.vars[n.reg].values) - 1
	}
	switch {
	case y.writes(n):
		if n.flags&over != 0 {
			return
		}
		t := k
		if y.safe[n.reg] && get(&k, y.busy[n.reg]) == 0 {
			set(&t, y.busy[n.reg], 1)
		} else {
			set(&t, y.busy[n.reg], 0)
			set(&t, f, uint64(n.value))
			set(&t, y.locs[p], uint64(n.next[0]))
		}
		y.add(t, c)
	case n.op == seam.OpBegin || n.op == seam.OpEnd:
		if n.op == seam.OpBegin && v != 0 {
			return
		}
		t := k
		set(&t, f, 1-v)
		set(&t, y.locs[p], uint64(n.next[0]))
		y.add(t, c)
	case n.op == seam.OpCompareAndSwap:
		if v != uint64(n.old) {
			goTo(answerFail)
		} else if n.flags&over == 0 {
			t := k
			set(&t, f, uint64(n.value))
			set(&t, y.locs[p], uint64(n.next[answerTrue]))
			y.add(t, c)
		}
	case n.op == seam.OpSwap || n.op == seam.OpFetchAdd:
		if to := n.exchanged(v); to != noValue {
			t := k
			set(&t, f, uint64(to))
			set(&t, y.locs[p], uint64(n.next[v]))
			y.add(t, c)
		}
	default:
		for k := range y.vars[n.reg].values {
			if seen>>k&1 == 1 {
				c.answer = int8(k)
				y.read(n, k, goTo)
			}
		}
	}
}

// read continues after n has read value k.
func (y *safely) read(n *node, k int, goTo func(int)) {
	holds := int(n.holds >> k & 1)
	switch n.op {
	case seam.OpLoad:
		goTo(k)
	case seam.OpAwaitValue, seam.OpTryValue:
		if holds == 1 {
			goTo(answerValue + k)
		} else if n.op == seam.OpTryValue {
			goTo(answerNoValue)
		}
	case seam.OpTest, seam.OpTestFirst, seam.OpTry:
		goTo(holds)
	case seam.OpAwait, seam.OpAwaitGate:
		if holds == 1 {
			goTo(answerDone)
		}
	}
}

func (y *safely) schedule(id int32) []came {
	var all []came
	for {
		c := *y.came.at(int(id))
		if c.from < 0 {
			break
		}
		all = append(all, c)
		id = c.from
	}
	for a, b := 0, len(all)-1; a < b; a, b = a+1, b-1 {
		all[a], all[b] = all[b], all[a]
	}
	return all
}

// traceSafely returns the trace of a schedule with safe registers.
func (x *extraction) traceSafely(safe []bool, schedule []came, title string) *Trace {
	t := x.replay(nil)
	writing := make([]bool, len(x.trees))
	for _, c := range schedule {
		p := int(c.slot)
		t.at[p] = x.trees[p].begun(t.at[p])
		l := &x.trees[p].locals[t.at[p]]
		switch {
		case l.reg >= 0 && !relayed(l.op) && safe[l.reg] && c.answer < 0 && !writing[p]:
			writing[p] = true
			t.add(p, Step{Process: p, Place: t.place(p), Register: int(l.reg), Do: "begin to write", Value: x.vars[l.reg].values[l.value]})
			continue
		case c.answer >= 0:
			was := t.holds[l.reg]
			t.holds[l.reg] = x.vars[l.reg].values[c.answer]
			t.operation(p, false)
			t.holds[l.reg] = was
			t.trace.Steps[len(t.trace.Steps)-1].Holds = t.shown(t.holds)
			continue
		}
		writing[p] = false
		t.operation(p, false)
	}
	return t.end(title)
}
