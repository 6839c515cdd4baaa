package main

import (
	"context"
	"math"
	"runtime"
	"slices"
	"time"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/measure"
	"example.org/doorway/internal/measure/costs"
	"example.org/doorway/mutex"
)

// A setting is a way to contend for a lock.
type setting struct {
	goroutines int
	shared     bool // through mutex.Share, over few processes; otherwise one goroutine per process
}

var settings = []setting{{8, false}, {64, false}, {8, true}, {64, true}, {512, true}}

// few is how many processes a lock has, if it serves as many, when it is shared
// or uncontended.
const few = 8

const rounds = 5

func newCompare() *command {
	c := newCommand("compare", "[lock ...]", "compare the locks with sync.Mutex and other peers")
	total, section := 9*time.Second, time.Duration(0)
	c.span(&total, "time", 100*time.Millisecond, time.Hour, "5s", "approximate total `duration`, 100ms to 1h (default 9s)")
	c.span(&section, "section", 0, time.Millisecond, "100ns", "`duration` of the critical section, up to 1ms (default: one addition)")
	c.json()
	all := func() []subject { return subjects(peer, right) }
	c.words = func() []string { return catalog.Names(all()) }
	c.run = func(ctx context.Context, s streams, operands []string) error {
		if len(operands) > 0 {
			operands = append(operands, yardstick)
		}
		chosen, err := c.chosen(all(), "lock", operands)
		if err != nil {
			return err
		}
		x := newComparison(chosen, section, total)
		p := newProgress(s.err)
		if len(operands) == 0 {
			report, err := newCostReport(ctx, p, costs.Nodes, subjects(passing))
			if err != nil {
				return err
			}
			x.Messages = &report
		}
		x.measure(ctx, p)
		p.clear()
		s.report(x, x.text)
		return ctx.Err()
	}
	return c
}

func newComparison(subjects []subject, section, total time.Duration) *comparison {
	x := &comparison{Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.GOMAXPROCS(0), Section: section}
	windows := 0.0
	for _, s := range subjects {
		row := compared{
			of: s, Name: s.Name, Source: s.Source, Yardstick: s.kind == peer,
			StarvationFree: s.claims.StarvationFree, FIFO: s.claims.FIFO, Fast: s.claims.Fast,
		}
		windows += 0.5
		if !row.Yardstick {
			row.Shared.Processes = s.usual()
			windows += 0.5
		}
		for _, c := range settings {
			if c.shared {
				row.Shared.Contended = append(row.Shared.Contended, figures{Goroutines: c.goroutines})
			} else {
				row.Contended = append(row.Contended, figures{Goroutines: c.goroutines})
			}
			if s.contendedIn(c) != nil {
				windows += 1.2 // with the warm-up
			}
		}
		x.Locks = append(x.Locks, row)
	}
	x.Window = time.Duration(float64(total) / (rounds * windows))
	return x
}

// contendedIn returns what makes the lock that goroutines contend for in a
// setting, or nil if s is not measured in it. A yardstick needs no Share. It is
// measured without, so that its window and those of the locks that are compared with
// it are near in time; unless it spins, which takes long with so many goroutines.
func (s subject) contendedIn(c setting) func() mutex.Mutex {
	switch {
	case c.shared && s.kind != peer:
		return func() mutex.Mutex { return s.share(c.goroutines) }
	case c.shared && s.spins, !s.serves(c.goroutines):
		return nil
	default:
		return func() mutex.Mutex { return s.new(c.goroutines) }
	}
}

// share returns a lock for few processes, through mutex.Share.
func (s subject) share(goroutines int) mutex.Mutex {
	return measure.Share(s.new(s.usual()), goroutines)
}

// measure measures round after round, until ctx is done. Within a round each
// lock is measured for one figure before any is for the next, so that windows
// that are compared are near in time. Every other round goes backwards, so that
// a lock does not always follow the same one.
func (x *comparison) measure(ctx context.Context, p *progress) {
	defer x.relate()
	passes := 2 + len(settings)
	steps, done := rounds*len(x.Locks)*passes, 0
	order := make([]*compared, len(x.Locks))
	for k := range order {
		order[k] = &x.Locks[k]
	}
	for x.Rounds = 0; x.Rounds < rounds; x.Rounds++ {
		for pass := range passes {
			for _, c := range order {
				p.show("measuring: %d %%, %s", 100*done/steps, c.Name)
				done++
				keep, err := watch(ctx, &progress{}, func(func(string)) (func(), error) { return x.measureOne(c, pass), nil })
				if err != nil {
					x.Interrupted = true
					return
				}
				keep()
			}
		}
		slices.Reverse(order)
	}
}

// measureOne takes one figure of a lock, and returns what keeps it: an
// interrupt does not wait for the end of the window. Passes 0 and 1 are
// uncontended, of a process and through mutex.Share; the others are the settings.
func (x *comparison) measureOne(c *compared, pass int) (keep func()) {
	alone := func(to *samples, m mutex.Mutex) func() {
		ns := measure.Alone(measure.Locker(m, 0), x.Window/2)
		return func() { *to = append(*to, ns) }
	}
	switch {
	case pass == 0:
		return alone(&c.Uncontended, c.of.new(c.of.usual()))
	case pass == 1 && c.Yardstick:
		return func() {}
	case pass == 1:
		return alone(&c.Shared.Uncontended, c.of.share(1))
	}
	setting := settings[pass-2]
	newLock := c.of.contendedIn(setting)
	if newLock == nil {
		return func() {}
	}
	r := measure.Contend(newLock(), measure.Contention{Goroutines: setting.goroutines, Duration: x.Window, Work: x.Section, Sample: 16})
	return func() { c.in(pass - 2).add(r) }
}

// add adds a window. Each has a PerEntry, that those of two locks are of the
// same round: without an entry it is the length of the window, as if there had
// been one. The others are left out where there was too little to see.
func (f *figures) add(r measure.Result) {
	f.PerEntry = append(f.PerEntry, float64(r.Elapsed)/float64(max(1, r.Entries)))
	if r.Entries > 0 {
		f.Share = append(f.Share, r.MinMax)
	}
	if cpu := r.CPUPerEntry(); !math.IsNaN(cpu) {
		f.CPU = append(f.CPU, cpu)
	}
	if r.Latency.Timed >= 1000 { // of fewer, the 99.9th percentile is the maximum
		f.P999 = append(f.P999, float64(r.Latency.P999))
	}
}

// relate adds the throughput of each lock relative to the yardstick, by round. It takes away the percentiles
// where a window has none: what is left would be of the windows in which the lock was fast.
func (x *comparison) relate() {
	first := slices.IndexFunc(x.Locks, func(c compared) bool { return c.Name == yardstick })
	for k := range x.Locks {
		for i := range settings {
			ours, theirs := x.Locks[k].in(i), x.Locks[first].in(i)
			for r := range min(len(ours.PerEntry), len(theirs.PerEntry)) {
				ours.Throughput = append(ours.Throughput, theirs.PerEntry[r]/ours.PerEntry[r])
			}
			if len(ours.P999) < len(ours.PerEntry) {
				ours.P999 = nil
			}
		}
	}
}
