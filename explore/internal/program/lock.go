package program

import (
	"context"
	"slices"

	"example.org/doorway/register"
)

// A Lock runs a program.
type Lock struct {
	procs register.Processes
	reg   [Registers]register.Word
	step  [steps]register.Step

	entry, try, exit [][]Op // by process
}

// New returns a lock that runs g. Changes to g do not affect it.
func New(g *Program) *Lock {
	l := &Lock{procs: register.MakeProcesses("program", len(g.Entry)), entry: copies(g.Entry), exit: copies(g.Exit)}
	l.try = l.entry
	if g.Try != nil {
		l.try = copies(g.Try)
	}
	return l
}

// copies returns a copy of the protocols of all processes.
func copies(of [][]Op) (all [][]Op) {
	for _, ops := range of {
		all = append(all, cloned(ops))
	}
	return all
}

func cloned(ops []Op) []Op {
	ops = slices.Clone(ops)
	for k := range ops {
		ops[k].Body, ops[k].Else = cloned(ops[k].Body), cloned(ops[k].Else)
	}
	return ops
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
func (l *Lock) run(p *register.Process, ops []Op, v uint64) (register.Outcome, uint64) {
	for _, o := range ops {
		r, now := &l.reg[o.Reg], v
		holds := func(x uint64) bool { return o.Holds.has(x, now) }
		outcome := register.Entered
		switch o.Kind {
		default:
			v = l.access(o, v)
		case CAS:
			if r.CompareAndSwap(o.Old, o.Value.of(v)) {
				outcome, v = l.run(p, o.Body, v)
			} else {
				outcome, v = l.run(p, o.Else, v)
			}
		case Await:
			if !r.Await(p, holds) {
				outcome, v = l.aborted(p, o, v)
			}
		case Either:
			if !register.AwaitEither(p, r, holds, &l.reg[o.Other], func(x uint64) bool { return o.OtherHolds.has(x, now) }) {
				outcome, v = l.aborted(p, o, v)
			}
		case If:
			if holds(v) {
				outcome, v = l.run(p, o.Body, v)
			} else {
				outcome, v = l.run(p, o.Else, v)
			}
		case Repeat:
			v = 0
			if !register.Repeat(func() register.Outcome {
				outcome, _ := l.run(p, o.Body, 0)
				return outcome
			}) {
				outcome = register.GaveUp
			}
		case Again:
			outcome = register.Again
		case Atomic:
			l.step[o.Reg].Do(func() {
				for _, o := range o.Body {
					v = l.access(o, v)
				}
			})
		case Doorway:
			p.Doorway()
		}
		if outcome != register.Entered {
			return outcome, v
		}
	}
	return register.Entered, v
}

// access makes an operation that does not wait, and returns v.
func (l *Lock) access(o Op, v uint64) uint64 {
	switch o.Kind {
	case Load:
		return l.reg[o.Reg].Load()
	case Store:
		l.reg[o.Reg].Store(o.Value.of(v))
	case Set:
		l.reg[o.Reg].Set(o.Value.of(v))
	case Swap:
		return l.reg[o.Reg].Swap(o.Value.of(v))
	case FetchAdd:
		return l.reg[o.Reg].FetchAdd(o.Value.of(v))
	case If:
		then := o.Else
		if o.Holds.has(v, v) {
			then = o.Body
		}
		for _, o := range then {
			v = l.access(o, v)
		}
	}
	return v
}

// aborted continues after the await o was aborted.
func (l *Lock) aborted(p *register.Process, o Op, v uint64) (register.Outcome, uint64) {
	outcome, v := l.run(p, o.Body, v)
	if outcome == register.Entered && !o.Forget {
		outcome = register.GaveUp
	}
	return outcome, v
}
