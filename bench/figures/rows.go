package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"time"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/measure"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

// A goal is a bound that a figure should reach; the zero value is no goal.
type goal struct {
	sign  string // ≤, ≥ or <
	bound float64
}

func (g goal) String() string {
	if g.sign == "" {
		return ""
	}
	return fmt.Sprintf("%s %v", g.sign, g.bound)
}

func (g goal) verdict(v float64) string {
	reached, is := map[string]bool{"≤": v <= g.bound, "≥": v >= g.bound, "<": v < g.bound}[g.sign]
	switch {
	case !is || math.IsNaN(v):
		return ""
	case reached:
		return "yes"
	}
	return "**no**"
}

// A row is one measure of the table.
type row struct {
	name string
	goal goal
	run  func() figure
}

// A figure is the result of a row.
type figure struct {
	measure.Spread
	note    string // the medians that a ratio compares, or the lock it is of
	windows string // their number and length
}

// rows are the measures, in the order of the table.
func (p plan) rows() []row {
	rows := append(p.uncontendedRows(), p.partRows()...)
	for _, n := range []int{8, 64, 512} {
		rows = append(rows, contestRows(n, p.contest(n, section), p.contest(n, 0))...)
	}
	rows = append(rows, p.shareRows(queue, []int{64}, goal{"≥", 0.99})...)
	rows = append(rows, p.shareRows("bakery", []int{2, 8, 64}, goal{"≥", 0.98})...)
	rows = append(rows, p.hogRows()...)
	rows = append(rows,
		row{"CPU time of a waiter behind a section of 100 ms, in ms: the worst of all locks", goal{"<", 1}, waiting},
		row{"heap allocations per entry, at the worst of 1, 2, 8, 64 goroutines: the worst of all locks", goal{"≤", 0}, p.allocations},
	)
	return append(rows, p.passing()...)
}

func (e effort) uncontendedRows() []row {
	return []row{
		{"mutex.FIFO, uncontended, ns / sync.Mutex", goal{"≤", 1.25}, e.alone(goroutine(queue), goroutine("sync.Mutex"))},
		{"mutex.FIFO, uncontended, ns / channel", goal{"≤", 0.3}, e.alone(goroutine(queue), goroutine("channel"))},
		{"mutex.FIFO, uncontended, ns of LockContext / Lock", goal{"≤", 1.3}, func() figure {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			return e.alone(func() sync.Locker { return &cancelable{ctx: ctx} }, goroutine(queue))()
		}},
		{"lamportfast, uncontended, ns / sync.Mutex", goal{}, e.alone(process("lamportfast", 8), goroutine("sync.Mutex"))},
		{"peterson, uncontended, ns / sync.Mutex", goal{}, e.alone(process("peterson", 2), goroutine("sync.Mutex"))},
		{"bakery, n = 8, uncontended, ns / channel", goal{"≤", 0.8}, e.alone(process("bakery", 8), goroutine("channel"))},
		{"Share(lamportfast), uncontended, ns / sync.Mutex", goal{"≤", 2.9}, e.alone(goroutine(share("lamportfast")), goroutine("sync.Mutex"))},
	}
}

// partRows are the rows of parts of what an uncontended lock costs beside its twin in C, which does not park.
func (e effort) partRows() []row {
	return []row{
		{"two stores, ns less those of none", goal{}, e.less(func() sync.Locker { return new(storing) }, func() sync.Locker { return nothing{} })},
		{"two stores that check for waiters, ns less those of two that do not", goal{}, e.less(func() sync.Locker { return new(checking) }, func() sync.Locker { return new(storing) })},
		{"checks of a process for misuse, ns less those of none", goal{}, e.less(func() sync.Locker { return &lawful{register.MakeProcesses("figures", 1)} }, func() sync.Locker { return nothing{} })},
	}
}

// Locks of no store, of two, of two that check for waiters, and of what a process checks. A type each: a call of a
// function value would take longer than what is measured.
type (
	nothing  struct{}
	storing  struct{ w register.Word }
	checking struct{ w register.Word }
	lawful   struct{ procs register.Processes }
)

func (nothing) Lock()       {}
func (nothing) Unlock()     {}
func (s *storing) Lock()    { s.w.Set(1) }
func (s *storing) Unlock()  { s.w.Set(0) }
func (c *checking) Lock()   { c.w.Store(1) }
func (c *checking) Unlock() { c.w.Store(0) }
func (l *lawful) Lock()     { l.procs.Entry(0).Inside() }
func (l *lawful) Unlock()   { l.procs.Exit(0) }

// less is alone, with the difference.
func (e effort) less(ours, theirs func() sync.Locker) func() figure {
	return func() figure {
		r, windows := e.compare(ours, theirs)
		return figure{r.Difference, fmt.Sprintf("%.1f less %.1f ns", r.A.Median, r.B.Median), windows}
	}
}

// A cancelable is a mutex.FIFO whose Lock is LockContext, with a context that can end.
type cancelable struct {
	mutex.FIFO
	ctx context.Context
}

func (c *cancelable) Lock() {
	if err := c.LockContext(c.ctx); err != nil {
		panic(err)
	}
}

// contestRows are the rows of locks for which n goroutines contend, with sections of 100 ns and of none.
func contestRows(n int, c, empty *contest) []row {
	bounds := map[int]struct{ queue, shared, fast float64 }{8: {1.25, 0.9, 0.9}, 64: {1.25, 0.95, 1.1}, 512: {1, 0.9, 1.1}}[n]
	rows := []row{
		c.row(queue, throughput, "channel", goal{"≥", bounds.queue}),
		empty.row(queue, throughput, "channel", goal{"≥", bounds.queue}),
		c.row(queue, tail, "channel", goal{"≤", 1}),
		c.row(queue, cpu, "channel", goal{"≤", 1}),
		c.row(share("bakery"), throughput, "channel", goal{"≥", bounds.shared}),
		c.row(share("bakery"), cpu, "channel", goal{"≤", 1.3}),
		c.row(share("lamportfast"), throughput, "sync.Mutex", goal{"≥", bounds.fast}),
	}
	if n > 64 {
		return rows
	}
	rows = append(rows,
		c.row("bakery", throughput, "channel", goal{"≥", 0.9}),
		c.row("bakery", throughput, "semaphore", goal{"≥", 1.3}),
		c.row("lamportfast", throughput, "sync.Mutex", goal{"≥", 1.1}),
	)
	if n == 64 {
		rows = append(rows,
			c.row(queue, tail, "sync.Mutex", goal{"≤", 0.2}),
			c.row("tournament", throughput, "semaphore", goal{"≥", 1.2}),
			c.row("tournament", tail, "channel", goal{"≤", 3}),
		)
	}
	return rows
}

// A maker makes a lock for n processes, or for n goroutines.
type maker func(n int) mutex.Mutex

// few is how many processes a lock has, if it serves as many, behind mutex.Share.
const few = 8

// queue is the lock for any number of goroutines, and share what one is called that is used through
// mutex.Share.
const queue = "mutex.FIFO"

func share(name string) string { return "Share(" + name + ")" }

// makerOf returns the maker of an algorithm of the catalog, of a peer, of a lock
// through mutex.Share, or of mutex.FIFO.
func makerOf(name string) maker {
	if name == queue {
		return func(n int) mutex.Mutex { return measure.Any(new(mutex.FIFO), n) }
	}
	if within, ok := strings.CutPrefix(name, "Share("); ok {
		a, _ := catalog.Find(strings.TrimSuffix(within, ")"))
		return func(n int) mutex.Mutex { return measure.Share(a.New(a.AtMost(few)), n) }
	}
	if a, ok := catalog.Find(name); ok {
		return func(n int) mutex.Mutex { return a.New(n) }
	}
	for _, p := range measure.Peers {
		if p.Name == name {
			return p.New
		}
	}
	panic("figures: no lock " + name)
}

// The lockers of the uncontended rows: one process of n, and what needs no process: a peer, or a
// lock for any goroutine.

func process(name string, n int) func() sync.Locker {
	return func() sync.Locker { return mutex.Locker(makerOf(name)(n), 0) }
}

func goroutine(name string) func() sync.Locker {
	return func() sync.Locker { return measure.Locker(makerOf(name)(1), 0) }
}

// windows and pairs describe what a figure was measured in.
func windows(n int, each time.Duration) string { return fmt.Sprintf("%d of %v", n, each) }
func pairs(n int, each time.Duration) string   { return fmt.Sprintf("%d pairs of %v", n, each) }

const section = 100 * time.Nanosecond

// alone compares the nanoseconds of an uncontended Lock and Unlock. No goroutine
// has to start, so it has more windows, of a tenth of the length. Each window has
// new locks: their place in memory is part of the spread.
func (e effort) alone(ours, theirs func() sync.Locker) func() figure {
	return func() figure {
		r, windows := e.compare(ours, theirs)
		return figure{r.Ratio, fmt.Sprintf("%.1f / %.1f ns", r.A.Median, r.B.Median), windows}
	}
}

func (e effort) compare(ours, theirs func() sync.Locker) (r measure.Ratio, windows string) {
	n, each := 5*e.Windows|1, e.Window/10
	ns := func(l func() sync.Locker) func() float64 {
		return func() float64 { return measure.Alone(l(), each) }
	}
	return measure.Compare(n, ns(ours), ns(theirs)), pairs(n, each)
}

// shareRows returns a row for each number of goroutines: the min/max share in
// windows of a second.
func (e effort) shareRows(name string, goroutines []int, g goal) []row {
	var rows []row
	for _, n := range goroutines {
		c := measure.Contention{Goroutines: n, Duration: time.Second, Work: section}
		rows = append(rows, row{fmt.Sprintf("%s, %d goroutines, 100 ns, min/max share in a second", name, n), g, func() figure {
			shares := make([]float64, e.Windows/4|1)
			for k := range shares {
				shares[k] = measure.Contend(makerOf(name)(n), c).MinMax
			}
			return figure{measure.SpreadOf(shares), "", windows(len(shares), c.Duration)}
		}})
	}
	return rows
}

// waiting is the CPU time of a waiter in milliseconds.
func waiting() figure {
	const sections, awaited = 5, 100 * time.Millisecond
	return worst(windows(sections, awaited), func(m maker, n int) measure.Spread {
		times := make([]float64, sections)
		for k := range times {
			times[k] = math.NaN() // the system does not report it
			if d, ok := measure.Waiting(m(n), awaited); ok {
				times[k] = float64(d) / 1e6
			}
		}
		return measure.SpreadOf(times)
	})
}

// allocations counts to a thousandth, and takes the least of some windows, of which
// each is twice as long as the one before: the runtime allocates for itself when more
// goroutines wait than ever before, but a lock that allocates does so in every window.
// The figure of a lock is that of its worst number of goroutines; the bounds are over
// those numbers.
func (e effort) allocations() figure {
	const repeats = 4
	made := fmt.Sprintf("least of %d, from %v on, bounds over the goroutines", repeats, e.Window)
	return worst(made, func(m maker, most int) measure.Spread {
		var counts []float64
		for _, n := range []int{1, 2, 8, 64} {
			if n > most {
				continue
			}
			least, c := math.Inf(1), measure.Contention{Goroutines: n, Duration: e.Window}
			for k := 0; k < repeats && least > 0; k++ {
				least = min(least, math.Round(1000*measure.Contend(m(n), c).Allocs)/1000)
				c.Duration *= 2
			}
			counts = append(counts, least)
		}
		s := measure.SpreadOf(counts)
		s.Median = s.High // allocating only under contention counts too
		return s
	})
}

// worst measures every lock of the catalog, for as many processes as it serves up to
// 64, each through mutex.Share, and each Locker, and returns the largest figure; windows describes
// what each was measured in.
func worst(windows string, figureOf func(m maker, most int) measure.Spread) figure {
	var w figure
	for _, a := range catalog.Algorithms {
		ways := map[string]int{a.Name: a.AtMost(64), share(a.Name): 64}
		if a.Locker != nil {
			ways[queue] = 64
		}
		for name, most := range ways {
			s := figureOf(makerOf(name), most)
			if w.note == "" || s.Median > w.Median {
				w = figure{s, name, windows}
			}
		}
	}
	return w
}

// hogRows returns a row for each lock, each number of hogs and each section: the
// longest wait behind hogs, beside that of sync.Mutex. A hog enters again and again,
// and sleeps in its section.
func (e effort) hogRows() []row {
	var rows []row
	for _, lock := range []struct {
		name string
		goal goal
	}{{queue, goal{"≤", 1}}, {"lamportfast", goal{"≤", 2}}, {share("lamportfast"), goal{"≤", 2}}} {
		for _, hogs := range []int{1, 8} {
			for _, section := range []time.Duration{100 * time.Microsecond, time.Millisecond, 5 * time.Millisecond} {
				title := fmt.Sprintf("%s, longest wait behind %d × %.3g ms / sync.Mutex's", lock.name, hogs, 1e3*section.Seconds())
				rows = append(rows, row{title, lock.goal, func() figure {
					limit := 100*time.Millisecond + 20*section
					longest := func(name string) func() float64 {
						return func() float64 { return measure.Behind(makerOf(name)(hogs+1), hogs, section, limit).Seconds() }
					}
					n := e.Windows/8 | 1
					r := measure.Compare(n, longest(lock.name), longest("sync.Mutex"))
					return figure{r.Ratio, perSeconds(r.A.Median, r.B.Median), pairs(n, limit)}
				}})
			}
		}
	}
	return rows
}

// passing are the measures of the message-passing algorithms. The yardstick is the
// round trip of a value to another goroutine over unbuffered channels: two
// messages, each of which wakes a goroutine.
func (e effort) passing() []row {
	return []row{
		{"central, 8 nodes that contend, 0 ns, time per entry / round trip over a channel", goal{}, e.trips("central", 8, 1)},
		{"ricartagrawala, 32 nodes that contend, 0 ns, time of a message / half a round trip", goal{}, e.trips("ricartagrawala", 32, float64(2*31)/2)},
		{"ricartagrawala, 100 nodes in virtual time, latencies at random, million deliveries in a second on one core", goal{}, e.deliveries},
	}
}

// trips compares the time of an entry of a cluster, divided by parts, with a round trip.
func (e effort) trips(name string, n int, parts float64) func() figure {
	return func() figure {
		p, _ := catalog.FindProtocol(name)
		c := measure.Contention{Goroutines: n, Duration: e.Window}
		r := measure.Compare(e.Windows,
			func() float64 { return 1e9 / measure.Contend(cluster.New(n, p.New(n)), c).PerSecond() / parts },
			func() float64 { return measure.RoundTrip(e.Window / 2) },
		)
		return figure{r.Ratio, fmt.Sprintf("%.1f / %.0f ns", r.A.Median, r.B.Median), pairs(e.Windows, e.Window)}
	}
}

// deliveries measures how many messages the simulator delivers, in millions per
// second, when it counts them by kind.
func (e effort) deliveries() figure {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	p, _ := catalog.FindProtocol("ricartagrawala")
	const nodes, entries = 100, 2000
	rates := make([]float64, e.Windows/2|1)
	for k := range rates {
		begin := time.Now()
		r, err := sim.Run(sim.Config{
			Algorithm: p.New(nodes), Nodes: nodes, Load: sim.HighLoad{}, Entries: entries, Seed: uint64(k),
			Latency: sim.Uniform(sim.T/2, 3*sim.T/2),
		})
		if err != nil {
			panic(fmt.Sprintf("figures: %v", err))
		}
		rates[k] = float64(r.Delivered) / 1e6 / time.Since(begin).Seconds()
	}
	return figure{measure.SpreadOf(rates), "messages by kind counted", fmt.Sprintf("%d of %d entries", len(rates), entries)}
}
