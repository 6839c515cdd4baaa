package explore

import (
	"encoding/binary"
	"slices"

	"example.org/doorway/internal/seam"
)

// A node is a state of a minimal automaton: a local, prepared for fast steps.
type node struct {
	op     seam.Op
	phase  phase
	flags  uint8
	value  uint8   // the value written
	old    uint8   // the value that a compare-and-swap expects; noValue if the register never holds it
	reg    int16   // -1: none
	awake  int32   // of a wait at a gate: the node of a woken process; of that node, the node of a sleeper
	asleep int32   // likewise
	holds  uint64  // the values for which an await or test holds, a bit each
	next   []int32 // by answer; -1: the answer is impossible
	sums   []uint8 // of a fetch-and-add: the value written, by the value read; noValue if it is above the cap

	watches []watch // conditions that no Set may make true
	name    int32   // a local state that it represents
}

// A watch is a condition on one register.
type watch struct {
	reg   int16
	holds uint64
}

const (
	joined uint8 = 1 << iota // part of the same atomic step as the operation before
	over                     // writes more than the cap
)

const noValue = 255

// freeze returns t as an automaton. Every answer must be known.
func (x *extraction) freeze(t *tree) []node {
	out := make([]node, len(t.locals))
	for id := range t.locals {
		l := &t.locals[id]
		n := &out[id]
		*n = node{op: l.op, phase: l.phase, value: l.value, old: noValue, reg: l.reg, next: l.next, name: int32(id), awake: -1, asleep: -1}
		if l.joined {
			n.flags |= joined
		}
		if l.over {
			n.flags |= over
		}
		if l.reg < 0 {
			continue
		}
		switch k, ok := x.vars[l.reg].index[l.operand]; {
		case l.op == seam.OpCompareAndSwap && ok:
			n.old = k
		case l.op == seam.OpFetchAdd:
			n.sums = x.sums(l.reg, l.operand)
		}
		n.holds = x.mask(l.reg, l.holds)
		switch l.op {
		case seam.OpAwait, seam.OpAwaitGate, seam.OpAwaitValue:
			n.watches = []watch{{l.reg, n.holds}}
		case seam.OpTest, seam.OpTestFirst:
			n.watches = []watch{{l.reg, n.holds}, {l.other, x.mask(l.other, l.otherHolds)}}
			if l.op == seam.OpTest {
				n.watches[0], n.watches[1] = n.watches[1], n.watches[0]
			}
		case seam.OpTry, seam.OpStand, seam.OpQuit, seam.OpPass, seam.OpPark:
			if l.other >= 0 { // it stands in line at two relays
				n.watches = []watch{{l.reg, n.holds}, {l.other, x.mask(l.other, l.otherHolds)}}
			}
		}
	}
	return out
}

// sums returns what adding delta to each value of a register makes of it.
func (x *extraction) sums(reg int16, delta uint64) []uint8 {
	v := &x.vars[reg]
	sums := make([]uint8, len(v.values))
	for k, value := range v.values {
		sums[k] = noValue
		if to, ok := v.index[value+delta]; ok {
			sums[k] = to
		}
	}
	return sums
}

// minimal returns the smallest automaton equivalent to t. The remainder section is
// node 0.
func (x *extraction) minimal(t *tree) []node {
	all := x.freeze(t)
	class, count := partition(all)
	nodes := make([]node, count)
	seen := make([]bool, count)
	for id := range all {
		c := class[id]
		if seen[c] {
			continue
		}
		seen[c] = true
		n := all[id]
		n.next = make([]int32, len(all[id].next))
		for k, to := range all[id].next {
			n.next[k] = -1
			if to >= 0 {
				n.next[k] = class[to]
			}
		}
		nodes[c] = n
	}
	return nodes
}

// partition returns the coarsest partition of the states of an automaton into
// classes, numbered from that of state 0, such that the states of a class have the
// same operation and lead to the same classes (E. F. Moore, "Gedanken-experiments
// on sequential machines", 1956).
//
// Since histories form a tree, most states are merged first, from the leaves up:
// states with the same operation and the same successors.
func partition(all []node) ([]int32, int) {
	class := make([]int32, len(all))
	for id := range class {
		class[id] = int32(id)
	}
	var buf []byte
	first := map[string]int32{}
	for id := len(all) - 1; id > 0; id-- {
		buf = all[id].look(buf[:0])
		for _, to := range all[id].next {
			if to >= 0 {
				to = class[to]
			}
			buf = binary.LittleEndian.AppendUint32(buf, uint32(to))
		}
		if same, ok := first[string(buf)]; ok {
			class[id] = same
		} else {
			first[string(buf)] = int32(id)
		}
	}
	var reps []int32 // a state for each class so far
	for id := range all {
		if class[id] == int32(id) {
			reps = append(reps, int32(id))
		}
	}
	fine := make([]int32, len(all)) // the class of a representative
	count := 0
	for round := 0; ; round++ {
		ids := map[string]int32{}
		now := make([]int32, len(reps))
		for k, id := range reps {
			if round == 0 {
				buf = all[id].look(buf[:0])
				if id == 0 {
					buf = append(buf, "remainder"...)
				}
			} else {
				buf = binary.LittleEndian.AppendUint32(buf[:0], uint32(fine[id]))
				for _, to := range all[id].next {
					if to >= 0 {
						to = fine[class[to]]
					}
					buf = binary.LittleEndian.AppendUint32(buf, uint32(to))
				}
			}
			c, ok := ids[string(buf)]
			if !ok {
				c = int32(len(ids))
				ids[string(buf)] = c
			}
			now[k] = c
		}
		for k, id := range reps {
			fine[id] = now[k]
		}
		if len(ids) == count {
			break
		}
		count = len(ids)
	}
	for id := range class {
		class[id] = fine[class[id]]
	}
	return class, count
}

// look appends what is observable of n itself.
func (n *node) look(buf []byte) []byte {
	buf = append(buf, byte(n.op), byte(n.phase), n.flags, n.value, n.old, byte(n.reg), byte(n.reg>>8), byte(len(n.next)))
	buf = append(buf, n.sums...)
	for _, w := range n.watches { // the first is the condition of the operation itself
		buf = append(buf, byte(w.reg), byte(w.reg>>8))
		buf = binary.LittleEndian.AppendUint64(buf, w.holds)
	}
	return buf
}

// apart reports whether entries by LockContext, TryLock and Lock differ, so that the
// request is a step of its own, which chooses.
func apart(nodes []node) bool {
	return slices.ContainsFunc(nodes, func(n node) bool { return n.op == opStart && !n.single() })
}

// single reports whether every answer leads to the same node.
func (n *node) single() bool { return len(slices.Compact(slices.Clone(n.next))) == 1 }

// fuse makes the request and the first operation of the entry one step, and
// likewise the end of the critical section and the first operation of the exit,
// unless that operation can block or begins a wait: the moment of the request, or
// of the end, is not observable.
func fuse(nodes []node) {
	for i := range nodes {
		n := &nodes[i]
		if n.op != opStart && n.op != opLeave || !n.single() {
			continue
		}
		if n.next[0] == 0 {
			continue // an exit without an operation: an entry follows
		}
		first, phase := nodes[n.next[0]], n.phase
		if fusable(first.op) {
			first.phase = phase
			nodes[i] = first
		}
	}
}

// fusable reports whether an operation cannot block and begins no wait.
func fusable(op seam.Op) bool {
	switch op {
	case seam.OpLoad, seam.OpSet, seam.OpStore, seam.OpStoreGate, seam.OpCompareAndSwap, seam.OpSwap, seam.OpFetchAdd:
		return true
	}
	return false
}

// settle ends the doorway after the first operation if no protocol calls
// Process.Doorway, and never before it. A process whose last await held is inside,
// though it has yet to leave the lines of relays.
func (x *extraction) settle() {
	for _, t := range x.trees {
		for i := range t.locals {
			l := &t.locals[i]
			switch {
			case l.op == seam.OpQuit && t.locals[l.next[0]].op == opLeave:
				l.phase = phaseInside
			case l.phase == phaseDoorway && !x.marked:
				l.phase = phaseWaiting
			}
		}
		for k, id := range t.locals[0].next {
			if t.locals[id].phase == phaseWaiting {
				t.locals[0].next[k] = t.begin(id)
			}
		}
	}
}

// begin returns the local state id of a process that has yet to make the first
// operation of its entry, in its doorway. It is a copy if a retry leads back to id.
func (t *tree) begin(id int32) int32 {
	first := t.inDoorway(id)
	twice := first.op == seam.OpTestFirst && first.next[answerFail] >= 0 // the two reads are one wait
	if !slices.ContainsFunc(t.locals[1:], func(l local) bool { return slices.Contains(l.next, id) }) {
		t.locals[id].phase = phaseDoorway
		if twice { // of which the second always holds
			t.locals[first.next[answerFail]].phase = phaseDoorway
		}
		return id
	}
	if twice {
		second := t.inDoorway(first.next[answerFail])
		if second.next[answerFail] == id {
			second.next[answerFail] = int32(len(t.locals) + 1)
		}
		first.next[answerFail] = int32(len(t.locals))
		t.locals = append(t.locals, second)
	}
	t.locals = append(t.locals, first)
	return int32(len(t.locals) - 1)
}

// inDoorway returns a copy of the local state id, in the doorway.
func (t *tree) inDoorway(id int32) local {
	l := t.locals[id]
	l.phase, l.next = phaseDoorway, slices.Clone(l.next)
	return l
}

// line adds two nodes for every node that waits at a gate: one for a process that
// sleeps there, and one for a process that was woken and must check again.
func line(nodes []node) []node {
	for i := range nodes {
		if nodes[i].op != seam.OpAwaitGate {
			continue
		}
		sleeper, looker := nodes[i], nodes[i]
		sleeper.op, looker.op = opSleep, opLook
		asleep, awake := int32(len(nodes)), int32(len(nodes)+1)
		for _, n := range []*node{&nodes[i], &sleeper, &looker} {
			n.asleep, n.awake = asleep, awake
		}
		nodes = append(nodes, sleeper, looker)
	}
	return nodes
}
