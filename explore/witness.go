package explore

import (
	"slices"
	"sort"
)

// paths are the runs of a graph, from its root.
type paths struct {
	slots, size, root int
	each              func(level int, f func(node int)) // calls f for every node that is level steps away
	next              func(node, slot int) int          // the successor; negative: none
}

// shortest returns a shortest schedule, as slots, to a node for which goal holds,
// level steps away. Of all shortest ones it picks the one that switches processes as
// late as possible, and then the one with the lowest process numbers: it does not
// depend on the order in which states were found.
func (w *paths) shortest(level int, goal func(node int) bool) []int {
	leads := make([][]uint64, level+1) // by level: a bit for each node on the way
	on := func(set []uint64, node int) bool { return set[node/64]>>(node%64)&1 == 1 }
	for at := level; at >= 0; at-- {
		leads[at] = make([]uint64, w.size/64+1)
		w.each(at, func(node int) {
			ok := at == level && goal(node)
			for slot := 0; slot < w.slots && at < level && !ok; slot++ {
				to := w.next(node, slot)
				ok = to >= 0 && on(leads[at+1], to)
			}
			if ok {
				leads[at][node/64] |= 1 << (node % 64)
			}
		})
	}
	var schedule []int
	node, last := w.root, -1
	for at := range level {
		slot := max(0, last)
		for try := 0; ; try++ {
			to := w.next(node, slot)
			if to >= 0 && on(leads[at+1], to) {
				node = to
				break
			}
			if slot = try; slot >= w.slots {
				panic("explore: internal error: a schedule that was found is gone")
			}
		}
		schedule, last = append(schedule, slot), slot
	}
	return schedule
}

// to returns a shortest schedule from the initial state to a state for which goal
// holds, level steps away.
func (g *graph[K]) to(level int, goal func(id int32) bool) []int {
	w := paths{
		slots: g.slots, size: int(g.limit()), root: int(g.root),
		each: func(at int, f func(node int)) { g.atLevel(at, func(id int32) { f(int(id)) }) },
		next: func(node, slot int) int { return int(g.successor(int32(node), slot)) },
	}
	return w.shortest(level, func(node int) bool { return goal(int32(node)) })
}

// atLevel calls f for every state that is level steps from the initial state.
func (g *graph[K]) atLevel(level int, f func(id int32)) {
	for s := range g.shards {
		lo := 0
		if level > 0 {
			lo = g.levels[level-1][s]
		}
		for k := lo; k < g.levels[level][s]; k++ {
			f(int32(k<<split + s))
		}
	}
}

// level returns the distance of a state from the initial state.
func (g *graph[K]) level(id int32) int {
	return sort.Search(len(g.levels), func(at int) bool { return g.number(id) < g.levels[at][g.shardOf(id)] })
}

// nearest returns the state at the least distance, and the distance. Within a
// shard, states are numbered in that order.
func (g *graph[K]) nearest(states []int32) (int32, int) {
	first := make([]int32, shards)
	for s := range first {
		first[s] = -1
	}
	for _, id := range states {
		if f := &first[g.shardOf(id)]; *f < 0 || id < *f {
			*f = id
		}
	}
	best, level := int32(-1), 0
	for _, id := range first {
		if id < 0 {
			continue
		}
		if at := g.level(id); best < 0 || at < level {
			best, level = id, at
		}
	}
	return best, level
}

// lasso returns a schedule to a state of c, and a fair loop from there back to it.
func (g *graph[K]) lasso(c *component[K]) (prefix, loop []int) {
	start, level := g.nearest(c.states)
	prefix = g.to(level, func(id int32) bool { return id == start })
	at := start
	goTo := func(goal func(id int32) bool) {
		var steps []int
		at, steps = c.way(at, goal)
		loop = append(loop, steps...)
	}
	for p := range g.n {
		if c.excused(start, loop, p) {
			continue
		}
		goTo(func(id int32) bool { return g.idle(id, p) || c.stay(id, p) >= 0 })
		if !g.idle(at, p) {
			slot := c.stay(at, p)
			at, _ = c.inside(at, slot)
			loop = append(loop, slot)
		}
	}
	goTo(func(id int32) bool { return id == start })
	return prefix, loop
}

// excused reports whether loop, from start, is fair to process p.
func (c *component[K]) excused(start int32, loop []int, p int) bool {
	at := start
	for _, slot := range loop {
		if slot%c.g.n == p || c.g.idle(at, p) {
			return true
		}
		at = c.g.successor(at, slot)
	}
	return c.g.idle(at, p)
}

// way returns the state of c nearest to from for which goal holds, and the steps
// to it; from itself if there is none.
func (c *component[K]) way(from int32, goal func(int32) bool) (int32, []int) {
	type visit struct {
		from int32
		slot int
	}
	came := map[int32]visit{from: {-1, -1}}
	queue := []int32{from}
	for ; len(queue) > 0; queue = queue[1:] {
		id := queue[0]
		if goal(id) {
			var steps []int
			for at := id; at != from; at = came[at].from {
				steps = append(steps, came[at].slot)
			}
			slices.Reverse(steps)
			return id, steps
		}
		for slot := range c.g.slots {
			to, ok := c.inside(id, slot)
			if _, known := came[to]; ok && !known {
				came[to] = visit{id, slot}
				queue = append(queue, to)
			}
		}
	}
	return from, nil
}
