package extract

import (
	"slices"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/memory/hook"
)

// askAll asks every condition of every value that its register can hold: verdicts ask
// them outside of any run.
func (x *Extraction) askAll() {
	for _, t := range x.Trees {
		for id := range t.Locals {
			l := &t.Locals[id]
			x.asking(t, int32(id), func() {
				x.ask(l.Reg, l.Holds)
				x.ask(l.Other, l.OtherHolds)
			})
		}
	}
}

// ask returns a bit for each value of a register: whether holds is true of it.
func (x *Extraction) ask(reg int16, holds func(uint64) bool) uint64 {
	if reg < 0 {
		return 0
	}
	return x.Variables[reg].Mask(holds)
}

// asking calls f, which asks the conditions of the local state id of t, and refuses the
// lock if one panics.
func (x *Extraction) asking(t *automaton.Tree, id int32, f func()) {
	defer func() {
		if e := recover(); e != nil {
			panic(refused{breach(x.siteAgain(t, t.Path(id)),
				"the condition of this await panics for a value that the register can hold: %v", e)})
		}
	}()
	f()
}

// answers returns the number of answers to the operation of l.
func (x *Extraction) answers(l *automaton.Local) int {
	switch l.Op {
	case hook.OpLoad, hook.OpSwap, hook.OpFetchAdd:
		if l.Over {
			return 0
		}
		return len(x.Variables[l.Reg].Values)
	case hook.OpAwaitValue, hook.OpTryValue:
		return automaton.AnswerValue + len(x.Variables[l.Reg].Values)
	case hook.OpCompareAndSwap, hook.OpTest, hook.OpTry:
		return 2
	case hook.OpTestFirst:
		if x.aborts(l) {
			return 3
		}
		return 2
	case hook.OpAwait, hook.OpAwaitExclusive:
		if x.aborts(l) {
			return 2
		}
		return 1
	case automaton.OpStart:
		if l.Sure {
			return 1
		}
		return x.Ways()
	case automaton.OpPanic:
		return 0
	default:
		if l.Over {
			return 0
		}
		return 1
	}
}

// aborts reports whether the await of l can be aborted: those of an exit protocol,
// of an entry by Lock, and of what is left of an entry that was absorbed, are not.
func (x *Extraction) aborts(l *automaton.Local) bool {
	return x.GiveUp && !l.Sure && l.Phase != phase.Absorbed && l.Phase != phase.Exit
}

// possible reports whether the operation of the local state id of t can be answered by
// k, given what the registers can hold.
func (x *Extraction) possible(t *automaton.Tree, id int32, k int) bool {
	l := &t.Locals[id]
	some := func(values []uint64, want bool) (found bool) {
		x.asking(t, id, func() {
			found = slices.ContainsFunc(values, func(v uint64) bool { return l.Holds(v) == want })
		})
		return found
	}
	var values []uint64
	if l.Reg >= 0 {
		values = x.Variables[l.Reg].Values
	}
	switch l.Op {
	case hook.OpCompareAndSwap:
		if l.Over {
			return k == automaton.AnswerFail
		}
		_, ok := x.Variables[l.Reg].Index[l.Operand]
		return k == automaton.AnswerFail || ok
	case hook.OpFetchAdd:
		return !x.over(l.Reg, x.sum(l, k))
	case hook.OpAwaitValue, hook.OpTryValue:
		switch {
		case k >= automaton.AnswerValue:
			return some(values[k-automaton.AnswerValue:k-automaton.AnswerValue+1], true)
		case l.Op == hook.OpAwaitValue:
			return x.aborts(l)
		}
		return some(values, false)
	case hook.OpAwait, hook.OpAwaitExclusive:
		return k == automaton.AnswerGiveUp || some(values, true)
	case hook.OpTest, hook.OpTestFirst, hook.OpTry:
		return k == automaton.AnswerTestGiveUp || some(values, k == automaton.AnswerTrue)
	}
	return true
}

// reply returns the result of an operation for answer k.
func (x *Extraction) reply(l *automaton.Local, k int) uint64 {
	switch l.Op {
	case hook.OpLoad, hook.OpSwap, hook.OpFetchAdd:
		return x.Variables[l.Reg].Values[k]
	case hook.OpAwait, hook.OpAwaitExclusive:
		return 1 - uint64(k)
	default:
		return uint64(k)
	}
}

// give returns an answer to op as a host gives it: reply, but to an await that returns a
// value, which is stored, whether there is one.
func (x *Extraction) give(op hook.Operation, reply uint64) uint64 {
	if op.Found == nil || reply == automaton.AnswerNoValue {
		return reply
	}
	*op.Found = x.Variables[x.of[op.Word]].Values[reply-automaton.AnswerValue]
	return 1
}

// given returns the answers along a path, followed by answer k.
func (x *Extraction) given(t *automaton.Tree, path []int32, k int) []uint64 {
	given := x.answered[:0]
	for _, l := range path[1:] {
		given = append(given, t.Locals[l].Answer)
	}
	x.answered = append(given, x.reply(&t.Locals[path[len(path)-1]], k))
	return x.answered
}

// sum returns what a fetch-and-add writes where its register holds value k.
func (x *Extraction) sum(l *automaton.Local, k int) uint64 {
	return x.Variables[l.Reg].Values[k] + l.Operand
}

// over reports whether a value that a process would write to a register is above the
// cap.
func (x *Extraction) over(reg int16, value uint64) bool {
	if x.Cap == 0 || value <= x.Cap {
		return false
	}
	if x.Least == nil || value < x.Least.Value {
		x.Least = &excess{reg, value}
	}
	return true
}

// An excess is a value above the cap.
type excess struct {
	Reg   int16
	Value uint64
}
