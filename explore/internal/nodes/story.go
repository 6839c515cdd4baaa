package nodes

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"example.org/doorway/internal/node/history"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/node/repeat"
	"example.org/doorway/internal/node/state"
	"example.org/doorway/internal/space"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// named returns the name of a node in histories: that of node 0 is S1.
func named[ID ~int](i ID) string { return notation.Node(messaging.ID(i)) }

// along returns the labels of a path, and where it ends.
func (g *graph) along(from space.ID, slots []int) (path []label, to space.ID) {
	var since messaging.Time
	var row []space.ID
	for _, slot := range slots {
		l := g.possibleIn(from)[slot]
		l.since = since
		path, since = append(path, l), since+l.shift
		row = g.Row(from, row[:0])
		from = row[slot]
	}
	return path, from
}

// tell returns the history of a path that repeats from loop on; loop is negative if it does
// not. Kind is how it fails, for a scenario.
func (g *graph) tell(title string, kind error, path []label, loop int) *space.History {
	h := &space.History{Title: title, Length: len(path), Loop: -1}
	for k, l := range path {
		if k == loop {
			h.Loop = len(h.Events)
		}
		h.Events = append(h.Events, g.lines(l)...)
	}
	h.Scenario = g.scenario(kind, path)
	return h
}

// lines describes an event, and what it leads to at its node.
func (g *graph) lines(l label) (lines []string) {
	i := messaging.ID(l.node)
	events := []event{g.cells.event(i, l.input, l.since)}
	for _, e := range l.events {
		e.message = g.cells.letterLater(e.message, l.since)
		events = append(events, e)
	}
	if l.early {
		events[0].says += ", early"
	}
	switch {
	case l.entered:
		events = append(events, event{says: "%[1]s enters", node: i})
	case l.absorbed:
		events = append(events, event{says: "%[1]s enters for the request it gave up, and leaves", node: i})
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

// An event occurred at a node. What it says is a format of the node, the sender or the node that has crashed, and
// the message or the value that is emitted.
type event struct {
	says       string
	node, from messaging.ID
	message    messaging.Message
}

// toItself is what an event says in which the node gets a message that it has sent itself.
const toItself = "%[1]s gets %[3]s from itself"

// String returns the event as the lectures write it: S2 gets REQUEST(1,S1) from S1.
func (e event) String() string {
	return fmt.Sprintf(e.says, named(e.node), named(e.from), notation.Message(e.message))
}

// event returns the event that an input is to a node, with all times later.
func (cs *cells) event(node messaging.ID, in input, by messaging.Time) event {
	e := event{says: about[in.what].says, node: node, from: in.from}
	if about[in.what].action != "" && in.what != hears {
		e.message = cs.letterLater(cs.messages[in.message], by)
	}
	return e
}

// scenario returns the scenario of a path that fails as kind says, on one line; "" if
// package sim does not repeat it, such as an event that does not end.
func (g *graph) scenario(kind error, path []label) string {
	if n := len(path); n > 0 && errors.Is(path[n-1].err, history.Endless) {
		return ""
	}
	path = slices.DeleteFunc(slices.Clone(path), func(l label) bool { return l.what == starts }) // before all else
	var down messaging.Set
	for _, l := range path {
		switch l.what {
		case suspects:
			return ""
		case crashes:
			down.Add(messaging.ID(l.node))
		case restarts:
			down.Remove(messaging.ID(l.node))
		}
	}
	c := sim.Config{
		Name: g.c.Name, Nodes: g.c.Nodes, Holder: g.c.Holder, Unordered: g.c.Unordered, Invariant: g.c.Invariant,
		Inputs: repeat.Inputs(g.given(kind, path)), Results: g.c.Results,
	}
	if g.c.Detected {
		c.Detection = sim.Constant(sim.T)
	}
	return repeat.Failure(kind, g.c.New, c, func(r *sim.Simulation) bool {
		for _, l := range path[:min(len(path), repeat.MostChoices)] {
			if choice := g.choice(r, l); choice == "" || r.Do(choice) != nil {
				return false
			}
		}
		for choice := lost(r, down, kind); choice != ""; choice = lost(r, down, kind) {
			if r.Do(choice) != nil {
				return false
			}
		}
		return len(path) <= repeat.MostChoices
	}).Scenario()
}

// choice returns the choice of r that is an event; "" if there is none.
func (g *graph) choice(r *sim.Simulation, l label) string {
	do, number := "", uint64(l.node)
	for _, k := range l.drawn {
		do += fmt.Sprintf("c%d.", k)
	}
	of := about[l.what]
	if of.action != "" {
		e, all := g.cells.event(messaging.ID(l.node), l.input, l.since), r.Pending()
		k := slices.IndexFunc(all, func(p sim.Pending) bool {
			return (p.Behind == 0 || of.do != "d") && p.Action == of.action && p.From == e.from && p.To == e.node &&
				(e.message == nil || state.Equal(p.Message, e.message))
		})
		if k < 0 {
			return ""
		}
		number = all[k].Number
	}
	return do + of.do + strconv.FormatUint(number, 10)
}

// given returns the inputs of a path that fails as kind says: in a run that is stuck no user
// has another, which need not come.
func (g *graph) given(kind error, path []label) [][]messaging.Message {
	if g.c.Inputs == nil || !errors.Is(kind, history.Stuck) {
		return g.c.Inputs
	}
	all := make([][]messaging.Message, g.c.Nodes)
	for _, l := range path {
		if l.what == given || l.what == misses {
			all[l.node] = g.c.Inputs[l.node][:len(all[l.node])+1]
		}
	}
	return all
}

// lost returns the choice of the delivery of a message to a node that is down, where it is lost. In an
// exploration without restarts it is gone at once, and so is an input, and here a run is not
// stuck or over before.
func lost(r *sim.Simulation, down messaging.Set, kind error) (choice string) {
	if r.Err() != nil || !errors.Is(kind, history.Stuck) && !errors.Is(kind, history.Results) {
		return ""
	}
	for _, p := range r.Pending() {
		if down.Has(p.To) && p.Behind == 0 {
			return fmt.Sprintf("d%d", p.Number)
		}
	}
	return ""
}
