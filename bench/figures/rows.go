package main

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/measure"
	"example.org/doorway/mutex"
)

// A row is one measure of the table.
type row struct {
	name string
	goal goal
	run  func(e effort) figure
}

// A figure is the result of a row.
type figure struct {
	measure.Spread
	note    string // the medians that a ratio compares, or the lock it is of
	windows string // their number and length
}

// rows are the measures, in the order of the table.
func rows() []row {
	return slices.Concat(
		[]row{
			{"lamportfast, uncontended, ns / sync.Mutex", atMost(2.5), alone(process("lamportfast", 8), peer("sync.Mutex"))},
			{"peterson, uncontended, ns / sync.Mutex", atMost(1.6), alone(process("peterson", 2), peer("sync.Mutex"))},
			{"bakery, n = 8, uncontended, ns / channel", atMost(0.8), alone(process("bakery", 8), peer("channel"))},
			{"Share over lamportfast, uncontended, ns / sync.Mutex", atMost(4), alone(shared("lamportfast", 8), peer("sync.Mutex"))},
		},
		throughput("lamportfast", 8, "sync.Mutex", atLeast(1.1)),
		shareLess("lamportfast", 8, "sync.Mutex", atLeast(-0.01)),
		throughput("lamportfast", 64, "sync.Mutex", atLeast(1.1)),
		shareLess("lamportfast", 64, "sync.Mutex", atLeast(-0.01)),
		throughput("bakery", 8, "semaphore", atLeast(1.3)),
		throughput("bakery", 8, "channel", atLeast(0.9)),
		throughput("bakery", 64, "semaphore", atLeast(1.3)),
		throughput("bakery", 64, "channel", stretch(0.8)),
		tail("bakery", 64, "sync.Mutex", atMost(0.1)),
		throughput("tournament", 64, "semaphore", atLeast(1.2)),
		share("bakery", []int{2, 8, 64}, atLeast(0.98)),
		[]row{
			{"CPU time of a waiter behind a section of 100 ms, in ms: the worst of all locks", below(1), waiting},
			{"heap allocations an entry, at the worst of 1, 2, 8, 64 goroutines: the worst of all locks", atMost(0), allocations},
		},
		passing(),
	)
}

// A maker makes a lock for n processes.
type maker func(n int) mutex.Mutex

// makerOf returns the maker of an algorithm of the catalog or of a peer.
func makerOf(name string) maker {
	if a, ok := catalog.Find(name); ok {
		return func(n int) mutex.Mutex { return a.New(n) }
	}
	if p, ok := measure.FindPeer(name); ok {
		return p.New
	}
	panic("figures: no lock " + name)
}

// The lockers of the uncontended rows: one process of n, Share over n processes,
// and a peer.

func process(name string, n int) func() sync.Locker {
	return func() sync.Locker { return mutex.Locker(makerOf(name)(n), 0) }
}

func shared(name string, n int) func() sync.Locker {
	return func() sync.Locker { return mutex.Share(makerOf(name)(n)) }
}

func peer(name string) func() sync.Locker {
	return func() sync.Locker { return measure.Locker(makerOf(name)(1), 0) }
}

// An effort is how much to measure.
type effort struct {
	Windows int           `json:"windows"`   // pairs of windows for each ratio of throughputs
	Window  time.Duration `json:"window_ns"` // how long such a window takes
}

// windows and pairs describe what a figure was measured in.
func windows(n int, each time.Duration) string { return fmt.Sprintf("%d of %v", n, each) }
func pairs(n int, each time.Duration) string   { return fmt.Sprintf("%d pairs of %v", n, each) }

const section = 100 * time.Nanosecond

// alone compares the nanoseconds of an uncontended Lock and Unlock. No goroutine
// has to start, so it has more windows, of a tenth of the length. Each window has
// new locks: their place in memory is part of the spread.
func alone(ours, theirs func() sync.Locker) func(effort) figure {
	return func(e effort) figure {
		n, each := 5*e.Windows|1, e.Window/10
		ns := func(l func() sync.Locker) func() float64 {
			return func() float64 { return measure.Alone(l(), each) }
		}
		r := measure.Compare(n, ns(ours), ns(theirs))
		return figure{r.Ratio, fmt.Sprintf("%.1f / %.1f ns", r.A.Median, r.B.Median), pairs(n, each)}
	}
}

// throughput returns two rows that compare entries per second: one with a
// critical section of 100 ns, which has the goal, and one with an empty one, for
// information.
func throughput(ours string, n int, theirs string, g goal) []row {
	ratio := func(work time.Duration) func(effort) figure {
		return func(e effort) figure {
			c := measure.Contention{Goroutines: n, Duration: e.Window, Work: work}
			r := measure.Compare(e.Windows, entries(makerOf(ours), c), entries(makerOf(theirs), c))
			return figure{r.Ratio, fmt.Sprintf("%.3g / %.3g million entries a second", r.A.Median/1e6, r.B.Median/1e6), pairs(e.Windows, e.Window)}
		}
	}
	title := fmt.Sprintf("%s, %d goroutines, %%s, throughput / %s", ours, n, theirs)
	return []row{
		{fmt.Sprintf(title, "100 ns"), g, ratio(section)},
		{fmt.Sprintf(title, "0 ns"), goal{}, ratio(0)},
	}
}

func entries(m maker, c measure.Contention) func() float64 {
	return func() float64 { return measure.Contend(m(c.Goroutines), c).PerSecond() }
}

// shareLess returns the row of the difference of the min/max shares, in windows
// of four times the length. Its goal should leave a hundredth: if both locks starve
// a goroutine, which of them served it once is chance.
func shareLess(ours string, n int, theirs string, g goal) []row {
	title := fmt.Sprintf("%s, %d goroutines, 100 ns, min/max share less that of %s", ours, n, theirs)
	return []row{{title, g, func(e effort) figure {
		c := measure.Contention{Goroutines: n, Duration: 4 * e.Window, Work: section}
		minMax := func(name string) func() float64 {
			return func() float64 { return measure.Contend(makerOf(name)(n), c).MinMax }
		}
		half := e.Windows/2 | 1
		r := measure.Compare(half, minMax(ours), minMax(theirs))
		return figure{r.Difference, fmt.Sprintf("%.3g less %.3g", r.A.Median, r.B.Median), pairs(half, c.Duration)}
	}}}
}

// tail returns two rows that compare latencies, in windows of four times the
// length: the 99.9th percentile, which has the goal, and the mean of the slowest
// thousandth, for information. It times one in eight entries, which costs little
// beside latencies of microseconds.
func tail(ours string, n int, theirs string, g goal) []row {
	ratio := func(of func(measure.Latency) time.Duration) func(effort) figure {
		return func(e effort) figure {
			c := measure.Contention{Goroutines: n, Duration: 4 * e.Window, Work: section, Sample: 8}
			latency := func(name string) func() float64 {
				return func() float64 { return of(measure.Contend(makerOf(name)(n), c).Latency).Seconds() }
			}
			half := e.Windows/2 | 1
			r := measure.Compare(half, latency(ours), latency(theirs))
			return figure{r.Ratio, fmt.Sprintf("%s / %s", seconds(r.A.Median), seconds(r.B.Median)), pairs(half, c.Duration)}
		}
	}
	title := fmt.Sprintf("%s, %d goroutines, 100 ns, %%s / %s's", ours, n, theirs)
	return []row{
		{fmt.Sprintf(title, "p99.9 latency"), g, ratio(func(l measure.Latency) time.Duration { return l.P999 })},
		{fmt.Sprintf(title, "mean latency of the slowest thousandth"), goal{}, ratio(func(l measure.Latency) time.Duration { return l.Slowest })},
	}
}

// share returns a row for each number of goroutines: the min/max share in
// windows of a second.
func share(name string, goroutines []int, g goal) []row {
	var rows []row
	for _, n := range goroutines {
		c := measure.Contention{Goroutines: n, Duration: time.Second, Work: section}
		rows = append(rows, row{fmt.Sprintf("%s, %d goroutines, 100 ns, min/max share in a second", name, n), g, func(e effort) figure {
			shares := make([]float64, e.Windows/4|1)
			for k := range shares {
				shares[k] = measure.Contend(makerOf(name)(n), c).MinMax
			}
			return figure{measure.SpreadOf(shares), "", windows(len(shares), c.Duration)}
		}})
	}
	return rows
}

// awaited is the section behind which a waiter's CPU time is measured.
const awaited = 100 * time.Millisecond

// burnt returns that CPU time in milliseconds, NaN if the system does not report it.
func burnt(m mutex.Mutex) float64 {
	d, ok := measure.Waiting(m, awaited)
	if !ok {
		return math.NaN()
	}
	return float64(d) / 1e6
}

func waiting(effort) figure {
	const sections = 5
	return worst(windows(sections, awaited), func(m maker, n int) measure.Spread {
		times := make([]float64, sections)
		for k := range times {
			times[k] = burnt(m(n))
		}
		return measure.SpreadOf(times)
	})
}

// allocations counts to a thousandth, and takes the least of some windows: the
// runtime allocates for itself when more goroutines wait than ever before, but a
// lock that allocates does so in every window. The figure of a lock is that of its
// worst number of goroutines; the bounds are over those numbers.
func allocations(e effort) figure {
	const repeats = 3
	made := "least of " + windows(repeats, e.Window) + ", bounds over the goroutines"
	return worst(made, func(m maker, most int) measure.Spread {
		var counts []float64
		for _, n := range []int{1, 2, 8, 64} {
			if n <= most {
				least := math.Inf(1)
				for range repeats {
					r := measure.Contend(m(n), measure.Contention{Goroutines: n, Duration: e.Window})
					least = min(least, r.Allocs)
				}
				counts = append(counts, math.Round(1000*least)/1000)
			}
		}
		s := measure.SpreadOf(counts)
		s.Median = s.High // allocating only under contention counts too
		return s
	})
}

// worst measures every lock of the catalog, for as many processes as it serves
// up to 64, and returns the largest figure; windows describes what each was measured in.
func worst(windows string, figureOf func(m maker, most int) measure.Spread) figure {
	var w figure
	for _, a := range catalog.Algorithms {
		s := figureOf(func(n int) mutex.Mutex { return a.New(n) }, a.AtMost(64))
		if w.note == "" || s.Median > w.Median {
			w = figure{s, a.Name, windows}
		}
	}
	return w
}
