package nodetest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"example.org/doorway/internal/conflict"
	"example.org/doorway/messaging"
)

// An Exploration describes the schedules that Explore visits. Every field except Nodes may
// be zero.
type Exploration struct {
	Nodes       int          // at least 1
	Holder      messaging.ID // the node that initially has the privilege, in algorithms with one
	Requests    []int        // by node, the maximum number of its requests; nil: 1 each
	Withdrawals int          // the maximum number of aborted requests in total
	Unordered   bool         // messages of a link may overtake each other
	Limit       int          // the maximum number of states visited; 0: ten million
	Name        string       // of the algorithm, in the scenario of a failure; default: that of its package

	// Crashes and Restarts are the maximum numbers of crashes and restarts in total.
	Crashes, Restarts int

	// AnyTime has running timers expire at any time; otherwise they expire only when
	// nothing else can happen.
	AnyTime bool

	// Perpetual marks an algorithm that never comes to rest, such as one of heartbeats. A
	// schedule that does not end is then no failure, unless a request is pending forever.
	Perpetual bool

	// Results, if not nil, is called with what the nodes have emitted, by node, each in
	// order: over is false when a node has just emitted, and true when nothing more can
	// happen. If it returns an error, the results are wrong. It must depend on nothing else.
	// What is emitted is then part of the state, and must be plain data.
	Results func(emitted [][]any, over bool) error

	// Invariant, if not nil, is held in each state; see [messaging.Invariant].
	Invariant messaging.Invariant
}

// Explored describes the state space that Explore has visited.
type Explored struct {
	States   int  // the reachable states of nodes, users and links
	Events   int  // the transitions between them
	Ends     int  // the states without a possible event
	Depth    int  // the maximum, over all states, of the least number of events to reach it
	Complete bool // all states, and so all schedules, were visited; false: there are more than Limit
}

// Explore visits every schedule from which Run draws one: message delays are arbitrary;
// users make any number of requests up to the maximum, at any time, and abort them or not;
// [messaging.Out.Choose] returns every possible result. Schedules that lead to the same
// state are continued once. So a complete exploration is a proof for the instance; one
// that reaches its limit has found no failure so far.
//
// It returns an error if two nodes are inside that exclude each other, as all do that are no
// [messaging.Sharer]; if a request is pending, no node is inside that it waits for, and no
// message is in transit, even if another node might still request; if the invariant is
// violated; if a node panics; or if a schedule does not end although every message is delivered eventually
// and Choose returns every result eventually. [Failure] classifies the error, which lists
// the events like Run. No shorter schedule fails, except that an endless one is reported
// last. If the exploration is invalid, the error names the field and the rule.
//
// As in Run, a timer expires only when a request is pending, no node is inside that it waits
// for, and no message is in transit. If timers of several nodes are due at the same time, they expire
// in any order. If no node is an [messaging.Exclusion], no request needs to be pending.
//
// If Exploration.AnyTime is set, a timer expires at any time, whatever is in transit. Of two
// timers of a node, the one that was set first expires first, unless it runs for longer.
//
// Nodes crash at any time after their start, and a node that is down restarts eventually, if
// restarts are left; see [messaging.Site.Restart] for what is left of it. A node that
// crashes inside is not inside any more. A message arrives or is lost while its receiver is
// down, or arrives after the restart. Timers expire while nodes are down. No node is
// told of a crash.
//
// Nodes must satisfy the contract that Check checks, since Explore restores their states,
// and runs a node once for each of its states and inputs. It stores whole states, not
// hashes, so no two states are confused. Each takes 4 bytes per node and about 20 more,
// plus, once, the states of single nodes and the messages to them.
func Explore(a messaging.Algorithm, c Exploration) (Explored, error) {
	if err := c.check(); err != nil {
		return Explored{}, fmt.Errorf("nodetest: %w", err)
	}
	if c.Limit == 0 {
		c.Limit = 10_000_000
	}
	x := &explorer{c: c, of: a, states: newStates(c.width())}
	if err := x.start(a); err != nil {
		return Explored{}, err
	}
	err := x.explore()
	if e := x.twice(); e != nil {
		err = e
	}
	x.done.States = x.states.count
	return x.done, err
}

// check returns an error if the exploration is invalid.
func (c Exploration) check() error {
	switch {
	case c.Nodes < 1:
		return fmt.Errorf("Exploration.Nodes is %d: it must be at least 1", c.Nodes)
	case c.Holder < 0 || int(c.Holder) >= c.Nodes:
		return fmt.Errorf("Exploration.Holder is %d: the nodes are 0 to %d", c.Holder, c.Nodes-1)
	case c.Requests != nil && len(c.Requests) != c.Nodes:
		return fmt.Errorf("Exploration.Requests has %d nodes: there are %d", len(c.Requests), c.Nodes)
	case c.Withdrawals < 0 || c.Withdrawals > math.MaxInt32:
		return fmt.Errorf("Exploration.Withdrawals is %d: it must be 0 to %d", c.Withdrawals, math.MaxInt32)
	case c.Limit < 0 || c.Limit > math.MaxInt32:
		return fmt.Errorf("Exploration.Limit is %d: it must be 0 to %d", c.Limit, math.MaxInt32)
	case c.Crashes < 0 || c.Crashes > math.MaxInt32:
		return fmt.Errorf("Exploration.Crashes is %d: it must be 0 to %d", c.Crashes, math.MaxInt32)
	case c.Restarts < 0 || c.Restarts > c.Crashes:
		return fmt.Errorf("Exploration.Restarts is %d: it must be 0 to %d, as Crashes is", c.Restarts, c.Crashes)
	}
	for i, r := range c.Requests {
		if r < 0 {
			return fmt.Errorf("Exploration.Requests[%d] is %d: it must be at least 0", i, r)
		}
	}
	return nil
}

// width returns the number of words of a state: the cell of each node, and how many
// requests may still be aborted; and, if nodes crash, how many may still crash and restart.
func (c Exploration) width() int {
	if c.Crashes > 0 {
		return c.Nodes + 3
	}
	return c.Nodes + 1
}

// requests returns the maximum number of requests of node i.
func (c Exploration) requests(i int) int {
	if c.Requests == nil {
		return 1
	}
	return c.Requests[i]
}

// An explorer visits states breadth-first; see width for what a state is.
type explorer struct {
	c      Exploration
	of     messaging.Algorithm
	cells  *cells
	states *states
	graph  conflict.Graph
	done   Explored

	starts bool     // some node starts
	locks  bool     // some node is an Exclusion
	back   bool     // an event leads back to an earlier state, as in every cycle
	next   []uint32 // the result of after
	view   view     // for the invariant

	waiting, inside []messaging.ID // buffers of quiet
}

func (x *explorer) start(a messaging.Algorithm) (err error) {
	if x.cells, err = newCells(a, x.c); err != nil {
		return err
	}
	x.next = make([]uint32, x.c.width())
	for i := range x.c.Nodes {
		_, lock := innermost(x.cells.nodes[i]).(messaging.Exclusion)
		x.locks = x.locks || lock
		x.next[i] = x.cells.first(messaging.ID(i), x.c.requests(i))
	}
	x.graph = conflict.Of(x.c.Nodes, func(i messaging.ID) messaging.Node { return x.cells.nodes[i] })
	x.starts = x.fresh(x.next) >= 0
	x.next[x.c.Nodes] = uint32(x.c.Withdrawals)
	if x.c.Crashes > 0 {
		x.next[x.c.Nodes+1], x.next[x.c.Nodes+2] = uint32(x.c.Crashes), uint32(x.c.Restarts)
	}
	x.states.add(x.next, 0)
	return nil
}

func (x *explorer) explore() error {
	if err := x.inspect(0, x.states.at(0), false); err != nil {
		return err
	}
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

// visit takes every possible event in state s.
func (x *explorer) visit(s int) (err error) {
	events, over := 0, true
	x.each(x.states.at(s), func(e step, next []uint32) bool {
		events++
		over = over && e.what == crashes
		if err = wrong(e); err != nil {
			err = x.failure(s, err, e)
			return false
		}
		t, added := x.states.add(next, s)
		if added {
			err = x.inspect(t, next, len(e.emits) > 0)
		}
		x.back = x.back || t <= s
		return err == nil
	})
	x.done.Events += events
	if over {
		x.done.Ends++
	}
	return err
}

// inspect returns an error if state s, which is new and has just been reached, is a failure.
func (x *explorer) inspect(s int, now []uint32, emitted bool) error {
	if x.c.Invariant != nil {
		if err := x.hold(now); err != nil {
			return x.failure(s, err)
		}
	}
	if x.stuck(now) {
		return x.failure(s, errStuck)
	}
	if x.c.Results != nil {
		return x.judge(s, emitted)
	}
	return nil
}

// A step is an event in a state, with its effect on its node.
type step struct {
	node int
	*outcome
	excluded int // a node that excludes this one and was inside before; -1: none
}

// wrong returns an error if the event itself is a failure.
func wrong(e step) error {
	switch {
	case e.err != nil:
		return e.err
	case e.entered && e.excluded >= 0:
		return fmt.Errorf("%w: %d and %d", errExclusion, min(e.excluded, e.node), max(e.excluded, e.node))
	}
	return nil
}

// each yields the possible events in state now, each with its next state, which is
// overwritten afterwards.
func (x *explorer) each(now []uint32, yield func(e step, next []uint32) bool) {
	if x.starts {
		if i := x.fresh(now); i >= 0 {
			for _, m := range x.cells.moves(now[i]) {
				e := step{i, m.outcome, -1}
				if !yield(e, x.after(now, e, m.cell)) {
					return
				}
			}
			return
		}
	}
	least, quiet := x.quiet(now)
	for i, cell := range now[:x.c.Nodes] {
		for _, m := range x.cells.moves(cell) {
			e := step{i, m.outcome, -1}
			if e.entered {
				e.excluded = x.excluded(now, i)
			}
			switch {
			case e.what == givesUp && now[x.c.Nodes] == 0:
				continue
			case e.what == expires && !x.c.AnyTime && (!quiet || x.cells.all[cell].due() > least):
				continue
			case e.what == crashes && now[x.c.Nodes+1] == 0, e.what == restarts && now[x.c.Nodes+2] == 0:
				continue
			}
			if !yield(e, x.after(now, e, m.cell)) {
				return
			}
		}
	}
}

// fresh returns the first node that has yet to start: it does so before anything else
// happens (see [messaging.Starter]); -1: none.
func (x *explorer) fresh(now []uint32) int {
	return slices.IndexFunc(now[:x.c.Nodes], func(cell uint32) bool { return x.cells.all[cell].fresh })
}

// after returns the state after an event that takes its node to cell.
func (x *explorer) after(now []uint32, e step, cell uint32) []uint32 {
	next := x.next
	copy(next, now)
	switch e.what {
	case givesUp:
		next[x.c.Nodes]--
	case crashes:
		next[x.c.Nodes+1]--
	case restarts:
		next[x.c.Nodes+2]--
	case expires:
		if x.c.AnyTime {
			break
		}
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

// excluded returns a node that is inside and excludes node i; -1: none.
func (x *explorer) excluded(now []uint32, i int) int {
	return slices.IndexFunc(now[:x.c.Nodes], func(cell uint32) bool {
		c := x.cells.all[cell]
		return c.phase == messaging.Inside && x.graph.Excludes(messaging.ID(i), x.cells.positions[c.position].node)
	})
}

// quiet reports whether a request is pending, if there are locks, no node is inside that it
// waits for and no message is in transit; and returns when the first timer is due.
func (x *explorer) quiet(now []uint32) (least time.Duration, quiet bool) {
	least = never
	waiting, inside := x.waiting[:0], x.inside[:0]
	for i, cell := range now[:x.c.Nodes] {
		c := x.cells.all[cell]
		switch {
		case c.under > 0, c.phase == messaging.Inside && x.graph.Complete():
			return never, false
		case c.phase == messaging.Inside:
			inside = append(inside, messaging.ID(i))
		case c.phase != messaging.Idle:
			waiting = append(waiting, messaging.ID(i))
		}
		least = min(least, c.due())
	}
	x.waiting, x.inside = waiting, inside
	return least, !x.locks || x.graph.Idle(waiting, inside)
}

func (x *explorer) stuck(now []uint32) bool {
	least, quiet := x.quiet(now)
	return quiet && least == never && x.locks && !x.restartable(now)
}

// restartable reports whether a node that is down may restart.
func (x *explorer) restartable(now []uint32) bool {
	return x.c.Crashes > 0 && now[x.c.Nodes+2] > 0 &&
		slices.ContainsFunc(now[:x.c.Nodes], func(cell uint32) bool { return x.cells.all[cell].down })
}

// judge returns an error if what the nodes have emitted up to state s is wrong. It is
// checked if a node has just emitted, or nothing can happen any more, but crashes.
func (x *explorer) judge(s int, emitted bool) error {
	over := true
	x.each(x.states.at(s), func(e step, _ []uint32) bool {
		over = e.what == crashes
		return over
	})
	if !over && !emitted {
		return nil
	}
	return x.judged(s, over)
}

func (x *explorer) judged(s int, over bool) error {
	emitted := make([][]any, x.c.Nodes)
	for i, cell := range x.states.at(s)[:x.c.Nodes] {
		for _, v := range x.cells.all[cell].emitted {
			emitted[i] = append(emitted[i], x.cells.messages[v])
		}
	}
	if err := x.c.Results(emitted, over); err != nil {
		return x.failure(s, fmt.Errorf("%w: %w", errResults, err))
	}
	return nil
}

// failure returns err with the events that led to state s, and the steps after it.
func (x *explorer) failure(s int, err error, then ...step) error {
	path := append(x.path(s), then...)
	found := fmt.Errorf("%w%s", err, strings.Join(append([]string{""}, x.lines(path)...), "\n"))
	if errors.Is(err, errEndless) {
		return found // a node sends to itself forever
	}
	return x.repeated(found, path)
}

// lines describes steps.
func (x *explorer) lines(path []step) (lines []string) {
	for _, e := range path {
		lines = append(lines, x.tell(e)...)
	}
	return lines
}

// path returns the steps that led to state s.
func (x *explorer) path(s int) []step {
	if s == 0 {
		return nil
	}
	from := x.states.from(s)
	return append(x.path(from), x.between(from, s))
}

// between returns a step that leads from state s to state t.
func (x *explorer) between(s, t int) (found step) {
	x.each(x.states.at(s), func(e step, next []uint32) bool {
		if k, known := x.states.find(next); known && k == t {
			found = e
		}
		return found.outcome == nil
	})
	return found
}

func (x *explorer) tell(e step) (lines []string) {
	i := messaging.ID(e.node)
	events := slices.Concat([]event{x.event(e)}, e.events)
	switch {
	case e.entered:
		events = append(events, event{node: i, what: "is inside"})
	case e.absorbed:
		events = append(events, event{node: i, what: "is inside by an aborted request, and leaves"})
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
	case starts:
		return event{node: i, what: "starts"}
	case asks:
		return event{node: i, what: "requests"}
	case leaves:
		return event{node: i, what: "leaves"}
	case givesUp:
		return event{node: i, what: "gives up"}
	case crashes:
		return event{node: i, what: "crashes"}
	case restarts:
		return event{node: i, what: "restarts"}
	case loses:
		return event{node: i, what: "loses", message: x.cells.messages[e.message], from: e.from}
	}
	return event{node: i, message: x.cells.messages[e.message], from: e.from}
}
