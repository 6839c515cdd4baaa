package messaging

import (
	"fmt"
	"reflect"
	"strings"
)

// An Event is something that happens at a node of a [Cluster]. Its Action is
//
//	sent        a message leaves Node for Peer
//	delivered   a message from Peer reaches Node, or a timer from itself
//	entered     Node is inside
//	left        Node is not inside any more
//	emitted     Node has handed a value to its user
//
// A node that enters and at once leaves, because its user has given up, does
// neither.
type Event struct {
	Action  string
	Node    ID      // where it happens
	Peer    ID      // the receiver of what is sent, the sender of what is delivered; otherwise Node
	Message Message // what is sent, delivered or emitted; otherwise nil
}

// The actions.
const (
	actionSent      = "sent"
	actionDelivered = "delivered"
	actionEntered   = "entered"
	actionLeft      = "left"
	actionEmitted   = "emitted"
)

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
