package explore

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// trouble is the first state of a shard in which something is wrong.
type trouble struct {
	what  wrong
	state int32 // number in the shard; the step of process is what is wrong, or the state itself
	slot  int32
	reg   int16
	with  int32 // another process
}

type wrong int

const (
	nothing    wrong = iota
	twoInside        // two processes are inside
	unheard          // a process enters that has not heard of the last exit
	awaitedSet       // a Set makes true what somebody awaits
	panicked         // a process panics
)

// note keeps the worst trouble.
func (s *shard[K]) note(t trouble) {
	if s.trouble.what == nothing || t.what < s.trouble.what {
		s.trouble = t
	}
}

// trouble returns a shard that has trouble, or nil.
func (g *graph[K]) trouble() *shard[K] {
	for _, s := range g.shards {
		if s.trouble.what != nothing {
			return s
		}
	}
	return nil
}

// worst returns the trouble of the last level: of several kinds, the first.
func (g *graph[K]) worst() trouble {
	var w trouble
	for _, s := range g.shards {
		if t := s.trouble; t.what != nothing && (w.what == nothing || t.what < w.what) {
			w = t
		}
	}
	return w
}

// has says whether a state, or a step from it, is trouble of that kind.
func (g *graph[K]) has(id int32, what wrong) bool {
	inside := 0
	for p := range g.n {
		n := g.node(id, p)
		if n.phase == Inside {
			inside++
		}
		if n.op == opPanic && what == panicked {
			return true
		}
	}
	if what == twoInside {
		return inside > 1
	}
	written := make([]uint64, len(g.vars))
	for slot := range g.slots {
		k := *g.key(id)
		if _, t := g.step(&k, slot, written); t.what == what && what != nothing {
			return true
		}
	}
	return false
}

// whoIsInside names the processes that are inside.
func (g *graph[K]) whoIsInside(id int32) string {
	var who []string
	for p := range g.n {
		if g.phase(id, p) == Inside {
			who = append(who, fmt.Sprint(p))
		}
	}
	return "processes " + strings.Join(who, " and ") + " are inside"
}

// A RunError is a run that a lock must not have, whatever it is for. There is no
// verdict.
type RunError struct {
	What  string
	Trace *Trace
}

func (e *RunError) Error() string {
	return fmt.Sprintf("explore: %s (shown by a run of %d steps)", e.What, len(e.Trace.Steps))
}

// blame tells the trouble of a state of the last level of g.
func blame[K key](c *checking, g *graph[K]) error {
	worst := g.worst()
	schedule := g.to(len(g.levels)-1, func(id int32) bool { return g.has(id, worst.what) })
	t := c.x.tell(schedule)
	id := g.after(schedule)
	if worst.what == twoInside {
		c.report.Exclusion = Verdict{Fails, t.end("mutual exclusion fails: " + g.whoIsInside(id))}
		return nil
	}
	for slot := range g.slots {
		k := *g.key(id)
		if _, tr := g.step(&k, slot, make([]uint64, len(g.vars))); tr.what == worst.what {
			t.step(slot)
			switch tr.what {
			case unheard:
				c.report.Races = Verdict{Fails, t.end(fmt.Sprintf("a data race: process %d enters, and nothing orders that after the last exit", slot))}
				return nil
			case awaitedSet:
				what := fmt.Sprintf("process %d writes %s by Set, which wakes nobody, and process %d awaits what becomes true by it: it must be a Store", slot, c.x.vars[tr.reg].name, tr.with)
				return &RunError{what, t.end(what)}
			}
		}
	}
	for p := range g.n {
		if n := g.node(id, p); n.op == opPanic {
			s := c.x.trees[p].locals[n.name].site
			what := fmt.Sprintf("process %d panics at %s:%d: %s", p, filepath.Base(s.file), s.line, s.fn)
			return &RunError{what, t.end(what)}
		}
	}
	return errors.New("explore: trouble that was found is gone")
}
