package explore

import (
	"fmt"
	"path/filepath"
	"strings"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/extract"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/explore/internal/replay"
)

// A failure is a fault of a step.
type failure struct {
	what wrong
	reg  int16 // of a Set
	with int   // the process that awaits the Set
}

// A wrong is a kind of fault of a state or a step, in order of importance.
type wrong int

const (
	nothing    wrong = iota
	twoInside        // two processes are inside
	unordered        // an entry that does not happen after the last exit
	awaitedSet       // a Set makes a condition true that a process awaits
	panicked         // a process panics
)

// note keeps the most important fault.
func (s *shard[K]) note(w wrong) {
	if w != nothing && (s.wrong == nothing || w < s.wrong) {
		s.wrong = w
	}
}

// wrong returns the most important fault of the last level, or nothing.
func (g *graph[K]) wrong() wrong {
	var all shard[K]
	for _, s := range g.shards {
		all.note(s.wrong)
	}
	return all.wrong
}

// has reports whether a state, or a step from it, has a fault of that kind.
func (g *graph[K]) has(id int32, what wrong) bool {
	inside := 0
	for p := range g.n {
		n := g.node(id, p)
		if n.Phase == phase.Inside {
			inside++
		}
		if n.Op == automaton.OpPanic && what == panicked {
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
	var is []string
	for p := range g.n {
		if g.phase(id, p) == phase.Inside {
			is = append(is, fmt.Sprint(p))
		}
	}
	return "processes " + strings.Join(is, " and ") + " are inside"
}

// blame reports the fault of the last level of g, with a shortest run to it.
func blame[K key](c *checking, g *graph[K]) error {
	what := g.wrong()
	schedule := g.to(len(g.levels)-1, func(id int32) bool { return g.has(id, what) })
	id, t := g.after(schedule), replay.Of(c.x, schedule)
	switch what {
	case twoInside:
		c.report.MutualExclusion = fails(t.End("mutual exclusion fails: " + g.insideText(id)))
		return nil
	case panicked:
		return runError(t, g.panicText(c.x, id))
	}
	slot, wrong := g.wrongStep(id, what)
	t.Step(slot)
	if what == unordered {
		c.report.RaceFree = fails(t.End(fmt.Sprintf("data race: no happens-before edge orders the entry of process %d after the last exit", slot%g.n)))
		return nil
	}
	return runError(t, fmt.Sprintf("process %d writes %s with Set, which wakes no process, and makes the condition true that process %d awaits: use Store",
		slot, c.x.Variables[wrong.reg].Name, wrong.with))
}

func runError(t *replay.Replay, what string) error {
	return &LockError{What: what, Trace: shown(t.End(what))}
}

// wrongStep returns the first step from a state that has the fault.
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

// panicText describes the panic in a state: the process, the place, the function.
func (g *graph[K]) panicText(x *extract.Extraction, id int32) string {
	for p := range g.n {
		if n := g.node(id, p); n.Op == automaton.OpPanic {
			s := x.Trees[p].Locals[n.Name].Site
			return fmt.Sprintf("process %d panics at %s:%d: %s", p, filepath.Base(s.File), s.Line, s.Func)
		}
	}
	return ""
}
