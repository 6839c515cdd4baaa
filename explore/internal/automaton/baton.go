package automaton

import (
	"slices"

	"example.org/doorway/internal/seam"
)

// Relayed reports whether an operation is a step of waiting at relays.
func Relayed(op seam.Op) bool {
	switch op {
	case seam.OpDue, seam.OpStand, seam.OpQuit, seam.OpPass, seam.OpPark:
		return true
	}
	return false
}

// A Baton is the state of waiting at the relays of a lock, as in package register. A
// process stands in the lines of two relays at a time, so one line for all has their
// order.
type Baton struct {
	Line   [MaxProcesses]uint8 // those that are due, and then those at relays; from 1
	Length int
	Due    int   // the number of those that are due
	Holder uint8 // of the baton, from 1; 0: none
	Sent   uint8 // a bit for each process that was sent a token
}

// Step makes a step of process p, and returns what it does that others can observe, or
// "". It reports whether p can make it. The function at reports whether a process in
// line stands at the relay of the step.
func (b *Baton) Step(op seam.Op, p int, at func(q int) bool) (does string, can bool) {
	switch op {
	case seam.OpDue:
		if b.makeDue(at) {
			does = "make due"
		}
	case seam.OpStand:
		b.remove(p)
		b.Line[b.Length] = uint8(p) + 1
		b.Length++
	case seam.OpQuit:
		b.remove(p)
	case seam.OpPass:
		if b.pass(p) {
			does = "pass"
		}
	case seam.OpPark:
		if b.Sent>>p&1 == 0 {
			return "", false
		}
		b.Sent &^= 1 << p
		does = "wake"
	}
	return does, true
}

// makeDue moves the processes at a relay to the end of those that are due, and reports
// whether there are any.
func (b *Baton) makeDue(at func(q int) bool) bool {
	was := b.Due
	for k := b.Due; k < b.Length; k++ {
		if q := b.Line[k]; at(int(q) - 1) {
			copy(b.Line[b.Due+1:k+1], b.Line[b.Due:k])
			b.Line[b.Due] = q
			b.Due++
		}
	}
	return b.Due > was
}

// remove takes p out of the line, if it is there.
func (b *Baton) remove(p int) {
	k := slices.Index(b.Line[:b.Length], uint8(p)+1)
	if k < 0 {
		return
	}
	copy(b.Line[k:], b.Line[k+1:b.Length])
	b.Length--
	b.Line[b.Length] = 0
	if k < b.Due {
		b.Due--
	}
}

// pass is Process.Pass of p, and reports whether the baton changes hands.
func (b *Baton) pass(p int) bool {
	if b.Holder != 0 && b.Holder != uint8(p)+1 {
		return false
	}
	was := b.Holder
	b.Holder = 0
	if b.Due > 0 {
		b.Holder = b.Line[0]
		b.remove(int(b.Holder) - 1)
		b.Sent |= 1 << (b.Holder - 1)
	}
	return b.Holder != was
}
