// Package causality checks that the events of a run have the numbers and causes that
// messaging.Event describes, and knows at which nodes they occur.
package causality

import (
	"fmt"
	"slices"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/messaging"
)

// of lists, by action, the actions of which one causes it; none: it has no cause.
var causesOf = map[string][]string{
	action.Requested:  nil,
	action.Crashed:    nil,
	action.Started:    nil,
	action.Input:      nil,
	action.Missed:     nil,
	action.Delivered:  {action.Sent, action.Duplicated},
	action.Lost:       {action.Sent, action.Duplicated},
	action.Duplicated: {action.Sent},
	action.Left:       {action.Entered},
	action.GaveUp:     {action.Requested},
	action.Told:       {action.Crashed},
	action.Restarted:  {action.Crashed},
	action.Expired:    handled,
	action.Sent:       handled,
	action.Emitted:    handled,
	action.Entered:    handled,
	action.Passed:     handled,
}

// handled are the events that a node handles.
var handled = []string{
	action.Requested, action.Delivered, action.Expired, action.Left, action.GaveUp, action.Told, action.Passed,
	action.Started, action.Restarted, action.Input,
}

// Check returns an error unless events, in the order of their numbers, are those of one
// run from its beginning. If the run is over, every copy of a message must have been lost
// or delivered.
func Check(events []messaging.Event, over bool) error {
	ended := map[uint64]bool{} // by the number of the event that put a copy in transit
	for k, e := range events {
		if e.Number != uint64(k)+1 {
			return fmt.Errorf("event %d has number %d: %+v", k+1, e.Number, e)
		}
		causes, known := causesOf[e.Action]
		if !known {
			return fmt.Errorf("event %d has an unknown action: %+v", k+1, e)
		}
		if len(causes) == 0 {
			if e.Cause != 0 {
				return fmt.Errorf("nothing causes event %d, but it has a cause: %+v", k+1, e)
			}
			continue
		}
		if e.Cause < 1 || e.Cause > uint64(k) {
			return fmt.Errorf("the cause of event %d is not an earlier event: %+v", k+1, e)
		}
		cause := events[e.Cause-1]
		if !slices.Contains(causes, cause.Action) || At(cause) != e.From || cause.At > e.At {
			return fmt.Errorf("event %d, %+v, has the cause %+v", k+1, e, cause)
		}
		if e.Action == action.Delivered || e.Action == action.Lost {
			if ended[e.Cause] || cause.To != e.To {
				return fmt.Errorf("event %d, %+v, ends a message that is not in transit: %+v", k+1, e, cause)
			}
			ended[e.Cause] = true
		}
	}
	for _, e := range events {
		if over && (e.Action == action.Sent || e.Action == action.Duplicated) && !ended[e.Number] {
			return fmt.Errorf("a message is neither lost nor delivered: %+v", e)
		}
	}
	return nil
}

// At returns the node at which e occurs, or from which a message that is lost or duplicated
// comes.
func At(e messaging.Event) messaging.ID {
	if e.Action == action.Delivered || e.Action == action.Told {
		return e.To
	}
	return e.From
}
