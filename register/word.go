package register

import (
	"example.org/doorway/internal/memory/cell"
	"example.org/doorway/internal/memory/hook"
)

// A Word is an atomic multi-reader, multi-writer register of 64 bits. Its zero
// value holds 0 and is ready for use. It must not be copied after first use. All
// methods are safe for concurrent use.
//
// What a store does to the waiters depends on how they wait:
//
//   - in [Word.Await], [Word.AwaitValue] and [AwaitEither], it wakes all of them;
//   - in [Word.AwaitExclusive], it wakes the one that has waited longest;
//   - in [AwaitEitherInTurn], it lets them wake one after the other.
//
// All waiters of a Word wait alike, and are processes of one lock.
//
// A Word takes 16 bytes: the value, and the line of its waiters. Four fit a cache line
// of 64 bytes, which makes a scan over the registers of all processes cheap.
type Word struct {
	v    cell.Plain
	line line
}

// Load reads w.
func (w *Word) Load() uint64 {
	// Not w.v.Load(): each function that is inlined leaves an instruction, and a scan of 64
	// registers takes 8 % longer.
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			return h.Do(hook.Operation{Op: hook.OpLoad, Word: &w.v.V})
		}
	}
	hook.Intercepted(hook.Read, &w.v.V)
	return w.v.V.Load()
}

// Set writes v to w and wakes no process: for a value that no process awaits. It
// does not wake an await that this store would satisfy.
func (w *Word) Set(v uint64) { w.v.Set(v) }

// Store writes v to w and wakes the processes that await w. If there are none,
// which one extra load shows, it does not block. Otherwise it may take a lock that
// is held for a few instructions at a time.
func (w *Word) Store(v uint64) {
	w.v.Store(v)
	hook.Intercepted(hook.Waking, nil)
	w.line.unlessEmpty((*line).wake)
}

// CompareAndSwap writes v to w if w holds old, in one atomic step, and reports
// whether it did. If so, it wakes the processes that await w. Algorithms that use
// only reads and writes call neither it nor Swap nor FetchAdd.
func (w *Word) CompareAndSwap(old, v uint64) bool {
	if !w.v.CompareAndSwap(old, v) {
		return false
	}
	hook.Intercepted(hook.Waking, nil)
	w.line.unlessEmpty((*line).wake)
	return true
}

// Swap writes v to w and returns the value that w held before, in one atomic step:
// the "fetch-and-store" or "exchange" of the papers. It wakes the processes that
// await w, as Store does.
func (w *Word) Swap(v uint64) (old uint64) {
	old = w.v.Swap(v)
	hook.Intercepted(hook.Waking, nil)
	w.line.unlessEmpty((*line).wake)
	return old
}

// FetchAdd adds delta to w and returns the value that w held before, in one atomic
// step: the "fetch-and-add" of the papers. The sum wraps around at 64 bits, so
// ^uint64(c-1) subtracts c. It wakes the processes that await w, as Store does.
func (w *Word) FetchAdd(delta uint64) (old uint64) {
	old = w.v.FetchAdd(delta)
	hook.Intercepted(hook.Waking, nil)
	w.line.unlessEmpty((*line).wake)
	return old
}

// Await blocks until holds is true of the value of w, and returns true: the
// "await" of the papers. It returns false if process p aborts first, which happens
// only during [Processes.Try] and [Processes.Context]. It must be called by
// process p. The function holds must depend only on its argument and on values
// that do not change.
func (w *Word) Await(p *Process, holds func(v uint64) bool) bool {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			return hostedAwait(h, p, hook.OpAwait, hook.OpTry, &w.v.V, holds, nil)
		}
	}
	return either(holds(w.Load()), func() bool { return p.await(w, holds) })
}

// AwaitValue is [Word.Await], and returns the value of which holds was true. It is
// read once: a paper's "await x ≠ 0; y := x" is two reads, between which x may change.
// If p aborts first, AwaitValue returns 0 and false.
func (w *Word) AwaitValue(p *Process, holds func(v uint64) bool) (v uint64, ok bool) {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			ok = hostedAwait(h, p, hook.OpAwaitValue, hook.OpTryValue, &w.v.V, holds, &v)
			return v, ok
		}
	}
	if v = w.Load(); holds(v) {
		return v, true
	}
	if !p.await(w, func(now uint64) bool { v = now; return holds(now) }) {
		return 0, false
	}
	return v, true
}

// either returns held, or what wait returns. It is a function so that Await is
// inlined, as in line.unlessEmpty. Then the compiler sees the condition, and a wait
// that is over costs a load and a comparison.
func either(held bool, wait func() bool) bool { return held || wait() }

// AwaitEither blocks until holdsA is true of the value of a or holdsB of the value
// of b, and returns true. It reads a and b separately, a first. It returns false
// if process p aborts first; see [Word.Await].
func AwaitEither(p *Process, a *Word, holdsA func(va uint64) bool, b *Word, holdsB func(vb uint64) bool) bool {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			return hostedEither(h, hook.AtAwait, p, a, holdsA, b, holdsB)
		}
	}
	return holdsA(a.Load()) || holdsB(b.Load()) || p.awaitEither(a, holdsA, b, holdsB)
}
