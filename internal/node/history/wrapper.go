package history

import "example.org/doorway/messaging"

// A Wrapper is a message that a test has put around another.
type Wrapper interface{ Contents() messaging.Message }

// Contents returns the message in m, if it is a Wrapper, or m.
func Contents(m messaging.Message) messaging.Message {
	if w, ok := m.(Wrapper); ok {
		return w.Contents()
	}
	return m
}
