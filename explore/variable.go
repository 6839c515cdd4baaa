package explore

import (
	"fmt"
	"sync"

	"example.org/doorway/internal/seam"
)

// A variable is a register of the lock that is explored.
type variable struct {
	word   *seam.Number // nil: it holds whether a step of a register.Step is in progress
	name   string
	values []uint64           // that it can hold, the initial value first; a value is represented by its index
	index  map[uint64]uint8   // of values
	gate   bool               // a store wakes the first in line
	writes [maxProcesses]bool // by process
}

// variable returns the index of w, and adds it if it is new.
func (x *extraction) variable(w *seam.Number) int16 {
	if i, ok := x.of[w]; ok {
		return i
	}
	if len(x.vars) == maxRegisters {
		panic(refused{fmt.Errorf("explore: the lock has more than %d registers", maxRegisters)})
	}
	initial := w.Load() // set by the constructor
	i := int16(len(x.vars))
	x.of[w] = i
	x.vars = append(x.vars, variable{word: w, values: []uint64{initial}, index: map[uint64]uint8{initial: 0}})
	return i
}

// stepping returns the index of the variable that holds whether a step of s is in
// progress.
func (x *extraction) stepping(s *sync.Mutex) int16 {
	if i, ok := x.steps[s]; ok {
		return i
	}
	i := int16(len(x.vars))
	x.steps[s] = i
	x.vars = append(x.vars, variable{name: "step", values: []uint64{0, 1}, index: map[uint64]uint8{0: 0, 1: 1}})
	return i
}

// mask returns a bit for each value of a register: whether holds is true of it.
func (x *extraction) mask(reg int16, holds func(uint64) bool) uint64 {
	if holds == nil {
		return 0
	}
	var m uint64
	for k, v := range x.vars[reg].values {
		if holds(v) {
			m |= 1 << k
		}
	}
	return m
}

// value returns the index of value among those of v.
func (x *extraction) value(v *variable, value uint64) uint8 {
	if k, ok := v.index[value]; ok {
		return k
	}
	if len(v.values) == maxValues {
		hint := "its values grow: set Config.Cap"
		if x.cfg.Cap > 0 {
			hint = "Config.Cap is too large"
		}
		panic(refused{fmt.Errorf("explore: register %s can hold more than %d values: %s", x.nameOf(v.word), maxValues, hint)})
	}
	k := uint8(len(v.values))
	v.values = append(v.values, value)
	v.index[value] = k
	return k
}
