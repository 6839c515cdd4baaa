package nodetest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"example.org/doorway/messaging"
)

// An Exploration says of what Explore visits every schedule. The zero value of
// each field but Nodes is fine.
type Exploration struct {
	Nodes       int          // at least 1
	Holder      messaging.ID // the node that has the privilege at first, in algorithms that have one
	Requests    []int        // by node, how often it may ask; nil: each once
	Withdrawals int          // how many requests may be given up altogether
	Unordered   bool         // messages of a link may overtake each other
	Limit       int          // how many states are visited at most; 0: ten million
}

// Explored is what Explore has visited.
type Explored struct {
	States   int  // what the nodes, their users and the links can come to
	Events   int  // each leads from one of the states to one of them
	Ends     int  // states in which nothing can happen any more
	Depth    int  // how many events it takes to the state that is farthest from the start
	Complete bool // all states were visited, and so every schedule; false: there are more than Limit
}

// Explore visits every schedule of nodes of a where Run draws one: each message
// takes as long as it likes; users ask as often as they may, whenever they like or
// not at all, and give up or do not; [messaging.Out.Choose] returns all that it can.
// Of schedules that lead to the same state it goes on with one only. So an
// exploration that is complete is a proof for the instance; one that comes to its
// limit has found nothing wrong so far.
//
// It returns an error if two nodes are inside at a time; if a request is pending, no
// node is inside and no message is in transit, even if another might still ask; if a node
// panics; and if it can go on for ever, though each message arrives some time and
// each draw comes to each result. [Failure] says which, and the error tells
// what happened in the words of Run. Nothing goes wrong after fewer events, unless it is
// that there is no end. If the exploration makes no sense, the error names the
// field and the rule.
//
// As in Run, a timer comes when nothing else goes on: a request is pending, no node is
// inside, and no message is in transit. Of those that are due at the same time, any
// node's may come first. No node crashes.
//
// Nodes must keep the contract that Check checks, for they are put into states, and
// run once for each of their states and each input. Nothing else is taken on trust:
// states of the whole are kept, and not hashes that two could share. Each takes 4
// bytes for each node and about 20 more; to this comes, once, what a single node
// and the messages to it can come to.
func Explore(a messaging.Algorithm, c Exploration) (Explored, error) {
	if err := c.check(); err != nil {
		return Explored{}, fmt.Errorf("nodetest: %w", err)
	}
	if c.Limit == 0 {
		c.Limit = 10_000_000
	}
	x := &explorer{c: c, states: newStates(c.Nodes + 1)}
	if err := x.start(a); err != nil {
		return Explored{}, err
	}
	err := x.explore()
	x.done.States = x.states.count
	return x.done, err
}

// check returns what is wrong with the exploration.
func (c Exploration) check() error {
	switch {
	case c.Nodes < 1:
		return fmt.Errorf("Exploration.Nodes is %d: it must be at least 1", c.Nodes)
	case c.Holder < 0 || int(c.Holder) >= c.Nodes:
		return fmt.Errorf("Exploration.Holder is %d: the nodes are 0 to %d", c.Holder, c.Nodes-1)
	case c.Requests != nil && len(c.Requests) != c.Nodes:
		return fmt.Errorf("Exploration.Requests are of %d nodes: there are %d", len(c.Requests), c.Nodes)
	case c.Withdrawals < 0 || c.Withdrawals > math.MaxInt32:
		return fmt.Errorf("Exploration.Withdrawals is %d: it must be 0 to %d", c.Withdrawals, math.MaxInt32)
	case c.Limit < 0 || c.Limit > math.MaxInt32:
		return fmt.Errorf("Exploration.Limit is %d: it must be 0 to %d", c.Limit, math.MaxInt32)
	}
	for i, r := range c.Requests {
		if r < 0 {
			return fmt.Errorf("Exploration.Requests[%d] is %d: it must be at least 0", i, r)
		}
	}
	return nil
}

// requests returns how often node i may ask.
func (c Exploration) requests(i int) int {
	if c.Requests == nil {
		return 1
	}
	return c.Requests[i]
}

// An explorer visits states in the order of their distance from the first. A
// state is the cell of each node, and how many requests may still be given up.
type explorer struct {
	c      Exploration
	cells  *cells
	states *states
	done   Explored

	back bool     // an event leads to a state that was visited before, as in every circle
	next []uint32 // what after returns
}

func (x *explorer) start(a messaging.Algorithm) (err error) {
	if x.cells, err = newCells(a, x.c); err != nil {
		return err
	}
	x.next = make([]uint32, x.c.Nodes+1)
	for i := range x.c.Nodes {
		x.next[i] = x.cells.first(messaging.ID(i), x.c.requests(i))
	}
	x.next[x.c.Nodes] = uint32(x.c.Withdrawals)
	x.states.add(x.next, 0)
	return nil
}

func (x *explorer) explore() error {
	for s, level := 0, 1; s < x.states.count; s++ {
		if s == level {
			level = x.states.count
			x.done.Depth++
		}
		if err := x.visit(s); err != nil {
			return err
		}
		if x.states.count > x.c.Limit {
			x.states.count = x.c.Limit
			return nil
		}
	}
	x.done.Complete = true
	if x.back {
		return x.endless()
	}
	return nil
}

// visit finds what can happen in state s.
func (x *explorer) visit(s int) (err error) {
	events := 0
	x.each(x.states.at(s), func(e step, next []uint32) bool {
		events++
		if err = wrong(e); err != nil {
			err = x.failure(s, err, e)
			return false
		}
		t, added := x.states.add(next, s)
		if added && x.stuck(next) {
			err = x.failure(t, errStuck)
		}
		x.back = x.back || t <= s
		return err == nil
	})
	x.done.Events += events
	if events == 0 {
		x.done.Ends++
	}
	return err
}

// A step is an event in a state: what it does to its node, and when.
type step struct {
	node int
	*outcome
	inside int // which node was inside before; -1: none
}

// wrong returns what is wrong with an event, seen by itself.
func wrong(e step) error {
	switch {
	case e.err != nil:
		return e.err
	case e.entered && e.inside >= 0:
		return fmt.Errorf("%w: %d and %d", errExclusion, min(e.inside, e.node), max(e.inside, e.node))
	}
	return nil
}

// each yields what can happen in the state now, and the state that comes of it,
// which is overwritten afterwards.
func (x *explorer) each(now []uint32, yield func(e step, next []uint32) bool) {
	inside := x.inside(now)
	least, quiet := x.quiet(now)
	for i, cell := range now[:x.c.Nodes] {
		for _, m := range x.cells.moves(cell) {
			e := step{i, m.outcome, inside}
			switch {
			case e.what == givesUp && now[x.c.Nodes] == 0:
				continue
			case e.what == expires && (!quiet || x.cells.all[cell].due() > least):
				continue
			}
			if !yield(e, x.after(now, e, m.cell)) {
				return
			}
		}
	}
}

// after returns the state after an event, by which its node comes to cell.
func (x *explorer) after(now []uint32, e step, cell uint32) []uint32 {
	next := x.next
	copy(next, now)
	switch e.what {
	case givesUp:
		next[x.c.Nodes]--
	case expires:
		due := x.cells.all[now[e.node]].due()
		for j := range next[:x.c.Nodes] {
			next[j] = x.cells.later(next[j], due)
		}
	}
	next[e.node] = cell
	for _, m := range e.mail {
		next[m.to] = x.cells.push(next[m.to], m.parcel)
	}
	return next
}

// inside returns which node is inside; -1: none. There are never two, for that
// is where an exploration ends.
func (x *explorer) inside(now []uint32) int {
	for i, cell := range now[:x.c.Nodes] {
		if x.cells.all[cell].phase == messaging.Inside {
			return i
		}
	}
	return -1
}

// quiet reports whether somebody waits, and nothing goes on but perhaps timers; and
// when the first of those is due.
func (x *explorer) quiet(now []uint32) (least time.Duration, quiet bool) {
	least = never
	for _, cell := range now[:x.c.Nodes] {
		c := x.cells.all[cell]
		if c.under > 0 || c.phase == messaging.Inside {
			return never, false
		}
		quiet = quiet || c.phase != messaging.Idle
		least = min(least, c.due())
	}
	return least, quiet
}

func (x *explorer) stuck(now []uint32) bool {
	least, quiet := x.quiet(now)
	return quiet && least == never
}

// failure is err with what led to state s, and with what happened then.
func (x *explorer) failure(s int, err error, then ...step) error {
	past := x.past(s)
	for _, e := range then {
		past = append(past, x.tell(e)...)
	}
	return fmt.Errorf("%w\n%s", err, strings.Join(past, "\n"))
}

// past tells what led to state s.
func (x *explorer) past(s int) []string {
	if s == 0 {
		return nil
	}
	from := x.states.from(s)
	return append(x.past(from), x.between(from, s)...)
}

// between tells an event that leads from state s to state t.
func (x *explorer) between(s, t int) (lines []string) {
	x.each(x.states.at(s), func(e step, next []uint32) bool {
		if k, found := x.states.find(next); found && k == t {
			lines = x.tell(e)
		}
		return lines == nil
	})
	return lines
}

func (x *explorer) tell(e step) (lines []string) {
	i := messaging.ID(e.node)
	events := slices.Concat([]event{x.event(e)}, e.events)
	switch {
	case e.entered:
		events = append(events, event{node: i, what: "is inside"})
	case e.absorbed:
		events = append(events, event{node: i, what: "is inside for nobody, and leaves"})
	}
	const most = 200
	if more := len(events) - most; more > 0 {
		events, lines = events[more:], []string{"..."}
	}
	for _, e := range events {
		lines = append(lines, e.String())
	}
	return lines
}

func (x *explorer) event(e step) event {
	i := messaging.ID(e.node)
	switch e.what {
	case asks:
		return event{node: i, what: "requests"}
	case leaves:
		return event{node: i, what: "leaves"}
	case givesUp:
		return event{node: i, what: "gives up"}
	}
	return event{node: i, message: x.cells.messages[e.message], from: e.from}
}
