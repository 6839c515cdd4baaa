// Package clock has vector timestamps, which decide the order of events, and what algorithms that
// synchronize clocks have in common.
//
// [Vector] timestamps decide which event happened before which. Lamport's clock is
// [messaging.Clock].
//
// A node has no clock: it knows of time only how many of its timers have expired. So its physical
// clock counts the ticks of a timer, which the node sets again whenever it expires. What it shows never goes
// back: a clock that is fast runs at half its speed until the time has caught up. In package sim
// such a clock drifts if the timers of a node are slow or fast (sim.Config.Pace); in a Cluster all
// nodes have the clock of the machine.
//
// A user sets the clock of a node, and asks it for the time, by inputs; the node emits the answer:
//
//	cluster.Input(2, clock.Set{Time: 3 * time.Hour})
//	cluster.Input(2, clock.Read{}) // node 2 emits clock.Reading{Time: 3 * time.Hour}
package clock

import (
	"fmt"
	"time"

	"example.org/doorway/messaging"
)

// Set is the input with which a user sets the clock of a node.
type Set struct{ Time time.Duration }

// Read is the input with which a user asks a node for the time. The node emits a [Reading].
type Read struct{}

// Reading is emitted by a node that is asked for the time.
type Reading struct {
	Time time.Duration

	// Within is how far the time can be from it, if messages and clocks are as the
	// algorithm was told; 0: that is not known.
	Within time.Duration
}

// Adjusted is emitted by a node whose clock is set forward, or back if By is negative.
type Adjusted struct{ By time.Duration }

// Results is the [messaging.Results] of clocks: what a clock shows never goes back.
func Results(o messaging.Outcome) error {
	for i, values := range o.Emitted {
		var last time.Duration
		for k, v := range values {
			r, ok := v.(Reading)
			if !ok {
				continue
			}
			if k > 0 && r.Time < last {
				return fmt.Errorf("the clock of node %d goes back from %v to %v", i, last, r.Time)
			}
			last = r.Time
		}
	}
	return nil
}
