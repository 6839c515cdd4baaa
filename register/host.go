package register

import "example.org/doorway/internal/seam"

// hostedEither is AwaitEither on a host.
func hostedEither(h seam.Host, a *Word, holdsA func(uint64) bool, b *Word, holdsB func(uint64) bool) bool {
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

// hostedEntry runs an entry protocol of p that may abort. If an aborted entry is
// absorbed, its rest runs here and not in a goroutine.
func hostedEntry(h seam.Host, p *Process, entry func(*Process) bool) bool {
	h.Comes(seam.AtEntry)
	entered := entry(p)
	if entered {
		h.Comes(seam.AtInside)
	}
	if rest := p.rest; rest != nil {
		p.rest = nil
		h.Absorb()
		rest()
	}
	return entered
}
