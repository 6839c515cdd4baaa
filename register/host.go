package register

import (
	"sync/atomic"

	"example.org/doorway/internal/seam"
)

// hostedAwait is an await on a host: op, or try, a single read, if p does not wait. An
// operation on a value stores it in found.
func hostedAwait(h seam.Host, p *Process, op, try seam.Op, v *atomic.Uint64, holds func(uint64) bool, found *uint64) bool {
	hostedBoundary(h, seam.AtAwait, p)
	if p.trying {
		op = try
	}
	return h.Do(seam.Operation{Op: op, Word: v, Holds: holds, Found: found}) == 1
}

// hostedTry is a single read of an await on a host.
func hostedTry(h seam.Host, w *Word, holds func(uint64) bool) bool {
	return h.Do(seam.Operation{Op: seam.OpTry, Word: &w.v.V, Holds: holds}) == 1
}

// hostedEither is AwaitEither or AwaitEitherInTurn on a host.
func hostedEither(h seam.Host, at seam.Boundary, p *Process, a *Word, holdsA func(uint64) bool, b *Word, holdsB func(uint64) bool) bool {
	hostedBoundary(h, at, p)
	if p.trying {
		return hostedTry(h, a, holdsA) || hostedTry(h, b, holdsB)
	}
	for mark := h.Mark(); ; h.Again(mark) {
		switch h.Do(seam.Operation{Op: seam.OpTestFirst, Word: &a.v.V, Holds: holdsA, Other: &b.v.V, OtherHolds: holdsB}) {
		case 1:
			h.Passed(mark, 1)
			return true
		case 2:
			return false
		}
		if h.Do(seam.Operation{Op: seam.OpTest, Word: &b.v.V, Holds: holdsB, Other: &a.v.V, OtherHolds: holdsA}) == 1 {
			h.Passed(mark, 1)
			return true
		}
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
