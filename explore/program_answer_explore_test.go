//go:build doorway_explore

package explore_test

import "slices"

// answers are the properties of a program, as far as they are checked: the others are
// false. They are those of explore.Report.
type answers struct {
	Refused         bool
	MutualExclusion bool
	Steps           int // of a shortest schedule that violates mutual exclusion

	DeadlockFree, StarvationFree, DespiteAborts bool
	FIFO, RaceFree, SafeRegisters               bool
	Bypassed                                    int // steps of a shortest run that is not FIFO
	Bypasses, BypassesByAll, Reads, Writes      int
	Cut                                         bool
	Largest                                     [Registers]uint64
}

// A result has the answers, and what else is known of a program.
type result struct {
	answers
	States       int
	DoorwayWaits bool // a doorway has an await
}

const unbounded = -1

// An edge is a step, or an abort, of process p.
type edge struct {
	to, p int
	abort bool
}

// A graph has the reachable states.
type graph struct {
	*explorer
	states []state
	index  map[state]int
	edges  [][]edge
	idle   [][Processes]bool // by state: a process need not, or cannot, step

	level, violated           int // steps to the last state, and to one that violates mutual exclusion or -1
	cutAny, awaitedSet, raced bool
}

// exploreProgram returns what holds of a program, and false if it has more states than most.
func exploreProgram(g *lockProgram, most int) (r result, ok bool) {
	x := &explorer{g: g, n: len(g.Entry)}
	for r := range Registers {
		x.held[r], x.writers[r] = map[uint64]bool{0: true}, map[int]bool{}
	}
	for p := range x.n {
		x.code = append(x.code, make([]instr, atFirst))
		entries := []int{x.compile(p, g.Entry[p], atInside, 0)}
		if g.Try != nil {
			entries = append(entries, x.compile(p, g.Try[p], atInside, 0))
		}
		x.entry = append(x.entry, entries)
		x.exit = append(x.exit, x.compile(p, g.Exit[p], atRemainder, 0))
	}
	x.alone()
	x.waits = false
	if x.refused {
		r.Refused = true
		return r, true
	}
	s := x.graph(most)
	if s == nil {
		return r, false
	}
	r = s.result()
	if !r.MutualExclusion {
		return r, true
	}
	x.races = true
	races := x.graph(4 * most)
	x.races = false
	if !g.GiveUp {
		x.safe = true
		safe := x.graph(8 * most)
		if safe == nil {
			return r, false
		}
		r.SafeRegisters = safe.violated < 0
	}
	if races == nil {
		return r, false
	}
	r.RaceFree = !races.raced
	return r, true
}

// alone runs each process on all values that the registers can hold, until no more
// values are found.
func (x *explorer) alone() {
	for size := -1; size != x.found(); {
		size = x.found()
		for p := range x.n {
			seen := map[local]bool{{}: true}
			for queue := []local{{}}; len(queue) > 0; queue = queue[1:] {
				for _, s := range x.memories() {
					s.at[p] = queue[0]
					to, _ := x.step(s, p)
					if t, ok := x.abort(s, p); ok {
						to = append(to, t)
					}
					for _, t := range to {
						if !seen[t.at[p]] {
							seen[t.at[p]] = true
							queue = append(queue, t.at[p])
						}
					}
				}
			}
		}
	}
}

func (x *explorer) found() (n int) {
	for r := range Registers {
		n += len(x.held[r])
	}
	return n
}

// memories returns a state for all values that the registers can hold.
func (x *explorer) memories() []state {
	all := []state{{}}
	for r := range Registers {
		var more []state
		for _, s := range all {
			for v := range x.held[r] {
				s.reg[r] = v
				more = append(more, s)
			}
		}
		all = more
	}
	return all
}

// graph returns the reachable states, or nil if they are more than most. It ends after
// the level of a fault.
func (x *explorer) graph(most int) *graph {
	g := &graph{explorer: x, index: map[state]int{}, violated: -1}
	var start state
	for k := range start.heard {
		start.heard[k] = x.races
	}
	g.id(start)
	for done := 0; done < len(g.states); g.level++ {
		for end := len(g.states); done < end; done++ {
			g.expand(done)
		}
		if g.violated >= 0 || g.awaitedSet || g.raced {
			return g
		}
		if len(g.states) > most {
			return nil
		}
	}
	return g
}

func (g *graph) id(s state) int {
	id, ok := g.index[s]
	if !ok {
		id = len(g.states)
		g.index[s] = id
		g.states = append(g.states, s)
	}
	return id
}

func (g *graph) expand(id int) {
	s := g.states[id]
	var edges []edge
	var idle [Processes]bool
	in := 0
	for p := range g.n {
		if s.at[p].pc == atInside {
			in++
		}
		to, is := g.step(s, p)
		idle[p] = is
		for _, t := range to {
			edges = append(edges, edge{g.id(t), p, false})
		}
		g.cutAny, g.awaitedSet, g.raced = g.cutAny || g.cut, g.awaitedSet || g.awaited, g.raced || g.explorer.raced
		if t, ok := g.abort(s, p); ok {
			edges = append(edges, edge{g.id(t), p, true})
			g.raced = g.raced || g.explorer.raced
		}
	}
	if in > 1 && g.violated < 0 {
		g.violated = g.level
	}
	g.edges, g.idle = append(g.edges, edges), append(g.idle, idle)
}

// result returns the answers that need no other states.
func (g *graph) result() result {
	r := result{States: len(g.states), DoorwayWaits: g.waits}
	if g.violated >= 0 {
		r.Steps = g.violated
		return r
	}
	if g.awaitedSet || g.cutAny && !g.allEnter() {
		r.Refused = true
		return r
	}
	r.MutualExclusion, r.Cut = true, g.cutAny
	r.DeadlockFree = g.deadlockFree()
	r.StarvationFree = g.starvationFree(false)
	r.DespiteAborts = g.g.GiveUp && g.starvationFree(true)
	most := func(a, b int) int {
		if a == unbounded || b == unbounded {
			return unbounded
		}
		return max(a, b)
	}
	for p := range g.n {
		r.BypassesByAll = most(r.BypassesByAll, g.bypasses(p, func(q int) bool { return q != p }))
		for q := range g.n {
			if n := g.bypassed(p, q); p != q && n > 0 && (r.Bypassed == 0 || n < r.Bypassed) {
				r.Bypassed = n
			}
			if p != q {
				r.Bypasses = most(r.Bypasses, g.bypasses(p, func(by int) bool { return by == q }))
			}
		}
	}
	r.FIFO = r.Bypassed == 0
	r.Reads, r.Writes = g.uncontended()
	for _, s := range g.states {
		for k, v := range s.reg {
			r.Largest[k] = max(r.Largest[k], v)
		}
	}
	return r
}

func (g *graph) allEnter() bool {
	for p := range g.n {
		if !slices.ContainsFunc(g.states, func(s state) bool { return s.at[p].pc == atInside }) {
			return false
		}
	}
	return true
}

// uncontended returns the most reads and writes of an entry and exit of a process alone.
func (g *graph) uncontended() (reads, writes int) {
	for _, s := range g.states {
		if s.at != [Processes]local{} {
			continue
		}
		for p := range g.n {
			t, r, w := s, 0, 0
			for k := 0; k == 0 || t.at[p] != (local{}); k++ {
				to, _ := g.step(t, p)
				if len(to) == 0 && !g.cut || k == 1000 {
					return unbounded, unbounded
				}
				r, w = r+g.reads, w+g.writes
				if g.cut {
					break
				}
				t = to[0]
			}
			reads, writes = max(reads, r), max(writes, w)
		}
	}
	return reads, writes
}

// The properties of runs.

// enters reports whether the step e from state id is an entry.
func (g *graph) enters(id int, e edge) bool {
	return g.states[id].at[e.p].pc != atInside && g.states[e.to].at[e.p].pc == atInside
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
				began := s.at[q].begun || s.at[q].leaving || s.at[q].pc == atInside
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
