package program

import (
	"context"

	"example.org/doorway/register"
)

// A Lock runs a program.
type Lock struct {
	procs register.Processes
	reg   [Registers]register.Word
	step  [steps]register.Step

	entry, try, exit [][]action // by process
}

// An action is an operation with those in it, of which other packages cannot write anything, as a lock must have it.
type action struct {
	kind              Kind
	reg, other        int
	old               uint64
	value             Value
	holds, otherHolds Values
	forget            bool
	body, otherwise   []action
}

func actions(ops []Op) (all []action) {
	for _, o := range ops {
		all = append(all, action{
			kind: o.Kind, reg: o.Reg, other: o.Other, old: o.Old, value: o.Value, holds: o.Holds, otherHolds: o.OtherHolds,
			forget: o.Forget, body: actions(o.Body), otherwise: actions(o.Else),
		})
	}
	return all
}

func protocols(by [][]Op) (all [][]action) {
	for _, ops := range by {
		all = append(all, actions(ops))
	}
	return all
}

// New returns a lock that runs g.
func New(g *Program) *Lock {
	l := &Lock{procs: register.MakeProcesses("program", len(g.Entry)), entry: protocols(g.Entry), try: protocols(g.Try), exit: protocols(g.Exit)}
	if l.try == nil {
		l.try = l.entry
	}
	return l
}

// Processes returns the number of processes.
func (l *Lock) Processes() int { return l.procs.Len() }

// Lock runs the entry protocol of process i.
func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.run(p, l.entry[i], 0)
	p.Inside()
}

// TryLock runs the entry protocol of process i by TryLock.
func (l *Lock) TryLock(i int) bool {
	return l.procs.Try(i, func(p *register.Process) bool {
		o, _ := l.run(p, l.try[i], 0)
		return o == register.Entered
	})
}

// LockContext runs the entry protocol of process i, which ctx may abort.
func (l *Lock) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, func(p *register.Process) bool {
		o, _ := l.run(p, l.entry[i], 0)
		return o == register.Entered
	})
}

// Unlock runs the exit protocol of process i.
func (l *Lock) Unlock(i int) { l.run(l.procs.Exit(i), l.exit[i], 0) }

// run runs ops, and returns Entered at their end; and v.
func (l *Lock) run(p *register.Process, ops []action, v uint64) (register.Outcome, uint64) {
	for _, a := range ops {
		now, outcome, ended := v, register.Entered, true
		holds := func(x uint64) bool { return a.holds.has(x, now) }
		branch := func(yes bool) {
			if yes {
				outcome, v = l.run(p, a.body, v)
			} else {
				outcome, v = l.run(p, a.otherwise, v)
			}
		}
		switch a.kind {
		default:
			v = l.access(a, v)
		case CAS:
			branch(l.reg[a.reg].CompareAndSwap(a.old, a.value.of(v)))
		case If:
			branch(holds(v))
		case Await:
			ended = l.reg[a.reg].Await(p, holds)
		case AwaitValue:
			var found uint64
			if found, ended = l.reg[a.reg].AwaitValue(p, holds); ended {
				v = found
			}
		case Either:
			second := func(x uint64) bool { return a.otherHolds.has(x, now) }
			ended = register.AwaitEither(p, &l.reg[a.reg], holds, &l.reg[a.other], second)
		case Repeat:
			v = 0
			if !register.Repeat(func() register.Outcome {
				outcome, _ := l.run(p, a.body, 0)
				return outcome
			}) {
				outcome = register.GaveUp
			}
		case Again:
			outcome = register.Again
		case Atomic:
			l.step[a.reg].Do(func() {
				for _, a := range a.body {
					v = l.access(a, v)
				}
			})
		case Doorway:
			p.Doorway()
		}
		if !ended {
			if outcome, v = l.run(p, a.body, v); outcome == register.Entered && !a.forget {
				outcome = register.GaveUp
			}
		}
		if outcome != register.Entered {
			return outcome, v
		}
	}
	return register.Entered, v
}

// access makes an operation that does not wait, and returns v.
func (l *Lock) access(a action, v uint64) uint64 {
	switch r := &l.reg[a.reg]; a.kind {
	case Load:
		return r.Load()
	case Store:
		r.Store(a.value.of(v))
	case Set:
		r.Set(a.value.of(v))
	case Swap:
		return r.Swap(a.value.of(v))
	case FetchAdd:
		return r.FetchAdd(a.value.of(v))
	case If:
		then := a.otherwise
		if a.holds.has(v, v) {
			then = a.body
		}
		for _, a := range then {
			v = l.access(a, v)
		}
	}
	return v
}
