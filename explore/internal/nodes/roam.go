package nodes

import (
	"bytes"
	"math/rand/v2"
	"slices"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
)

// mostRoamed is how many events of each node random runs have: those without faults, and all, as many. Where the number
// of requests is bounded, so that runs end, they have no more than four for each state.
const mostRoamed = 500

// roam leads all nodes together through random runs, each of nodes that are new and not restored. It returns an error
// if a node acts differently than a restored one, or if its state changes while another acts: they may share memory.
// It stops where something is not known. Runs up to the order of times are none of nodes.
func (g *graph) roam() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = history.Caught(r)
		}
	}()
	if g.cells.ranked {
		return nil
	}
	chance := rand.New(rand.NewPCG(1, 1))
	most := mostRoamed * g.c.Nodes
	if !slices.Contains(g.c.Requests, Unbounded) {
		most = min(most, 4*g.States())
	}
	for _, faults := range []bool{false, true} {
		if faults && g.c.budgets() == [budgets]int{} {
			break
		}
		for left := most; left > 0; {
			steps := g.roamOnce(chance, left, faults)
			if steps == 0 {
				break
			}
			left -= steps
		}
	}
	return nil
}

// roamOnce leads new nodes through a random run of at most so many events. It returns how many there were.
func (g *graph) roamOnce(chance *rand.Rand, most int, faults bool) (steps int) {
	ls := lives{cells: g.cells}
	nodes, were := make([]messaging.Node, g.c.Nodes), make([][]byte, g.c.Nodes)
	for i, f := range g.layout.cells {
		nodes[i] = g.cells.made(g.cells.positions[g.cells.all[i][f.Of(g.root)].position])
		were[i] = state.Append(nil, nodes[i])
	}
	var later messaging.Time // than in the states
	past := make([][]repetition, g.c.Nodes)
	goesOn := func(*seen) bool { return !ls.full() }
	return g.wander(chance, most, goesOn, func(_ int, l *label) bool { return faults || !l.fault() }, func(l *label) {
		if i := l.node; g.cells.handled(l.input) {
			ls.shifted = later != 0
			now := repetition{l.outcome, later}
			nodes[i], _ = ls.step(nodes[i], now, "", past[i])
			past[i] = append(past[i][max(0, len(past[i])-2):], now)
			were[i] = state.Append(were[i][:0], nodes[i])
			g.alone(i, nodes, were)
		}
		later += l.shift
	})
}

// wander goes through at most so many random events that may happen, from the root, while goesOn says so of the state. It
// calls act with each, and returns how many there were. It ends where something is not known.
func (g *graph) wander(chance *rand.Rand, most int, goesOn func(b *seen) bool, may func(step int, l *label) bool, act func(l *label)) (steps int) {
	b, key := &g.buffer, slices.Clone(g.root)
	for ; steps < most; steps++ {
		g.unpack(key, b)
		if !goesOn(b) {
			break
		}
		g.possible(b)
		b.events = slices.DeleteFunc(b.events, func(l label) bool { return l.err != nil || !may(steps, &l) })
		if b.unknown || len(b.events) == 0 {
			break
		}
		l := &b.events[chance.IntN(len(b.events))]
		if g.after(b, l); b.unknown || !b.fits {
			break
		}
		act(l)
		key = append(key[:0], b.next...)
	}
	return steps
}

// alone fails unless all nodes but i, which has acted, are in the states in which they were.
func (g *graph) alone(i int, nodes []messaging.Node, were [][]byte) {
	var now []byte
	for j, node := range nodes {
		if now = state.Append(now[:0], node); j == i || bytes.Equal(now, were[j]) {
			continue
		}
		at := position{node: messaging.ID(j), state: string(were[j])}
		was := g.cells.show(at, 0)
		at.state = string(now)
		history.Fail(history.Shared, "that of %s was %s and is now %s, since %s has acted: nodes share no memory that changes",
			named(j), was, g.cells.show(at, 0), named(i))
	}
}
