package register

import "example.org/doorway/internal/memory/hook"

// An Outcome is the result of one try of a [Repeat].
type Outcome int

const (
	Again   Outcome = iota // try again from the beginning
	Entered                // the process may enter its critical section
	GaveUp                 // the process has aborted
)

// AgainIf turns the result of an await into an Outcome: Again if the condition
// held, GaveUp if the await was aborted.
func AgainIf(awaited bool) Outcome {
	if awaited {
		return Again
	}
	return GaveUp
}

// Repeat calls try until it returns something other than Again, and reports
// whether that was Entered. It is the "goto" of the papers. A try passes state to
// the next only in registers: it must not assign a variable declared outside it.
func Repeat(try func() Outcome) bool {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
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

// Pure returns f(), a computation over registers of which only the result is used
// afterwards: f must not assign a variable declared outside it, nor write a
// register.
func Pure[T comparable](f func() T) T {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			mark := h.Mark()
			result := f()
			h.Passed(mark, result)
			return result
		}
	}
	return f()
}
