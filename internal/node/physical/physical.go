// Package physical has the clock of a node, which knows of time only how many of its timers have expired.
package physical

import "time"

// A Clock tells the time that it was set to, and that has passed since, in ticks. What it
// shows never goes back: a clock that is fast runs at half its speed until the time has caught
// up. It is plain data and may be part of a node's state.
type Clock struct {
	Time  time.Duration // what it takes the time to be, since any fixed moment
	Shown time.Duration // at least Time
}

// Advance has a tick of that length pass.
func (c *Clock) Advance(tick time.Duration) {
	c.Time += tick
	c.Shown = max(c.Time, c.Shown+tick/2)
}

// Adjust sets the clock forward, or back if by is negative. Forward is at once.
func (c *Clock) Adjust(by time.Duration) {
	c.Time += by
	c.Shown = max(c.Time, c.Shown)
}

// Tick is the timer of a node that has a Clock.
type Tick struct{}
