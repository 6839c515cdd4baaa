package register

import "example.org/doorway/internal/seam"

// An Outcome is how one try of a [Repeat] ended.
type Outcome int

const (
	Again   Outcome = iota // not yet: try again from the beginning
	Entered                // the process may enter its critical section
	GaveUp                 // the process has aborted
)

// AgainIf returns Again if an await came true, and GaveUp if it was aborted.
func AgainIf(awaited bool) Outcome {
	if awaited {
		return Again
	}
	return GaveUp
}

// Repeat calls try until it does not return Again, and reports whether it
// returned Entered: the "goto" of the papers. A try carries nothing over to the
// next but what it has written to registers; it assigns no variable declared
// outside of it.
func Repeat(try func() Outcome) bool {
	if seam.Hosted {
		if h := seam.Attached(); h != nil {
			for mark := h.Mark(); ; h.Again(mark) {
				if o := try(); o != Again {
					return o == Entered
				}
			}
		}
	}
	for {
		if o := try(); o != Again {
			return o == Entered
		}
	}
}

// Pure returns f(). Of what f reads from registers only its result survives:
// f assigns no variable declared outside of it and writes no register.
func Pure(f func() uint64) uint64 {
	if seam.Hosted {
		if h := seam.Attached(); h != nil {
			mark := h.Mark()
			result := f()
			h.Passed(mark, result)
			return result
		}
	}
	return f()
}
