// Package refusal has the value with which a node panics that refuses a message.
package refusal

import (
	"fmt"

	"example.org/doorway/internal/node/typename"
)

// An Error is the value with which messaging.Refuse panics.
type Error struct {
	Algorithm  string
	Node, From int // the node that refuses, and the sender
	Message    any
	Why        string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s: node %d got %s %+v from node %d: %s", e.Algorithm, e.Node, typename.Of(e.Message), e.Message, e.From, e.Why)
}
