package main

import (
	"log"
	"time"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/measure"
	"example.org/doorway/mutex"
)

// goroutines are the numbers over which the locks are swept.
var goroutines = []int{1, 2, 8, 64, 512}

// A curve is one lock over the numbers of goroutines.
type curve struct {
	name   string
	peer   bool
	new    maker
	serves func(n int) bool
	points []point
	burnt  []float64 // by a waiter
}

// A point is one lock at one number of goroutines, window by window.
type point struct {
	n                                  int
	sample                             int // of so many entries one is timed; 0: not known yet
	perSecond, p999, slowest, fairness []float64
	few                                bool // in some window so few were timed that the slowest thousandth is but the slowest one
}

// sweep returns how much to measure for each point, and for each waiter.
func (e effort) sweep() (windows int, each time.Duration) { return e.windows/8 | 1, 2 * e.window }

// sweep measures every lock at every number of goroutines, with a section of
// 100 ns. All locks have their first window before any has its second.
func sweep(e effort, progress *log.Logger) []curve {
	curves := curves()
	windows, each := e.sweep()
	for w := range windows {
		for k := range goroutines {
			progress.Printf("sweep %d/%d: %d goroutines", w+1, windows, goroutines[k])
			for i := range curves {
				if c := &curves[i]; k < len(c.points) {
					c.points[k].measure(c.new, each)
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
		all = append(all, curve{name: a.Name, new: func(n int) mutex.Mutex { return a.New(n) }, serves: a.For})
	}
	for _, p := range measure.Peers {
		all = append(all, curve{name: p.Name, peer: true, new: p.New, serves: func(int) bool { return true }})
	}
	for i := range all {
		for _, n := range goroutines {
			if all[i].serves(n) {
				all[i].points = append(all[i].points, point{n: n})
			}
		}
	}
	return all
}

// enough entries must be timed for a thousandth of them to be one.
const enough = 1000

// measure adds a window of d. One in sixteen entries is timed: or each, where a
// short trial says that this would be too few, for there the lock is so slow
// that timing does not matter.
func (p *point) measure(m maker, d time.Duration) {
	c := measure.Contention{Goroutines: p.n, Duration: d, Work: section, Sample: p.sample}
	if p.sample == 0 {
		c.Duration, c.Sample = d/10, 16
		if 10*measure.Contend(m(p.n), c).Entries < 2*enough*16 {
			c.Sample = 1
		}
		c.Duration, p.sample = d, c.Sample
	}
	r := measure.Contend(m(p.n), c)
	p.few = p.few || r.Latency.Timed < enough
	p.perSecond = append(p.perSecond, r.PerSecond())
	p.p999 = append(p.p999, r.Latency.P999.Seconds())
	p.slowest = append(p.slowest, r.Latency.Slowest.Seconds())
	p.fairness = append(p.fairness, r.MinMax)
}

// The quantities that are shown over the number of goroutines, window by
// window; none where there is nothing to show.
func throughputOf(p point) []float64 { return p.perSecond }
func shareOf(p point) []float64      { return p.fairness }
func tailOf(p point) []float64       { return p.unlessFew(p.p999) }
func slowestOf(p point) []float64    { return p.unlessFew(p.slowest) }

func (p point) unlessFew(values []float64) []float64 {
	if p.few {
		return nil
	}
	return values
}
