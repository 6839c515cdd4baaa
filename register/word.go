package register

import "example.org/doorway/internal/seam"

// A Word is an atomic multi-reader, multi-writer register of 64 bits. Its zero
// value holds 0 and is ready for use; it must not be copied after first use.
// All methods are safe for concurrent use. Its waiters must be processes of one
// lock.
//
// Sixteen bytes: the value, and the waiters for it to change. Four fit a
// cache line, which is what makes a scan over the registers of all processes
// cheap.
type Word struct {
	v    seam.Number
	line line
}

// Load reads w.
func (w *Word) Load() uint64 {
	if seam.Hosted {
		if h := seam.Attached(); h != nil {
			return h.Do(seam.Operation{Op: seam.OpLoad, Word: &w.v})
		}
	}
	seam.Intercepted(seam.Read, &w.v)
	return w.v.Load()
}

// Store writes v to w and wakes the processes that await w. When there are none,
// which costs one more load to see, it does not block; otherwise it may take a
// lock that is held for a few instructions at a time.
func (w *Word) Store(v uint64) {
	if seam.Hosted {
		if h := seam.Attached(); h != nil {
			h.Do(seam.Operation{Op: seam.OpStore, Word: &w.v, Value: v})
			return
		}
	}
	seam.Intercepted(seam.Write, &w.v)
	w.v.Store(v)
	seam.Intercepted(seam.Waking, nil)
	if w.line.first.Load() != nil {
		w.line.wakeAll()
	}
}

// Set writes v to w and wakes no process: for a value that none awaits. An
// await that this store would satisfy is not woken by it.
func (w *Word) Set(v uint64) {
	if seam.Hosted {
		if h := seam.Attached(); h != nil {
			h.Do(seam.Operation{Op: seam.OpSet, Word: &w.v, Value: v})
			return
		}
	}
	seam.Intercepted(seam.Write, &w.v)
	w.v.Store(v)
}

// CompareAndSwap writes v to w if w holds old, in one step, and reports whether
// it did. If so, it wakes the processes that await w. The algorithms that use
// only reads and writes never call it.
func (w *Word) CompareAndSwap(old, v uint64) bool {
	if seam.Hosted {
		if h := seam.Attached(); h != nil {
			return h.Do(seam.Operation{Op: seam.OpSwap, Word: &w.v, Value: v, Old: old}) == 1
		}
	}
	seam.Intercepted(seam.ReadWrite, &w.v)
	if !w.v.CompareAndSwap(old, v) {
		return false
	}
	seam.Intercepted(seam.Waking, nil)
	if w.line.first.Load() != nil {
		w.line.wakeAll()
	}
	return true
}

// Await returns true once holds is true of the value of w, which it reads as
// often as it takes: await holds(w), as the papers write. It returns false if
// process p aborts first, which happens only during [Processes.Try] and
// [Processes.Context]. It must be called by process p. The function holds must
// depend on nothing but its argument and on values that stay as they are.
func (w *Word) Await(p *Process, holds func(v uint64) bool) bool {
	if seam.Hosted {
		if h := seam.Attached(); h != nil {
			return hostedAwait(h, p, seam.OpAwait, w, holds)
		}
	}
	return holds(w.Load()) || p.await(w, holds)
}

// AwaitEither returns true once holdsA is true of the value of a, or holdsB of
// that of b: await holdsA(a) or holdsB(b), each disjunct read for itself, a
// first. It returns false if process p aborts first; see [Word.Await].
func AwaitEither(p *Process, a *Word, holdsA func(va uint64) bool, b *Word, holdsB func(vb uint64) bool) bool {
	if seam.Hosted {
		if h := seam.Attached(); h != nil {
			return hostedEither(h, p, a, holdsA, b, holdsB)
		}
	}
	return holdsA(a.Load()) || holdsB(b.Load()) || p.awaitEither(a, holdsA, b, holdsB)
}

// A Gate is an atomic register on whose value only one of its waiters can act, as
// the one that finds a lock free and takes it. So its Store wakes one process,
// the one that has waited longest, and the others sleep on. The process that was
// woken must either write the gate again, or see that another did and await it
// once more: otherwise those behind it sleep for ever.
//
// Its zero value holds 0 and is ready for use; it must not be copied after
// first use. All methods are safe for concurrent use. Its waiters must be
// processes of one lock.
type Gate struct{ w Word }

// Load reads g.
func (g *Gate) Load() uint64 { return g.w.Load() }

// Set writes v to g and wakes no process: for a value that none awaits.
func (g *Gate) Set(v uint64) { g.w.Set(v) }

// Store writes v to g and wakes the process that has awaited g for longest,
// unless one that was woken before has yet to look. It does not block.
func (g *Gate) Store(v uint64) {
	if seam.Hosted {
		if h := seam.Attached(); h != nil {
			h.Do(seam.Operation{Op: seam.OpStoreGate, Word: &g.w.v, Value: v})
			return
		}
	}
	g.w.Set(v)
	seam.Intercepted(seam.Waking, nil)
	if g.w.line.first.Load() != nil {
		g.w.line.wakeOne()
	}
}

// GiveWay yields once in a while, if others are in line: a process that was woken
// would come too late each time, for p is running and it is not. It is called by
// process p, which has opened g, at the end of its exit protocol.
func (g *Gate) GiveWay(p *Process) {
	if seam.Hosted && seam.Attached() != nil {
		return
	}
	if g.w.line.first.Load() != nil {
		p.giveWay()
	}
}

// Await returns true once holds is true of the value of g, and false if
// process p aborts first; see [Word.Await].
func (g *Gate) Await(p *Process, holds func(v uint64) bool) bool {
	if seam.Hosted {
		if h := seam.Attached(); h != nil {
			return hostedAwait(h, p, seam.OpAwaitGate, &g.w, holds)
		}
	}
	return holds(g.Load()) || p.awaitGate(g, holds)
}
