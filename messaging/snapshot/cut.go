package snapshot

import (
	"errors"
	"fmt"
	"strings"

	"example.org/doorway/internal/node/layer"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
)

// A State is the recorded state of a node, encoded; [Assemble] makes it a node again.
type State string

// String returns the state as text: "{Phase: idle, HasToken: true}".
func (s State) String() string {
	r, err := state.Decode[recorded]([]byte(s))
	if err != nil {
		return err.Error()
	}
	return "{" + r.Text + "}"
}

// recorded is what a State encodes: what the node was made from, and its state.
type recorded struct {
	Nodes             int
	Holder            messaging.ID
	Restarted, Linked bool
	Neighbors         []messaging.ID
	State, Text       string
}

// state returns the present state of the node of the algorithm.
func (n *node) state() State {
	inner := layer.Innermost(n.Node)
	s := n.start
	return State(state.Append(nil, recorded{
		s.Nodes, s.Holder, s.Restarted, s.Neighbors != nil, s.Neighbors, string(state.Append(nil, inner)), state.Format(inner, nil),
	}))
}

// A Cut is the global state that a snapshot has recorded. An invariant can be held in it:
//
//	err := rule(cut.Nodes, cut.Transit)
type Cut struct {
	Of      ID
	Nodes   []messaging.Node  // by number, without nodes that wrap them
	Transit []messaging.Event // From, To and Message of what is in transit; of a link in the order of sending
}

// String returns a line for each node and each message in transit.
func (c Cut) String() string {
	var lines []string
	for i, n := range c.Nodes {
		lines = append(lines, fmt.Sprintf("node %d: %s\n", i, state.Format(n, nil)))
	}
	for _, e := range c.Transit {
		lines = append(lines, fmt.Sprintf("in transit from %d to %d: %s\n", e.From, e.To, state.Format(e.Message, nil)))
	}
	return strings.Join(lines, "")
}

// Assemble returns the global state of a snapshot of nodes of a, the algorithm that was given
// to [Over], from its parts, in any order. It returns an error unless there is one part of each
// node, all of the same snapshot, and of nodes of a.
func Assemble(a messaging.Algorithm, parts []Part) (Cut, error) {
	if len(parts) == 0 {
		return Cut{}, errors.New("snapshot: there are no parts")
	}
	c := Cut{Of: parts[0].Of}
	byNode, states := make([]*Part, len(parts)), make([]recorded, len(parts))
	for k := range parts {
		p := &parts[k]
		r, err := state.Decode[recorded]([]byte(p.State))
		switch {
		case err != nil:
			return Cut{}, fmt.Errorf("snapshot: the part of node %d: %w", p.Node, err)
		case p.Of != c.Of:
			return Cut{}, fmt.Errorf("snapshot: parts of two snapshots: %v and %v", c.Of, p.Of)
		case r.Nodes != len(parts):
			return Cut{}, fmt.Errorf("snapshot: %d parts of %v: there must be one of each of %d nodes", len(parts), c.Of, r.Nodes)
		case p.Node < 0 || int(p.Node) >= r.Nodes:
			return Cut{}, fmt.Errorf("snapshot: there is no node %d: there are %d", p.Node, r.Nodes)
		case byNode[p.Node] != nil:
			return Cut{}, fmt.Errorf("snapshot: two parts of node %d of %v: there must be one of each node", p.Node, c.Of)
		}
		byNode[p.Node], states[p.Node] = p, r
	}
	for i, p := range byNode {
		n, err := states[i].restore(a, p.Node)
		if err != nil {
			return Cut{}, err
		}
		c.Nodes = append(c.Nodes, n)
		for _, channel := range p.Channels {
			for _, m := range channel.Messages {
				c.Transit = append(c.Transit, messaging.Event{From: channel.From, To: p.Node, Message: m})
			}
		}
	}
	return c, nil
}

// restore returns the node, of that number, whose state r is.
func (r *recorded) restore(a messaging.Algorithm, self messaging.ID) (messaging.Node, error) {
	start := messaging.Start{Self: self, Nodes: r.Nodes, Holder: r.Holder, Restarted: r.Restarted}
	if r.Linked {
		start.Neighbors = append([]messaging.ID{}, r.Neighbors...)
	}
	n := layer.Innermost(a(start))
	if err := state.Restore(n, []byte(r.State)); err != nil {
		return nil, fmt.Errorf("snapshot: the part of node %d is not of a node of this algorithm: %w", self, err)
	}
	return n, nil
}
