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
	Name   string           `json:"name"`
	Peer   bool             `json:"peer,omitempty"`
	Share  bool             `json:"share,omitempty"` // through mutex.Share
	Points []point          `json:"points"`
	Burnt  samples          `json:"waiter_ms"` // CPU time of a waiter
	new    maker            // nil if loaded
	serves func(n int) bool // nil if loaded
}

// A point is one lock at one number of goroutines, window by window.
type point struct {
	N         int     `json:"goroutines"`
	PerSecond samples `json:"entries_per_second"`
	P999      samples `json:"p999_seconds"`
	Slowest   samples `json:"slowest_thousandth_seconds"`
	CPU       samples `json:"cpu_seconds,omitempty"` // of an entry
	MinMax    samples `json:"min_max_share"`
	Few       bool    `json:"few,omitempty"` // some window timed fewer than enough entries
	sample    int     // one in so many entries is timed; 0: not known yet
}

// sweep returns how much to measure for each point, and for each waiter.
func (e effort) sweep() (windows int, each time.Duration) { return e.Windows/8 | 1, 2 * e.Window }

// sweep measures every lock at every number of goroutines, with a section of
// 100 ns. Every lock has its first window before any has its second.
func sweep(e effort, progress *log.Logger) []curve {
	curves := curves()
	windows, each := e.sweep()
	for w := range windows {
		for k := range goroutines {
			progress.Printf("sweep %d/%d: %d goroutines", w+1, windows, goroutines[k])
			for i := range curves {
				if c := &curves[i]; k < len(c.Points) {
					c.Points[k].measure(c.new, each)
				}
			}
		}
	}
	progress.Print("sweep: waiters")
	for i := range curves {
		for range windows {
			curves[i].Burnt = append(curves[i].Burnt, burnt(curves[i].new(2)))
		}
	}
	return curves
}

func curves() []curve {
	var all []curve
	for _, a := range catalog.Algorithms {
		all = append(all, curve{Name: a.Name, new: func(n int) mutex.Mutex { return a.New(n) }, serves: a.For})
	}
	unlimited := func(int) bool { return true }
	for _, a := range catalog.Algorithms {
		all = append(all, curve{Name: share(a.Name), Share: true, new: makerOf(share(a.Name)), serves: unlimited})
	}
	all = append(all, curve{Name: queue, new: makerOf(queue), serves: unlimited})
	for _, p := range measure.Peers {
		all = append(all, curve{Name: p.Name, Peer: true, new: p.New, serves: unlimited})
	}
	for i := range all {
		for _, n := range goroutines {
			if all[i].serves(n) {
				all[i].Points = append(all[i].Points, point{N: n})
			}
		}
	}
	return all
}

// enough is the fewest timed entries that have a thousandth.
const enough = 1000

// measure adds a window of d. It times one in sixteen entries, or each if a short
// trial shows that these would be too few: the lock is then so slow that timing
// costs nothing that matters.
func (p *point) measure(m maker, d time.Duration) {
	c := measure.Contention{Goroutines: p.N, Duration: d, Work: section, Sample: p.sample}
	if p.sample == 0 {
		c.Duration, c.Sample = d/10, 16
		if 10*measure.Contend(m(p.N), c).Entries < 2*enough*16 {
			c.Sample = 1
		}
		c.Duration, p.sample = d, c.Sample
	}
	r := measure.Contend(m(p.N), c)
	p.Few = p.Few || r.Latency.Timed < enough
	p.PerSecond = append(p.PerSecond, r.PerSecond())
	p.P999 = append(p.P999, r.Latency.P999.Seconds())
	p.Slowest = append(p.Slowest, r.Latency.Slowest.Seconds())
	p.CPU = append(p.CPU, r.CPUPerEntry()/1e9)
	p.MinMax = append(p.MinMax, r.MinMax)
}

// The quantities over the number of goroutines, window by window; none if a
// window timed too few entries.
func throughputOf(p point) samples { return p.PerSecond }
func shareOf(p point) samples      { return p.MinMax }
func cpuOf(p point) samples        { return p.CPU }
func tailOf(p point) samples       { return p.unlessFew(p.P999) }
func slowestOf(p point) samples    { return p.unlessFew(p.Slowest) }

func (p point) unlessFew(values samples) samples {
	if p.Few {
		return nil
	}
	return values
}
