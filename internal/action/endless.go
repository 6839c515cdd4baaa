package action

import "fmt"

// Endless is what a site panics with if its node seems to send to itself forever.
type Endless struct{ Node, Messages int }

func (e *Endless) Error() string {
	return fmt.Sprintf("messaging: node %d has sent more than %d messages to itself in one event", e.Node, e.Messages)
}
