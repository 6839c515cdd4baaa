package program

import "slices"

// The properties of runs.

// enters reports whether the step e from state id is an entry.
func (g *graph) enters(id int, e edge) bool {
	return g.states[id].at[e.p].pc != inside && g.states[e.to].at[e.p].pc == inside
}

// components returns the strongly connected components of the states in, with the steps
// of edge, each after those that it leads to (R. Tarjan, 1972).
func (g *graph) components(in func(int) bool, edge func(int, edge) bool) (all [][]int) {
	low, number := make([]int, len(g.states)), make([]int, len(g.states)) // number 0: not visited; -1: done
	var stack []int
	count := 0
	var visit func(id int)
	visit = func(id int) {
		count++
		low[id], number[id] = count, count
		stack = append(stack, id)
		for _, e := range g.edges[id] {
			if !in(e.to) || !edge(id, e) || number[e.to] < 0 {
				continue
			}
			if number[e.to] == 0 {
				visit(e.to)
			}
			low[id] = min(low[id], low[e.to])
		}
		if low[id] == number[id] {
			k := len(stack) - 1
			for stack[k] != id {
				k--
			}
			all = append(all, slices.Clone(stack[k:]))
			for _, member := range stack[k:] {
				number[member] = -1
			}
			stack = stack[:k]
		}
	}
	for id := range g.states {
		if number[id] == 0 && in(id) {
			visit(id)
		}
	}
	return all
}

// fairRun reports whether a weakly fair run can stay in the states in by the steps of
// edge: in a component where each process steps, or is idle somewhere.
func (g *graph) fairRun(in func(int) bool, edge func(int, edge) bool) bool {
	for _, c := range g.components(in, edge) {
		member := map[int]bool{}
		var fair [Processes]bool
		for _, id := range c {
			member[id] = true
		}
		for _, id := range c {
			for p := range g.n {
				fair[p] = fair[p] || g.idle[id][p]
			}
			for _, e := range g.edges[id] {
				fair[e.p] = fair[e.p] || member[e.to] && edge(id, e)
			}
		}
		if !slices.Contains(fair[:g.n], false) {
			return true
		}
	}
	return false
}

func (g *graph) deadlockFree() bool {
	return !g.fairRun(func(id int) bool {
		return slices.ContainsFunc(g.states[id].at[:], busy)
	}, func(id int, e edge) bool { return !e.abort && !g.enters(id, e) })
}

func (g *graph) starvationFree(aborts bool) bool {
	for p := range g.n {
		if g.fairRun(func(id int) bool { return busy(g.states[id].at[p]) }, func(_ int, e edge) bool { return aborts || !e.abort }) {
			return false
		}
	}
	return true
}

// bypassed returns the steps of a shortest run in which process q begins its doorway
// while p waits, and then enters while p still waits; 0 if there is none.
func (g *graph) bypassed(p, q int) int {
	type visit struct {
		id    int
		later bool // q has not begun, or it began after p waited
	}
	seen := map[visit]bool{{}: true}
	for steps, level := 1, []visit{{}}; len(level) > 0; steps++ {
		var next []visit
		for _, v := range level {
			for _, e := range g.edges[v.id] {
				if v.later && e.p == q && g.enters(v.id, e) && g.waiting(g.states[e.to].at[p]) {
					return steps
				}
				s := &g.states[e.to]
				began := s.at[q].begun || s.at[q].leaving || s.at[q].pc == inside
				to := visit{e.to, g.waiting(s.at[p]) && (v.later || !began)}
				if !seen[to] {
					seen[to] = true
					next = append(next, to)
				}
			}
		}
		level = next
	}
	return 0
}

// bypasses returns how often the processes for which counts is true can enter while p
// waits.
func (g *graph) bypasses(p int, counts func(q int) bool) int {
	in := func(id int) bool { return g.waiting(g.states[id].at[p]) }
	most, of := make([]int, len(g.states)), make([]int, len(g.states))
	all := 0
	for k, c := range g.components(in, func(int, edge) bool { return true }) {
		n := 0
		for _, id := range c {
			of[id] = k + 1
		}
		for _, id := range c {
			for _, e := range g.edges[id] {
				enters := counts(e.p) && g.enters(id, e)
				switch {
				case !in(e.to):
				case of[e.to] == k+1 && enters:
					return unbounded
				case enters:
					n = max(n, most[e.to]+1)
				default:
					n = max(n, most[e.to])
				}
			}
		}
		for _, id := range c {
			most[id] = n
		}
		all = max(all, n)
	}
	return all
}
