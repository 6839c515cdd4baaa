package cell

import (
	"runtime"

	"example.org/doorway/internal/memory/hook"
)

// A Local is an atomic variable of 63 bits that one goroutine at a time awaits, as that on which
// a process of a queue lock spins in the papers, and spins locally. A store wakes that
// goroutine. It must not be awaited by two at once.
//
// It needs no line, no lock and no other memory of the waiter. So it may be awaited by
// processes of different locks, or of none, one after the other. A store does not touch the
// variable again once it has written it, unless the waiter sleeps until then. So whoever sees
// the value may give the variable to another.
//
// Its zero value holds 0 and is ready for use. It must not be copied after first use. All
// methods are safe for concurrent use. It takes 16 bytes.
type Local struct {
	v       Plain // the value, and asleep
	sleeper sleeper
}

// asleep is set in a Local while a goroutine sleeps, or is about to. Whoever clears it decides.
// A store that does must wake the goroutine, which waits for that. A goroutine that does is
// awake, and no store will wake it.
const asleep = 1 << 63

// A Waiter aborts a wait when Done is closed; if that is nil, never.
type Waiter interface{ Done() <-chan struct{} }

// An Until is a Waiter of which no more is known.
type Until <-chan struct{}

// Done returns u.
func (u Until) Done() <-chan struct{} { return u }

// Load reads l.
func (l *Local) Load() uint64 { return l.v.Load() &^ asleep }

// Store writes v to l and wakes the goroutine that awaits l. It does not block.
func (l *Local) Store(v uint64) {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			h.Do(hook.Operation{Op: hook.OpStore, Word: &l.v.V, Value: v})
			return
		}
	}
	hook.Intercepted(hook.Write, &l.v.V)
	l.swap(v)
}

// Swap writes v to l and returns the value that l held before, in one atomic step. It
// wakes the goroutine that awaits l. It does not block.
func (l *Local) Swap(v uint64) (old uint64) {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			return h.Do(hook.Operation{Op: hook.OpSwap, Word: &l.v.V, Value: v})
		}
	}
	hook.Intercepted(hook.ReadWrite, &l.v.V)
	return l.swap(v)
}

func (l *Local) swap(v uint64) (old uint64) { return l.waking(l.v.V.Swap(v), (*Local).wake) }

// waking calls wake if the goroutine that awaits l sleeps, by the value that l held before a
// store, which it returns. The function wake is a parameter so that all this is inlined: a call
// of a parameter, which inlining turns into one of a known function, takes less of the budget.
func (l *Local) waking(before uint64, wake func(*Local)) uint64 {
	if before&asleep != 0 {
		wake(l)
	}
	return before &^ asleep
}

func (l *Local) wake() {
	hook.Intercepted(hook.Waking, nil)
	l.sleeper.send() // does not block: only the store that finds the bit sends
}

// CompareAndSwap writes v to l if l holds old, in one atomic step, and reports whether it
// did. If so, it wakes the goroutine that awaits l. It does not block.
func (l *Local) CompareAndSwap(old, v uint64) bool {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			return h.Do(hook.Operation{Op: hook.OpCompareAndSwap, Word: &l.v.V, Value: v, Old: old}) == 1
		}
	}
	hook.Intercepted(hook.ReadWrite, &l.v.V)
	for {
		now := l.v.V.Load()
		if now&^asleep != old {
			return false
		}
		if l.v.V.CompareAndSwap(now, v) {
			l.waking(now, (*Local).wake)
			return true
		}
	}
}

// Await blocks until holds is true of the value of l, and returns true, or false if p aborts
// first. It yields once before it parks, as the value may be about to be stored.
func (l *Local) Await(p Waiter, holds func(v uint64) bool) bool {
	return l.await(p, holds, true)
}

// Park is Await without a yield. A caller that can yield in a function from which few others
// return does so itself: after a yield the return from each function costs as much as a cache
// miss, since the processor expects those of another goroutine.
func (l *Local) Park(p Waiter, holds func(v uint64) bool) bool {
	return l.await(p, holds, false)
}

func (l *Local) await(p Waiter, holds func(uint64) bool, yields bool) bool {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			return h.Do(hook.Operation{Op: hook.OpAwait, Word: &l.v.V, Holds: holds}) == 1
		}
	}
	if holds(l.Load()) {
		return true
	}
	if yields {
		runtime.Gosched()
	}
	return l.park(p.Done(), holds)
}

// park sleeps until holds is true of the value of l, and returns false if done is closed first.
func (l *Local) park(done <-chan struct{}, holds func(uint64) bool) bool {
	for v := l.Load(); !holds(v); v = l.Load() {
		if l.v.V.Load()&asleep != 0 {
			panic("cell: two goroutines await one Local")
		}
		hook.Intercepted(hook.Waking, nil)
		if l.sleeper.sleep(done, &l.v.V, v, v|asleep) {
			continue
		}
		hook.Intercepted(hook.Waking, nil)
		if l.v.V.CompareAndSwap(v|asleep, v) {
			return false
		}
		l.sleeper.receive() // a store has come, and may be what is awaited
	}
	return true
}
