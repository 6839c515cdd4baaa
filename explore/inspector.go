package explore

import (
	"runtime"

	"example.org/doorway/internal/seam"
)

// An inspector is the seam.Host of Config.Invariant, and of the goroutines that it
// starts: they may only load registers.
type inspector struct{ x *extraction }

// Do loads a register, or refuses the operation.
func (i *inspector) Do(op seam.Operation) uint64 {
	if op.Op == seam.OpLoad {
		return op.Word.Load()
	}
	of := "a register"
	if r, ok := i.x.of[op.Word]; ok {
		of = "register " + i.x.vars[r].name
	}
	i.refuse("Config.Invariant writes or awaits " + of + ": it may only load registers")
	return 0
}

// refuse notes the first misuse, and ends the calling goroutine.
func (i *inspector) refuse(what string) {
	i.x.intruded(what)
	runtime.Goexit()
}

func (i *inspector) Comes(seam.Boundary, any, int) {
	i.refuse("Config.Invariant calls an entry or exit protocol: it may only load registers")
}

func (i *inspector) Foreign(of *seam.Number) { i.x.foreign(of) }

func (i *inspector) Mark() int          { return 0 }
func (i *inspector) Again(int)          {}
func (i *inspector) Passed(int, uint64) {}
func (i *inspector) Tries() bool        { return false }
func (i *inspector) Absorb()            {}
func (i *inspector) Relays(bool)        {}
func (i *inspector) Passes()            {}
func (i *inspector) Batons() bool       { return false }
