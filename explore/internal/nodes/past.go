package nodes

import (
	"slices"

	"example.org/doorway/internal/history"
	"example.org/doorway/internal/space"
)

// A past is a state with the number of what a property remembers of the events before it.
type past struct {
	id     space.ID
	memory uint32
}

// A search visits pasts, breadth first, until a step is wrong.
type search[K space.Key] struct {
	*graph[K]
	first uint32 // what is remembered at the root

	// next calls f with what is remembered after a step from p to another state, and
	// reports whether the step is wrong.
	next func(p past, slot int, to space.ID, f func(memory uint32)) (wrong bool)

	// known reports whether p, or what is as bad as p, has been visited; p has been then.
	known func(p past) bool
}

// shortest returns the slots of a shortest path that ends with a wrong step, and reports
// whether there is one. It is told how to begin the search, since it searches again for the
// path: what that needs is not stored if nothing is wrong.
func shortest[K space.Key](begin func() *search[K]) (slots []int, found bool) {
	if _, found = begin().wrong(false); found {
		slots, _ = begin().wrong(true)
	}
	return slots, found
}

// wrong reports whether there is a wrong step, and if it is to keep them, returns the slots
// to the first one that it finds, and of that.
func (s *search[K]) wrong(keep bool) (slots []int, found bool) {
	type step struct{ from, slot int32 } // from is the number of a past, in the order of visits
	var came []step
	visit := func(to []past, p past, by step) []past {
		if s.known(p) {
			return to
		}
		if keep {
			came = append(came, by)
		}
		return append(to, p)
	}
	now, then := visit(nil, past{s.Root, s.first}, step{}), []past(nil)
	for before := int32(0); len(now) > 0; {
		for k, p := range now {
			at := before + int32(k)
			for slot := range s.Degree(p.id) {
				to := s.Successor(p.id, slot)
				if to < 0 || !s.next(p, slot, to, func(memory uint32) { then = visit(then, past{to, memory}, step{at, int32(slot)}) }) {
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

// against returns the verdict of a history along slots.
func (g *graph[K]) against(title string, slots []int) Verdict {
	path, _ := g.along(g.Root, slots)
	return Verdict{true, g.tell(title, history.Endless, path, -1)}
}
