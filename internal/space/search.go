package space

import "slices"

// A Past is a state with the number of what a property remembers of the steps before it.
type Past struct {
	ID     ID
	Memory uint32
}

// A Search visits pasts, breadth first, until a step is wrong.
type Search[K Key] struct {
	*Space[K]
	First uint32 // what is remembered at the root

	// Next calls f with what is remembered after a step from p to another state, and
	// reports whether the step is wrong.
	Next func(p Past, slot int, to ID, f func(memory uint32)) (wrong bool)

	// Known reports whether p, or a past that subsumes it, has been visited, and marks p.
	Known func(p Past) bool
}

// Shortest returns the slots of a shortest path that ends with a wrong step, and reports
// whether there is one. It calls begin twice then: only the second search stores what the
// path needs.
func Shortest[K Key](begin func() *Search[K]) (slots []int, found bool) {
	if _, found = begin().wrong(false); found {
		slots, _ = begin().wrong(true)
	}
	return slots, found
}

// wrong reports whether there is a wrong step. If keep is set, it returns the slots up to the
// first one that it finds.
func (s *Search[K]) wrong(keep bool) (slots []int, found bool) {
	type step struct{ from, slot int32 } // from is the number of a past, in the order of visits
	var came []step
	visit := func(to []Past, p Past, by step) []Past {
		if s.Known(p) {
			return to
		}
		if keep {
			came = append(came, by)
		}
		return append(to, p)
	}
	now, then := visit(nil, Past{s.Root, s.First}, step{}), []Past(nil)
	for before := int32(0); len(now) > 0; {
		for k, p := range now {
			at := before + int32(k)
			for slot := range s.Degree(p.ID) {
				to := s.Successor(p.ID, slot)
				if to < 0 || !s.Next(p, slot, to, func(memory uint32) { then = visit(then, Past{to, memory}, step{at, int32(slot)}) }) {
					continue
				}
				slots = []int{slot}
				for keep && at > 0 {
					slots = append(slots, int(came[at].slot))
					at = came[at].from
				}
				slices.Reverse(slots)
				return slots, true
			}
		}
		before += int32(len(now))
		now, then = then, now[:0]
	}
	return nil, false
}
