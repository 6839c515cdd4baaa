// Package loopback has what a node sends to itself.
package loopback

import "fmt"

// A Queue has the messages that a node has sent to itself and not received yet.
type Queue[M any] []M

// most is how many messages a node may send to itself in one event.
const most = 10_000

// Endless is the panic value of a node that seems to send to itself forever: its number.
type Endless int

func (e Endless) Error() string {
	return fmt.Sprintf("messaging: node %d has sent more than %d messages to itself in one event", e, most)
}

// Send adds a message of node self. It panics if that is one too many.
func (q *Queue[M]) Send(self int, m M) {
	if len(*q) == most {
		panic(Endless(self))
	}
	*q = append(*q, m)
}

// Deliver delivers the messages, and then those that the node sends to itself meanwhile. A
// host calls it after a handler, not when the node sends: a reentered handler would see
// half of its own changes. (A node of Maekawa's algorithm would relinquish the same lock
// twice, and two nodes would enter.)
func (q *Queue[M]) Deliver(receive func(m M)) {
	for k := 0; k < len(*q); k++ {
		receive((*q)[k])
	}
	q.Clear()
}

// Clear discards the messages.
func (q *Queue[M]) Clear() {
	clear(*q) // for the garbage collector
	*q = (*q)[:0]
}
