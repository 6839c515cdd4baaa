package spacetime

import (
	"slices"

	"example.org/doorway/internal/action"
	"example.org/doorway/internal/notation"
	"example.org/doorway/messaging"
)

// A hold is a time in which a node has the token: from its delivery to its sending, by
// index of the event.
type hold struct {
	node        messaging.ID
	from, until int
}

// token returns the kinds of messages that carry the privilege, and which node holds it
// when. Without a hint they are those that papers name so. The events must agree: a
// REPLY may look like a token for a while, and a token that is doubled is none.
func token(events []messaging.Event, hint []string) (kinds []string, holds []hold) {
	if len(hint) == 0 {
		hint = []string{"TOKEN", "PRIVILEGE"}
	}
	holds, single := path(events, hint)
	if !single {
		return nil, nil
	}
	return hint, holds
}

// path follows messages of these kinds as if they were one token. It reports whether they
// can be: at each time at most one is in transit, and the node that sends it has it.
func path(events []messaging.Event, kinds []string) (holds []hold, single bool) {
	const transit = messaging.ID(-1)
	single = true
	known := false
	for k, e := range events {
		if e.Action != action.Sent && e.Action != action.Delivered || !slices.Contains(kinds, notation.Kind(e.Message)) {
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
