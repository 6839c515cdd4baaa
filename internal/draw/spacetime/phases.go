package spacetime

import (
	"reflect"
	"slices"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/causality"
	"example.org/doorway/messaging"
)

// local reports whether e is an event of a node: the end of a message that is lost, and
// its duplication, are not.
func local(e messaging.Event) bool {
	return e.Action != action.Lost && e.Action != action.Duplicated
}

// ends reports whether e takes a message out of transit.
func ends(e messaging.Event) bool {
	return e.Action == action.Delivered || e.Action == action.Lost
}

// A phase is what a node does for a while.
type phase string

const (
	waiting   phase = "waiting"
	inside    phase = "critical section"
	absorbing phase = "giving up" // its user has gone, and its request goes on
	down      phase = "crashed"
)

// A span is a phase of a node, from one event to another, by index. An open one, until the
// end of the run, has as its last index that of the first event that does not exist.
type span struct {
	node        messaging.ID
	phase       phase
	from, until int
}

func (s span) open(events []messaging.Event) bool { return s.until == len(events) }

// spans returns the phases of all nodes, in the order in which they begin.
func spans(events []messaging.Event) (all []span) {
	now := map[messaging.ID]int{} // the span of each node, by index from 1
	begin := func(k int, i messaging.ID, p phase) {
		if at := now[i]; at > 0 {
			all[at-1].until = k
			if all[at-1].phase == absorbing && events[k].Action != action.Passed {
				all[at-1].phase = "" // it was withdrawn
			}
		}
		now[i] = 0
		if p != "" {
			all = append(all, span{i, p, k, len(events)})
			now[i] = len(all)
		}
	}
	for k, e := range events {
		i := causality.At(e)
		switch e.Action {
		case action.Requested:
			begin(k, i, waiting)
		case action.Entered:
			begin(k, i, inside)
		case action.Left, action.Passed:
			begin(k, i, "")
		case action.GaveUp:
			begin(k, i, absorbing)
		case action.Crashed:
			begin(k, i, down)
		default:
			if at := now[i]; at > 0 && all[at-1].phase == down && local(e) {
				begin(k, i, "") // it has restarted
			}
		}
	}
	return slices.DeleteFunc(all, func(s span) bool {
		return s.phase == "" || s.phase == absorbing && s.open(events)
	})
}

// A clash is a time in which nodes are inside that exclude each other: from the entry of the
// last of them, by index of the event.
type clash struct {
	nodes []messaging.ID
	from  int
}

// clashes returns when a node enters while others are inside that it excludes.
func clashes(events []messaging.Event, excludes func(i, j messaging.ID) bool) (found []clash) {
	var in []messaging.ID
	for k, e := range events {
		switch e.Action {
		case action.Entered, action.Passed:
			others := slices.DeleteFunc(slices.Clone(in), func(j messaging.ID) bool { return !excludes(e.From, j) })
			if len(others) > 0 {
				found = append(found, clash{append(others, e.From), k})
			}
			if e.Action == action.Entered {
				in = append(in, e.From)
			}
		case action.Left, action.Crashed:
			in = slices.DeleteFunc(in, func(i messaging.ID) bool { return i == e.From })
		}
	}
	return found
}

// called are the kinds of messages that carry the privilege, as papers name them.
var called = []string{"TOKEN", "PRIVILEGE"}

// carries reports whether messages of a kind are the token, or have it inside.
func carries(kind string) bool { return slices.Contains(called, innermost(kind)) }

// holds returns where the token is, from each delivery to its sending, and whether it is in one place at a time: if it is
// not, it is none. Messages are of one token in each epoch. They have theirs in a field of that name; the first is 0.
// A node that has sent or received one of an epoch has no token of an earlier one from then on.
func holds(events []messaging.Event) (all []span, single bool) {
	const inTransit = -1
	places := map[uint64]int{}           // by epoch, the index of the hold that lasts, or inTransit
	reached := map[messaging.ID]uint64{} // the latest epoch of each node
	began := map[messaging.ID]int{}      // the event by which it began there
	for k, e := range events {
		i, epoch := causality.At(e), epoch(e.Message)
		if e.Action == action.Emitted && epoch > 0 {
			began[i] = k
		}
		if e.Action != action.Sent && e.Action != action.Delivered {
			continue
		}
		for of, at := range places {
			if of < epoch && at != inTransit && all[at].node == i {
				all[at].until, places[of] = k, inTransit
			}
		}
		reached[i] = max(reached[i], epoch)
		if !carries(kind(e.Message)) {
			continue
		}
		at, known := places[epoch]
		switch sent := e.Action == action.Sent; {
		case sent && !known: // the first holder
			all = append(all, span{node: i, from: began[i], until: k})
		case sent && at != inTransit && all[at].node == i:
			all[at].until = k
		case sent || !known || at != inTransit:
			return nil, false
		}
		places[epoch] = inTransit
		if e.Action == action.Delivered && epoch >= reached[i] { // otherwise it does not count any more
			places[epoch] = len(all)
			all = append(all, span{node: i, from: k, until: len(events)})
		}
	}
	return all, true
}

// epoch returns the epoch of m, 0 if it has none.
func epoch(m messaging.Message) uint64 {
	if f, ok := field(m, "Epoch"); ok && f.CanUint() {
		return f.Uint()
	}
	return 0
}

// field returns a field of m.
func field(m messaging.Message, name string) (reflect.Value, bool) {
	v := reflect.ValueOf(m)
	if v.Kind() != reflect.Struct {
		return reflect.Value{}, false
	}
	f := v.FieldByName(name)
	return f, f.IsValid()
}

// kind returns the kind of m, with that of a message inside: WITHIN(TOKEN).
func kind(m messaging.Message) string {
	f, ok := field(m, "Message")
	if !ok || f.Type() != reflect.TypeFor[messaging.Message]() || f.IsNil() {
		return messaging.Kind(m)
	}
	return messaging.Kind(m) + "(" + messaging.Kind(f.Interface()) + ")"
}
