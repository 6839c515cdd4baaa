package main

import (
	"context"
	"slices"
	"time"

	"example.org/doorway/internal/costs"
	"example.org/doorway/internal/measure"
)

// levels are the numbers of goroutines that compete.
var levels = []int{8, 64}

const rounds = 5

// A comparison is what doorway compare measures, and has measured so far.
type comparison struct {
	subjects    []subject
	section     time.Duration
	window      time.Duration // of each measurement under contention; half of it alone
	rounds      int           // finished
	interrupted bool
	of          []measured // by subject
	costReport  costReport // of the algorithms that pass messages; without rows, it is not shown
}

// measured are the figures of a lock: one a round, as far as they came.
type measured struct {
	alone     []float64   // ns
	contended []contended // by level
}

type contended struct{ perEntry, p999, share []float64 } // perEntry has every round

func newCompare() *command {
	c := newCommand("compare", "[lock ...]", "compare the locks with sync.Mutex and its like")
	total := c.span("time", 9*time.Second, 100*time.Millisecond, time.Hour, "5s",
		"approximate `duration` of all measurements, 100ms to 1h (default 9s)")
	section := c.span("section", 0, 0, time.Millisecond, "100ns",
		"`duration` of the critical section, up to 1ms (default: one addition)")
	machines := c.json()
	c.words = func() []string { return names(slices.Concat(yardsticks(), locks())) }
	c.run = func(ctx context.Context, s streams, operands []string) error {
		subjects, err := c.compared(operands)
		if err != nil {
			return err
		}
		x := newComparison(subjects, *section, *total)
		p := newProgress(s.err)
		if len(operands) == 0 {
			if x.costReport, err = newCostReport(ctx, p, costs.Nodes, nil); err != nil {
				return err
			}
		}
		x.measure(ctx, p)
		p.clear()
		write := x.write
		if *machines {
			write = x.writeJSON
		}
		if err := write(s.out); err != nil {
			return err
		}
		return ctx.Err()
	}
	return c
}

// compared returns the subjects of those names and the yardstick before them;
// without names all that are not broken.
func (c *command) compared(chosen []string) ([]subject, error) {
	all := slices.Concat(yardsticks(), locks())
	if len(chosen) == 0 {
		return all, nil
	}
	for _, name := range chosen {
		if _, err := c.choose(all, name); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(all, func(s subject) bool {
		return s.name != yardstick && !slices.Contains(chosen, s.name)
	}), nil
}

func newComparison(subjects []subject, section, total time.Duration) *comparison {
	x := &comparison{subjects: subjects, section: section, of: make([]measured, len(subjects))}
	windows := 0.0
	for k, s := range subjects {
		x.of[k].contended = make([]contended, len(levels))
		windows += 0.5
		for _, n := range levels {
			if s.serves(n) {
				windows += 1.2 // with the warm-up
			}
		}
	}
	x.window = time.Duration(float64(total) / (rounds * windows))
	return x
}

// measure measures round after round, until ctx is done. Within a round each
// lock has its turn for one figure before any has for the next: what is
// compared lies near in time. Every other round goes backwards, so that no lock
// has always the same one before it.
func (x *comparison) measure(ctx context.Context, p *progress) {
	steps, done := rounds*len(x.subjects)*(1+len(levels)), 0
	order := make([]int, len(x.subjects))
	for k := range order {
		order[k] = k
	}
	for x.rounds = 0; x.rounds < rounds; x.rounds++ {
		for level := -1; level < len(levels); level++ {
			for _, k := range order {
				p.show("measuring: %d %%, %s", 100*done/steps, x.subjects[k].name)
				done++
				keep, err := watch(ctx, &progress{}, func(func(string)) (func(), error) { return x.measureOne(k, level), nil })
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

// measureOne takes one figure of subject k, alone or at a level, and returns what
// keeps it: the window of an interrupted measurement is not waited for.
func (x *comparison) measureOne(k, level int) (keep func()) {
	s, m := x.subjects[k], &x.of[k]
	if level < 0 {
		ns := measure.Alone(measure.Locker(s.new(s.processes(levels[0])), 0), x.window/2)
		return func() { m.alone = append(m.alone, ns) }
	}
	n := levels[level]
	if !s.serves(n) {
		return func() {}
	}
	r := measure.Contend(s.new(n), measure.Contention{Goroutines: n, Duration: x.window, Work: x.section, Sample: 16})
	return func() { m.contended[level].add(r) }
}

// add adds a window. Each has a perEntry, that those of two locks are of the
// same round: without an entry it is the length of the window, as if there had
// been one. The others are left out where there was too little to see.
func (c *contended) add(r measure.Result) {
	c.perEntry = append(c.perEntry, float64(r.Elapsed)/float64(max(1, r.Entries)))
	if r.Entries > 0 {
		c.share = append(c.share, r.MinMax)
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
func (x *comparison) throughput(k, level int) []float64 {
	first := slices.IndexFunc(x.subjects, func(s subject) bool { return s.name == yardstick })
	ours, theirs := x.of[k].contended[level].perEntry, x.of[first].contended[level].perEntry
	ratios := make([]float64, min(len(ours), len(theirs)))
	for r := range ratios {
		ratios[r] = theirs[r] / ours[r]
	}
	return ratios
}
