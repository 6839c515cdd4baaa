package spacetime

import (
	"slices"

	"example.org/doorway/internal/action"
	"example.org/doorway/messaging"
)

// A hold is a time in which a node has the token: from its delivery to its sending, by
// index of the event.
type hold struct {
	node        messaging.ID
	from, until int
}

// token returns the kinds of messages that carry the privilege, and which node holds it
// when. Without a hint it is the kind of which there is one message at most, which only the
// node that received it last sends on, and which a node that enters holds.
func token(events []messaging.Event, hint []string) (kinds []string, holds []hold) {
	if len(hint) > 0 {
		holds, _ = path(events, hint)
		return hint, holds
	}
	var tried []string
	for _, e := range events {
		if e.Action != action.Sent {
			continue
		}
		kind := messaging.Kind(e.Message)
		if slices.Contains(tried, kind) {
			continue
		}
		tried = append(tried, kind)
		holds, single := path(events, []string{kind})
		if single && travels(holds) && guards(holds, events) {
			return []string{kind}, holds
		}
	}
	return nil, nil
}

// path follows messages of these kinds as if they were one token. It reports whether they
// can be: at each time at most one is in transit, and who sends it has it.
func path(events []messaging.Event, kinds []string) (holds []hold, single bool) {
	const transit = messaging.ID(-1)
	single = true
	known := false
	for k, e := range events {
		if e.Action != action.Sent && e.Action != action.Delivered || !slices.Contains(kinds, messaging.Kind(e.Message)) {
			continue
		}
		at := transit
		if n := len(holds); n > 0 && holds[n-1].until == len(events) {
			at = holds[n-1].node
		}
		switch {
		case e.Action == action.Delivered:
			single = single && known && at == transit
			holds = append(holds, hold{e.To, k, len(events)})
		case !known: // the first holder
			holds = append(holds, hold{e.From, 0, k})
		case at == e.From:
			holds[len(holds)-1].until = k
		default:
			single = false
		}
		known = true
	}
	return holds, single
}

// travels reports whether a token visits enough nodes to be one: any answer between two
// nodes looks like a token.
func travels(holds []hold) bool {
	var nodes []messaging.ID
	for _, h := range holds {
		if !slices.Contains(nodes, h.node) {
			nodes = append(nodes, h.node)
		}
	}
	return len(nodes) >= 3
}

// guards reports whether every node that enters holds the token.
func guards(holds []hold, events []messaging.Event) bool {
	for k, e := range events {
		for len(holds) > 1 && holds[1].from <= k {
			holds = holds[1:]
		}
		if e.Action == action.Entered && (holds[0].node != e.From || holds[0].until <= k) {
			return false
		}
	}
	return true
}
