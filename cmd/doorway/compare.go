package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"example.org/doorway/internal/costs"
	"example.org/doorway/internal/measure"
	"example.org/doorway/mutex"
)

// A setting is a way to contend for a lock.
type setting struct {
	goroutines int
	shared     bool // through mutex.Share, over few processes; otherwise one goroutine per process
}

var settings = []setting{{8, false}, {64, false}, {8, true}, {64, true}, {512, true}}

// String returns the heading of a setting.
func (c setting) String() string {
	if c.shared {
		return fmt.Sprintf("S%d", c.goroutines)
	}
	return fmt.Sprint(c.goroutines)
}

// few is how many processes a lock has, if it serves as many, when it is shared
// or uncontended.
const few = 8

const rounds = 5

// A comparison is what doorway compare measures, and has measured so far.
type comparison struct {
	subjects    []subject
	section     time.Duration
	window      time.Duration // of each measurement under contention; half of it uncontended
	rounds      int           // finished
	interrupted bool
	of          []measured // by subject
	costReport  costReport // of the algorithms that pass messages; without rows, it is not shown
}

// measured are the figures of a lock: one per round that has reached it.
type measured struct {
	uncontended []float64   // ns, as a process of the lock
	shared      []float64   // ns, uncontended through mutex.Share
	contended   []contended // by setting
}

type contended struct{ perEntry, p999, cpu, share []float64 } // perEntry has every round

func newCompare() *command {
	c := newCommand("compare", "[lock ...]", "compare the locks with sync.Mutex and other peers")
	total, section, machines := 9*time.Second, time.Duration(0), false
	c.span(&total, "time", 100*time.Millisecond, time.Hour, "5s", "approximate total `duration`, 100ms to 1h (default 9s)")
	c.span(&section, "section", 0, time.Millisecond, "100ns", "`duration` of the critical section, up to 1ms (default: one addition)")
	c.json(&machines)
	all := func() []subject { return subjects(peer, right) }
	c.words = func() []string { return names(all()) }
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
			if x.costReport, err = newCostReport(ctx, p, costs.Nodes, subjects(passing)); err != nil {
				return err
			}
		}
		x.measure(ctx, p)
		p.clear()
		r := x.report()
		s.report(machines, r, r.text)
		return ctx.Err()
	}
	return c
}

func newComparison(subjects []subject, section, total time.Duration) *comparison {
	x := &comparison{subjects: subjects, section: section, of: make([]measured, len(subjects))}
	windows := 0.0
	for k, s := range subjects {
		x.of[k].contended = make([]contended, len(settings))
		windows += 0.5
		if s.kind != peer {
			windows += 0.5
		}
		for _, c := range settings {
			if s.contendedIn(c) != nil {
				windows += 1.2 // with the warm-up
			}
		}
	}
	x.window = time.Duration(float64(total) / (rounds * windows))
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
	passes := 2 + len(settings)
	steps, done := rounds*len(x.subjects)*passes, 0
	order := make([]int, len(x.subjects))
	for k := range order {
		order[k] = k
	}
	for x.rounds = 0; x.rounds < rounds; x.rounds++ {
		for pass := range passes {
			for _, k := range order {
				p.show("measuring: %d %%, %s", 100*done/steps, x.subjects[k].name)
				done++
				keep, err := watch(ctx, &progress{}, func(func(string)) (func(), error) { return x.measureOne(k, pass), nil })
				if err != nil {
					x.interrupted = true
					return
				}
				keep()
			}
		}
		slices.Reverse(order)
	}
}

// measureOne takes one figure of subject k, and returns what keeps it: an
// interrupt does not wait for the end of the window. Passes 0 and 1 are
// uncontended, of a process and through mutex.Share; the others are the settings.
func (x *comparison) measureOne(k, pass int) (keep func()) {
	s, m := x.subjects[k], &x.of[k]
	switch {
	case pass == 0:
		ns := measure.Alone(measure.Locker(s.new(s.usual()), 0), x.window/2)
		return func() { m.uncontended = append(m.uncontended, ns) }
	case pass == 1 && s.kind == peer:
		return func() {}
	case pass == 1:
		ns := measure.Alone(measure.Locker(s.share(1), 0), x.window/2)
		return func() { m.shared = append(m.shared, ns) }
	}
	c := settings[pass-2]
	newLock := s.contendedIn(c)
	if newLock == nil {
		return func() {}
	}
	r := measure.Contend(newLock(), measure.Contention{Goroutines: c.goroutines, Duration: x.window, Work: x.section, Sample: 16})
	return func() { m.contended[pass-2].add(r) }
}

// add adds a window. Each has a perEntry, that those of two locks are of the
// same round: without an entry it is the length of the window, as if there had
// been one. The others are left out where there was too little to see.
func (c *contended) add(r measure.Result) {
	c.perEntry = append(c.perEntry, float64(r.Elapsed)/float64(max(1, r.Entries)))
	if r.Entries > 0 {
		c.share = append(c.share, r.MinMax)
	}
	if cpu := r.CPUPerEntry(); !math.IsNaN(cpu) {
		c.cpu = append(c.cpu, cpu)
	}
	if r.Latency.Timed >= 1000 { // of fewer, the 99.9th percentile is the maximum
		c.p999 = append(c.p999, float64(r.Latency.P999))
	}
}

// tail returns the p99.9 by round, or none if a window has none: what is left
// would be the windows in which the lock was fast.
func (c contended) tail() []float64 {
	if len(c.p999) < len(c.perEntry) {
		return nil
	}
	return c.p999
}

// throughput returns that of subject k relative to the yardstick, by round.
func (x *comparison) throughput(k, setting int) []float64 {
	first := slices.IndexFunc(x.subjects, func(s subject) bool { return s.name == yardstick })
	ours, theirs := x.of[k].contended[setting].perEntry, x.of[first].contended[setting].perEntry
	ratios := make([]float64, min(len(ours), len(theirs)))
	for r := range ratios {
		ratios[r] = theirs[r] / ours[r]
	}
	return ratios
}
