//go:build doorway_explore

package explore_test

import "slices"

// The explorer. A state is where each process is in its code, and what the registers
// hold. What a state and a step are, and which runs a property is about, is taken from
// the documentation of package explore.

// An instr is an operation in the code of a process, with where it continues.
type instr struct {
	Op
	next, body, els int // of an await, body is where an abort continues
}

// Places in the code of every process.
const (
	atRemainder = iota
	atInside
	atFirst // of its own
)

// A local is the state of a process.
type local struct {
	pc                    int
	v                     uint64
	second                bool // of Either: it reads Other next
	leaving               bool // in its exit section
	begun                 bool // the first operation of the entry is over
	marked, aborted       bool // it has called Doorway; an await was aborted
	markedTry, abortedTry bool // when the try began
}

// A state is one of all processes and registers.
type state struct {
	at    [Processes]local
	reg   [Registers]uint64
	taken [steps]bool
	busy  [Registers]bool                     // it is being written, if registers are safe
	heard [Processes + Registers + steps]bool // that the last entry and exit happen before
}

// An explorer has the code of a program, and what it has learned of it.
type explorer struct {
	g     *lockProgram
	n     int
	code  [][]instr // by process
	entry [][]int   // by process and method
	exit  []int

	held    [Registers]map[uint64]bool // the values that a register can ever hold
	writers [Registers]map[int]bool
	swapped [Registers]bool
	calls   bool // an entry calls Doorway
	waits   bool // a doorway has an await
	refused bool // the program breaks a rule of explore

	races, safe bool // what is explored

	// Of the last step.
	reads, writes       int
	cut, awaited, raced bool
}

// compile adds the code of ops, which continues at then, and returns where it begins. A
// process that aborts continues at the remainder section.
func (x *explorer) compile(p int, ops []Op, then, again int) int {
	for _, o := range slices.Backward(ops) {
		in := instr{Op: o, next: then}
		switch o.Kind {
		case CAS, If:
			in.body, in.els = x.compile(p, o.Body, then, again), x.compile(p, o.Else, then, again)
		case Await, AwaitValue, Either:
			after := atRemainder
			if o.Forget {
				after = then
			}
			in.body = x.compile(p, o.Body, after, again)
		case Repeat:
			end := x.add(p, instr{Op: Op{Kind: endTry}, next: then})
			at := x.add(p, in)
			x.code[p][at].body = x.compile(p, o.Body, end, at)
			then = at
			continue
		case Again:
			in.next = again
		case Atomic:
			in.body = x.compile(p, o.Body, x.add(p, instr{Op: Op{Kind: endAtomic, Reg: o.Reg}, next: then}), again)
		}
		then = x.add(p, in)
	}
	return then
}

func (x *explorer) add(p int, in instr) int {
	x.code[p] = append(x.code[p], in)
	return len(x.code[p]) - 1
}

// at returns l at the next operation from there on: what is in between is no step.
func (x *explorer) at(p int, l local, pc int) local {
	l.pc = pc
	begins := false // a try begins here
	for {
		if l.pc < atFirst {
			return local{pc: l.pc}
		}
		switch in := &x.code[p][l.pc]; in.Kind {
		case If:
			if l.pc = in.els; in.Holds.has(l.v, l.v) {
				l.pc = in.body
			}
		case Repeat:
			l.v, l.markedTry, l.abortedTry, begins = 0, l.marked, l.aborted, true
			l.pc = in.body
		case endTry:
			l.v, l.markedTry, l.abortedTry = 0, false, false
			l.pc = in.next
		case Again:
			was := l
			was.marked, was.aborted = l.markedTry, l.abortedTry
			if begins { // without an operation
				x.refused = true
				return local{}
			}
			l, was = x.at(p, l, in.next), x.at(p, was, in.next)
			if l.pc != atInside && (l.aborted != was.aborted || !l.aborted && l.marked != was.marked) {
				x.refused = true // it carries state into the next try
			}
			return was
		case Doorway:
			l.marked = true
			x.calls = true
			l.pc = in.next
		default:
			return l
		}
	}
}

// waiting reports whether a process has completed its doorway and waits.
func (x *explorer) waiting(l local) bool {
	return l.pc >= atFirst && !l.leaving && !l.aborted && l.begun && (l.marked || !x.calls)
}

// busy reports whether a process is in its entry or its exit section.
func busy(l local) bool { return l.pc >= atFirst }

// step returns the states to which process p can step from s; and idle if it has none
// because it waits for a condition or has no request.
func (x *explorer) step(s state, p int) (to []state, idle bool) {
	x.reads, x.writes, x.cut, x.awaited, x.raced = 0, 0, false, false, false
	l := s.at[p]
	switch l.pc {
	case atRemainder:
		for _, pc := range x.entry[p] {
			l = x.at(p, local{}, pc)
			if len(x.entry[p]) == 1 && x.joins(p, l) {
				to, _ = x.do(s, p, l)
				break
			}
			to = append(to, x.settle(s, p, l)...)
		}
		return to, true
	case atInside:
		l = x.at(p, local{leaving: true}, x.exit[p])
		if x.joins(p, l) {
			return x.do(s, p, l)
		}
		return x.settle(s, p, l), false
	}
	return x.do(s, p, l)
}

// joins reports whether a request, or the end of a critical section, is one step with
// the operation after it.
func (x *explorer) joins(p int, l local) bool {
	if l.pc < atFirst {
		return false
	}
	switch x.code[p][l.pc].Kind {
	case Load, Store, Set, Swap, FetchAdd, CAS:
		return true
	}
	return false
}

// do returns the states to which the next operation of p leads, which is that of l.
func (x *explorer) do(s state, p int, l local) (to []state, idle bool) {
	in := &x.code[p][l.pc]
	switch in.Kind {
	case Load:
		x.reads++
		for _, v := range x.values(s, in.Reg) {
			t, m := x.acquired(s, p, Processes+in.Reg), l
			m.v = v
			to = append(to, x.over(t, p, m, in.next)...)
		}
	case Store, Set:
		x.writes++
		return x.write(s, p, l, in, in.Value.of(l.v), in.next), false
	case Swap, FetchAdd, CAS:
		x.reads++
		x.writes++
		x.swapped[in.Reg] = true
		s = x.acquired(s, p, Processes+in.Reg)
		was, v, next := s.reg[in.Reg], in.Value.of(l.v), in.next
		switch {
		case in.Kind == CAS && was != in.Old:
			return x.over(s, p, l, in.els), false
		case in.Kind == CAS:
			was, next = l.v, in.body
		case in.Kind == FetchAdd:
			v += was
		}
		l.v = was
		return x.write(s, p, l, in, v, next), false
	case Await, AwaitValue, Either:
		return x.await(s, p, l, in)
	case Atomic:
		if s.taken[in.Reg] {
			return nil, false // sync.Mutex lets it through
		}
		s = x.acquired(s, p, Processes+Registers+in.Reg)
		s.taken[in.Reg] = true
		l.begun = true
		return x.do(s, p, x.at(p, l, in.body))
	case endAtomic:
		s.taken[in.Reg] = false
		s.heard[Processes+Registers+in.Reg] = s.heard[p]
		return x.settle(s, p, x.at(p, l, in.next)), false
	}
	return to, false
}

// await reads a register in a wait. It may be that no value lets the process pass.
func (x *explorer) await(s state, p int, l local, in *instr) (to []state, idle bool) {
	x.reads++
	reg, holds := in.Reg, in.Holds
	if l.second {
		reg, holds = in.Other, in.OtherHolds
	}
	x.waits = x.waits || !l.leaving && !l.aborted && !x.waiting(l)
	for _, v := range x.values(s, reg) {
		switch {
		case holds.has(v, l.v):
			m := l
			m.second = false
			if in.Kind == AwaitValue {
				m.v = v
			}
			to = append(to, x.over(x.acquired(s, p, Processes+reg), p, m, in.next)...)
		case in.Kind == Either: // the other one next
			t := x.acquired(s, p, Processes+reg)
			t.at[p].second = !l.second
			to = append(to, t)
		}
	}
	return to, len(to) == 0
}

// abort returns the state to which an abort of p leads, if it is in a wait of its entry.
func (x *explorer) abort(s state, p int) (state, bool) {
	l := s.at[p]
	if !x.g.GiveUp || l.pc < atFirst || l.leaving || l.second {
		return s, false
	}
	x.raced = false
	in := &x.code[p][l.pc]
	if !in.Kind.waits() {
		return s, false
	}
	l.aborted = true
	return x.over(s, p, l, in.body)[0], true
}

// values returns what a read of a register can return.
func (x *explorer) values(s state, reg int) []uint64 {
	if !s.busy[reg] {
		return []uint64{s.reg[reg]}
	}
	var all []uint64
	for v := range x.held[reg] {
		all = append(all, v)
	}
	return all
}

// write returns the state after in has written v; none if it exceeds the cap.
func (x *explorer) write(s state, p int, l local, in *instr, v uint64, next int) []state {
	r := in.Reg
	x.writers[r][p] = true
	if v > Cap {
		x.cut = true
		return nil
	}
	if x.safe && len(x.writers[r]) == 1 && !x.swapped[r] && !s.busy[r] {
		s.busy[r] = true
		s.at[p] = l
		return []state{s}
	}
	if in.Kind == Set {
		x.awaited = x.awaited || x.makesTrue(s, p, r, v)
	}
	x.held[r][v] = true
	s.busy[r] = false
	s.reg[r] = v
	s.heard[Processes+r] = s.heard[p]
	return x.over(s, p, l, next)
}

// makesTrue reports whether a condition on register r, which another process than p
// awaits, becomes true by a write of v.
func (x *explorer) makesTrue(s state, p, r int, v uint64) bool {
	for q := range x.n {
		if l := s.at[q]; q != p && busy(l) {
			in := &x.code[q][l.pc]
			becomes := func(reg int, holds Values) bool {
				return reg == r && !holds.has(s.reg[r], l.v) && holds.has(v, l.v)
			}
			if in.Kind.waits() && becomes(in.Reg, in.Holds) || in.Kind == Either && becomes(in.Other, in.OtherHolds) {
				return true
			}
		}
	}
	return false
}

// over returns the state after an operation of p, which continues at pc.
func (x *explorer) over(s state, p int, l local, pc int) []state {
	l.begun = !l.leaving
	return x.settle(s, p, x.at(p, l, pc))
}

// settle returns the state with process p at l. The end of an atomic step is part of
// the operation before.
func (x *explorer) settle(s state, p int, l local) []state {
	was := s.at[p].pc == atInside
	s.at[p] = l
	if l.pc >= atFirst && x.code[p][l.pc].Kind == endAtomic {
		to, _ := x.do(s, p, l)
		return to
	}
	if l.pc == atInside && !was && x.races {
		x.raced = x.raced || !s.heard[p]
		clear(s.heard[:])
		s.heard[p] = true
	}
	return []state{s}
}

// acquired returns s after process p has synchronized with what a register, or a step,
// has heard.
func (x *explorer) acquired(s state, p, what int) state {
	s.heard[p] = s.heard[p] || s.heard[what]
	return s
}
