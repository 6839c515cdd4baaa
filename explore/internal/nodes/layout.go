package nodes

import (
	"math/bits"

	"example.org/doorway/internal/space"
)

// A layout places the cell of each node, the queue of each link, and the budgets, in a key.
type layout struct {
	cells []space.Field
	links []space.Field // by link; those that are not used have no bits
	used  []int         // the links that are
	left  [budgets]space.Field
	words int
}

// newLayout returns a layout that has room for the cells and queues that there are, and for
// as many more as its words have bits to spare: if one is found that has no room, the
// exploration begins again.
func (cs *cells) newLayout() layout {
	y := cs.layout(2, false)
	for spare := 3; ; spare++ {
		wider := cs.layout(spare, false)
		if wider.words > y.words {
			return y
		}
		y = wider
	}
}

// roomyLayout returns a layout with as many spare bits as a key may have, for all links.
func (cs *cells) roomyLayout() layout {
	spare := 32
	for cs.layout(spare, true).words > space.MostWords {
		spare--
	}
	return cs.layout(spare, true)
}

// layout returns a layout with some spare bits in each field that may need them: those of links that are used, or of all.
func (cs *cells) layout(spare int, unused bool) (y layout) {
	var key space.Packing
	for _, all := range cs.all {
		y.cells = append(y.cells, key.Lay(bits.Len(uint(len(all)))+spare))
	}
	for l, all := range cs.links {
		width := 0
		if len(all) > 1 || unused {
			width = bits.Len(uint(len(all))) + spare - 1
			y.used = append(y.used, l)
		}
		y.links = append(y.links, key.Lay(width))
	}
	for b, most := range cs.c.budgets() {
		y.left[b] = key.Lay(bits.Len(uint(most)))
	}
	y.words = (key.Bits + 63) / 64
	return y
}
