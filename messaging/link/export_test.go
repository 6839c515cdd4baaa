package link

// The kinds of messages, for tests.
type (
	Ack   = ack
	Frame = frame
	Here  = here
	Tick  = tick
)
