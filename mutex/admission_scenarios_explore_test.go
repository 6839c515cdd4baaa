//go:build doorway_explore

package mutex

import (
	"fmt"
	"math"
	"strings"
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

type named struct {
	name string
	make func() interleave.Scenario
}

// The orders: first come, first served with queues that are never a crowd, are one if two
// wait, and always; and barging with a first in the queue that loses its patience at once,
// and with one that never does.
var orders = []struct {
	name     string
	order    order
	patience time.Duration
	crowd    uint64
}{
	{"undeclared", undeclared, 0, math.MaxInt64},
	{"first come", firstCome, 0, math.MaxInt64},
	{"first come, two are a crowd", firstCome, 0, 2},
	{"first come, one is a crowd", firstCome, 0, 1},
	{"barging, impatient", barging, 0, math.MaxInt64},
	{"barging, patient", barging, math.MaxInt64, math.MaxInt64},
}

// Scenarios are small enough to be run in all interleavings, but for those with a bound on
// preemptions.
var scenarios = func() (all []named) {
	for _, o := range orders {
		bounded := func(name string, n, preemptions int, threads func(m *memory) []interleave.Thread) {
			all = append(all, named{fmt.Sprintf("%s: %s", o.name, name), func() interleave.Scenario {
				m := &memory{done: make(chan struct{})}
				m.a.order, m.a.patience, m.a.crowd, m.a.taken = o.order, o.patience, o.crowd, make([]seam.Flag, n)
				for range 4 {
					w := &waiter{token: make(seam.Token, 1)}
					w.next.Store(m.a.spare.Load())
					m.a.spare.Store(w)
				}
				return interleave.Scenario{World: m, Threads: threads(m), Attach: seam.ScheduleUnlessZero[*interleave.Run], Mute: mute, Limit: 1e7, Preemptions: preemptions}
			}})
		}
		scenario := func(name string, n int, threads func(m *memory) []interleave.Thread) {
			bounded(name, n, 0, threads)
		}
		scenario("one process, two goroutines twice", 1, func(m *memory) []interleave.Thread {
			return []interleave.Thread{user(m, 0, 2), user(m, 1, 2)}
		})
		scenario("one process, three goroutines", 1, func(m *memory) []interleave.Thread {
			return []interleave.Thread{user(m, 0, 1), user(m, 1, 1), user(m, 2, 1)}
		})
		scenario("two processes, three goroutines", 2, func(m *memory) []interleave.Thread {
			return []interleave.Thread{user(m, 0, 1), user(m, 1, 1), user(m, 2, 1)}
		})
		if o.crowd == 1 {
			bounded("two processes, three goroutines, one twice", 2, 2, func(m *memory) []interleave.Thread {
				return []interleave.Thread{user(m, 0, 2), user(m, 1, 1), user(m, 2, 1)}
			})
		}
		scenario("one process, two goroutines, one gives up", 1, func(m *memory) []interleave.Thread {
			return []interleave.Thread{user(m, 0, 1), aborter(m, 1), canceller(m)}
		})
		scenario("one process, one gives up, and comes again", 1, func(m *memory) []interleave.Thread {
			return []interleave.Thread{user(m, 0, 2), aborter(m, 1, user(m, 1, 1)), canceller(m)}
		})
		scenario("one process, three goroutines, one gives up", 1, func(m *memory) []interleave.Thread {
			return []interleave.Thread{user(m, 0, 1), aborter(m, 1), user(m, 2, 1), canceller(m)}
		})
		scenario("one process, one of three goroutines tries", 1, func(m *memory) []interleave.Thread {
			return []interleave.Thread{user(m, 0, 1), trier(m, 1), user(m, 2, 1)}
		})
		scenario("two processes, one of three goroutines fails", 2, func(m *memory) []interleave.Thread {
			return []interleave.Thread{user(m, 0, 1), failer(m, 1), user(m, 2, 1)}
		})
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

// user enters and leaves.
func user(m *memory, k, rounds int) interleave.Thread {
	return thread(k, func(r *interleave.Run) {
		for round := range rounds {
			r.Forget(round)
			var w *waiter
			i, ok := m.a.take()
			if !ok {
				i, w, _ = m.a.wait(nil, nil)
			}
			enter(r, m)
			m.a.give(i, m.a.entered(w))
		}
	})
}

// enter is the entry protocol of a Mutex. With one process, or over a lock that is
// first come, first served, no other goroutine may run it at the same time.
func enter(r *interleave.Run, m *memory) {
	if len(m.a.taken) == 1 || m.a.order == firstCome {
		r.Critical()
	}
}

// aborter enters and leaves, unless it is canceled first: then it goes on as those
// threads.
func aborter(m *memory, k int, then ...interleave.Thread) interleave.Thread {
	return thread(k, func(r *interleave.Run) {
		var w *waiter
		i, ok := m.a.take()
		if !ok {
			if i, w, ok = m.a.wait(m.done, nil); !ok {
				for _, t := range then {
					t.Run(r)
				}
				return
			}
		}
		enter(r, m)
		m.a.give(i, m.a.entered(w))
	})
}

// trier enters and leaves, unless it would have to wait.
func trier(m *memory, k int) interleave.Thread {
	return thread(k, func(r *interleave.Run) {
		if i, ok := m.a.take(); ok {
			enter(r, m)
			m.a.give(i, m.a.entered(nil))
		}
	})
}

// failer is admitted, and its entry fails.
func failer(m *memory, k int) interleave.Thread {
	return thread(k, func(r *interleave.Run) {
		var w *waiter
		i, ok := m.a.take()
		if !ok {
			i, w, _ = m.a.wait(nil, nil)
		}
		enter(r, m)
		m.a.failed(i, w)
	})
}

func canceller(m *memory) interleave.Thread {
	return interleave.Thread{Name: "canceller", Run: func(r *interleave.Run) { r.Store(m.done, true) }}
}

// Report prints the first failure in the scenarios whose names begin with shown.
// It is called in a copy of the package with that change.
func Report(change int, shown string) {
	variants.Report(change, func(yield func(string, interleave.Scenario) bool) {
		for _, s := range scenarios {
			if strings.HasPrefix(s.name, shown) && !yield(s.name, s.make()) {
				return
			}
		}
	})
}
