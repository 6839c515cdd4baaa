package register

import (
	"sync/atomic"

	"example.org/doorway/internal/seam"
)

// hostedAwait is an await on a host: op, or try, a single read, if p does not wait. An
// operation on a value stores it in found.
func hostedAwait(h seam.Host, p *Process, op, try seam.Op, v *atomic.Uint64, holds func(uint64) bool, found *uint64) bool {
	hostedBoundary(h, seam.AtAwait, p)
	do := func(op seam.Op) bool {
		return h.Do(seam.Operation{Op: op, Word: v, Holds: holds, Found: found}) == 1
	}
	if p.trying {
		return do(try)
	}
	if h.Batons() {
		if do(try) {
			return true
		}
		h.Do(seam.Operation{Op: seam.OpPass}) // p is about to park
	}
	return do(op)
}

// hostedTry is a single read of an await on a host.
func hostedTry(h seam.Host, w *Word, holds func(uint64) bool) bool {
	return h.Do(seam.Operation{Op: seam.OpTry, Word: &w.v, Holds: holds}) == 1
}

// hostedEither is AwaitEither on a host.
func hostedEither(h seam.Host, p *Process, a *Word, holdsA func(uint64) bool, b *Word, holdsB func(uint64) bool) bool {
	hostedBoundary(h, seam.AtAwait, p)
	if p.trying {
		return hostedTry(h, a, holdsA) || hostedTry(h, b, holdsB)
	}
	if h.Batons() {
		if hostedTry(h, a, holdsA) || hostedTry(h, b, holdsB) {
			return true
		}
		h.Do(seam.Operation{Op: seam.OpPass})
	}
	for mark := h.Mark(); ; h.Again(mark) {
		switch h.Do(seam.Operation{Op: seam.OpTestFirst, Word: &a.v, Holds: holdsA, Other: &b.v, OtherHolds: holdsB}) {
		case 1:
			h.Passed(mark, 1)
			return true
		case 2:
			return false
		}
		if h.Do(seam.Operation{Op: seam.OpTest, Word: &b.v, Holds: holdsB, Other: &a.v, OtherHolds: holdsA}) == 1 {
			h.Passed(mark, 1)
			return true
		}
	}
}

// hostedEitherRelay is AwaitEitherRelay on a host: the steps of Process.awaitEitherRelay.
func hostedEitherRelay(h seam.Host, p *Process, a *Word, holdsA func(uint64) bool, b *Word, holdsB func(uint64) bool) bool {
	if p.trying || !h.Batons() {
		return hostedEither(h, p, a, holdsA, b, holdsB)
	}
	hostedBoundary(h, seam.AtAwait, p)
	onA := func(op seam.Op) uint64 {
		return h.Do(seam.Operation{Op: op, Word: &a.v, Holds: holdsA, Other: &b.v, OtherHolds: holdsB})
	}
	onB := func(op seam.Op) uint64 {
		return h.Do(seam.Operation{Op: op, Word: &b.v, Holds: holdsB, Other: &a.v, OtherHolds: holdsA})
	}
	begin := h.Mark()
	first := onA(seam.OpTestFirst)
	if first == 2 {
		return false
	}
	if first == 1 || onB(seam.OpTest) == 1 {
		h.Passed(begin, 1)
		return true
	}
	for mark := h.Mark(); ; h.Again(mark) {
		onA(seam.OpStand)
		held := onA(seam.OpTry) == 1 || onB(seam.OpTry) == 1
		if !held {
			onA(seam.OpPass)
			if onA(seam.OpPark) == 1 {
				continue
			}
		}
		h.Do(seam.Operation{Op: seam.OpQuit, Word: &a.v, Other: &b.v})
		if held {
			h.Passed(begin, 1)
		}
		return held
	}
}

// hostedEntry runs an entry protocol of p that may abort: if trying, at an await that
// would wait. If an aborted entry is absorbed, its rest runs here and not in a
// goroutine.
func hostedEntry(h seam.Host, p *Process, trying bool, entry func(*Process) bool) bool {
	hostedBoundary(h, seam.AtEntry, p)
	p.trying = trying && h.Tries()
	defer func() { p.trying = false }()
	entered := entry(p)
	p.trying = false
	if entered {
		hostedBoundary(h, seam.AtInside, p)
	}
	if rest := p.rest; rest != nil {
		p.rest = nil
		h.Absorb()
		rest()
	}
	return entered
}

// hostedBoundary declares that p has reached a boundary, or waits or passes between two
// of them, and returns p.
func hostedBoundary(h seam.Host, at seam.Boundary, p *Process) *Process {
	h.Comes(at, p.lot, p.i)
	return p
}
