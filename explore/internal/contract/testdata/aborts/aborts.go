// Package aborts has locks that forget that an await was aborted.
package aborts

import (
	"context"
	"errors"

	"example.org/doorway/register"
)

type Lock struct {
	procs register.Processes
	x, y  register.Word
	gate  register.Gate
	relay [2]register.Relay
}

func (l *Lock) TryLock(i int) bool { return l.procs.Try(i, l.entry) }

func (l *Lock) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, func(p *register.Process) bool {
		l.x.Await(p, zero) // want "LockContext: does not use the result of Word.Await: an aborted acquisition would go on to enter"
		return l.late(p)
	})
}

func (l *Lock) entry(p *register.Process) bool {
	l.x.Await(p, zero)                                                 // want "entry: does not use the result of Word.Await: .*"
	_ = l.gate.Await(p, zero)                                          // want "entry: does not use the result of Gate.Await: .*"
	register.AwaitEither(p, &l.x, zero, &l.y, zero)                    // want "entry: does not use the result of register.AwaitEither: .*"
	register.AwaitEitherRelay(p, &l.relay[0], zero, &l.relay[1], zero) // want "entry: does not use the result of register.AwaitEitherRelay: .*"
	register.Repeat(func() register.Outcome {                          // want "entry: does not use the result of register.Repeat: .*"
		l.y.Await(p, zero) // want "entry: does not use the result of Word.Await: .*"
		return register.AgainIf(l.x.Await(p, zero))
	})
	register.Repeat(func() register.Outcome {
		if l.x.CompareAndSwap(0, 1) {
			return register.Entered
		}
		return register.Again
	})
	l.x.AwaitValue(p, zero)         // want "entry: does not use the result of Word.AwaitValue: .*"
	v, _ := l.x.AwaitValue(p, zero) // want "entry: does not use the result of Word.AwaitValue: .*"
	v, _ = l.value(p, v)            // want "entry: does not use the result of value, which awaits: .*"
	if _, ok := l.value(p, v); !ok {
		return false
	}
	l.wait(p)     // want "entry: does not use the result of wait, which awaits: .*"
	_ = l.wait(p) // want "entry: does not use the result of wait, which awaits: .*"
	l.try(p)      // want "entry: does not use the result of try, which awaits: .*"
	l.taken()
	func() bool { return l.x.Await(p, zero) }() // want "entry: does not use the result of a function that awaits: .*"
	ok := l.wait(p)
	if !l.x.Await(p, zero) || !ok {
		return false
	}
	l.number(p)       // want "entry: does not use the result of number, which awaits: .*"
	_ = l.state(p)    // want "entry: does not use the result of state, which awaits: .*"
	l.checked(p, v)   // want "entry: does not use the result of checked, which awaits: .*"
	held := l.wait(p) // want "entry: does not use the result of wait, which awaits: .*"
	_ = held
	var passed = l.x.Await(p, zero) // want "entry: does not use the result of Word.Await: .*"
	if !passed {
	}
	if !l.gate.Await(p, zero) { // want "entry: does not use the result of Gate.Await: .*"
	}
	later := l.number(p)
	func() { v = uint64(later) }()
	return l.wait(p) && l.named(p)
}

func (l *Lock) wait(p *register.Process) bool { return l.x.Await(p, zero) }

func (l *Lock) value(p *register.Process, v uint64) (uint64, bool) {
	return l.x.AwaitValue(p, func(now uint64) bool { return now != v })
}

func (l *Lock) try(p *register.Process) register.Outcome {
	return register.AgainIf(l.x.Await(p, zero))
}

func (l *Lock) number(p *register.Process) int {
	if !l.x.Await(p, zero) {
		return -1
	}
	return 1
}

func (l *Lock) state(p *register.Process) struct{ held bool } {
	return struct{ held bool }{l.x.Await(p, zero)}
}

func (l *Lock) checked(p *register.Process, v uint64) (uint64, error) {
	if !l.x.Await(p, zero) {
		return 0, errors.New("aborted")
	}
	return v, nil
}

func (l *Lock) named(p *register.Process) (ok bool) {
	ok = l.x.Await(p, zero)
	return
}

func (l *Lock) taken() bool { return l.x.Load() != 0 }

// late leaves the rest of the entry to a goroutine, which does not abort.
func (l *Lock) late(p *register.Process) bool {
	rest := func() {
		l.x.Await(p, zero)
		l.finish(p)
	}
	if l.taken() {
		p.Absorb(rest)
		return false
	}
	if !l.y.Await(p, zero) {
		p.Absorb(func() { l.x.Await(p, zero) })
		return false
	}
	return true
}

func (l *Lock) finish(p *register.Process) { l.y.Await(p, zero) }

// Lock is never aborted, nor is Unlock.
func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.x.Await(p, zero)
	l.entry(p)
	p.Inside()
}

func (l *Lock) Unlock(i int) {
	p := l.procs.Exit(i)
	l.x.Await(p, zero)
	l.x.Store(0)
}

func zero(v uint64) bool { return v == 0 }

// Patient has neither TryLock nor LockContext.
type Patient struct {
	procs register.Processes
	x     register.Word
}

func (l *Patient) Lock(i int) {
	p := l.procs.Entry(i)
	l.x.Await(p, zero)
	p.Inside()
}
