package space

import "slices"

// Paths are the paths of a graph from its root, whose nodes have numbers: the states of a
// Space, or more, such as pairs of a state and what happened before.
type Paths struct {
	Root, Size int                               // the numbers are less than Size
	Each       func(level int, f func(node int)) // calls f for every node that is level steps away
	Next       func(node int, row []int) []int   // appends the successor by each slot; negative: none
	Again      bool                              // of several paths, prefer one that takes the slot of the step before
}

// Shortest returns the slots of a shortest path to a node for which goal holds, level steps
// away. Of several it picks the one that takes the least slots, the earlier ones first:
// that does not depend on the order in which states were found. There must be one.
func (w *Paths) Shortest(level int, goal func(node int) bool) []int {
	leads := make([]Bits, level+1) // by level: the nodes on the way
	var row []int
	for at := level; at >= 0; at-- {
		leads[at] = make(Bits, w.Size/64+1)
		w.Each(at, func(node int) {
			ok := false
			if at == level {
				ok = goal(node)
			} else {
				row = w.Next(node, row[:0])
				ok = slices.ContainsFunc(row, func(to int) bool { return to >= 0 && leads[at+1].Has(to) })
			}
			if ok {
				leads[at].Add(node)
			}
		})
	}
	path := make([]int, 0, level)
	node := w.Root
	for at := range level {
		row = w.Next(node, row[:0])
		leadsOn := func(to int) bool { return to >= 0 && leads[at+1].Has(to) }
		var slot int
		if w.Again && at > 0 && leadsOn(row[path[at-1]]) {
			slot = path[at-1]
		} else {
			slot = slices.IndexFunc(row, leadsOn)
		}
		if slot < 0 {
			panic("space: internal error: a path that was found is gone")
		}
		node, path = row[slot], append(path, slot)
	}
	return path
}

// Paths returns the paths of g.
func (g *Graph) Paths() *Paths {
	var ids []ID
	return &Paths{
		Root: int(g.Root), Size: int(g.End()),
		Each: func(level int, f func(node int)) { g.AtLevel(level, func(i ID) { f(int(i)) }) },
		Next: func(node int, row []int) []int {
			ids = g.Row(ID(node), ids[:0])
			for _, to := range ids {
				row = append(row, int(to))
			}
			return row
		},
	}
}

// AtLevel calls f for every state that is level steps from the root.
func (g *Graph) AtLevel(level int, f func(i ID)) {
	if level > len(g.levels) {
		return
	}
	for k := range g.parts {
		from := 0
		if level > 0 {
			from = g.levels[level-1][k]
		}
		for n := from; n < g.ends(level)[k]; n++ {
			f(id(n, k))
		}
	}
}

// ends returns where each shard has its first state that is further away than level. The
// states that were found last are one level further than those that were stepped.
func (g *Graph) ends(level int) (ends [Shards]int) {
	if level < len(g.levels) {
		return g.levels[level]
	}
	for k, p := range g.parts {
		ends[k] = p.n
	}
	return ends
}

// Level returns the distance of a state from the root.
func (g *Graph) Level(i ID) int {
	at, _ := slices.BinarySearchFunc(g.levels, i, func(ends [Shards]int, i ID) int {
		if i.number() < ends[i.shard()] {
			return 1
		}
		return -1
	})
	return at
}

// Nearest returns the state of a list that is nearest to the root; of several, one that
// depends on the list only. Within a shard, states are numbered in the order of their
// distances.
func (g *Graph) Nearest(states []ID) ID {
	var first [Shards]ID
	for k := range first {
		first[k] = -1
	}
	for _, i := range states {
		if f := &first[i.shard()]; *f < 0 || i < *f {
			*f = i
		}
	}
	nearest := ID(-1)
	for _, i := range first {
		if i >= 0 && (nearest < 0 || g.Level(i) < g.Level(nearest)) {
			nearest = i
		}
	}
	return nearest
}
