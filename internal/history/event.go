package history

import (
	"fmt"

	"example.org/doorway/internal/state"
	"example.org/doorway/messaging"
)

// An Event occurred at a node.
type Event struct {
	Node    messaging.ID
	What    string
	Message messaging.Message // nil unless the event is a delivery, or a loss, or a value is emitted
	From    messaging.ID      // its sender
	Own     bool              // sent by the node to itself
	Input   bool              // by the user of the node; otherwise, a message from itself is a timer
}

func (e Event) String() string {
	switch {
	case e.What == "emits":
		return fmt.Sprintf("node %d emits %s", e.Node, value(Contents(e.Message)))
	case e.What == "loses":
		return e.message(", which is down, loses", "")
	case e.Message == nil:
		return fmt.Sprintf("node %d %s", e.Node, e.What)
	case e.What == "lacks":
		return fmt.Sprintf("node %d does not get %s from %d: it is lost", e.Node, state.Format(Contents(e.Message), nil), e.From)
	case e.What == "twice":
		return fmt.Sprintf("node %d will get %s from %d twice", e.Node, state.Format(Contents(e.Message), nil), e.From)
	}
	return e.message(" gets", "")
}

// message says what the node does with the message, and from whom it is; node precedes the number of another.
func (e Event) message(does, node string) string {
	from := node + fmt.Sprint(e.From)
	switch {
	case e.Own:
		from = "itself"
	case e.Input:
		from = "its user"
	case e.From == e.Node && e.What == "early":
		from = "its timer, early"
	case e.From == e.Node:
		from = "its timer"
	}
	return fmt.Sprintf("node %d%s %s from %s", e.Node, does, state.Format(Contents(e.Message), nil), from)
}

// value returns what was emitted as text, which need not be plain data.
func value(v any) string {
	if state.Check(v) != nil {
		return fmt.Sprintf("%+v", v)
	}
	return state.Format(v, nil)
}

// A Wrapper is a message that a test has put around another.
type Wrapper interface{ Contents() messaging.Message }

// Contents returns the message in m, if it is a Wrapper, or m.
func Contents(m messaging.Message) messaging.Message {
	if w, ok := m.(Wrapper); ok {
		return w.Contents()
	}
	return m
}
