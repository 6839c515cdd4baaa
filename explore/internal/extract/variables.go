package extract

import (
	"fmt"
	"sync"
	"sync/atomic"

	"example.org/doorway/explore/internal/automaton"
)

// variable returns the index of w, and adds it if it is new.
func (x *Extraction) variable(w *atomic.Uint64) int16 {
	if i, ok := x.of[w]; ok {
		return i
	}
	if len(x.Variables) == automaton.MaxRegisters {
		panic(refused{fmt.Errorf("explore: the lock has more than %d registers", automaton.MaxRegisters)})
	}
	initial := w.Load() // set by the constructor
	i := int16(len(x.Variables))
	x.of[w] = i
	x.Variables = append(x.Variables, automaton.Variable{Word: w, Values: []uint64{initial}, Index: map[uint64]uint8{initial: 0}})
	return i
}

// stepping returns the index of the variable that holds whether a step of s is in
// progress.
func (x *Extraction) stepping(s *sync.Mutex) int16 {
	if i, ok := x.steps[s]; ok {
		return i
	}
	i := int16(len(x.Variables))
	x.steps[s] = i
	x.Variables = append(x.Variables, automaton.Variable{Name: "step", Values: []uint64{0, 1}, Index: map[uint64]uint8{0: 0, 1: 1}})
	return i
}

// value returns the index of value among those of v.
func (x *Extraction) value(v *automaton.Variable, value uint64) uint8 {
	if k, ok := v.Index[value]; ok {
		return k
	}
	if len(v.Values) == automaton.MaxValues {
		hint := "its values grow: set Config.Cap"
		if x.Cap > 0 {
			hint = "Config.Cap is too large"
		}
		panic(refused{fmt.Errorf("explore: register %s can hold more than %d values: %s", x.nameOf(v.Word), automaton.MaxValues, hint)})
	}
	k := uint8(len(v.Values))
	v.Values = append(v.Values, value)
	v.Index[value] = k
	return k
}
