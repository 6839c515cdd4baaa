package history

import (
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/messaging"
)

// Natures has, by node, what the node was at first: which optional interfaces it had ([messaging.As]) and, if it was
// a Sharer, which others it excluded. None of that changes.
type Natures []*nature

type nature struct {
	kinds    kinds
	excludes []bool // by node; nil: it is no Sharer
}

type kinds struct{ Exclusion, Sharer, Survivor, Epocher bool }

func kindsOf(n messaging.Node) (k kinds) {
	_, k.Exclusion = messaging.As[messaging.Exclusion](n)
	_, k.Sharer = messaging.As[messaging.Sharer](n)
	_, k.Survivor = messaging.As[messaging.Survivor](n)
	_, k.Epocher = messaging.As[messaging.Epocher](n)
	return k
}

// Check panics with a Breach if node i is not what it was, or does not exclude a node that excludes it.
func (all Natures) Check(i messaging.ID, n messaging.Node) {
	sharer, shares := messaging.As[messaging.Sharer](n)
	was := all[i]
	switch is := kindsOf(n); {
	case was == nil:
		all[i] = &nature{kinds: is}
		if shares {
			all.note(i, sharer)
		}
		return
	case is != was.kinds:
		Fail(Optional, "%s was %+v and is now %+v: its methods, Can and Unwrap say the same always, also after a restart", notation.Node(i), was.kinds, is)
	}
	for j, said := range was.excludes {
		if j := messaging.ID(j); j != i && sharer.Excludes(j) != said {
			Fail(Excludes, "that of %s for %s was %t and is now %t", notation.Node(i), notation.Node(j), said, !said)
		}
	}
}

// note notes which others node i excludes.
func (all Natures) note(i messaging.ID, n messaging.Sharer) {
	says := make([]bool, len(all))
	for j, other := range all {
		if j := messaging.ID(j); j != i {
			says[j] = n.Excludes(j)
			if other != nil && other.excludes != nil && says[j] != other.excludes[i] {
				Fail(Excludes, "that of %s for %s is %t, but that of %[2]s for %[1]s is %[4]t", notation.Node(i), notation.Node(j), says[j], other.excludes[i])
			}
		}
	}
	all[i].excludes = says
}
