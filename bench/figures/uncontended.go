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

// A cost is that of Lock and Unlock without contention, in ns, window by window.
type cost struct {
	Name            string      `json:"name"`
	Own             samples     `json:"process_ns,omitempty"`
	Through         samples     `json:"share_ns,omitempty"`
	process, shared sync.Locker // a process of its own; through mutex.Share or as a Locker; nil if there is none
}

// uncontended measures every lock for 8 processes, or as many as it serves, and
// every peer. Every lock has its first window before any has its second.
func uncontended(e effort, progress *log.Logger) []cost {
	progress.Print("uncontended")
	const n = 8
	var all []cost
	for _, a := range catalog.Algorithms {
		k := a.AtMost(n)
		all = append(all, cost{Name: a.Name, process: measure.Locker(a.New(k), 0), shared: mutex.Share(a.New(k))})
	}
	all = append(all, cost{Name: queue, shared: measure.Locker(makerOf(queue)(n), 0)})
	for _, p := range measure.Peers {
		all = append(all, cost{Name: p.Name, process: measure.Locker(p.New(n), 0)})
	}
	for range e.Windows {
		for i := range all {
			c := &all[i]
			if c.process != nil {
				c.Own = append(c.Own, measure.Alone(c.process, e.Window/10))
			}
			if c.shared != nil {
				c.Through = append(c.Through, measure.Alone(c.shared, e.Window/10))
			}
		}
	}
	return all
}

func writeUncontended(w *bytes.Buffer, costs []cost, windows string) {
	if len(costs) == 0 {
		return
	}
	fmt.Fprintf(w, "\n## Uncontended\n\nThe cost of Lock and Unlock, in ns, without contention: for one of 8 processes (peterson: of 2),\n"+
		"and for any goroutine: through mutex.Share over all of them, or as a Locker. %s.\n\n"+
		"| lock | a process | Share |\n|---|---:|---:|\n", windows)
	for _, c := range costs {
		fmt.Fprintf(w, "| %s | %s | %s |\n", c.Name, nanoseconds(c.Own), nanoseconds(c.Through))
	}
}

// nanoseconds returns the median and the spread of values, or "" of none.
func nanoseconds(values []float64) string {
	if len(values) == 0 {
		return ""
	}
	return measure.SpreadOf(values).String()
}
