package costs

import (
	"fmt"
	"time"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// Trial runs the trial of a system with n nodes, whose users all act at the beginning, for a round of it or until nothing
// more happens. It returns the
// number of messages, and the time in T until the last node has emitted something.
func Trial(s catalog.System, n int) (messages int, t float64, err error) {
	c := sim.Config{
		Algorithm: s.New(n), Name: s.Name, Nodes: n, Results: s.Results,
		Until: time.Duration(s.Trial.Round) * sim.T,
	}
	if s.Timed != nil {
		c.Algorithm = s.Timed(sim.T)
	}
	if s.Locks() {
		c.Load = sim.Script{{Node: c.Holder}} // a run of locks needs a request; this one takes no message
	}
	for i, of := range s.Trial.Inputs(n) {
		for _, m := range of {
			c.Inputs = append(c.Inputs, sim.Input{Node: messaging.ID(i), Message: m})
		}
	}
	r, err := sim.Run(c)
	if err != nil {
		return 0, 0, fmt.Errorf("%s with %d nodes: %w", s.Name, n, err)
	}
	if last := len(r.Emits) - 1; last >= 0 {
		t = r.Emits[last].At.Seconds() / sim.T.Seconds()
	}
	return r.Messages, t, nil
}
