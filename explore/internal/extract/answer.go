package extract

import (
	"slices"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/memory/hook"
)

// values returns on how many values the answers to the operation of l depend, and one more.
func (x *Extraction) values(l *automaton.Local) uint8 {
	n := 1
	for _, reg := range [...]int16{l.Reg, l.Other} {
		if reg >= 0 {
			n += len(x.Variables[reg].Values)
		}
	}
	return uint8(n)
}

// possible returns which answers there are to the operation of the local state id of t, given what registers can hold.
// It refuses the lock if a condition panics.
func (x *Extraction) possible(t *automaton.Tree, id int32) []bool {
	defer func() {
		if e := recover(); e != nil {
			panic(refused{breach(x.siteAgain(t, t.Path(id)),
				"the condition of this await panics for a value that the register can hold: %v", e)})
		}
	}()
	l := &t.Locals[id]
	is := slices.Grow(x.answers[:0], 1+automaton.AnswerValue+automaton.MaxValues)
	add := func(k int) {
		for len(is) <= k {
			is = append(is, false)
		}
		is[k] = true
	}
	n, values := l.Node(x.Variables), 1
	if l.Reg >= 0 {
		values = len(x.Variables[l.Reg].Values)
	}
	switch {
	case l.Op == automaton.OpStart && !l.Sure:
		values = x.Ways()
	case l.Op == hook.OpCompareAndSwap:
		add(automaton.AnswerFail)
	case automaton.Aborted(l.Op) >= 0 && x.aborts(l):
		add(automaton.Aborted(l.Op))
	}
	for v := range values {
		k, _ := n.Answer(uint64(v))
		switch {
		case l.Op == hook.OpFetchAdd && !x.over(l.Reg, x.sum(l, v)), l.Op == automaton.OpStart:
			add(v)
		case k >= 0:
			add(k)
		}
	}
	x.answers = is
	return is
}

// aborts reports whether the await of l can be aborted: those of an exit protocol,
// of an entry by Lock, and of what is left of an entry that was absorbed, are not.
func (x *Extraction) aborts(l *automaton.Local) bool {
	return x.GiveUp && !l.Sure && l.Phase != phase.Absorbed && l.Phase != phase.Exit
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
