//go:build doorway_explore

package explore_test

import "example.org/doorway/register"

// Locks for the tests: each shows one property.

// A lock is a mutex.Mutex with given protocols.
type lock struct {
	procs       register.Processes
	reg         []register.Word
	turn        register.Word
	gate        register.Gate
	entry, exit func(l *lock, p *register.Process)
}

func (l *lock) Processes() int { return l.procs.Len() }

func (l *lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.entry(l, p)
	p.Inside()
}

func (l *lock) Unlock(i int) { l.exit(l, l.procs.Exit(i)) }

func zero(v uint64) bool { return v == 0 }

// testAndSet is deadlock-free but not starvation-free.
func testAndSet(l *lock, p *register.Process) {
	register.Repeat(func() register.Outcome {
		if l.reg[0].CompareAndSwap(0, p.Name()) {
			return register.Entered
		}
		return register.Again
	})
}

func reset(l *lock, _ *register.Process) { l.reg[0].Store(0) }

// flags deadlocks: both want, and each awaits that the other does not.
func flags(l *lock, p *register.Process) {
	l.reg[p.ID()].Store(1)
	l.reg[1-p.ID()].Await(p, zero)
}

func lower(l *lock, p *register.Process) { l.reg[p.ID()].Store(0) }

// polite livelocks: each process lowers its flag if the other has raised its own.
func polite(l *lock, p *register.Process) {
	mine, other := &l.reg[p.ID()], &l.reg[1-p.ID()]
	register.Repeat(func() register.Outcome {
		mine.Store(1)
		if other.Load() == 0 {
			return register.Entered
		}
		mine.Store(0)
		return register.Again
	})
}

// turns admits the processes alternately, whether they want to enter or not.
func turns(l *lock, p *register.Process) {
	l.reg[0].Await(p, func(v uint64) bool { return v == uint64(p.ID()) })
}

func next(l *lock, p *register.Process) { l.reg[0].Store(uint64(p.ID()+1) % 2) }

// petersons is Peterson's algorithm, with turn in a register that names the waiting
// process.
func petersons(l *lock, p *register.Process) {
	i := p.ID()
	l.reg[i].Store(1)
	l.turn.Store(uint64(i))
	p.Doorway()
	register.AwaitEither(p, &l.reg[1-i], zero, &l.turn, func(v uint64) bool { return v != uint64(i) })
}

// retrying is test-and-set that waits before each try.
func retrying(await func(*lock, *register.Process) bool) protocol {
	return func(l *lock, p *register.Process) {
		register.Repeat(func() register.Outcome {
			await(l, p)
			if l.reg[0].CompareAndSwap(0, 1) {
				return register.Entered
			}
			return register.Again
		})
	}
}

// silent lowers its flag by Set, although the other awaits it.
func silent(l *lock, p *register.Process) { l.reg[p.ID()].Set(0) }

// growing counts its entries in a register.
func growing(l *lock, p *register.Process) {
	testAndSet(l, p)
	l.reg[1].Set(l.reg[1].Load() + 1)
}

// panicky panics if it reads its own earlier write.
func panicky(l *lock, p *register.Process) {
	if l.reg[1].Load() == 3 {
		panic("a third entry")
	}
	testAndSet(l, p)
	l.reg[1].Set(l.reg[1].Load() + 1)
}
