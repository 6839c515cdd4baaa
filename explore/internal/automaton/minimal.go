package automaton

import (
	"encoding/binary"
	"slices"

	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/memory/hook"
)

// A Node is a state of a minimal automaton: a local, prepared for fast steps.
type Node struct {
	Op     hook.Op
	Phase  phase.Phase
	Flags  uint8
	Value  uint8   // the value written
	Old    uint8   // the value that a compare-and-swap expects; noValue if the register never holds it
	Reg    int16   // -1: none
	Awake  int32   // of a wait at a gate: the node of a woken process; of that node, the node of a sleeper
	Asleep int32   // likewise
	Holds  uint64  // the values for which an await or test holds, a bit each
	Next   []int32 // by answer; -1: the answer is impossible
	Sums   []uint8 // of a fetch-and-add: the value written, by the value read; noValue if it is above the cap

	Watches []Watch // conditions that no Set may make true
	Name    int32   // a local state that it represents
}

// A Watch is a condition on one register.
type Watch struct {
	Reg   int16
	Holds uint64
}

const (
	Joined uint8 = 1 << iota // part of the same atomic step as the operation before
	Over                     // writes more than the cap
)

// NoValue stands for a value that a register never holds.
const NoValue = 255

// A node that cannot take its step has one of these answers.
const (
	Blocked = -1 // the process waits
	Capped  = -2 // it would write a value above the cap
)

// Answer returns the answer to the operation of n where its register holds value v, and what it writes there; NoValue:
// nothing. There is none to a process that sleeps, or has panicked.
func (n *Node) Answer(v uint64) (answer int, writes uint8) {
	holds := int(n.Holds >> v & 1)
	switch n.Op {
	case hook.OpLoad:
		return int(v), NoValue
	case hook.OpSet, hook.OpStore:
		return n.writing(AnswerDone, n.Value)
	case hook.OpCompareAndSwap:
		if v != uint64(n.Old) {
			return AnswerFail, NoValue
		}
		return n.writing(AnswerTrue, n.Value)
	case hook.OpSwap:
		return n.writing(int(v), n.Value)
	case hook.OpFetchAdd:
		return n.writing(int(v), n.Sums[v])
	case hook.OpBegin, hook.OpEnd:
		if n.Op == hook.OpBegin && v != 0 {
			return Blocked, NoValue
		}
		return AnswerDone, uint8(1 - v)
	case hook.OpTest, hook.OpTestFirst, hook.OpTry:
		return holds, NoValue
	case OpStart, OpLeave:
		return AnswerDone, NoValue
	case OpSleep, OpPanic:
		return Blocked, NoValue
	case hook.OpTryValue:
		return holds * (AnswerValue + int(v)), NoValue
	}
	switch {
	case holds == 0:
		return Blocked, NoValue
	case n.Op == hook.OpAwaitValue:
		return AnswerValue + int(v), NoValue
	}
	return AnswerDone, NoValue
}

// Aborted returns the answer to an operation by which it is aborted, if it can be; otherwise -1.
func Aborted(op hook.Op) int {
	switch op {
	case hook.OpAwait, hook.OpAwaitExclusive, OpSleep, OpLook:
		return AnswerGiveUp
	case hook.OpAwaitValue:
		return AnswerNoValue
	case hook.OpTestFirst:
		return AnswerTestGiveUp
	}
	return -1
}

// Writes reports whether n writes a value, whatever its register holds.
func (n *Node) Writes() bool { return n.Op == hook.OpSet || n.Op == hook.OpStore }

// writing returns an answer with what n writes.
func (n *Node) writing(answer int, v uint8) (int, uint8) {
	if n.Flags&Over != 0 || v == NoValue {
		return Capped, NoValue
	}
	return answer, v
}

// Freeze returns t as an automaton over the registers vars. Every answer must be known.
func Freeze(t *Tree, vars []Variable) []Node {
	out := make([]Node, len(t.Locals))
	for id := range t.Locals {
		out[id] = t.Locals[id].Node(vars)
		out[id].Name = int32(id)
	}
	return out
}

// Node returns l as the node of an automaton over the registers vars.
func (l *Local) Node(vars []Variable) Node {
	n := Node{Op: l.Op, Phase: l.Phase, Value: l.Value, Old: NoValue, Reg: l.Reg, Next: l.Next, Awake: -1, Asleep: -1}
	if l.Joined {
		n.Flags |= Joined
	}
	if l.Over {
		n.Flags |= Over
	}
	if l.Reg < 0 {
		return n
	}
	switch k, ok := vars[l.Reg].Index[l.Operand]; {
	case l.Op == hook.OpCompareAndSwap && ok:
		n.Old = k
	case l.Op == hook.OpFetchAdd:
		n.Sums = vars[l.Reg].Sums(l.Operand)
	}
	n.Holds = vars[l.Reg].Mask(l.Holds)
	switch l.Op {
	case hook.OpAwait, hook.OpAwaitExclusive, hook.OpAwaitValue:
		n.Watches = []Watch{{l.Reg, n.Holds}}
	case hook.OpTest, hook.OpTestFirst:
		n.Watches = []Watch{{l.Reg, n.Holds}, {l.Other, vars[l.Other].Mask(l.OtherHolds)}}
		if l.Op == hook.OpTest {
			n.Watches[0], n.Watches[1] = n.Watches[1], n.Watches[0]
		}
	}
	return n
}

// Minimal returns the smallest automaton equivalent to t. The remainder section is
// node 0.
func Minimal(t *Tree, vars []Variable) []Node {
	all := Freeze(t, vars)
	class, count := partition(all)
	nodes := make([]Node, count)
	seen := make([]bool, count)
	for id := range all {
		c := class[id]
		if seen[c] {
			continue
		}
		seen[c] = true
		n := all[id]
		n.Next = make([]int32, len(all[id].Next))
		for k, to := range all[id].Next {
			n.Next[k] = -1
			if to >= 0 {
				n.Next[k] = class[to]
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
func partition(all []Node) (class []int32, count int) {
	class = merged(all)
	var reps []int32 // a state for each class so far
	for id := range all {
		if class[id] == int32(id) {
			reps = append(reps, int32(id))
		}
	}
	fine := make([]int32, len(all)) // the class of a representative
	for round := 0; ; round++ {
		ids, now := map[string]int32{}, make([]int32, len(reps))
		var buf []byte
		for k, id := range reps {
			if round == 0 {
				buf = all[id].Look(buf[:0])
				if id == 0 {
					buf = append(buf, "remainder"...)
				}
			} else {
				buf = binary.LittleEndian.AppendUint32(buf[:0], uint32(fine[id]))
				buf = all[id].leads(buf, func(to int32) int32 { return fine[class[to]] })
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

// merged returns a representative of each state: one with the same operation, of which the successors
// have the same representatives.
func merged(all []Node) []int32 {
	class := make([]int32, len(all))
	for id := range class {
		class[id] = int32(id)
	}
	var buf []byte
	first := map[string]int32{}
	for id := len(all) - 1; id > 0; id-- {
		buf = all[id].leads(all[id].Look(buf[:0]), func(to int32) int32 { return class[to] })
		if same, ok := first[string(buf)]; ok {
			class[id] = same
		} else {
			first[string(buf)] = int32(id)
		}
	}
	return class
}

// leads appends the classes to which n leads.
func (n *Node) leads(buf []byte, class func(to int32) int32) []byte {
	for _, to := range n.Next {
		if to >= 0 {
			to = class(to)
		}
		buf = binary.LittleEndian.AppendUint32(buf, uint32(to))
	}
	return buf
}

// Look appends what is observable of n itself.
func (n *Node) Look(buf []byte) []byte {
	buf = append(buf, byte(n.Op), byte(n.Phase), n.Flags, n.Value, n.Old, byte(n.Reg), byte(n.Reg>>8))
	buf = append(buf, n.Sums...)
	for _, w := range n.Watches { // the first is the condition of the operation itself
		buf = append(buf, byte(w.Reg), byte(w.Reg>>8))
		buf = binary.LittleEndian.AppendUint64(buf, w.Holds)
	}
	return buf
}

// Steps returns the nodes of an automaton as those between steps.
func Steps(nodes []Node) []Node {
	fuse(nodes)
	return atGates(nodes)
}

// single reports whether every answer leads to the same node: if entries by LockContext, TryLock and Lock differ, the
// request is a step of its own, which chooses.
func (n *Node) single() bool { return len(slices.Compact(slices.Clone(n.Next))) == 1 }

// fuse makes the request and the first operation of the entry one step, and
// likewise the end of the critical section and the first operation of the exit,
// unless that operation can block or begins a wait: the moment of the request, or
// of the end, is not observable.
func fuse(nodes []Node) {
	for i := range nodes {
		n := &nodes[i]
		if n.Op != OpStart && n.Op != OpLeave || !n.single() {
			continue
		}
		if n.Next[0] == 0 {
			continue // an exit without an operation: an entry follows
		}
		first, phase := nodes[n.Next[0]], n.Phase
		if Fusable(first.Op) {
			first.Phase = phase
			nodes[i] = first
		}
	}
}

// Fusable reports whether an operation cannot block and begins no wait.
func Fusable(op hook.Op) bool {
	switch op {
	case hook.OpLoad, hook.OpSet, hook.OpStore, hook.OpCompareAndSwap, hook.OpSwap, hook.OpFetchAdd:
		return true
	}
	return false
}

// Settle ends the doorway after the first operation unless a protocol marks its end by
// Process.Doorway, and never before it.
func Settle(trees []*Tree, marked bool) {
	for _, t := range trees {
		for i := range t.Locals {
			if l := &t.Locals[i]; l.Phase == phase.Doorway && !marked {
				l.Phase = phase.Waiting
			}
		}
		for k, id := range t.Locals[0].Next {
			if t.Locals[id].Phase == phase.Waiting {
				t.Locals[0].Next[k] = t.begin(id)
			}
		}
	}
}

// begin returns the local state id of a process that has yet to make the first
// operation of its entry, in its doorway. It is a copy if a retry leads back to id.
func (t *Tree) begin(id int32) int32 {
	first := t.inDoorway(id)
	twice := first.Op == hook.OpTestFirst && first.Next[AnswerFail] >= 0 // the two reads are one wait
	if !slices.ContainsFunc(t.Locals[1:], func(l Local) bool { return slices.Contains(l.Next, id) }) {
		t.Locals[id].Phase = phase.Doorway
		if twice { // of which the second always holds
			t.Locals[first.Next[AnswerFail]].Phase = phase.Doorway
		}
		return id
	}
	if twice {
		second := t.inDoorway(first.Next[AnswerFail])
		if second.Next[AnswerFail] == id {
			second.Next[AnswerFail] = int32(len(t.Locals) + 1)
		}
		first.Next[AnswerFail] = int32(len(t.Locals))
		t.Locals = append(t.Locals, second)
	}
	t.Locals = append(t.Locals, first)
	return int32(len(t.Locals) - 1)
}

// inDoorway returns a copy of the local state id, in the doorway.
func (t *Tree) inDoorway(id int32) Local {
	l := t.Locals[id]
	l.Phase, l.Next = phase.Doorway, slices.Clone(l.Next)
	return l
}

// atGates adds two nodes for every node that waits at a gate: one for a process that
// sleeps there, and one for a process that was woken and must check again.
func atGates(nodes []Node) []Node {
	for i := range nodes {
		if nodes[i].Op != hook.OpAwaitExclusive {
			continue
		}
		sleeper, looker := nodes[i], nodes[i]
		sleeper.Op, looker.Op = OpSleep, OpLook
		asleep, awake := int32(len(nodes)), int32(len(nodes)+1)
		for _, n := range []*Node{&nodes[i], &sleeper, &looker} {
			n.Asleep, n.Awake = asleep, awake
		}
		nodes = append(nodes, sleeper, looker)
	}
	return nodes
}
