//go:build doorway_explore

package mutex

import (
	"fmt"
	"math"
	"time"

	"example.org/doorway/internal/interleave"
	"example.org/doorway/internal/interleave/variants"
	"example.org/doorway/internal/seam"
)

// A memory is what the goroutines of a scenario share.
type memory struct {
	a    admission
	done seam.Closing
}

type threads = []interleave.Thread

type named struct {
	name string
	make func() interleave.Scenario
}

// The orders: barging with a first in the queue that loses its patience at once, and with
// one that never does.
var orders = []struct {
	name     string
	order    order
	patience time.Duration
}{
	{"undeclared", undeclared, 0},
	{"first come", firstCome, 0},
	{"barging, impatient", barging, 0},
	{"barging, patient", barging, math.MaxInt64},
}

// Scenarios are small enough to be run in all interleavings, but for those with a bound on
// preemptions.
var scenarios = func() (all []named) {
	for _, o := range orders {
		add := func(name string, n, preemptions int, of func(m *memory) threads) {
			all = append(all, named{fmt.Sprintf("%s: %s", o.name, name), func() interleave.Scenario {
				m := &memory{done: make(chan struct{})}
				m.a.order, m.a.patience, m.a.taken = o.order, o.patience, make([]seam.Flag, n)
				for range 4 {
					w := &waiter{token: make(seam.Token, 1)}
					w.next.Store(m.a.spare.Load())
					m.a.spare.Store(w)
				}
				return interleave.Scenario{World: m, Threads: of(m), Attach: seam.ScheduleUnlessZero[*interleave.Run], Mute: mute, Limit: 1e7, Preemptions: preemptions}
			}})
		}
		add("one process, two goroutines twice", 1, 0, func(m *memory) threads { return threads{user(m, 0, 2), user(m, 1, 2)} })
		add("one process, three goroutines", 1, 0, func(m *memory) threads { return threads{user(m, 0, 1), user(m, 1, 1), user(m, 2, 1)} })
		add("two processes, three goroutines", 2, 0, func(m *memory) threads { return threads{user(m, 0, 1), user(m, 1, 1), user(m, 2, 1)} })
		if o.order == firstCome {
			add("two processes, three goroutines, one twice", 2, 2, func(m *memory) threads { return threads{user(m, 0, 2), user(m, 1, 1), user(m, 2, 1)} })
		}
		add("one process, two goroutines, one gives up", 1, 0, func(m *memory) threads { return threads{user(m, 0, 1), aborter(m, 1), canceller(m)} })
		add("one process, one gives up, and comes again", 1, 0, func(m *memory) threads { return threads{user(m, 0, 2), aborter(m, 1, user(m, 1, 1)), canceller(m)} })
		add("one process, three goroutines, one gives up", 1, 0, func(m *memory) threads { return threads{user(m, 0, 1), aborter(m, 1), user(m, 2, 1), canceller(m)} })
		add("one process, one of three goroutines tries", 1, 0, func(m *memory) threads { return threads{user(m, 0, 1), trier(m, 1), user(m, 2, 1)} })
		add("two processes, one of three goroutines fails", 2, 0, func(m *memory) threads { return threads{user(m, 0, 1), failer(m, 1), user(m, 2, 1)} })
	}
	return all
}()

// mute lists the functions of this package that return nothing and write only what
// their receiver points to.
var mute = []string{
	"(*admission).pass", "(*admission).failed", "(*admission).give", "(*list).push", "(*waiter).wake",
}

func thread(k int, run func(r *interleave.Run)) interleave.Thread {
	return interleave.Thread{Name: fmt.Sprintf("goroutine %d", k), Run: run}
}

// visit enters, unless it is canceled first, and leaves. The entry protocol of a Mutex is its
// critical section: with one process, or over a lock that is first come, first served, no
// other goroutine may run it at the same time.
func (m *memory) visit(r *interleave.Run, done <-chan struct{}, leave func(i int, w *waiter)) bool {
	var w *waiter
	i, ok := m.a.take()
	if !ok {
		if i, w, ok = m.a.wait(done, nil); !ok {
			return false
		}
	}
	if len(m.a.taken) == 1 || m.a.order == firstCome {
		r.Critical()
	}
	leave(i, w)
	return true
}

func (m *memory) leave(i int, w *waiter) { m.a.give(i, m.a.entered(w)) }

// user enters and leaves.
func user(m *memory, k, rounds int) interleave.Thread {
	return thread(k, func(r *interleave.Run) {
		for round := range rounds {
			r.Forget(round)
			m.visit(r, nil, m.leave)
		}
	})
}

// aborter enters and leaves, unless it is canceled first: then it goes on as those
// threads.
func aborter(m *memory, k int, then ...interleave.Thread) interleave.Thread {
	return thread(k, func(r *interleave.Run) {
		if !m.visit(r, m.done, m.leave) {
			for _, t := range then {
				t.Run(r)
			}
		}
	})
}

// trier enters and leaves, unless it would have to wait.
func trier(m *memory, k int) interleave.Thread {
	return thread(k, func(r *interleave.Run) {
		if i, ok := m.a.take(); ok {
			if len(m.a.taken) == 1 || m.a.order == firstCome {
				r.Critical()
			}
			m.leave(i, nil)
		}
	})
}

// failer is admitted, and its entry fails.
func failer(m *memory, k int) interleave.Thread {
	return thread(k, func(r *interleave.Run) { m.visit(r, nil, m.a.failed) })
}

func canceller(m *memory) interleave.Thread {
	return interleave.Thread{Name: "canceller", Run: func(r *interleave.Run) { r.Store(m.done, true) }}
}

// Report prints the first failure in the scenarios whose names begin with shown.
// It is called in a copy of the package with that change.
func Report(change int, shown string) {
	variants.Report(change, shown, len(scenarios), func(k int) (string, func() interleave.Scenario) {
		return scenarios[k].name, scenarios[k].make
	})
}
