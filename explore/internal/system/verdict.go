package system

import (
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/internal/node/state"
	"example.org/doorway/internal/space"
)

// A Result is what a check has found.
type Result struct {
	States, Events, Ends, Depth int
	Bytes                       int64

	Invariant, DeadlockFree space.Verdict
	Leads                   map[string]space.Verdict // by property
}

// Check visits every state of c. The error says that c is no system, or it is a
// [space.MemoryError].
func Check[S any](c Config[S]) (Result, error) {
	r := Result{Leads: map[string]space.Verdict{}}
	if err := c.complete(); err != nil {
		return r, fmt.Errorf("explore: %w", err)
	}
	g := newGraph(&c)
	for _, name := range g.leads {
		r.Leads[name] = space.Verdict{}
	}
	_, err := g.Explore(func() bool { return g.wrong != nil })
	initial := g.Degree(g.Root) // the root and its steps are none of the system
	r.States, r.Events, r.Ends, r.Depth, r.Bytes = g.States()-1, g.Transitions()-initial, g.ends, max(0, g.Depth()-1), g.Bytes()
	if g.stuck > 0 {
		r.DeadlockFree = g.against("deadlock: no event is possible", g.stuck)
	}
	switch {
	case g.wrong != nil && g.wrong.verdict:
		r.Invariant = g.against("the invariant is violated: "+g.wrong.err.Error(), g.wrong.state)
		return r, nil
	case g.wrong != nil:
		h := g.against(g.wrong.err.Error(), g.wrong.state).Against
		return r, fmt.Errorf("explore: %w\n%s", g.wrong.err, strings.Join(h.Events, "\n"))
	case err != nil && g.stuck > 0:
		return r, nil // which is a verdict
	case err != nil:
		return r, err
	}
	r.Invariant.Known = c.Invariant != nil
	r.DeadlockFree.Known = true
	for k, name := range g.leads {
		r.Leads[name] = g.leadsTo(k)
	}
	return r, nil
}

// against returns the verdict that a shortest run to a state is.
func (g *graph[S]) against(title string, to int) space.Verdict {
	id := g.id(to)
	slots := g.Paths().Shortest(g.Level(id), func(node int) bool { return space.ID(node) == id })
	return space.Verdict{Known: true, Against: g.tell(title, slots, nil)}
}

// id returns the name of a state in the space.
func (g *graph[S]) id(number int) space.ID {
	id, _ := g.Find([]uint64{uint64(number)})
	return id
}

// at returns the number of a state of the space.
func (g *graph[S]) at(id space.ID) int { return int(g.Words(id)[0]) }

// event returns the event of a step from a state.
func (g *graph[S]) event(from, slot int) uint32 { return g.events[int(g.first[from])+slot] }

// leadsTo finds whether a state that is due is done, or is followed by one that is, in every
// fair run. If not, a run leads to a component of states that are not done, where a fair
// run can stay forever.
func (g *graph[S]) leadsTo(k int) space.Verdict {
	sub := space.Subgraph{Graph: g.Graph, In: func(id space.ID) bool {
		return id != g.Root && !g.done[k].Has(g.at(id))
	}}
	var stays space.Bits // the states in which a fair run can stay
	sub.Components(&g.scratch, func(c *space.Component) bool {
		if len(space.Ignored(c, g.must)) == 0 {
			for _, id := range c.States {
				stays.Add(int(id))
			}
		}
		return false
	})
	prefix, last := g.search(k, stays)
	if prefix == nil {
		return space.Verdict{Known: true}
	}
	tour := space.Tour{At: last, Component: sub.First(&g.scratch, func(c *space.Component) *space.Component {
		if slices.Contains(c.States, last) {
			return c
		}
		return nil
	})}
	space.Return(&tour, last, g.must)
	title := g.leads[k] + ": not in this run"
	if len(tour.Slots) == 0 {
		title += ", which may end here"
	}
	return space.Verdict{Known: true, Against: g.tell(title, prefix, tour.Slots)}
}

// must is the [space.Events] of the weakly fair ones.
func (g *graph[S]) must(id space.ID, f func(slot int, event uint32)) {
	for slot := range g.Degree(id) {
		if e := g.event(g.at(id), slot); g.fair[e] {
			f(slot, e)
		}
	}
}

// searchBytes is how many bytes the search takes for each state.
const searchBytes = 2 * (4 + 4 + 4)

// search returns a shortest run to a state of stays, in which a state is due and none since
// is done, and its last state; nil if there is none.
func (g *graph[S]) search(k int, stays space.Bits) (slots []int, last space.ID) {
	if stays == nil {
		return nil, 0
	}
	_, slots = space.Refute(func() *space.Monitor {
		var visited [2]space.Bits
		return &space.Monitor{
			Graph: g.Graph,
			Next: func(p space.Past, _ int, to space.ID, f func(memory uint32)) (wrong string) {
				at, due := g.at(to), uint32(0) // 1 if a state was due and none since done
				if !g.done[k].Has(at) && (p.Memory == 1 || g.due[k].Has(at)) {
					due = 1
				}
				if due == 1 && stays.Has(int(to)) {
					last = to
					return "not done"
				}
				f(due)
				return ""
			},
			Known: func(p space.Past) bool {
				all := &visited[p.Memory]
				known := all.Has(int(p.ID))
				all.Add(int(p.ID))
				return known
			},
		}
	})
	return slots, last
}

// tell returns the history of a run from the root, and of a loop from its end.
func (g *graph[S]) tell(title string, slots, loop []int) *space.History {
	h := &space.History{Title: title, Length: len(slots) + len(loop) - 1, Loop: -1}
	var said [][2]string // each event, and what it changes
	id, before := g.Root, []string(nil)
	for k, slot := range slices.Concat(slots, loop) {
		if k == len(slots) {
			h.Loop = k
		}
		at, what := g.at(id), "initially"
		if id != g.Root {
			what = g.names[g.event(at, slot)]
		}
		id = g.Successor(id, slot)
		now := fields(g.decode(g.at(id)))
		said = append(said, [2]string{what, changes(before, now)})
		before = now
	}
	width := 0
	for _, s := range said {
		width = max(width, len(s[0]))
	}
	for _, s := range said {
		h.Events = append(h.Events, strings.TrimRight(fmt.Sprintf("%-*s  %s", width, s[0], s[1]), " "))
	}
	return h
}

// fields returns the parts of a state as text: one, if it has a String method.
func fields(s any) (all []string) {
	if s, ok := s.(fmt.Stringer); ok {
		return []string{s.String()}
	}
	for _, f := range state.Fields(s, nil) {
		all = append(all, f.Name+": "+f.Value)
	}
	if all == nil {
		all = []string{state.Format(s, nil)}
	}
	return all
}

// changes returns the parts of a state that were not there before.
func changes(before, now []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(now), func(f string) bool { return slices.Contains(before, f) }), ", ")
}
