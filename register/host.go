package register

import (
	"sync/atomic"

	"example.org/doorway/internal/memory/hook"
)

// hostedAwait is an await on a host: op, or try, a single read, if p does not wait. An
// operation on a value stores it in found.
func hostedAwait(h hook.Host, p *Process, op, try hook.Op, v *atomic.Uint64, holds func(uint64) bool, found *uint64) bool {
	hostedBoundary(h, hook.AtAwait, p)
	if p.trying {
		op = try
	}
	return h.Do(hook.Operation{Op: op, Word: v, Holds: holds, Found: found}) == 1
}

// hostedTry is a single read of an await on a host.
func hostedTry(h hook.Host, w *Word, holds func(uint64) bool) bool {
	return h.Do(hook.Operation{Op: hook.OpTry, Word: &w.v.V, Holds: holds}) == 1
}

// hostedEither is AwaitEither or AwaitEitherInTurn on a host.
func hostedEither(h hook.Host, at hook.Boundary, p *Process, a *Word, holdsA func(uint64) bool, b *Word, holdsB func(uint64) bool) bool {
	hostedBoundary(h, at, p)
	if p.trying {
		return hostedTry(h, a, holdsA) || hostedTry(h, b, holdsB)
	}
	for mark := h.Mark(); ; h.Again(mark) {
		switch h.Do(hook.Operation{Op: hook.OpTestFirst, Word: &a.v.V, Holds: holdsA, Other: &b.v.V, OtherHolds: holdsB}) {
		case 1:
			h.Passed(mark, 1)
			return true
		case 2:
			return false
		}
		if h.Do(hook.Operation{Op: hook.OpTest, Word: &b.v.V, Holds: holdsB, Other: &a.v.V, OtherHolds: holdsA}) == 1 {
			h.Passed(mark, 1)
			return true
		}
	}
}

// hostedEntry runs an entry protocol of p that may abort: if trying, at an await that
// would wait. If an aborted entry is absorbed, its rest runs here and not in a
// goroutine.
func hostedEntry(h hook.Host, p *Process, trying bool, entry func(*Process) bool) bool {
	hostedBoundary(h, hook.AtEntry, p)
	if h.Skips() {
		return false
	}
	p.trying = trying && h.Tries()
	defer func() { p.trying = false }()
	entered := entry(p)
	p.trying = false
	if entered {
		hostedBoundary(h, hook.AtInside, p)
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
func hostedBoundary(h hook.Host, at hook.Boundary, p *Process) *Process {
	h.Comes(at, p.lot, p.i)
	return p
}
