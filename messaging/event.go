package messaging

import (
	"fmt"
	"reflect"
	"strings"
)

// An Event occurs at a node of a [Cluster]. Its Action is
//
//	sent        a message leaves Node for Peer
//	delivered   a message from Peer reaches Node, or a timer from itself
//	entered     Node has entered the critical section
//	left        Node has left the critical section
//	emitted     Node has emitted a value
//
// An entry that is absorbed, because its user has aborted, is neither entered nor left.
type Event struct {
	Action  string
	Node    ID      // where it occurs
	Peer    ID      // the receiver if sent, the sender if delivered; otherwise Node
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

// Kind returns the name of the kind of m as papers write it: its type in upper case.
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
