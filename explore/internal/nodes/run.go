package nodes

import (
	"errors"
	"fmt"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/internal/space"
	"example.org/doorway/messaging"
)

// outcomeBytes is about how many bytes an outcome takes, and eventBytes each of its events, beside its message, and
// choices.
const (
	outcomeBytes = 500
	eventBytes   = 100
)

// handle returns the outcomes of an input: one for each combination of choices of
// the node.
func (cs *cells) handle(v visit) []*outcome {
	all, known := cs.outcomes[v]
	if known {
		return all
	}
	for b := new(branch); b != nil; b = b.next() {
		o := cs.run(v, b)
		o.branch = len(all)
		all = append(all, o)
		cs.bytes += outcomeBytes + eventBytes*int64(len(o.events)+len(o.choices))
		for _, e := range o.events {
			cs.bytes += state.Bytes(e.message)
		}
		if cs.bytes > cs.c.Memory && cs.learning {
			panic(&space.MemoryError{Limit: cs.c.Memory})
		}
		if len(all) > mostResults {
			what := o.latest(cs.event(cs.positions[v.position].node, v.input, 0))
			o.err = fmt.Errorf("%v, and draws numbers in one event that have more than %d results: CheckNodes tries each", what, mostResults)
		}
		if o.err != nil && !errors.Is(o.err, history.Panic) {
			break // which is no verdict
		}
	}
	for _, o := range all {
		o.branches = len(all)
	}
	if cs.shifts && !cs.certified {
		cs.certify(v, all)
	}
	cs.chooses = cs.chooses || len(all) > 1
	cs.outcomes[v] = all
	cs.visits = append(cs.visits, v)
	return all
}

// run lets the node of a position handle an input.
func (cs *cells) run(v visit, b *branch) *outcome {
	node := cs.node(cs.positions[v.position], 0)
	o := &outcome{input: v.input, before: v.position}
	cs.react(o, &node, 0, b, func(after position) { cs.collect(o, after, node) })
	return o
}

// act lets the site handle an input, with message m if it is one.
func (cs *cells) act(in input, m messaging.Message) {
	switch in.what {
	case starts, restarts:
		cs.site.Start()
	case asks:
		cs.site.Request()
	case leaves:
		cs.site.Release()
	case givesUp:
		cs.site.Withdraw()
	case hears, suspects:
		cs.site.Down(in.from)
	default:
		cs.site.Receive(in.from, m)
	}
}

// seat makes the site one of the node in a position, and of what is recorded in an outcome.
func (cs *cells) seat(node messaging.Node, at position, a acting) {
	cs.site, cs.effects, cs.acting = *cs.sites[at.node], host.Effects{Own: cs.effects.Own}, a
	cs.site.Effects = &cs.effects
	cs.site.Resume(node, at.phase)
}

// An acting is what is recorded of the node of the site.
type acting struct {
	*branch
	outcome *outcome
	what    event // that the outcome is of
}

// draw chooses for the node.
func (cs *cells) draw(n int) int {
	o := cs.acting.outcome
	if len(o.drawn) == mostDraws {
		what := o.latest(cs.acting.what)
		o.err = &history.Worded{Kind: history.Endless, Text: fmt.Sprintf("%v, and draws more than %d numbers in one event: CheckNodes tries no more", what, mostDraws)}
		panic(history.Breach{Err: o.err})
	}
	drawn := cs.acting.choose(n)
	o.drawn = append(o.drawn, drawn)
	o.events = append(o.events, event{says: fmt.Sprintf("%%[1]s draws %d of 0 to %d", drawn, n-1), node: cs.acting.what.node})
	return drawn
}

// own records a message of the node to itself.
func (cs *cells) own(m messaging.Message) {
	if err := state.CheckMessage(m); err != nil {
		history.Fail(history.OfNoKind, "%v", err)
	}
	o := cs.acting.outcome
	o.events = append(o.events, event{says: toItself, node: cs.acting.what.node, message: state.CloneMessage(m)})
}

// The most numbers that a node may draw in one event, and the most results that these may
// have together.
const (
	mostDraws   = 1000
	mostResults = 10_000
)

// A branch is one sequence of choices: the results so far, and 0 from there on.
type branch struct {
	choices []choice
	at      int
}

func (b *branch) choose(n int) int {
	if b.at == len(b.choices) {
		b.choices = append(b.choices, choice{n: n})
	}
	c := b.choices[b.at]
	if c.n != n {
		history.Fail(history.Nondeterministic, "a node chose among %d, and from an equal state among %d", c.n, n)
	}
	b.at++
	return c.chosen
}

// next returns the branch after b; nil if b is the last.
func (b *branch) next() *branch {
	choices := b.choices
	for len(choices) > 0 {
		last := &choices[len(choices)-1]
		if last.chosen++; last.chosen < last.n {
			return &branch{choices: choices}
		}
		choices = choices[:len(choices)-1]
	}
	return nil
}

// A choice is a result among n.
type choice struct{ n, chosen int }

// restarted returns the node that starts again when one has crashed in a position.
func (cs *cells) restarted(at position, crashed messaging.Node) messaging.Node {
	site := *cs.sites[at.node]
	site.Resume(crashed, messaging.Idle)
	site.Restart()
	return site.Node()
}

// node returns a node in a position, with all times later, which the next call may change.
func (cs *cells) node(at position, by messaging.Time) messaging.Node {
	node := cs.nodes[at.node]
	if at.again {
		if cs.again[at.node] == nil {
			cs.again[at.node] = cs.made(at)
		}
		node = cs.again[at.node]
	}
	at.state = cs.stateLater(at, by)
	cs.restore(node, at)
	return node
}

// made returns a new node, which has restarted if that in a position has.
func (cs *cells) made(at position) messaging.Node {
	start, first := cs.starts[at.node], cs.nodes[at.node]
	if start.Restarted = at.again; at.again {
		first = nil
	}
	return history.Again(cs.algorithm, start, first)
}

// restore sets a node to its state in a position.
func (cs *cells) restore(node messaging.Node, at position) {
	if err := state.Restore(node, []byte(at.state)); err != nil {
		history.Fail(history.State, "of %s: %v", named(at.node), err)
	}
}
