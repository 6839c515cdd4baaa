package program

import "slices"

// The properties of runs.

// enters reports whether the step e from state id is an entry.
func (g *graph) enters(id int, e edge) bool {
	return g.states[id].at[e.p].pc != inside && g.states[e.to].at[e.p].pc == inside
}

// fairRun reports whether a weakly fair run can stay in the states in by the steps of step:
// there is a set of them from each of which, for each process, one is reached within the set
// where the process is idle, or steps within the set (E. A. Emerson, C.-L. Lei, "Efficient
// model checking in fragments of the propositional mu-calculus", LICS 1986).
func (g *graph) fairRun(in func(int) bool, step func(int, edge) bool) bool {
	set := make([]bool, len(g.states)) // the largest one
	for id := range set {
		set[id] = in(id)
	}
	for shrinks := true; shrinks; {
		shrinks = false
		for p := range g.n {
			reaches := make([]bool, len(set))
			for grows := true; grows; {
				grows = false
				for id := range slices.Backward(set) {
					if !set[id] || reaches[id] {
						continue
					}
					reaches[id] = g.idle[id][p] || slices.ContainsFunc(g.edges[id], func(e edge) bool {
						return set[e.to] && step(id, e) && (e.p == p || reaches[e.to])
					})
					grows = grows || reaches[id]
				}
			}
			shrinks = shrinks || !slices.Equal(set, reaches)
			set = reaches
		}
	}
	return slices.Contains(set, true)
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

// many is more entries than a finite number of bypasses in these programs.
const many = 50

// bypasses returns how often the processes for which counts is true can enter while p
// waits: the most entries in the runs from a state, one step longer in each round.
func (g *graph) bypasses(p int, counts func(q int) bool) int {
	most := make([]int, len(g.states))
	for grows := true; grows; {
		grows = false
		for id, n := range slices.Backward(most) {
			for _, e := range g.edges[id] {
				if !g.waiting(g.states[id].at[p]) || !g.waiting(g.states[e.to].at[p]) {
					continue
				}
				more := most[e.to]
				if counts(e.p) && g.enters(id, e) {
					more++
				}
				if n = max(n, more); n == many {
					return unbounded
				}
			}
			grows = grows || n > most[id]
			most[id] = n
		}
	}
	return slices.Max(most)
}
