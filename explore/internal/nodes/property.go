package nodes

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/space"
)

// Each property is in a file of its own, and has a verdict in [Result]. It is of one of three kinds:
//
//   - a rule, which holds in each state, is asked while states are found: see setRules;
//   - what depends on the steps before is a [space.Monitor], and decide watches it;
//   - what fails in a run without end is a part of the states in which a fair run can stay: see forever.

// A rule returns what is wrong in the state of b, whose events are known; or nil.
type rule func(b *seen) error

// setRules sets the rules, the most important first.
func (g *graph) setRules() {
	g.rules = []rule{g.excluded, g.tooMany}
	if g.c.Invariant != nil {
		g.rules = append(g.rules, g.hold)
	}
	if g.c.Results != nil {
		g.rules = append(g.rules, g.judge)
	}
}

// wrong returns what is wrong in the state of b; or nil.
func (g *graph) wrong(b *seen) error {
	for _, rule := range g.rules {
		if err := rule(b); err != nil {
			return err
		}
	}
	return nil
}

// tooMany returns an error if more events are possible in the state of b than are followed.
func (g *graph) tooMany(b *seen) error {
	if n := len(b.events); n > space.MostSteps {
		return fmt.Errorf("%d events are possible at the same time, as nodes choose among many results: CheckNodes follows %d", n, space.MostSteps)
	}
	return nil
}

// decide finds the verdicts on runs.
func (g *graph) decide(r *Result) {
	cyclic := g.rest(r)
	if !g.locks {
		return
	}
	if !r.DeadlockFree.Known { // no state is stuck
		r.DeadlockFree, r.StarvationFree = holds, holds
	}
	if !g.cells.ranked {
		r.FIFO, r.HappenedBefore, r.ByStamp, r.Fencing = holds, holds, g.byStamp(), g.fencing()
	}
	r.Messages, r.Entries = g.sent()
	g.orders(r, cyclic || slices.Contains(g.c.Requests, Unbounded))
	g.progress(r)
}

// decideSafety decides what no state that was found violates.
func (g *graph) decideSafety(r *Result) {
	r.NoPanic = holds
	r.Exclusion = space.Verdict{Known: g.locks}
	r.Invariant = space.Verdict{Known: g.c.Invariant != nil}
	r.Results = space.Verdict{Known: g.c.Results != nil}
}

// watch returns the verdict of a monitor. A run that ends with a wrong step fails as kind says.
func (g *graph) watch(kind error, begin func() *space.Monitor) space.Verdict {
	wrong, slots := space.Refute(begin)
	if wrong == "" {
		return holds
	}
	return g.against(wrong, kind, slots)
}

// against returns the verdict of a history along slots, which fails as kind says.
func (g *graph) against(title string, kind error, slots []int) space.Verdict {
	path, _ := g.along(g.Root, slots)
	return space.Verdict{Known: true, Against: g.tell(title, kind, path, -1)}
}

// forever returns the verdict that a run can stay in c.
func (g *graph) forever(title string, c *space.Component) space.Verdict {
	if g.cells.ranked { // there may be no such run
		return space.Verdict{Known: true, Against: new(space.History)}
	}
	prefix, loop := g.lasso(c)
	path, _ := g.along(g.Root, slices.Concat(prefix, loop))
	from := len(prefix)
	if len(loop) == 0 {
		from = -1
	}
	return space.Verdict{Known: true, Against: g.tell(title, history.Endless, path, from)}
}

// blame reports a failure that was found in a state, with a shortest history of one like it.
func (g *graph) blame(r *Result, wrong error, found []uint64) error {
	slots := g.Paths().Shortest(g.Depth(), func(node int) bool {
		err := g.worst(space.ID(node))
		return err != nil && rank(err) == rank(wrong) || slices.Equal(g.Words(space.ID(node)), found)
	})
	path, at := g.along(g.Root, slots)
	if err := g.worst(at); err != nil {
		wrong = err
	} // else a rule has given two answers
	for _, l := range g.possibleIn(at) {
		if l.err != nil && errors.Is(wrong, l.err) {
			if last := len(path) - 1; last >= 0 {
				l.since = path[last].since + path[last].shift
			}
			wrong = g.cells.errorLater(l)
			path = append(path, l)
			break
		}
	}
	h := g.tell(wrong.Error(), wrong, path, -1)
	for kind, v := range map[*history.Failure]*space.Verdict{
		history.Exclusion: &r.Exclusion, history.Invariant: &r.Invariant, history.Results: &r.Results, history.Panic: &r.NoPanic,
	} {
		if errors.Is(wrong, kind) {
			*v = space.Verdict{Known: true, Against: h}
			return nil
		}
	}
	return &history.Repeatable{
		Err:      fmt.Errorf("%w\n%s", wrong, strings.Join(h.Events, "\n")),
		Scenario: func() string { return h.Scenario },
	}
}

// worst returns the worst that is wrong in a state, or that happens in it.
func (g *graph) worst(id space.ID) error {
	b := &g.buffer
	b.wrong = nil
	g.unpack(g.Words(id), b)
	g.possible(b)
	for _, l := range b.events {
		b.note(l.err)
	}
	b.note(g.wrong(b))
	return b.wrong
}
