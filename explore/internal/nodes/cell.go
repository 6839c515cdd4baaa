package nodes

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/layer"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/messaging"
)

// A cell is a node with its user and its timers: what only the node itself acts on. A
// [queue] is what is in transit on a link. There are far fewer cells and queues than global
// states, so what can happen to one is computed once and then looked up. They and their
// parts have numbers; equal ones have the same number.
type cell struct {
	position uint32
	fresh    bool      // the node has yet to start
	down     bool      // the node has crashed and not restarted
	left     int       // the number of requests that its user may still make, or Unbounded
	given    int       // how many inputs its user has given it
	notices  uint64    // if crashes are detected, a bit for each node of whose crash it has yet to hear
	timers   []pending // by due time, then in the order of setting; if NodesConfig.AnyTime, in that order only
	emitted  []uint32  // if NodesConfig.Results is set

	phase       messaging.Phase // that of the position
	least       messaging.Time  // of its times; see leastOf
	known       bool            // whether the following is computed
	first, last []move          // before and after those of messages
	receipts    []receipt
	then        []consequence // of what others do
}

// A receipt is what can happen when a message arrives.
type receipt struct {
	from    messaging.ID
	message uint32
	moves   []move
}

// A head is a message of a queue that may arrive next, be lost or arrive twice.
type head struct {
	message     uint32
	arrives     bool // next; on a FIFO link, only the first
	rest        uint32
	twice       []uint32 // by the place of the second on a FIFO link: any behind the first
	drop, again move     // of its node, which is as before
}

// A pending is the message of a running timer.
type pending struct {
	after   uint64 // nanoseconds
	message uint32
}

// never is later than every timer.
const never uint64 = math.MaxUint64

// due returns when the first timer is due.
func (c *cell) due() uint64 {
	if len(c.timers) == 0 {
		return never
	}
	return c.timers[0].after
}

// A move is a possible event at a node, with its cell afterwards.
type move struct {
	*outcome
	cell uint32
	what cause
}

// An input is an event at a node.
type input struct {
	what    cause
	from    messaging.ID // the sender of a message; of a timer or an input, the node itself
	message uint32
}

// cells is the table of all cells and their parts.
type cells struct {
	c         *Config
	algorithm messaging.Algorithm
	nodes     []messaging.Node      // in arbitrary states
	roots     []uint32              // the initial cells
	again     []messaging.Node      // those that have restarted; nil: not made yet
	constants [2][][]state.Constant // of nodes, and of those that have restarted, by node
	natures   history.Natures
	sites     []*host.Site      // by node, without phase
	starts    []messaging.Start // by node
	site      host.Site         // that acts
	effects   host.Effects      // of site
	acting    acting            // likewise

	all       [][]*cell  // by node
	links     [][]*queue // by sender and receiver; see link
	positions []position
	decoded   []messaging.Node    // by position, for the invariant
	messages  []messaging.Message // and values that were emitted
	leasts    []messaging.Time    // of messages; see leastOf
	times     [][]messaging.Time  // of messages, if they are ranked
	kinds     []reflect.Type      // of messages
	parcels   [][]uint32          // the messages of each

	numbers  map[string]uint32 // of all of these, by their encoding
	buf      []byte
	outcomes map[visit][]*outcome
	visits   []visit // whose outcomes are known, in the order of finding

	// learning has what is not known computed. Otherwise nothing is written, so that
	// several goroutines may ask at the same time.
	learning bool

	shifts    bool                      // states are explored up to a common shift of all times, or up to their order
	ranked    bool                      // only the order of times counts; see ranking
	rankings  []ranking                 // by number; 0: none, 1: that of commutes
	known     map[string]messaging.Time // the number of each
	certified bool                      // nothing need be repeated at later times
	probed    bool                      // whether states grow

	chooses bool  // a node has chosen
	bytes   int64 // that all of this takes, about
}

// A visit is an input in a position.
type visit struct {
	position uint32
	input    input
}

func newCells(c *Config, ranked bool) (cs *cells, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = history.Caught(r)
		}
	}()
	cs = &cells{
		c: c, all: make([][]*cell, c.Nodes), links: make([][]*queue, c.Nodes*c.Nodes), algorithm: c.New,
		again: make([]messaging.Node, c.Nodes), natures: make(history.Natures, c.Nodes),
		numbers: map[string]uint32{}, outcomes: map[visit][]*outcome{},
	}
	cs.ranked, cs.rankings, cs.known = ranked, make([]ranking, 2), map[string]messaging.Time{}
	cs.shifts = slices.Contains(c.Requests, Unbounded) && c.Results == nil && !c.inputsTimed()
	cs.effects.Own = cs.own
	for l := range cs.links {
		cs.queue(l, nil)
	}
	for i := range messaging.ID(c.Nodes) {
		node := cs.sit(i)
		if reflect.TypeOf(node).Kind() != reflect.Pointer {
			return nil, fmt.Errorf("%w: a %T is not a pointer", history.State, node)
		}
		if err := state.Check(node); err != nil {
			return nil, fmt.Errorf("%w: %w", history.State, err)
		}
		cs.nodes = append(cs.nodes, node)
		cs.apart(i)
		cs.roots = append(cs.roots, cs.first(i, c.Requests[i]))
	}
	return cs, nil
}

// apart panics with a breach unless the algorithm makes a node each time, and its state is memory of
// no other node and of no constant.
func (cs *cells) apart(i messaging.ID) {
	node := cs.nodes[i]
	history.NewEachTime(cs.algorithm, cs.starts[i], node)
	form := cs.formOf(i, node)
	for k := range cs.constants {
		cs.constants[k] = append(cs.constants[k], nil)
	}
	cs.constant(i, false, node, form, nil)
	for j, other := range cs.nodes[:i] {
		of := cs.formOf(messaging.ID(j), other)
		_, theirs := of.Hidden(cs.constants[0][i])
		_, ours := form.Hidden(cs.constants[0][j])
		if form.Overlaps(of) || theirs || ours {
			history.Fail(history.Shared, "the algorithm has made nodes %d and %d so that one refers to the state of the other: nodes share no memory that changes", j, i)
		}
	}
}

// constant panics with a breach if a constant of node i is not as it was in the first that was made,
// or refers to the state of the node, whose form is given, after an event.
func (cs *cells) constant(i messaging.ID, again bool, node messaging.Node, form *state.Form, event func() string) {
	of := &cs.constants[0][i]
	if again {
		of = &cs.constants[1][i]
	}
	are := state.Constants(node)
	if *of == nil {
		*of = are
	}
	if !slices.EqualFunc(*of, are, state.Constant.Equals) {
		history.StillFixed(i, *of, are, event())
	}
	if name, found := form.Hidden(are); found {
		history.Fail(history.State, "the field %s of node %d, which is unexported, refers to its state: a copy of the state would not be what it refers to", name, i)
	}
	cs.natures.Check(i, node)
}

// sit makes the site of node i, and returns the node.
func (cs *cells) sit(i messaging.ID) messaging.Node {
	defer history.Made(&i)
	cs.starts = append(cs.starts, messaging.Start{Self: i, Nodes: cs.c.Nodes, Holder: cs.c.Holder, Links: new([]messaging.ID)})
	cs.sites = append(cs.sites, host.NewSite(cs.algorithm, cs.starts[i], cs.draw))
	return cs.sites[i].Node()
}

// first returns the initial cell of a node.
func (cs *cells) first(i messaging.ID, requests int) uint32 {
	if _, lock := messaging.As[messaging.Exclusion](cs.nodes[i]); !lock {
		requests = 0
	}
	_, starts := messaging.As[messaging.Starter](cs.nodes[i])
	at := cs.position(i, false, messaging.Idle, cs.nodes[i], 0)
	return cs.number(&cell{position: at, fresh: starts, left: requests})
}

// decode returns a node in a position, or the one that it wraps, which nothing else uses.
func (cs *cells) decode(at position) messaging.Node { return layer.Innermost(cs.restored(at)) }

// restored returns a node in a position, which nothing else uses.
func (cs *cells) restored(at position) messaging.Node {
	node := cs.made(at)
	cs.restore(node, at)
	return node
}
