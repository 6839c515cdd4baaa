package explore

import (
	"fmt"
	"path/filepath"
	"strings"
)

// failure is what is wrong with a step.
type failure struct {
	what wrong
	reg  int16 // of a Set
	with int   // the process that awaits it
}

// wrong is what can be wrong with a state or a step, what is shown first first.
type wrong int

const (
	nothing    wrong = iota
	twoInside        // two processes are inside
	unordered        // a process enters that has not heard of the last exit
	awaitedSet       // a Set makes true what somebody awaits
	panicked         // a process panics
)

// note keeps what is shown first.
func (s *shard[K]) note(w wrong) {
	if w != nothing && (s.wrong == nothing || w < s.wrong) {
		s.wrong = w
	}
}

// wrong returns what is wrong with the last level, or nothing.
func (g *graph[K]) wrong() wrong {
	var all shard[K]
	for _, s := range g.shards {
		all.note(s.wrong)
	}
	return all.wrong
}

// has reports whether a state, or a step from it, is a failure of that kind.
func (g *graph[K]) has(id int32, what wrong) bool {
	inside := 0
	for p := range g.n {
		n := g.node(id, p)
		if n.phase == phaseInside {
			inside++
		}
		if n.op == opPanic && what == panicked {
			return true
		}
	}
	if what == twoInside {
		return inside > 1
	}
	slot, _ := g.wrongStep(id, what)
	return slot >= 0
}

// insideText names the processes that are inside.
func (g *graph[K]) insideText(id int32) string {
	var who []string
	for p := range g.n {
		if g.phase(id, p) == phaseInside {
			who = append(who, fmt.Sprint(p))
		}
	}
	return "processes " + strings.Join(who, " and ") + " are inside"
}

// blame reports what is wrong with the last level of g, by a shortest run to it.
func blame[K key](c *checking, g *graph[K]) error {
	what := g.wrong()
	schedule := g.to(len(g.levels)-1, func(id int32) bool { return g.has(id, what) })
	id, t := g.after(schedule), c.x.replay(schedule)
	switch what {
	case twoInside:
		c.report.MutualExclusion = Verdict{Fails, t.end("mutual exclusion fails: " + g.insideText(id))}
		return nil
	case panicked:
		return runError(t, g.panicText(c.x, id))
	}
	slot, wrong := g.wrongStep(id, what)
	t.step(slot)
	if what == unordered {
		c.report.RaceFree = Verdict{Fails, t.end(fmt.Sprintf("a data race: process %d enters, and nothing orders that after the last exit", slot))}
		return nil
	}
	return runError(t, fmt.Sprintf("process %d writes %s by Set, which wakes nobody, and process %d awaits what becomes true by it: it must be a Store",
		slot, c.x.vars[wrong.reg].name, wrong.with))
}

func runError(t *replay, what string) error { return &LockError{What: what, Trace: t.end(what)} }

// wrongStep returns the first step from a state that is wrong in that way.
func (g *graph[K]) wrongStep(id int32, what wrong) (slot int, t failure) {
	written := make([]uint64, len(g.vars))
	for slot := range g.slots {
		k := *g.key(id)
		if _, t := g.step(&k, slot, written); t.what == what {
			return slot, t
		}
	}
	return -1, t
}

// panicText says who panics in a state, where, and with what.
func (g *graph[K]) panicText(x *extraction, id int32) string {
	for p := range g.n {
		if n := g.node(id, p); n.op == opPanic {
			s := x.trees[p].locals[n.name].site
			return fmt.Sprintf("process %d panics at %s:%d: %s", p, filepath.Base(s.file), s.line, s.fn)
		}
	}
	return ""
}
