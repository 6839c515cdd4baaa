package sim

import (
	"time"

	"example.org/doorway/messaging"
)

// An Event is something that has happened, for the observer of the run. Its Action
// is
//
//	requested    From asks for the critical section
//	entered      it is inside
//	left         it is outside again
//	gave up      it does not want to enter any more
//	passed       a request that had been given up has entered, and left at once
//	sent         a message
//	delivered    a message
//	lost         a message, on its way, or because To has crashed
//	duplicated   a message: it is under way twice
//	expired      a timer
//	emitted      a result ([messaging.Out.Emit])
//	crashed      the node will do nothing more
//	told         of a crash
//
// A message is sent, and then lost or delivered; if duplicated, it is lost or
// delivered once more. All that a node sends in answer to an event is sent after the
// event, and after it has entered, if it has.
type Event struct {
	At     time.Duration
	Action string

	// From and To are the sender of a message and its receiver. Of what concerns one
	// node only, both are that node. Of a crash that is told, From has crashed and To
	// is told.
	From, To messaging.ID

	// Message is what is sent, lost, duplicated or delivered, or comes back from
	// a timer; or the value that is emitted.
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
