// Package action names what happens in a run of nodes: the values of Event.Action of
// package messaging, which describes them.
package action

// The actions.
const (
	Requested  = "requested"
	Entered    = "entered"
	Left       = "left"
	GaveUp     = "gave up"
	Passed     = "passed"
	Sent       = "sent"
	Delivered  = "delivered"
	Lost       = "lost"
	Duplicated = "duplicated"
	Expired    = "expired"
	Input      = "input"
	Missed     = "missed"
	Emitted    = "emitted"
	Started    = "started"
	Crashed    = "crashed"
	Told       = "told"
	Restarted  = "restarted"
)
