package main

import (
	"fmt"
	"log"
	"slices"
	"strings"
	"time"

	"example.org/doorway/internal/measure"
)

// An effort is how much to measure.
type effort struct {
	Windows int           `json:"windows"`   // pairs of windows for each ratio of throughputs
	Window  time.Duration `json:"window_ns"` // how long such a window takes
}

// sweep returns how much to measure for each point of the sweep.
func (e effort) sweep() (windows int, each time.Duration) { return e.Windows/8 | 1, 2 * e.Window }

// A contest is several locks under the same contention, measured in rounds: each
// has a window before any has its next. So the rows that relate two of them relate
// windows of the same round.
type contest struct {
	goroutines int
	work       time.Duration
	locks      []string
	rounds     int
	each       time.Duration     // a window
	sample     int               // one in so many entries is timed; 0: as suits the lock
	points     map[string]*point // nil: not measured yet
}

// A plan has the contests by goroutines and work, so that rows and the table of choice
// have the same.
type plan struct {
	effort
	contests map[[2]int64]*contest
}

// choices are the locks that a user chooses between; a contest of little work has more.
var choices = []string{"sync.Mutex", queue, "channel", "semaphore", share("lamportfast"), share("bakery")}

// contest returns a contest. Of little work, it times one in eight entries, which costs a hundredth of most, and the
// same for all. Of more work, it times each, and has longer windows, for a 99.9th percentile.
func (p plan) contest(goroutines int, work time.Duration) *contest {
	key := [2]int64{int64(goroutines), int64(work)}
	if p.contests[key] == nil {
		c := &contest{goroutines: goroutines, work: work, locks: choices, rounds: p.Windows, each: p.Window, sample: 8}
		switch {
		case work > section:
			c.rounds, c.each, c.sample = p.Windows/5|1, 5*p.Window, 1
		case goroutines > 1:
			c.locks = append(slices.Clone(choices), "bakery", "lamportfast", "tournament")
		}
		p.contests[key] = c
	}
	return p.contests[key]
}

// point returns the windows of a lock. The first call measures all.
func (c *contest) point(name string) *point {
	if c.points == nil {
		c.points = map[string]*point{}
		var windows []func()
		for _, l := range c.locks {
			p, of := &point{N: c.goroutines, Section: c.work, sample: c.sample}, makerOf(l)
			c.points[l], windows = p, append(windows, func() { p.measure(of, c.each) })
		}
		measure.Rounds(c.rounds, windows...)
	}
	return c.points[name]
}

// A curve is one lock over several contests.
type curve struct {
	Name   string  `json:"name"`
	Peer   bool    `json:"peer,omitempty"`
	Share  bool    `json:"share,omitempty"` // through mutex.Share
	Points []point `json:"points"`
}

func curves(names []string, contests []*contest, progress *log.Logger) []curve {
	all := make([]curve, len(names))
	for _, c := range contests {
		progress.Printf("%d goroutines, sections of %v, %d windows of %v", c.goroutines, c.work, c.rounds, c.each)
		for k, name := range names {
			all[k].Name, all[k].Points = name, append(all[k].Points, c.point(name).condensed())
		}
	}
	return all
}

// choice measures what a user chooses between, unless a row has.
func (p plan) choice(progress *log.Logger) []curve {
	var contests []*contest
	for _, work := range []time.Duration{section, 100 * time.Microsecond} {
		for _, n := range []int{1, 8, 64, 512} {
			contests = append(contests, p.contest(n, work))
		}
	}
	return curves(choices, contests, progress)
}

// goroutines are the numbers over which the locks are swept.
var goroutines = []int{1, 2, 8, 64, 512}

// swept are the locks of the sweep. A lock through mutex.Share has the color of the lock.
var swept = []string{
	"bakery", queue, "lamportfast", "tournament",
	"sync.Mutex", "channel", "semaphore", "mcs-spinning",
	share("bakery"), share("lamportfast"),
}

// sweep measures each swept lock at each number of goroutines, with a section of 100 ns.
func sweep(e effort, progress *log.Logger) []curve {
	var contests []*contest
	for _, n := range goroutines {
		c := &contest{goroutines: n, work: section, locks: swept}
		c.rounds, c.each = e.sweep()
		contests = append(contests, c)
	}
	all := curves(swept, contests, progress)
	for k := range all {
		c := &all[k]
		c.Share = strings.HasPrefix(c.Name, "Share(")
		c.Peer = slices.ContainsFunc(measure.Peers, func(p measure.Peer) bool { return p.Name == c.Name })
	}
	return all
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

// enough is the fewest timed entries that have a thousandth.
const enough = 1000

// measure adds a window of d. Unless the contest says which entries it times, it times one in sixteen, or each if a
// short trial shows that these would be too few: the lock is then so slow that timing
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

// A measurand is what a row of a contest relates, in a unit that the row names.
type measurand struct {
	name string // %s: the lock beside which it is measured
	of   func(*point) samples
	text func(ours, theirs float64) string
}

var (
	throughput = measurand{"throughput / %s", func(p *point) samples { return p.PerSecond }, func(a, b float64) string {
		return fmt.Sprintf("%.3g / %.3g M a second", a/1e6, b/1e6)
	}}
	tail = measurand{"p99.9 latency / %s's", func(p *point) samples { return p.P999 }, perSeconds}
	cpu  = measurand{"CPU time per entry / %s's", func(p *point) samples { return p.CPU }, perSeconds}
)

func perSeconds(a, b float64) string { return seconds(a) + " / " + seconds(b) }

// row returns the row of a lock beside another, which relates their windows round by round.
func (c *contest) row(ours string, m measurand, theirs string, g goal) row {
	title := fmt.Sprintf("%s, %d goroutines, %d ns, %s", ours, c.goroutines, c.work.Nanoseconds(), fmt.Sprintf(m.name, theirs))
	return row{title, g, func() figure {
		r := measure.Relate(m.of(c.point(ours)), m.of(c.point(theirs)))
		return figure{r.Ratio, m.text(r.A.Median, r.B.Median), fmt.Sprintf("%d rounds of %v", c.rounds, c.each)}
	}}
}
