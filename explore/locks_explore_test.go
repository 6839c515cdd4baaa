//go:build doorway_explore

package explore_test

import (
	"context"

	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

// Locks for the tests: each shows one property.

// A lock has given protocols, and more registers than any of them uses. As it may have the
// protocols of any test, all of them must keep the contract. What the papers keep in a private
// variable between entry and exit is a register of the process.
type lock struct {
	procs                 register.Processes
	reg, next, mine, pred []register.Word
	turn, head, tail      register.Word
	gate                  register.Word
	inTurn                [4]register.Word
	entry, exit           protocol
}

type protocol func(*lock, *register.Process)

func newLock(n int, entry, exit protocol) *lock {
	words := func() []register.Word { return make([]register.Word, 2*n+1) }
	return &lock{
		procs: register.MakeProcesses("lock", n), reg: words(), next: words(), mine: words(), pred: words(),
		entry: entry, exit: exit,
	}
}

// making returns the constructor of a lock.
func making(entry, exit protocol) func(n int) mutex.Mutex {
	return func(n int) mutex.Mutex { return newLock(n, entry, exit) }
}

func (l *lock) Processes() int { return l.procs.Len() }

func (l *lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.entry(l, p)
	p.Inside()
}

func (l *lock) Unlock(i int) { l.exit(l, l.procs.Exit(i)) }

// An abortable lock has an entry for Lock, one for TryLock, and one for LockContext.
type abortable struct {
	*lock
	plainly, trying, withContext entry
}

type entry func(*lock, *register.Process) bool

// aborting returns the constructor of an abortable lock with one entry for all.
func aborting(enter entry, exit protocol) func(n int) mutex.Mutex {
	return twofold(enter, enter, enter, exit)
}

func twofold(plainly, trying, withContext entry, exit protocol) func(n int) mutex.Mutex {
	return func(n int) mutex.Mutex { return &abortable{newLock(n, nil, exit), plainly, trying, withContext} }
}

func (a *abortable) Lock(i int) {
	p := a.procs.Entry(i)
	a.plainly(a.lock, p)
	p.Inside()
}

func (a *abortable) TryLock(i int) bool {
	return a.procs.Try(i, func(p *register.Process) bool { return a.trying(a.lock, p) })
}

func (a *abortable) LockContext(ctx context.Context, i int) error {
	return a.procs.Context(ctx, i, func(p *register.Process) bool { return a.withContext(a.lock, p) })
}

// A byTrying lock enters by trying, over and over.
type byTrying struct{ *abortable }

func (l byTrying) Lock(i int) {
	register.Repeat(func() register.Outcome {
		if l.TryLock(i) {
			return register.Entered
		}
		return register.Again
	})
}

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
	l.reg[p.ID()].Store(1)
	l.turn.Store(uint64(p.ID()))
	p.Doorway()
	last(l, p)
}

// fair is petersons that may be aborted, without a mark.
func fair(l *lock, p *register.Process) bool {
	l.reg[p.ID()].Store(1)
	l.turn.Store(uint64(p.ID()))
	if !last(l, p) {
		lower(l, p)
		return false
	}
	return true
}

func last(l *lock, p *register.Process) bool {
	i := p.ID()
	return register.AwaitEither(p, &l.reg[1-i], zero, &l.turn, func(v uint64) bool { return v != uint64(i) })
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

// broken panics before its exit has done anything, so the process is still inside.
func broken(*lock, *register.Process) { panic("no exit") }
