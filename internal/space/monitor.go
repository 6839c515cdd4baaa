package space

import "slices"

// A Past is a state with the number of what a property remembers of the steps before it.
type Past struct {
	ID     ID
	Memory uint32
}

// A Monitor watches the runs of a space for a wrong step, which depends on the steps before it.
type Monitor struct {
	*Graph
	First uint32 // what is remembered at the root

	// Next calls f with what is remembered after a step from p to another state. It returns
	// what is wrong with the step; "": nothing.
	Next func(p Past, slot int, to ID, f func(memory uint32)) (wrong string)

	// Known reports whether p, or a past that subsumes it, has been visited, and marks p. Nil: each past counts
	// for itself, and few states have more than one.
	Known func(p Past) bool
}

// visited returns the Known of a monitor that has none.
func (g *Graph) visited() func(p Past) bool {
	first, others := make([]uint32, g.End()), map[Past]bool{} // by state: 1 + its first memory; and other pasts
	return func(p Past) (known bool) {
		if f := &first[p.ID]; *f == 0 {
			*f = p.Memory + 1
		} else if known = *f == p.Memory+1 || others[p]; !known {
			others[p] = true
		}
		return known
	}
}

// Refute visits pasts, breadth first, until a step is wrong. It returns what is wrong with it, "" if there
// is none, and the slots of a shortest path that ends with it. It calls begin twice then: only the second
// search stores what the path needs.
func Refute(begin func() *Monitor) (wrong string, slots []int) {
	if wrong, _ = begin().search(false); wrong != "" {
		wrong, slots = begin().search(true)
	}
	return wrong, slots
}

// search returns what is wrong with the first wrong step that it finds, "" if there is none. If keep is set,
// it returns the slots up to it.
func (m *Monitor) search(keep bool) (wrong string, slots []int) {
	type step struct{ from, slot int32 } // from is the number of a past, in the order of visits
	var came []step
	known := m.Known
	if known == nil {
		known = m.visited()
	}
	visit := func(to []Past, p Past, by step) []Past {
		if known(p) {
			return to
		}
		if keep {
			came = append(came, by)
		}
		return append(to, p)
	}
	now, then := visit(nil, Past{m.Root, m.First}, step{}), []Past(nil)
	for before := int32(0); len(now) > 0; {
		for k, p := range now {
			at := before + int32(k)
			for slot := range m.Degree(p.ID) {
				to := m.Successor(p.ID, slot)
				if to < 0 {
					continue
				}
				wrong = m.Next(p, slot, to, func(memory uint32) { then = visit(then, Past{to, memory}, step{at, int32(slot)}) })
				if wrong == "" {
					continue
				}
				slots = []int{slot}
				for keep && at > 0 {
					slots = append(slots, int(came[at].slot))
					at = came[at].from
				}
				slices.Reverse(slots)
				return wrong, slots
			}
		}
		before += int32(len(now))
		now, then = then, now[:0]
	}
	return "", nil
}
