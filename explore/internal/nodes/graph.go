package nodes

import (
	"errors"
	"slices"

	"example.org/doorway/internal/node/conflict"
	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/space"
	"example.org/doorway/messaging"
)

// A graph is the states of nodes, and the events between them.
type graph struct {
	*space.Space
	layout

	c        *Config
	cells    *cells
	excludes conflict.Graph
	rules    []rule
	starts   bool                // some node starts
	locks    bool                // some node is an Exclusion
	phases   [][]messaging.Phase // by node and cell
	order    []space.ID          // see [space.Graph.Order]
	scratch  space.Scratch
	linger   bool     // users need not leave
	latest   struct { // see label
		of     space.ID
		labels []label
	}

	seen  [space.Shards]seen
	wider [space.Shards]bool // a cell has a number that a key has no room for
	root  []uint64

	laterAsked int  // how often the invariant was asked at later times
	buffer     seen // of everything that is asked later, by one goroutine at a time
}

// seen is what a worker looks at: a state, what can happen in it, the state after that, and
// the worst that it has found.
type seen struct {
	key     []uint64
	cells   []*cell  // by node
	queues  []uint32 // by link
	left    [budgets]int
	events  []label
	next    []uint64
	fits    bool // next has room for its cells and queues
	unknown bool // something that is possible, or what it leads to, is not known and has to be learned
	waiting []messaging.ID
	inside  []messaging.ID
	view    view
	wrong   error
	wrongAt []uint64 // the state of wrong
	ends    int      // states in which nothing can happen but faults
	queue   int      // the largest number of messages in transit on a link
}

func newGraph(c *Config, cs *cells, y layout) *graph {
	g := &graph{layout: y, c: c, cells: cs}
	for k := range g.seen {
		g.seen[k].make(c.Nodes, y.words)
	}
	g.buffer.make(c.Nodes, y.words)
	g.excludes = conflict.Of(c.Nodes, func(i messaging.ID) messaging.Node { return cs.nodes[i] })
	g.locks = cs.locks()
	g.setRules()
	b := &g.buffer
	for i := range c.Nodes {
		b.set(y.cells[i], cs.roots[i])
		g.starts = g.starts || cs.all[i][cs.roots[i]].fresh
	}
	for at, most := range c.budgets() {
		b.set(y.left[at], uint32(most))
	}
	g.root = slices.Clone(b.next)
	return g
}

func (b *seen) make(nodes, words int) {
	b.cells, b.queues, b.next = make([]*cell, nodes), make([]uint32, nodes*nodes), make([]uint64, words, space.MostWords) // in a cache line of its own
}

// unpack sets the state of b to k, which must not change meanwhile.
func (g *graph) unpack(k []uint64, b *seen) {
	b.key = k
	for i, f := range g.layout.cells {
		b.cells[i] = g.cells.all[i][f.Of(k)]
	}
	for _, l := range g.used {
		b.queues[l] = uint32(g.links[l].Of(k))
	}
	for at, f := range g.left {
		b.left[at] = int(f.Of(k))
	}
}

// set sets a field of the next state of b to n.
func (b *seen) set(f space.Field, n uint32) {
	b.fits = b.fits && uint64(n) <= f.Mask
	f.Set(b.next, uint64(n)&f.Mask)
}

// Steps implements [space.System].
func (g *graph) Steps(k []uint64, shard int, out *space.Steps) bool {
	b := &g.seen[shard]
	g.unpack(k, b)
	if g.possible(b); b.unknown {
		return false
	}
	end := true
	for at := range b.events {
		l := &b.events[at]
		end = end && l.fault()
		if l.err != nil {
			b.note(l.err)
			out.No(-1)
			continue
		}
		switch g.after(b, l); {
		case b.unknown:
			return false
		case b.fits:
			out.To(b.next)
		default:
			g.wider[shard] = true
			out.No(-1)
		}
	}
	if end {
		b.ends++
	}
	for _, l := range g.used {
		if n := b.queues[l]; n > 0 {
			b.queue = max(b.queue, len(g.cells.links[l][n].messages))
		}
	}
	b.note(g.wrong(b))
	return true
}

// Learn implements [space.Learner].
func (g *graph) Learn(k []uint64) {
	g.cells.learning = true
	b := &g.buffer
	g.unpack(k, b)
	g.possible(b)
	for at := range b.events {
		if l := &b.events[at]; l.err == nil {
			g.after(b, l)
		}
	}
	g.cells.learning = false
}

// note keeps the worst failure.
func (b *seen) note(err error) {
	if err != nil && (b.wrong == nil || rank(err) < rank(b.wrong)) {
		b.wrong, b.wrongAt = err, slices.Clone(b.key)
	}
}

// rank orders failures: those of a state come before those of what happens in it.
func rank(err error) int {
	kinds := []error{history.Exclusion, history.Invariant, history.Results, history.Panic}
	at := slices.IndexFunc(kinds, func(kind error) bool { return errors.Is(err, kind) })
	if at < 0 {
		return len(kinds)
	}
	return at
}

// setPhases sets the phases of the cells that there are.
func (g *graph) setPhases() {
	for _, all := range g.cells.all {
		phases := make([]messaging.Phase, len(all))
		for n, c := range all {
			phases[n] = c.phase
		}
		g.phases = append(g.phases, phases)
	}
}

// failure returns the worst that is wrong in the last level, and the state of which; nil if nothing is.
func (g *graph) failure() (at []uint64, wrong error) {
	for k := range g.seen {
		if b := &g.seen[k]; b.wrong != nil && (wrong == nil || rank(b.wrong) < rank(wrong)) {
			wrong, at = b.wrong, b.wrongAt
		}
	}
	return at, wrong
}

func (g *graph) tooWide() bool { return slices.Contains(g.wider[:], true) }

func (g *graph) at(id space.ID, i int) *cell {
	return g.cells.all[i][g.Get(id, g.layout.cells[i])]
}

// phase returns the phase of node i in a state.
func (g *graph) phase(id space.ID, i int) messaging.Phase {
	return g.phases[i][g.Get(id, g.layout.cells[i])]
}

func (g *graph) waits(id space.ID, i int) bool { return g.phase(id, i) == messaging.Waiting }

// waiting returns the nodes that wait in a state.
func (g *graph) waiting(id space.ID) (all []messaging.ID) {
	for i := range g.c.Nodes {
		if g.waits(id, i) {
			all = append(all, messaging.ID(i))
		}
	}
	return all
}

// enters returns a node that enters between two states, or whose aborted request does; -1:
// none.
func (g *graph) enters(from, to space.ID) int {
	k, then := g.Words(from), g.Words(to)
	for i, f := range g.layout.cells {
		n, m := f.Of(k), f.Of(then)
		if n == m {
			continue
		}
		a, b := g.phases[i][n], g.phases[i][m]
		if b == messaging.Inside && a != messaging.Inside || a == messaging.Absorbing && b == messaging.Idle && !g.cells.all[i][m].down {
			return i
		}
	}
	return -1
}

// transit reports whether a message is in transit in a state.
func (g *graph) transit(id space.ID) bool {
	k := g.Words(id)
	for _, l := range g.used {
		if g.links[l].Of(k) > 0 {
			return true
		}
	}
	return false
}

// turns returns the node whose phase changes between two states; -1: none. It is one at
// most, since an event is one of one node.
func (g *graph) turns(from, to space.ID) int {
	for i := range g.c.Nodes {
		if g.phase(from, i) != g.phase(to, i) {
			return i
		}
	}
	return -1
}
