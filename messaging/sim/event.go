package sim

import (
	"time"

	"example.org/doorway/messaging"
)

// An Event is something that has happened, for whoever observes the run.
type Event struct {
	At   time.Duration
	What What

	// From and To are who sends a message and who gets it. Of what concerns one
	// node only, both are that node. Of Told, From has crashed and To is told.
	From, To messaging.ID

	// Message is what is sent, lost, duplicated or delivered, or comes back from
	// a timer; of Emitted it is the value.
	Message any
}

// What says what has happened.
type What uint8

// What can happen. A message is Sent, and then Lost or Delivered; if Duplicated, it
// is lost or delivered once more. All that a node sends in answer to an event is
// Sent after the event, and after it has entered, if it has.
const (
	Requested  What = iota // the node asks for the critical section
	Entered                // it is inside
	Left                   // it is outside again
	GaveUp                 // it does not want to enter any more
	Passed                 // a request that had been given up has entered, and left at once
	Sent                   // a message
	Delivered              // a message
	Lost                   // a message, on its way, or because To has crashed
	Duplicated             // a message: it is under way twice
	Expired                // a timer
	Emitted                // a result ([messaging.Out.Emit])
	Crashed                // the node will do nothing more
	Told                   // of a crash
)

func (w What) String() string {
	return [...]string{
		"requested", "entered", "left", "gave up", "passed", "sent", "delivered", "lost",
		"duplicated", "expired", "emitted", "crashed", "told",
	}[w]
}
