package main

import (
	"fmt"
	"log"
	"slices"
	"time"

	"example.org/doorway/internal/measure"
)

// choices are the locks that a user chooses between; a contest of little work has more.
var choices = []string{"sync.Mutex", queue, "channel", "semaphore", share("lamportfast"), share("bakery")}

// A contest is several locks under the same contention, measured in rounds: each
// has a window before any has its next. So the rows that relate two of them relate
// windows of the same round.
type contest struct {
	goroutines int
	work       time.Duration
	locks      []string
	effort     effort // with which points were measured
	points     map[string]*point
}

// contests are the contests by goroutines and work, so that rows and the table of choice
// have the same.
type contests map[[2]int64]*contest

func (all contests) contest(goroutines int, work time.Duration) *contest {
	key := [2]int64{int64(goroutines), int64(work)}
	if all[key] == nil {
		all[key] = &contest{goroutines: goroutines, work: work, locks: choices}
		if goroutines > 1 && work <= section {
			all[key].locks = append(slices.Clone(choices), "bakery", "lamportfast", "tournament")
		}
	}
	return all[key]
}

// rounds returns the number and the length of the windows. More work needs longer ones, for a
// 99.9th percentile.
func (c *contest) rounds(e effort) (n int, each time.Duration) {
	if c.work <= section {
		return e.Windows, e.Window
	}
	return e.Windows/5 | 1, 5 * e.Window
}

// point returns the windows of a lock. The first call measures all, every other round
// backwards, so that a lock does not always follow the same one. It times one in
// eight entries, which costs a hundredth of most, and the same for all; or each, of
// sections beside which this is nothing.
func (c *contest) point(name string, e effort) *point {
	if c.points == nil || c.effort != e {
		c.effort, c.points = e, map[string]*point{}
		sample := 8
		if c.work > time.Microsecond {
			sample = 1
		}
		for _, l := range c.locks {
			c.points[l] = &point{N: c.goroutines, Section: c.work, sample: sample}
		}
		order := slices.Clone(c.locks)
		n, each := c.rounds(e)
		for range n {
			for _, l := range order {
				c.points[l].measure(makerOf(l), each)
			}
			slices.Reverse(order)
		}
	}
	return c.points[name]
}

// choice measures what a user chooses between, unless a row has: a curve of each lock.
func choice(all contests, e effort, progress *log.Logger) []curve {
	curves := make([]curve, len(choices))
	for _, work := range []time.Duration{section, 100 * time.Microsecond} {
		for _, n := range []int{1, 8, 64, 512} {
			progress.Printf("choice: %d goroutines, sections of %v", n, work)
			for k, name := range choices {
				curves[k].Name = name
				curves[k].Points = append(curves[k].Points, all.contest(n, work).point(name, e).condensed())
			}
		}
	}
	return curves
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
	return row{title, g, func(e effort) figure {
		as, bs := m.of(c.point(ours, e)), m.of(c.point(theirs, e))
		ratios := make([]float64, len(as))
		for k := range as {
			ratios[k] = as[k] / bs[k]
		}
		n, each := c.rounds(e)
		return figure{measure.SpreadOf(ratios), m.text(measure.SpreadOf(as).Median, measure.SpreadOf(bs).Median), fmt.Sprintf("%d rounds of %v", n, each)}
	}}
}
