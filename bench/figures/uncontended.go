package main

import (
	"bytes"
	"fmt"
	"log"
	"sync"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/measure"
	"example.org/doorway/mutex"
)

// A cost is what Lock and Unlock take while no other goroutine uses the lock, in
// ns, window by window.
type cost struct {
	name            string
	process, shared sync.Locker // a process of its own; through mutex.Share, nil for a peer
	own, through    []float64
}

// uncontended measures every lock for 8 processes, or as many as it serves, and
// every peer. All locks have their first window before any has its second.
func uncontended(e effort, progress *log.Logger) []cost {
	progress.Print("uncontended")
	const n = 8
	var all []cost
	for _, a := range catalog.Algorithms {
		k := a.AtMost(n)
		all = append(all, cost{name: a.Name, process: measure.Locker(a.New(k), 0), shared: mutex.Share(a.New(k))})
	}
	for _, p := range measure.Peers {
		all = append(all, cost{name: p.Name, process: measure.Locker(p.New(n), 0)})
	}
	for range e.windows {
		for i := range all {
			c := &all[i]
			c.own = append(c.own, measure.Alone(c.process, e.window/10))
			if c.shared != nil {
				c.through = append(c.through, measure.Alone(c.shared, e.window/10))
			}
		}
	}
	return all
}

func writeUncontended(w *bytes.Buffer, costs []cost, e effort) {
	fmt.Fprintf(w, "\n## Uncontended\n\nWhat Lock and Unlock take, in ns, while no other goroutine uses the lock: of one of 8 processes\n"+
		"(peterson: of 2), and through mutex.Share over them. %d windows of %v.\n\n"+
		"| lock | a process | Share |\n|---|---:|---:|\n", e.windows, e.window/10)
	for _, c := range costs {
		fmt.Fprintf(w, "| %s | %s | %s |\n", c.name, nanoseconds(c.own), nanoseconds(c.through))
	}
}

// nanoseconds returns the median of values and their spread, or nothing if there are none.
func nanoseconds(values []float64) string {
	if len(values) == 0 {
		return ""
	}
	s := measure.SpreadOf(values)
	return fmt.Sprintf("%.3g (%.3g to %.3g)", s.Median, s.Low, s.High)
}
