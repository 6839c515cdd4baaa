// Package repeat has functions that do more than they say: tries that know of the one
// before, computations that write, and conditions that load.
package repeat

import (
	"context"
	"errors"

	"example.org/doorway/register"
)

type Lock struct {
	procs  register.Processes
	turn   register.Word
	want   []register.Word
	a, b   register.Word
	gate   register.Word
	step   register.Step
	inTurn [2]register.Word
}

func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.entry(p)
	l.closure(p)
	l.allowed(p)
	l.valued(p)
}

func (l *Lock) entry(p *register.Process) {
	k, first := 0, true
	var j int
	var seen [2]uint64
	counts := make([]int, 3)
	register.Repeat(func() register.Outcome {
		k++                    // want "entry: assigns captured variable k inside the function given to register.Repeat, which must carry nothing from one try to the next"
		first = false          // want "entry: assigns captured variable first inside the function given to register.Repeat.*"
		seen[0] = 1            // want "entry: assigns captured variable seen inside the function given to register.Repeat.*"
		counts[k]++            // want "entry: assigns captured variable counts inside the function given to register.Repeat.*"
		for j = range l.want { // want "entry: assigns captured variable j inside the function given to register.Repeat.*"
			l.want[j].Set(0)
		}
		func() {
			k = 3 // want "entry: assigns captured variable k inside the function given to register.Repeat.*"
		}()
		if first && l.turn.Load() == uint64(k) {
			return register.Entered
		}
		return register.AgainIf(l.turn.Await(p, func(v uint64) bool { return v == 0 }))
	})
}

func (l *Lock) closure(p *register.Process) {
	k := 0
	bump := func() {
		k++ // want "closure: assigns captured variable k in a function that may be called later.*"
	}
	try := func() register.Outcome {
		bump()
		k = 2 // want "closure: assigns captured variable k in a function that may be called later.*"
		return register.Entered
	}
	register.Repeat(try)
}

// A try may do as it likes with what it made itself.
func (l *Lock) allowed(p *register.Process) {
	id := p.Name()
	register.Repeat(func() register.Outcome {
		tries, values := 0, [2]uint64{}
		for j := range l.want {
			values[j%2] = l.want[j].Load()
			tries++
		}
		table := make([]uint64, len(l.want))
		for j := range table {
			table[j] = uint64(tries)
		}
		l.turn.Store(id + values[0] + table[0])
		return register.Entered
	})
}

// A try that is a method has its receiver from outside.
type attempt struct {
	l     *Lock
	tries int
}

func (a *attempt) try() register.Outcome {
	a.tries++ // want "try: writes plain memory reached through a: a process may keep state only in local variables and registers"
	return register.Entered
}

func (l *Lock) valued(*register.Process) {
	a := attempt{l: l}
	a.tries = 1
	register.Repeat(a.try) // want "valued: takes the address of local variable a: return the new value instead"
}

func (l *Lock) waits(p *register.Process) bool {
	var last uint64
	sum := register.Pure(func() uint64 {
		last = l.a.Load()             // want "waits: assigns captured variable last inside the function given to register.Pure.*"
		l.a.Store(1)                  // want "waits: calls Word.Store inside the function given to register.Pure, which must have no effect but its result"
		l.b.Set(1)                    // want "waits: calls Word.Set inside the function given to register.Pure, which must have no effect but its result"
		l.gate.GiveWay(p)             // want "waits: calls Word.GiveWay inside the function given to register.Pure, which must have no effect but its result"
		if l.a.CompareAndSwap(0, 1) { // want "waits: calls Word.CompareAndSwap inside the function given to register.Pure, which must have no effect but its result"
			return l.lower()
		}
		if !l.a.Await(p, zero) { // want "waits: calls Word.Await inside the function given to register.Pure, which must have no effect but its result"
			p.Doorway() // want "waits: calls Process.Doorway inside the function given to register.Pure, which must have no effect but its result"
		}
		return l.b.Load() + register.Pure(l.read)
	})
	if !l.a.Await(p, func(v uint64) bool {
		last = v               // want "waits: uses captured variable last, which is assigned later, in a condition.*"
		return v == l.b.Load() // want "waits: calls Word.Load inside the function given to Word.Await, which may only test the value that it is given"
	}) {
		return false
	}
	return register.AwaitEither(p,
		&l.a, func(v uint64) bool { return v == sum },
		&l.b, l.judges,
	) && register.AwaitEitherInTurn(p, &l.inTurn[0], zero, &l.inTurn[1], func(v uint64) bool { last++; return v == last }) && // want "waits: assigns captured variable last inside the function given to register.AwaitEitherInTurn.*"
		l.gate.AwaitExclusive(p, zero)
}

func (l *Lock) lower() uint64 {
	l.b.Store(0) // want "lower: calls Word.Store in a call from the function given to register.Pure at text.go:\\d+, which must have no effect but its result"
	return 0
}

func (l *Lock) read() uint64 {
	return l.b.Load() // want "read: calls Word.Load in a call from the function given to register.AwaitEither at text.go:\\d+, which may only test the value that it is given"
}

func (l *Lock) judges(v uint64) bool {
	return v == l.read()
}

func zero(v uint64) bool { return v == 0 }

// A step is a stretch of the protocol: it may assign, but not wait.
func (l *Lock) exit(p *register.Process) {
	var mine uint64
	l.step.Do(func() {
		mine = 1 + l.a.Load()
		l.a.Set(mine)
		l.b.Await(p, zero)   // want "exit: calls Word.Await inside the function given to Step.Do.*"
		l.step.Do(func() {}) // want "exit: calls Step.Do inside the function given to Step.Do, which is one atomic step and must not wait"
	})
	l.b.Store(mine)
}

// Abortable forgets that an await was aborted.
type Abortable struct {
	procs  register.Processes
	x, y   register.Word
	gate   register.Word
	inTurn [2]register.Word
}

func (l *Abortable) TryLock(i int) bool { return l.procs.Try(i, l.entry) }

func (l *Abortable) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, func(p *register.Process) bool {
		l.x.Await(p, zero) // want "LockContext: does not use the result of l.x.Await: an aborted acquisition would go on to enter"
		return l.late(p)
	})
}

func (l *Abortable) entry(p *register.Process) bool {
	l.x.Await(p, zero)                                                    // want "entry: does not use the result of l.x.Await.*"
	_ = l.gate.AwaitExclusive(p, zero)                                    // want "entry: does not use the result of l.gate.AwaitExclusive.*"
	register.AwaitEither(p, &l.x, zero, &l.y, zero)                       // want "entry: does not use the result of register.AwaitEither.*"
	register.AwaitEitherInTurn(p, &l.inTurn[0], zero, &l.inTurn[1], zero) // want "entry: does not use the result of register.AwaitEitherInTurn.*"
	register.Repeat(func() register.Outcome {                             // want "entry: does not use the result of register.Repeat.*"
		l.y.Await(p, zero) // want "entry: does not use the result of l.y.Await.*"
		return register.AgainIf(l.x.Await(p, zero))
	})
	register.Repeat(func() register.Outcome {
		if l.x.CompareAndSwap(0, 1) {
			return register.Entered
		}
		return register.Again
	})
	l.x.AwaitValue(p, zero)         // want "entry: does not use the result of l.x.AwaitValue.*"
	v, _ := l.x.AwaitValue(p, zero) // want "entry: does not use the result of l.x.AwaitValue.*"
	v, _ = l.value(p, v)            // want "entry: does not use the result of l.value.*"
	if _, ok := l.value(p, v); !ok {
		return false
	}
	l.wait(p)     // want "entry: does not use the result of l.wait.*"
	_ = l.wait(p) // want "entry: does not use the result of l.wait.*"
	l.try(p)      // want "entry: does not use the result of l.try.*"
	l.taken()
	func() bool { return l.x.Await(p, zero) }() // want "entry: does not use the result of \\(func\\(\\) bool literal\\).*"
	ok := l.wait(p)
	if !l.x.Await(p, zero) || !ok {
		return false
	}
	l.number(p)     // want "entry: does not use the result of l.number.*"
	_ = l.state(p)  // want "entry: does not use the result of l.state.*"
	l.checked(p, v) // want "entry: does not use the result of l.checked.*"
	held := l.wait(p)
	_ = held // want "entry: does not use held: an aborted acquisition would go on to enter"
	var passed = l.x.Await(p, zero)
	if !passed { // want "entry: does not use passed: an aborted acquisition would go on to enter"
	}
	if !l.gate.AwaitExclusive(p, zero) { // want "entry: does not use the result of l.gate.AwaitExclusive.*"
	}
	later := l.number(p)
	func() { v = uint64(later) }()
	return l.wait(p) && l.named(p)
}

func (l *Abortable) wait(p *register.Process) bool { return l.x.Await(p, zero) }

func (l *Abortable) value(p *register.Process, v uint64) (uint64, bool) {
	return l.x.AwaitValue(p, func(now uint64) bool { return now != v })
}

func (l *Abortable) try(p *register.Process) register.Outcome {
	return register.AgainIf(l.x.Await(p, zero))
}

func (l *Abortable) number(p *register.Process) int {
	if !l.x.Await(p, zero) {
		return -1
	}
	return 1
}

func (l *Abortable) state(p *register.Process) struct{ held bool } {
	return struct{ held bool }{l.x.Await(p, zero)}
}

func (l *Abortable) checked(p *register.Process, v uint64) (uint64, error) {
	if !l.x.Await(p, zero) {
		return 0, errors.New("aborted")
	}
	return v, nil
}

func (l *Abortable) named(p *register.Process) (ok bool) {
	ok = l.x.Await(p, zero)
	return
}

func (l *Abortable) taken() bool { return l.x.Load() != 0 }

// late leaves the rest of the entry to a goroutine, which does not abort.
func (l *Abortable) late(p *register.Process) bool {
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

func (l *Abortable) finish(p *register.Process) { l.y.Await(p, zero) }

// Lock is never aborted, nor is Unlock.
func (l *Abortable) Lock(i int) {
	p := l.procs.Entry(i)
	l.x.Await(p, zero)
	l.entry(p)
	p.Inside()
}

func (l *Abortable) Unlock(i int) {
	p := l.procs.Exit(i)
	l.x.Await(p, zero)
	l.x.Store(0)
}

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
