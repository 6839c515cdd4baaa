package main

import (
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/registers"
)

// A finding is what one check of a lock found out.
type finding struct {
	lock    candidate
	numbers uint64 // how far they were followed; 0: there are none
	report  *explore.Report
	alone   registers.Accesses
	elapsed time.Duration
}

// broken returns the promises that the lock broke.
func (f *finding) broken() (all []property) {
	for _, p := range f.properties() {
		if p.broken() {
			all = append(all, p)
		}
	}
	return all
}

// failing returns the properties that fail by a run that can be shown, the
// promised ones first.
func (f *finding) failing() []property {
	var promised, others []property
	for _, p := range f.properties() {
		switch {
		case p.trace == nil:
		case p.promised:
			promised = append(promised, p)
		default:
			others = append(others, p)
		}
	}
	return append(promised, others...)
}

// steps is how many steps a run has.
func steps(t *explore.Trace) (n int) {
	for _, s := range t.Steps {
		if !s.Atomic {
			n++
		}
	}
	return n
}
