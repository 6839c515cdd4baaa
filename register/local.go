package register

import (
	"runtime"
	"sync/atomic"

	"example.org/doorway/internal/seam"
)

// A Local is an atomic register of 63 bits that one process at a time awaits, such as
// the one on which a process of a queue lock spins in the papers, and spins locally. A
// store wakes that process. It must not be awaited by two at once.
//
// It needs no line, no lock and no other memory of the waiter, so it may be awaited by
// processes of different locks, or of none ([Process.Until]), one after the other. A store does not touch the register again once it
// has written it, unless the waiter sleeps until then: so whoever sees the value may
// give the register to another.
//
// Its zero value holds 0 and is ready for use. It must not be copied after first use. All
// methods are safe for concurrent use. It takes 16 bytes.
type Local struct {
	v       atomic.Uint64 // the value, and asleep
	sleeper sleeper
}

// asleep is the bit of a Local that says that a process sleeps, or is about to. Whoever
// clears it decides: a store that does must wake the process, and the process waits for that; a
// process that does is awake, and no store will wake it.
const asleep = 1 << 63

// Load reads l.
func (l *Local) Load() uint64 {
	if seam.Hosted {
		if h := seam.Attached(); h != nil {
			return h.Do(seam.Operation{Op: seam.OpLoad, Word: &l.v})
		}
	}
	seam.Intercepted(seam.Read, &l.v)
	return l.v.Load() &^ asleep
}

// Store writes v to l and wakes the process that awaits l. It does not block.
func (l *Local) Store(v uint64) {
	if seam.Hosted {
		if h := seam.Attached(); h != nil {
			h.Do(seam.Operation{Op: seam.OpStore, Word: &l.v, Value: v})
			return
		}
	}
	seam.Intercepted(seam.Write, &l.v)
	l.swap(v)
}

// Swap writes v to l and returns the value that l held before, in one atomic step. It
// wakes the process that awaits l. It does not block.
func (l *Local) Swap(v uint64) (old uint64) {
	if seam.Hosted {
		if h := seam.Attached(); h != nil {
			return h.Do(seam.Operation{Op: seam.OpSwap, Word: &l.v, Value: v})
		}
	}
	seam.Intercepted(seam.ReadWrite, &l.v)
	return l.swap(v)
}

func (l *Local) swap(v uint64) (old uint64) { return l.waking(l.v.Swap(v), (*Local).wake) }

// waking calls wake if the process that awaits l sleeps, by the value that l held before a store, which it
// returns. It is a parameter so that all this is inlined, as in line.unlessEmpty.
func (l *Local) waking(before uint64, wake func(*Local)) uint64 {
	if before&asleep != 0 {
		wake(l)
	}
	return before &^ asleep
}

func (l *Local) wake() {
	seam.Intercepted(seam.Waking, nil)
	l.sleeper.send() // does not block: only the store that finds the bit sends
}

// CompareAndSwap writes v to l if l holds old, in one atomic step, and reports whether it
// did. If so, it wakes the process that awaits l. It does not block.
func (l *Local) CompareAndSwap(old, v uint64) bool {
	if seam.Hosted {
		if h := seam.Attached(); h != nil {
			return h.Do(seam.Operation{Op: seam.OpCompareAndSwap, Word: &l.v, Value: v, Old: old}) == 1
		}
	}
	seam.Intercepted(seam.ReadWrite, &l.v)
	for {
		now := l.v.Load()
		if now&^asleep != old {
			return false
		}
		if l.v.CompareAndSwap(now, v) {
			l.waking(now, (*Local).wake)
			return true
		}
	}
}

// Await blocks until holds is true of the value of l, and returns true, or false if
// process p aborts first; see [Word.Await].
func (l *Local) Await(p *Process, holds func(v uint64) bool) bool {
	if seam.Hosted {
		if h := seam.Attached(); h != nil {
			return hostedAwait(h, p, seam.OpAwait, seam.OpTry, &l.v, holds, nil)
		}
	}
	return either(holds(l.Load()), func() bool { return l.await(p, holds) })
}

// await is the slow path of Await. It yields once before it parks, as Process.awaitEither does, which has the
// reason. For a process of no lock the caller does, since after a yield the return from each function costs as
// much as a cache miss: the processor expects those of another goroutine.
func (l *Local) await(p *Process, holds func(uint64) bool) bool {
	if p.trying {
		return false
	}
	if p.lot != nil {
		p.pass()
		runtime.Gosched()
	}
	for v := l.Load(); !holds(v); v = l.Load() {
		if l.v.Load()&asleep != 0 {
			panic("register: two processes await one Local")
		}
		seam.Intercepted(seam.Waking, nil)
		if l.sleeper.sleep(p.done, &l.v, v, v|asleep) {
			continue
		}
		seam.Intercepted(seam.Waking, nil)
		if l.v.CompareAndSwap(v|asleep, v) {
			return false
		}
		l.sleeper.receive() // a store has come, and may be what p awaits
	}
	return true
}

// A Bare is an atomic register that no process awaits: so it has no waiters, and takes 8
// bytes. Its zero value holds 0 and is ready for use. It must not be copied after first
// use. All methods are safe for concurrent use.
type Bare struct{ v atomic.Uint64 }

// Load reads b.
func (b *Bare) Load() uint64 {
	if seam.Hosted {
		if h := seam.Attached(); h != nil {
			return h.Do(seam.Operation{Op: seam.OpLoad, Word: &b.v})
		}
	}
	seam.Intercepted(seam.Read, &b.v)
	return b.v.Load()
}

// CompareAndSwap writes v to b if b holds old, in one atomic step, and reports whether it
// did.
func (b *Bare) CompareAndSwap(old, v uint64) bool {
	if seam.Hosted {
		if h := seam.Attached(); h != nil {
			return h.Do(seam.Operation{Op: seam.OpCompareAndSwap, Word: &b.v, Value: v, Old: old}) == 1
		}
	}
	seam.Intercepted(seam.ReadWrite, &b.v)
	return b.v.CompareAndSwap(old, v)
}

// Swap writes v to b and returns the value that b held before, in one atomic step.
func (b *Bare) Swap(v uint64) (old uint64) {
	if seam.Hosted {
		if h := seam.Attached(); h != nil {
			return h.Do(seam.Operation{Op: seam.OpSwap, Word: &b.v, Value: v})
		}
	}
	seam.Intercepted(seam.ReadWrite, &b.v)
	return b.v.Swap(v)
}
