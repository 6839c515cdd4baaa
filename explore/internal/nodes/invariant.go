package nodes

import (
	"encoding/binary"
	"fmt"
	"slices"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
)

// hold returns an error if the invariant is violated. It is not held before all nodes have
// started.
func (g *graph) hold(b *seen) error {
	if g.fresh(b) >= 0 {
		return nil
	}
	err := g.invariant(b, 0)
	if !g.cells.shifts || slices.ContainsFunc(b.cells, func(c *cell) bool { return !c.down && g.cells.positions[c.position].unticked }) {
		return err
	}
	for asked := 0; asked < 1 || g.laterAsked <= mostAsked && asked < differences; asked++ {
		by := difference(g.laterAsked)
		g.laterAsked++
		if later := g.invariant(b, by); (err == nil) != (later == nil) {
			return fmt.Errorf("NodesConfig.Rounds is Unbounded, and Invariant is not as it must be then: %w: with all times later by %d, it says %s, but here, %s", errValue, by, said(later), said(err))
		}
	}
	return err
}

// mostAsked is how often invariants are asked at each difference of times in a state; in further states at one.
const mostAsked = 1 << 15

// invariant returns what the invariant says of the state of b with all times later.
func (g *graph) invariant(b *seen, by messaging.Time) error {
	b.view.nodes = slices.Grow(b.view.nodes[:0], g.c.Nodes)[:g.c.Nodes]
	clear(b.view.nodes)
	b.view.transit = b.view.transit[:0]
	for i := range g.c.Nodes {
		if c := b.cells[i]; !c.down {
			b.view.nodes[i] = g.cells.shown(c.position, by)
		}
	}
	for to := range g.c.Nodes {
		for from := range g.c.Nodes {
			l := g.cells.link(from, to)
			for _, m := range g.cells.links[l][b.queues[l]].messages {
				if b.view.nodes[to] != nil {
					b.view.transit = append(b.view.transit, messaging.Event{From: messaging.ID(from), To: messaging.ID(to), Message: g.cells.letterLater(g.cells.messages[m], by)})
				}
			}
		}
	}
	return ask("Invariant", history.Invariant, func() error { return g.c.Invariant(b.view.nodes, b.view.transit) })
}

// A view is what an invariant gets to see of a state.
type view struct {
	nodes   []messaging.Node
	transit []messaging.Event
}

// shown returns a node in a position with all times later, for the invariant.
func (cs *cells) shown(n uint32, by messaging.Time) messaging.Node {
	if by == 0 || cs.positions[n].least == noTime {
		return cs.decoded[n]
	}
	at := cs.positions[n]
	at.state = string(state.AppendMapped(nil, cs.restored(at), cs.laterBy(by)))
	return cs.decode(at)
}

// ask returns what a rule of the config says, as an error of a kind; or that it panics, or says something
// else when it is asked again.
func ask(name string, kind error, rule func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("explore: NodesConfig.%s panicked: %v", name, r)
		}
	}()
	err = rule()
	switch again := rule(); {
	case said(again) != said(err):
		return fmt.Errorf("explore: NodesConfig.%s gives two answers for one state: it says %s, and again, %s", name, said(err), said(again))
	case err != nil:
		return fmt.Errorf("%w: %w", kind, history.Named(err))
	}
	return nil
}

// said is what an invariant says.
func said(err error) string {
	if err == nil {
		return "nothing"
	}
	return err.Error()
}

// unwritten returns an error if Invariant or Results has changed a node or a message that it was given.
func (cs *cells) unwritten() error {
	said := func(was, is string) error {
		return fmt.Errorf("explore: NodesConfig.Invariant or Results changes what it is given, which it must not: it was %s and is now %s", was, is)
	}
	for n, node := range cs.decoded {
		if at := cs.positions[n]; node != nil && !state.Equal(node, cs.decode(at)) {
			return said(state.Format(cs.decode(at), nil), state.Format(node, nil))
		}
	}
	for n, m := range cs.messages {
		data := state.Append(binary.AppendUvarint([]byte{aMessage}, uint64(cs.kind(m))), m)
		if known, there := cs.numbers[string(data)]; !there || int(known) != n {
			return said(fmt.Sprintf("another %T", m), state.Format(m, nil))
		}
	}
	return nil
}
