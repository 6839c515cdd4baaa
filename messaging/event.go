package messaging

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// An Event is something that happens at a node.
type Event struct {
	Action  Action
	Node    ID      // where it happens
	Peer    ID      // whom it is sent to, or who has sent it; otherwise Node
	Message Message // what is sent, delivered or emitted; otherwise nil
}

// An Action is what happens.
type Action uint8

// The actions. A node that enters and at once leaves, because its user has given
// up, does neither.
const (
	Sent      Action = iota // a message leaves Node for Peer
	Delivered               // a message from Peer reaches Node, or a timer from itself
	Entered                 // Node is inside
	Left                    // Node is not inside any more
	Emitted                 // Node has handed a value to its user
)

func (a Action) String() string {
	switch a {
	case Sent:
		return "sent"
	case Delivered:
		return "delivered"
	case Entered:
		return "entered"
	case Left:
		return "left"
	case Emitted:
		return "emitted"
	}
	return fmt.Sprintf("Action(%d)", uint8(a))
}

// Kind returns the name of the kind of m, as papers write it: that of its type
// in upper case.
func Kind(m Message) string {
	t := reflect.TypeOf(m)
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Name() == "" {
		return strings.ToUpper(fmt.Sprintf("%T", m))
	}
	return strings.ToUpper(t.Name())
}

// A Counter counts messages and entries: give its Observe to [Observe]. The zero
// Counter is ready, and safe for concurrent use.
type Counter struct {
	mu      sync.Mutex
	sent    map[string]int
	total   int
	entries int
}

// Observe counts e if it is a message that is sent, or an entry.
func (c *Counter) Observe(e Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e.Action {
	case Sent:
		if c.sent == nil {
			c.sent = map[string]int{}
		}
		c.sent[Kind(e.Message)]++
		c.total++
	case Entered:
		c.entries++
	default:
	}
}

// Sent returns how many messages of a kind were sent; of all kinds, if kind is "".
func (c *Counter) Sent(kind string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if kind == "" {
		return c.total
	}
	return c.sent[kind]
}

// Entries returns how many entries there were.
func (c *Counter) Entries() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries
}
