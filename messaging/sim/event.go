package sim

import (
	"time"

	"example.org/doorway/messaging"
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
//	emitted      a node emits a result, by messaging.Out.Emit
//	crashed      From crashes
//	told         To learns that From has crashed
//
// A message is sent, and then lost or delivered; if duplicated, it is lost or
// delivered once more. The messages that a node sends on an event follow that event,
// and follow its entry if it enters.
type Event struct {
	At     time.Duration
	Action string

	// From and To are the sender and the receiver of a message. Of an event at one
	// node, both are that node. Of "told", From has crashed and To learns of it.
	From, To messaging.ID

	// Message is the message that is sent, lost, duplicated or delivered, that a
	// timer hands back, or the value that is emitted.
	Message any
}

// The actions.
const (
	actionRequested  = "requested"
	actionEntered    = "entered"
	actionLeft       = "left"
	actionGaveUp     = "gave up"
	actionPassed     = "passed"
	actionSent       = "sent"
	actionDelivered  = "delivered"
	actionLost       = "lost"
	actionDuplicated = "duplicated"
	actionExpired    = "expired"
	actionEmitted    = "emitted"
	actionCrashed    = "crashed"
	actionTold       = "told"
)
