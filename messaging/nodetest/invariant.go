package nodetest

import (
	"fmt"
	"slices"

	"example.org/doorway/internal/state"
	"example.org/doorway/messaging"
)

// A view is what an invariant gets to see of a state.
type view struct {
	nodes   []messaging.Node
	transit []messaging.Event
}

// of begins the view of a state with n nodes, all of them down.
func (v *view) of(n int) {
	v.nodes = slices.Grow(v.nodes[:0], n)[:n]
	clear(v.nodes)
	v.transit = v.transit[:0]
}

func (v *view) sees(from, to messaging.ID, m messaging.Message) {
	v.transit = append(v.transit, messaging.Event{From: from, To: to, Message: m})
}

// against returns an error if the state violates the invariant.
func (v *view) against(invariant messaging.Invariant) error {
	if err := invariant(v.nodes, v.transit); err != nil {
		return fmt.Errorf("%w: %w", errInvariant, err)
	}
	return nil
}

// hold returns an error if the invariant is violated.
func (s *schedule) hold() error {
	if s.c.Invariant == nil {
		return nil
	}
	s.view.of(s.c.Nodes)
	for i, site := range s.sites {
		if !s.down[i] {
			s.view.nodes[i] = innermost(site.Node())
		}
	}
	for _, f := range s.sent {
		if !s.down[f.to] {
			s.view.sees(f.from, f.to, contents(f.message))
		}
	}
	if err := s.view.against(s.c.Invariant); err != nil {
		return s.failure(err)
	}
	return nil
}

// hold returns an error if the invariant is violated in state now. It is not held before all
// nodes have started.
func (x *explorer) hold(now []uint32) error {
	if x.starts && x.fresh(now) >= 0 {
		return nil
	}
	x.view.of(x.c.Nodes)
	for i, number := range now[:x.c.Nodes] {
		c := x.cells.all[number]
		if c.down {
			continue
		}
		x.view.nodes[i] = x.cells.decode(c.position)
		for from, queue := range c.mail {
			for _, m := range queue {
				x.view.sees(messaging.ID(from), messaging.ID(i), x.cells.messages[m])
			}
		}
	}
	return x.view.against(x.c.Invariant)
}

// decode returns a node in a position, which nothing else uses.
func (cs *cells) decode(position uint32) messaging.Node {
	if grow := len(cs.positions) - len(cs.decoded); grow > 0 {
		cs.decoded = append(cs.decoded, make([]messaging.Node, grow)...)
	}
	if cs.decoded[position] == nil {
		at := cs.positions[position]
		start := cs.start(at.node)
		start.Restarted = at.again
		node := cs.algorithm(start)
		if err := state.Restore(node, []byte(at.state)); err != nil {
			panic(fmt.Sprintf("nodetest: node %d cannot be restored to a state that it was in: %v", at.node, err))
		}
		cs.decoded[position] = innermost(node)
	}
	return cs.decoded[position]
}
