package explore

import (
	"cmp"
	"slices"
	"strings"
)

// doorwayWaits returns the places where a process may stay in its doorway forever: its
// awaits, and the operations after which it retries.
func (x *extraction) doorwayWaits() (places []Place) {
	r := x.replay(nil)
	for p, t := range x.trees {
		for id := range t.locals {
			l := &t.locals[id]
			if l.phase == phaseDoorway && (waits(l.op) || t.retries(int32(id))) {
				r.at[p] = int32(id)
				places = append(places, r.place(p))
			}
		}
	}
	slices.SortFunc(places, func(a, b Place) int { return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) })
	return slices.CompactFunc(places, func(a, b Place) bool { return a.File == b.File && a.Line == b.Line })
}

// doorwayIsEntry reports whether no process has anything to do between its doorway and
// its critical section. Of a single process, it does not matter.
func (x *extraction) doorwayIsEntry() bool {
	return len(x.trees) > 1 && !slices.ContainsFunc(x.trees, func(t *tree) bool {
		return slices.ContainsFunc(t.locals, func(l local) bool { return l.phase == phaseWaiting })
	})
}

// retries reports whether an answer leads from the local state id back to one on its
// path, other than the remainder section.
func (t *tree) retries(id int32) bool {
	return slices.ContainsFunc(t.locals[id].next, func(to int32) bool {
		if to <= 0 {
			return false
		}
		at := id
		for t.locals[at].depth > t.locals[to].depth {
			at = t.locals[at].parent
		}
		return at == to
	})
}
