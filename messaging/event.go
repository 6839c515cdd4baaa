package messaging

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// An Event is what the observer of a run sees. Its Action is one of
//
//	requested    From asks for the critical section
//	entered      From enters it
//	left         From leaves it
//	gave up      From gives up its request
//	passed       a request that had been given up has entered, and left at once
//	sent         a message is sent
//	delivered    a message arrives
//	lost         a message is lost in transit, or because To has crashed
//	duplicated   a message is duplicated: two copies are in transit
//	expired      a timer fires
//	input        the user of From gives it an input
//	missed       From, which has crashed, loses an input of its user (package sim)
//	emitted      a node emits a result, by Out.Emit
//	started      From starts, as a Starter does
//	crashed      From crashes
//	told         To learns that From has crashed
//	restarted    From, which has crashed, starts again
//
// A message is sent, and then lost or delivered; if duplicated, it is lost or
// delivered once more. The messages that a node sends on an event follow that event,
// and follow its entry if it enters.
type Event struct {
	// Number counts the events of a run from 1. Cause is the number of the event that
	// this one follows from, which is earlier, or 0 if there is none:
	//
	//	delivered, lost        the sending; of a second copy, the duplication
	//	duplicated             the sending
	//	expired                the event on which the node set the timer
	//	left                   the entry
	//	gave up                the request
	//	told, restarted        the crash
	//	sent, emitted,         the event on which the node did so: one of requested,
	//	entered, passed        delivered, expired, input, left, gave up, told, passed,
	//	                       started, restarted
	//
	// So the Cause of a delivery is the number of the event that sent or duplicated that
	// copy.
	Number, Cause uint64

	// At is the time since the run began: virtual in package sim, that of the clock in
	// a cluster.
	At time.Duration

	Action string

	// From and To are the sender and the receiver of a message. Of an event at one
	// node, both are that node. Of "told", From has crashed and To learns of it.
	From, To ID

	// Message is the message that is sent, lost, duplicated or delivered, that a
	// timer hands back, the input, also a missed one, or the value that is emitted.
	Message any
}

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
