package automaton

import "sync/atomic"

// A Variable is a shared variable of the lock that is explored: a register.
type Variable struct {
	Word   *atomic.Uint64 // nil: it holds whether a step of a register.Step is in progress
	Name   string
	Values []uint64           // that it can hold, the initial value first; a value is represented by its index
	Index  map[uint64]uint8   // of values
	Gate   bool               // awaited exclusively: a store wakes the first in line
	Writes [MaxProcesses]bool // by process
}

// Mask returns a bit for each value of a register: whether holds is true of it.
func (v *Variable) Mask(holds func(uint64) bool) uint64 {
	if holds == nil {
		return 0
	}
	var m uint64
	for k, value := range v.Values {
		if holds(value) {
			m |= 1 << k
		}
	}
	return m
}

// Sums returns what adding delta to each value of a register makes of it.
func (v *Variable) Sums(delta uint64) []uint8 {
	sums := make([]uint8, len(v.Values))
	for k, value := range v.Values {
		sums[k] = NoValue
		if to, ok := v.Index[value+delta]; ok {
			sums[k] = to
		}
	}
	return sums
}

// Writers returns how many processes write v.
func (v *Variable) Writers() int {
	n := 0
	for _, w := range v.Writes {
		if w {
			n++
		}
	}
	return n
}
