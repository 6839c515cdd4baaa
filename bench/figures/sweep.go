package main

import (
	"log"
	"slices"
	"strings"
	"time"

	"example.org/doorway/internal/measure"
)

// goroutines are the numbers over which the locks are swept.
var goroutines = []int{1, 2, 8, 64, 512}

// A curve is one lock over the numbers of goroutines.
type curve struct {
	Name   string  `json:"name"`
	Peer   bool    `json:"peer,omitempty"`
	Share  bool    `json:"share,omitempty"` // through mutex.Share
	Points []point `json:"points"`
}

// A point is one lock at one number of goroutines, window by window until it is condensed.
type point struct {
	N         int           `json:"goroutines"`
	Section   time.Duration `json:"section_ns"`
	PerSecond samples       `json:"entries_per_second"`
	P50       samples       `json:"p50_seconds"`
	P999      samples       `json:"p999_seconds"`
	Longest   samples       `json:"longest_seconds"`       // of those that were timed
	CPU       samples       `json:"cpu_seconds,omitempty"` // of an entry
	MinMax    samples       `json:"min_max_share"`
	few       bool          // some window timed fewer than enough entries
	sample    int           // one in so many entries is timed; 0: not known yet
}

// sweep returns how much to measure for each point.
func (e effort) sweep() (windows int, each time.Duration) { return e.Windows/8 | 1, 2 * e.Window }

// sweep measures each lock at each number of goroutines, with a section of
// 100 ns. Every lock has its first window before any has its second.
func sweep(e effort, progress *log.Logger) []curve {
	curves := curves()
	windows, each := e.sweep()
	for w := range windows {
		for k := range goroutines {
			progress.Printf("sweep %d/%d: %d goroutines", w+1, windows, goroutines[k])
			for i := range curves {
				curves[i].Points[k].measure(makerOf(curves[i].Name), each)
			}
		}
	}
	for i := range curves {
		for k, p := range curves[i].Points {
			curves[i].Points[k] = p.condensed()
		}
	}
	return curves
}

// swept are the locks of the sweep. A lock through mutex.Share has the color of the lock.
var swept = []string{
	"bakery", queue, "lamportfast", "tournament",
	"sync.Mutex", "channel", "semaphore", "mcs-spinning",
	share("bakery"), share("lamportfast"),
}

func curves() (all []curve) {
	for _, name := range swept {
		c := curve{Name: name, Share: strings.HasPrefix(name, "Share(")}
		c.Peer = slices.ContainsFunc(measure.Peers, func(p measure.Peer) bool { return p.Name == name })
		for _, n := range goroutines {
			c.Points = append(c.Points, point{N: n, Section: section})
		}
		all = append(all, c)
	}
	return all
}

// enough is the fewest timed entries that have a thousandth.
const enough = 1000

// measure adds a window of d. It times one in sixteen entries, or each if a short
// trial shows that these would be too few: the lock is then so slow that timing
// costs nothing that matters.
func (p *point) measure(m maker, d time.Duration) {
	c := measure.Contention{Goroutines: p.N, Duration: d, Work: p.Section, Sample: p.sample}
	if p.sample == 0 {
		c.Duration, c.Sample = d/10, 16
		if 10*measure.Contend(m(p.N), c).Entries < 2*enough*16 {
			c.Sample = 1
		}
		c.Duration, p.sample = d, c.Sample
	}
	r := measure.Contend(m(p.N), c)
	p.few = p.few || r.Latency.Timed < enough
	p.PerSecond = append(p.PerSecond, r.PerSecond())
	p.P50 = append(p.P50, r.Latency.P50.Seconds())
	p.P999 = append(p.P999, r.Latency.P999.Seconds())
	p.Longest = append(p.Longest, r.Latency.Max.Seconds())
	p.CPU = append(p.CPU, r.CPUPerEntry()/1e9)
	p.MinMax = append(p.MinMax, r.MinMax)
}

// condensed returns p with the bounds and the median of the windows in their place, and no
// 99.9th percentile if a window timed too few entries.
func (p *point) condensed() point {
	c := *p
	for _, values := range []*samples{&c.PerSecond, &c.P50, &c.P999, &c.Longest, &c.CPU, &c.MinMax} {
		s := measure.SpreadOf(*values)
		*values = samples{s.Low, s.Median, s.High}
	}
	if c.few {
		c.P999 = nil
	}
	return c
}
