//go:build doorway_explore

package register_test

import (
	"fmt"
	"testing"

	"example.org/doorway/bakery"
	"example.org/doorway/graunkethakkar"
	"example.org/doorway/internal/interleave"
	"example.org/doorway/internal/tier"
	"example.org/doorway/lamportfast"
	"example.org/doorway/mcs"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
	"example.org/doorway/register"
	"example.org/doorway/tournament"
)

// Locks that park satisfy mutual exclusion and progress: in all interleavings for
// two processes and for the tournament of three, and with a bound on preemptions
// for more.
func TestNoWakeUpIsLostByALock(t *testing.T) {
	for _, c := range []struct {
		lock        mutex.Abortable
		rounds      int  // by each process
		givesUp     bool // process 0 does, at any moment or not at all
		clock       bool // the quantum of a gate, and the patience at relays, are over from any moment on
		preemptions int  // see interleave.Scenario
		full        bool // only in the full proof
	}{
		{lock: peterson.New(), rounds: 1},
		{lock: peterson.New(), rounds: 2},
		{lock: peterson.New(), rounds: 1, givesUp: true},
		{lock: bakery.New(2), rounds: 1},
		{lock: bakery.New(2), rounds: 2, full: true},
		{lock: bakery.New(2), rounds: 1, givesUp: true},
		{lock: bakery.New(3), rounds: 1, preemptions: 2, full: true},
		{lock: tournament.New(2), rounds: 2, full: true},
		{lock: tournament.New(2), rounds: 1, givesUp: true},
		{lock: tournament.New(2), rounds: 2, clock: true, preemptions: 3, full: true},
		{lock: tournament.New(3), rounds: 1, full: true},
		{lock: tournament.New(3), rounds: 1, givesUp: true, preemptions: 2, full: true},
		{lock: tournament.New(4), rounds: 1, preemptions: 1, full: true},
		{lock: lamportfast.New(2), rounds: 1},
		{lock: lamportfast.New(2), rounds: 2, full: true},
		{lock: lamportfast.New(2), rounds: 2, clock: true, preemptions: 3, full: true},
		{lock: lamportfast.New(3), rounds: 1, preemptions: 3, full: true},
		{lock: graunkethakkar.New(2), rounds: 2},
		{lock: graunkethakkar.New(3), rounds: 1, preemptions: 2},
		{lock: mcs.New(2), rounds: 2},
		{lock: mcs.New(3), rounds: 1},
	} {
		name := fmt.Sprintf("%T/procs=%d/rounds=%d/givesup=%t/clock=%t/preemptions=%d", c.lock, c.lock.Processes(), c.rounds, c.givesUp, c.clock, c.preemptions)
		t.Run(name, func(t *testing.T) {
			if c.full {
				tier.NeedsFull(t, "runs tens of thousands of interleavings")
			}
			s := interleave.Scenario{
				World: c.lock, Attach: register.Schedule, Mute: register.Mute,
				Limit: 1e7, Preemptions: c.preemptions,
			}
			ctx, cancel := register.Cancellable()
			for i := range c.lock.Processes() {
				s.Threads = append(s.Threads, interleave.Thread{Name: fmt.Sprintf("process %d", i), Run: func(r *interleave.Run) {
					for round := range c.rounds {
						r.Forget(round)
						if i > 0 || !c.givesUp {
							c.lock.Lock(i)
						} else if c.lock.LockContext(ctx, i) != nil {
							continue
						}
						r.Critical()
						c.lock.Unlock(i)
					}
				}})
			}
			if c.givesUp {
				s.Threads = append(s.Threads, interleave.Thread{Name: "canceller", Run: cancel})
			}
			if c.clock {
				s.Threads = append(s.Threads, register.QuantumOver())
			}
			interleave.Check(t, s)
		})
	}
}
