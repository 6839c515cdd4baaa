package explore

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"example.org/doorway/register"
)

// to returns a shortest schedule, as slots, from the first state to one of
// those for which goal holds, which are level steps away. Of all shortest ones
// it is the one in which the process changes as late as possible, and then the
// one with the least processes, so that it does not depend on the order in
// which states were found.
func (g *graph[K]) to(level int, goal func(id int32) bool) []int {
	leads := make([][]uint64, level+1) // by level: which states are on the way, a bit each
	on := func(set []uint64, id int32) bool { return set[id/64]>>(id%64)&1 == 1 }
	for at := level; at >= 0; at-- {
		leads[at] = make([]uint64, g.limit()/64+1)
		g.atLevel(at, func(id int32) {
			ok := at == level && goal(id)
			for slot := 0; slot < g.slots && at < level && !ok; slot++ {
				to := g.successor(id, slot)
				ok = to >= 0 && on(leads[at+1], to)
			}
			if ok {
				leads[at][id/64] |= 1 << (id % 64)
			}
		})
	}
	var schedule []int
	id, last := g.root, -1
	for at := range level {
		slot := 0
		if last >= 0 {
			slot = last
		}
		for try := 0; ; try++ {
			to := g.successor(id, slot)
			if to >= 0 && on(leads[at+1], to) {
				id = to
				break
			}
			if slot = try; slot >= g.slots {
				panic("explore: a way that was found is gone")
			}
		}
		schedule, last = append(schedule, slot), slot
	}
	return schedule
}

// atLevel calls f for every state that is level steps away from the first.
func (g *graph[K]) atLevel(level int, f func(id int32)) {
	w := len(g.shards)
	for s := range g.shards {
		lo := 0
		if level > 0 {
			lo = g.levels[level-1][s]
		}
		for k := lo; k < g.levels[level][s]; k++ {
			f(int32(k*w + s))
		}
	}
}

// level returns how many steps a state is away from the first.
func (g *graph[K]) level(id int32) int {
	w := int32(len(g.shards))
	return sort.Search(len(g.levels), func(at int) bool { return int(id/w) < g.levels[at][id%w] })
}

// nearest returns the state that is the fewest steps away, and how many. Within
// a shard, states are numbered in that order.
func (g *graph[K]) nearest(states []int32) (int32, int) {
	w := int32(len(g.shards))
	first := make([]int32, w)
	for s := range first {
		first[s] = -1
	}
	for _, id := range states {
		if f := &first[id%w]; *f < 0 || id < *f {
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

// lasso returns a schedule to a state of c, and one that leads from there through all
// that fairness asks for, through the steps that must be, and back.
func (g *graph[K]) lasso(c *component[K], must func(id int32, slot int, to int32) bool) (prefix, loop []int) {
	start, level := g.nearest(c.states)
	prefix = g.to(level, func(id int32) bool { return id == start })
	at := start
	goTo := func(goal func(int32) bool) {
		var steps []int
		at, steps = c.way(at, goal)
		loop = append(loop, steps...)
	}
	step := func(wanted func(id int32, slot int, to int32) bool) {
		found := -1
		goTo(func(id int32) bool {
			for slot := range g.slots {
				if to, ok := c.inside(id, slot); ok && wanted(id, slot, to) {
					found = slot
					return true
				}
			}
			return false
		})
		if found >= 0 {
			at, _ = c.inside(at, found)
			loop = append(loop, found)
		}
	}
	if must != nil {
		step(must)
	}
	for p := range g.n {
		if c.excused(start, loop, p) {
			continue
		}
		goTo(func(id int32) bool {
			if g.phase(id, p) == Remainder || g.successor(id, p) == blocked {
				return true
			}
			for slot := p; slot < g.slots; slot += g.n {
				if _, ok := c.inside(id, slot); ok {
					return true
				}
			}
			return false
		})
		if g.phase(at, p) == Remainder || g.successor(at, p) == blocked {
			continue
		}
		step(func(_ int32, slot int, _ int32) bool { return slot%g.n == p })
	}
	goTo(func(id int32) bool { return id == start })
	return prefix, loop
}

// excused says whether fairness asks no more of process p, after loop from start.
func (c *component[K]) excused(start int32, loop []int, p int) bool {
	at := start
	for _, slot := range append(loop, -1) {
		if slot%c.g.n == p && slot >= 0 || c.g.phase(at, p) == Remainder || c.g.successor(at, p) == blocked {
			return true
		}
		if slot >= 0 {
			at = c.g.successor(at, slot)
		}
	}
	return false
}

// way returns the nearest state to from in c for which goal holds, and the
// steps to there; from itself if there is none.
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
				steps = append([]int{came[at].slot}, steps...)
			}
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

// A tale tells a schedule by the source: it follows every process through its
// local states before they were minimised.
type tale struct {
	x     *extraction
	fused []bool // by process: the request is one step with the first operation
	at    []int32
	holds []uint64
	trace *Trace
	lines map[string][]string // of source files
}

// tell returns the trace of a schedule whose steps are processes, with n added
// where they give up.
func (x *extraction) tell(fused []bool, schedule []int) *tale {
	t := &tale{x: x, fused: fused, at: make([]int32, len(x.trees)), lines: map[string][]string{}}
	t.trace = &Trace{Processes: len(x.trees), Loop: -1}
	for k := range x.vars {
		v := &x.vars[k]
		t.trace.Registers = append(t.trace.Registers, v.name)
		t.trace.Initial = append(t.trace.Initial, v.values[0])
		t.holds = append(t.holds, v.values[0])
	}
	for _, slot := range schedule {
		t.step(slot)
	}
	return t
}

// end returns the trace, ended where the processes are now.
func (t *tale) end(title string) *Trace {
	t.trace.Title = title
	for p := range t.at {
		t.trace.Ends = append(t.trace.Ends, t.place(p))
	}
	return t.trace
}

// step makes one step of a schedule.
func (t *tale) step(slot int) {
	p := slot % len(t.at)
	if slot >= len(t.at) {
		t.giveUp(p)
		return
	}
	tree := t.x.trees[p]
	if t.fused[p] && t.at[p] == 0 {
		t.at[p] = tree.locals[0].next[0]
	}
	for first := true; first || tree.locals[t.at[p]].joined; first = false {
		t.operation(p, !first)
	}
}

// operation makes the next operation of process p.
func (t *tale) operation(p int, joined bool) {
	l := &t.x.trees[p].locals[t.at[p]]
	s := Step{Process: p, Place: t.place(p), Register: int(l.reg), Atomic: joined}
	answer := answerDone
	if l.reg >= 0 {
		s.Value = t.holds[l.reg]
	}
	switch l.op {
	case register.OpLoad:
		s.Do, answer = "read", int(t.x.vars[l.reg].index[s.Value])
	case register.OpSet, register.OpStore, register.OpStoreGate:
		s.Do, s.Value = "write", t.x.vars[l.reg].values[l.value]
		t.holds[l.reg] = s.Value
	case register.OpSwap:
		s.Do = "swap"
		if s.Value == l.old {
			s.Done, answer = true, answerTrue
			s.Value = t.x.vars[l.reg].values[l.value]
			t.holds[l.reg] = s.Value
		}
	case register.OpAwait, register.OpAwaitGate:
		s.Do, s.Done = "await", l.holds(s.Value)
		if !s.Done {
			answer = -1 // it sleeps at a gate
		}
	case register.OpTest, register.OpTestFirst:
		s.Do, s.Done = "await", l.holds(s.Value)
		if s.Done {
			answer = answerTrue
		}
	case opStart:
		s.Do = "start"
	case opLeave:
		s.Do = "leave"
	}
	if answer >= 0 {
		t.at[p] = l.next[answer]
	}
	t.add(p, s)
}

func (t *tale) giveUp(p int) {
	l := &t.x.trees[p].locals[t.at[p]]
	s := Step{Process: p, Place: t.place(p), Register: int(l.reg), Do: "give up", Value: t.holds[l.reg]}
	answer := answerGiveUp
	if l.op == register.OpTestFirst {
		answer = answerTestGiveUp
	}
	t.at[p] = l.next[answer]
	t.add(p, s)
}

func (t *tale) add(p int, s Step) {
	s.Becomes = t.x.trees[p].locals[t.at[p]].phase
	s.Holds = append([]uint64(nil), t.holds...)
	t.trace.Steps = append(t.trace.Steps, s)
}

// place returns where process p is.
func (t *tale) place(p int) Place {
	tree := t.x.trees[p]
	id := t.at[p]
	l := &tree.locals[id]
	place := Place{Phase: l.phase}
	if l.op == opStart && t.fused[p] {
		id = l.next[0]
		l = &tree.locals[id]
	}
	s := t.x.locate(tree, id)
	if s.file == "" {
		return place
	}
	place.File, place.Line = filepath.Base(s.file), s.line
	place.Source = t.line(s.file, s.line)
	place.Next = t.x.words(l)
	return place
}

// words says what the operation of l is.
func (x *extraction) words(l *local) string {
	if l.op == opPanic {
		return "panic: " + l.site.fn
	}
	if l.reg < 0 {
		return ""
	}
	name := x.vars[l.reg].name
	switch l.op {
	case register.OpLoad:
		return "read " + name
	case register.OpSwap:
		return "swap " + name
	case register.OpAwait, register.OpAwaitGate, register.OpTest, register.OpTestFirst:
		if l.other >= 0 {
			return "await " + name + " or " + x.vars[l.other].name
		}
		return "await " + name
	default:
		if l.over {
			return name + " := more than the cap"
		}
		return fmt.Sprintf("%s := %d", name, x.vars[l.reg].values[l.value])
	}
}

// line returns a line of a source file, trimmed, or "".
func (t *tale) line(file string, number int) string {
	lines, ok := t.lines[file]
	if !ok {
		text, err := os.ReadFile(file)
		if err == nil {
			lines = strings.Split(string(text), "\n")
		}
		t.lines[file] = lines
	}
	if number < 1 || number > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[number-1])
}
