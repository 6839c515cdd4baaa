package replay

import (
	"cmp"
	"slices"
	"strings"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/extract"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/explore/internal/trace"
)

// DoorwayWaits returns the places where a process may stay in its doorway forever: its
// awaits, and the operations after which it retries.
func DoorwayWaits(x *extract.Extraction) (places []trace.Place) {
	r := Of(x, nil)
	for p, t := range x.Trees {
		for id := range t.Locals {
			l := &t.Locals[id]
			if l.Phase == phase.Doorway && (automaton.Waits(l.Op) || t.Retries(int32(id))) {
				r.at[p] = int32(id)
				places = append(places, r.Place(p))
			}
		}
	}
	slices.SortFunc(places, func(a, b trace.Place) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return slices.CompactFunc(places, func(a, b trace.Place) bool { return a.File == b.File && a.Line == b.Line })
}
