package history

import (
	"fmt"

	"example.org/doorway/internal/node/notation"
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

// String returns the event as the lectures write it: S2 gets REQUEST(1,S1) from S1.
func (e Event) String() string {
	node, message := notation.Node(e.Node), func() string { return notation.Message(Contents(e.Message)) }
	switch {
	case e.What == "emits":
		return node + " emits " + message()
	case e.What == "loses":
		return e.gets(", which is down, loses")
	case e.Message == nil:
		return node + " " + e.What
	case e.What == "lacks":
		return fmt.Sprintf("%s does not get %s from %s: it is lost", node, message(), notation.Node(e.From))
	case e.What == "twice":
		return fmt.Sprintf("%s will get %s from %s twice", node, message(), notation.Node(e.From))
	}
	return e.gets(" gets")
}

// gets says what the node does with the message, and from whom it is.
func (e Event) gets(does string) string {
	from := notation.Node(e.From)
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
	return fmt.Sprintf("%s%s %s from %s", notation.Node(e.Node), does, notation.Message(Contents(e.Message)), from)
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
