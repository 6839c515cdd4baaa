//go:build doorway_explore

package seam

import "context"

// A Cancellable context is done once On is closed.
type Cancellable struct {
	context.Context
	On Closing
}

// Done returns On.
func (c Cancellable) Done() <-chan struct{} { return c.On }

// Err returns an error if a thread has closed On.
func (c Cancellable) Err() error {
	if Scheduled().Load(c.On) == true {
		return context.Canceled
	}
	return nil
}
