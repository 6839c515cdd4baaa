package main

import (
	"log"
	"time"

	"example.org/doorway/bench"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/mutex"
)

// goroutines are the numbers over which the locks are swept.
var goroutines = []int{1, 2, 8, 64, 512}

// A curve is one lock over the numbers of goroutines.
type curve struct {
	name   string
	peer   bool
	new    maker
	max    int
	points []point
	burnt  []float64 // by a waiter
}

// A point is one lock at one number of goroutines, window by window.
type point struct {
	n                                  int
	perSecond, p999, slowest, fairness []float64
}

// sweep measures every lock at every number of goroutines, with a section of
// 100 ns. All locks have their first window before any has its second.
func sweep(e effort, progress *log.Logger) []curve {
	curves := curves()
	windows := e.windows/14 | 1
	for w := range windows {
		for k := range goroutines {
			progress.Printf("sweep %d/%d: %d goroutines", w+1, windows, goroutines[k])
			for i := range curves {
				if c := &curves[i]; k < len(c.points) {
					c.points[k].measure(c.new, 2*e.window)
				}
			}
		}
	}
	progress.Print("sweep: waiters")
	for i := range curves {
		for range windows {
			curves[i].burnt = append(curves[i].burnt, burnt(curves[i].new(2)))
		}
	}
	return curves
}

func curves() []curve {
	var all []curve
	for _, a := range catalog.Algorithms {
		all = append(all, curve{name: a.Name, new: func(n int) mutex.Mutex { return a.New(n) }, max: a.Max})
	}
	for _, p := range bench.Peers {
		all = append(all, curve{name: p.Name, peer: true, new: p.New})
	}
	for i := range all {
		for _, n := range goroutines {
			if all[i].max == 0 || n <= all[i].max {
				all[i].points = append(all[i].points, point{n: n})
			}
		}
	}
	return all
}

func (p *point) measure(m maker, d time.Duration) {
	r := bench.Contend(m(p.n), bench.Contention{Goroutines: p.n, Duration: d, Work: section, Sample: 16})
	p.perSecond = append(p.perSecond, r.PerSecond())
	p.p999 = append(p.p999, r.Latency.P999.Seconds())
	p.slowest = append(p.slowest, r.Latency.Slowest.Seconds())
	p.fairness = append(p.fairness, r.MinMax)
}

// The quantities that are shown over the number of goroutines.
func throughputOf(p point) bench.Spread { return bench.SpreadOf(p.perSecond) }
func tailOf(p point) bench.Spread       { return bench.SpreadOf(p.p999) }
func slowestOf(p point) bench.Spread    { return bench.SpreadOf(p.slowest) }
func shareOf(p point) bench.Spread      { return bench.SpreadOf(p.fairness) }
