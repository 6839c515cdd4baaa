package nodes

import (
	"errors"
	"fmt"
	"slices"

	"example.org/doorway/internal/node/conflict"
	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/space"
	"example.org/doorway/messaging"
)

// A graph is the states of nodes, and the events between them.
type graph[K space.Key] struct {
	*space.Space[K]
	layout

	c        *Config
	cells    *cells
	excludes conflict.Graph
	rules    []rule[K]
	starts   bool                // some node starts
	locks    bool                // some node is an Exclusion
	phases   [][]messaging.Phase // by node and cell
	order    []space.ID          // see [space.Space.Order]
	scratch  space.Scratch
	linger   bool     // users need not leave
	latest   struct { // see label
		of     space.ID
		labels []label
	}

	seen  [space.Shards]seen[K]
	wider [space.Shards]bool // a cell has a number that a key has no room for
	root  K

	laterAsked int     // how often the invariant was asked at later times
	buffer     seen[K] // of everything that is asked later, by one goroutine at a time
}

// seen is what a worker looks at: a state, what can happen in it, the state after that, and
// the worst that it has found.
type seen[K space.Key] struct {
	key     K
	cells   []*cell  // by node
	queues  []uint32 // by link
	left    [budgets]int
	events  []label
	next    K
	fits    bool // next has room for its cells and queues
	waiting []messaging.ID
	inside  []messaging.ID
	view    view
	wrong   error
	wrongAt K   // the state of wrong
	ends    int // states in which nothing can happen but faults
	queue   int // the largest number of messages in transit on a link
}

func newGraph[K space.Key](c *Config, cs *cells, y layout) *graph[K] {
	g := &graph[K]{layout: y, c: c, cells: cs}
	for k := range g.seen {
		g.seen[k].make(c.Nodes)
	}
	g.buffer.make(c.Nodes)
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
	g.root = b.next
	g.Space = space.New(g.root, g, space.Options{
		Workers: c.Workers, Keep: true, Memory: c.Memory, Beside: func() int64 { return cs.bytes },
		Progress: func(states int, bytes int64) {
			if c.Progress == nil {
				return
			}
			defer func() {
				if r := recover(); r != nil {
					panic(history.Breach{Err: fmt.Errorf("explore: NodesConfig.Progress panicked: %v", r)})
				}
			}()
			c.Progress("states", states, bytes)
		},
	})
	return g
}

func (b *seen[K]) make(nodes int) {
	b.cells, b.queues = make([]*cell, nodes), make([]uint32, nodes*nodes)
}

// unpack sets the state of b to k.
func (g *graph[K]) unpack(k *K, b *seen[K]) {
	b.key = *k
	for i, f := range g.layout.cells {
		b.cells[i] = g.cells.all[i][space.Get(k, f)]
	}
	for _, l := range g.used {
		b.queues[l] = uint32(space.Get(k, g.links[l]))
	}
	for at, f := range g.left {
		b.left[at] = int(space.Get(k, f))
	}
}

// set sets a field of the next state of b to n.
func (b *seen[K]) set(f space.Field, n uint32) {
	b.fits = b.fits && uint64(n) <= f.Mask
	space.Set(&b.next, f, uint64(n)&f.Mask)
}

// Steps implements [space.System].
func (g *graph[K]) Steps(k *K, shard int, out *space.Steps[K]) bool {
	b := &g.seen[shard]
	g.unpack(k, b)
	if !g.possible(b) {
		return false
	}
	end := true
	for at := range b.events {
		l := &b.events[at]
		end = end && l.fault()
		switch {
		case l.err != nil:
			b.note(l.err)
			out.No(-1)
		case !g.after(b, l):
			return false
		case b.fits:
			out.To(&b.next)
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
func (g *graph[K]) Learn(k *K) {
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
func (b *seen[K]) note(err error) {
	if err != nil && (b.wrong == nil || rank(err) < rank(b.wrong)) {
		b.wrong, b.wrongAt = err, b.key
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
func (g *graph[K]) setPhases() {
	for _, all := range g.cells.all {
		phases := make([]messaging.Phase, len(all))
		for n, c := range all {
			phases[n] = c.phase
		}
		g.phases = append(g.phases, phases)
	}
}

// failure returns the worst that is wrong in the last level, and the state of which; nil if nothing is.
func (g *graph[K]) failure() (at K, wrong error) {
	for k := range g.seen {
		if b := &g.seen[k]; b.wrong != nil && (wrong == nil || rank(b.wrong) < rank(wrong)) {
			wrong, at = b.wrong, b.wrongAt
		}
	}
	return at, wrong
}

func (g *graph[K]) tooWide() bool { return slices.Contains(g.wider[:], true) }

func (g *graph[K]) at(id space.ID, i int) *cell {
	return g.cells.all[i][space.Get(g.Key(id), g.layout.cells[i])]
}

// phase returns the phase of node i in a state.
func (g *graph[K]) phase(id space.ID, i int) messaging.Phase {
	return g.phases[i][space.Get(g.Key(id), g.layout.cells[i])]
}

func (g *graph[K]) waits(id space.ID, i int) bool { return g.phase(id, i) == messaging.Waiting }

// waiting returns the nodes that wait in a state.
func (g *graph[K]) waiting(id space.ID) (all []messaging.ID) {
	for i := range g.c.Nodes {
		if g.waits(id, i) {
			all = append(all, messaging.ID(i))
		}
	}
	return all
}

// enters returns a node that enters between two states, or whose aborted request does; -1:
// none.
func (g *graph[K]) enters(from, to space.ID) int {
	k, then := g.Key(from), g.Key(to)
	for i, f := range g.layout.cells {
		n, m := space.Get(k, f), space.Get(then, f)
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
func (g *graph[K]) transit(id space.ID) bool {
	k := g.Key(id)
	for _, l := range g.used {
		if space.Get(k, g.links[l]) > 0 {
			return true
		}
	}
	return false
}

// turns returns the node whose phase changes between two states; -1: none. It is one at
// most, since an event is one of one node.
func (g *graph[K]) turns(from, to space.ID) int {
	for i := range g.c.Nodes {
		if g.phase(from, i) != g.phase(to, i) {
			return i
		}
	}
	return -1
}
