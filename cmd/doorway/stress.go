package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/measure"
	"example.org/doorway/internal/spelling"
	"example.org/doorway/mutex"
	"example.org/doorway/stress"
)

const stressText = `
Goroutines enter and leave as fast as they can. Reported is whether two were
ever inside at once, how the entries were shared, how often a later call
entered earlier, and how long Lock took. If two were, or if there is no progress for
ten seconds (a deadlock, or too much work for so many goroutines), or if the lock
panics, the exit status is 1.

The lock is one that "doorway list" lists, broken ones included, but for those that
fail only where somebody gives up; or one of the yardsticks of "doorway compare".
An algorithm that passes messages runs as a messaging.Cluster, whose nodes are the
processes. A run that finds nothing proves nothing: a lock that is broken on
purpose may well pass. With -delay more is found; it needs a build that intercepts
registers:

	go run -tags doorway_explore ./cmd/doorway stress lamportfast/want-first -delay 0.01

-json writes an object: lock, violated, error (why the run was cut short, if it
was) and report, whose fields are those of stress.Report, durations in ns:
goroutines, processes, shared, elapsed_ns, attempts, entries, gave_up,
violations, first_violation, lost_updates, per_goroutine, share (min, max, jain),
bypasses (mean, max), latency (p50_ns, p99_ns, p999_ns, max_ns, calls,
sampled), unfinished.
`

// A trial is a call of doorway stress.
type trial struct {
	*command
	n, goroutines    *int
	seed             *int
	time, section    *time.Duration
	giveUp, delay    *float64
	shared, machines *bool
}

func newStress() *command {
	c := newCommand("stress", "lock", "hammer a lock, and report whether it kept its promise", stressText)
	t := &trial{
		command:    c,
		n:          wholeFlag(c.flags, "n", 0, 1, 4096, "`processes` of the lock (default 8, or as many as it serves)"),
		goroutines: wholeFlag(c.flags, "goroutines", 0, 1, 1<<16-1, "`number` of goroutines (default one a process)"),
		time:       spanFlag(c.flags, "time", 2*time.Second, time.Millisecond, 24*time.Hour, "`duration` of the run"),
		section:    spanFlag(c.flags, "section", 0, 0, time.Second, "`duration` of the critical section (default next to nothing)"),
		giveUp:     fractionFlag(c.flags, "give-up", "`fraction` of the calls that give up rather than wait (default 0)"),
		delay:      fractionFlag(c.flags, "delay", "`probability` of a delay before an access to a register (default 0)"),
		seed:       wholeFlag(c.flags, "seed", 1, 0, math.MaxInt32, "`number` that decides who gives up when, and the delays"),
		shared:     c.flags.Bool("shared", false, "go through mutex.Share, with any number of goroutines"),
		machines:   c.flags.Bool("json", false, "write JSON"),
	}
	c.alias("giveup", "give-up")
	c.run = t.run
	return c
}

func (t *trial) run(ctx context.Context, s streams, operands []string) error {
	all := slices.Concat(locks(), clusters(), yardsticks(), wrong(), protocols(catalog.Printed))
	switch {
	case len(operands) == 0:
		return t.mistaken("it takes a lock: the locks are %s", spelling.Enumerate(names(all)))
	case len(operands) > 1:
		return t.mistaken("it takes one lock, not %d", len(operands))
	}
	lock, err := t.choose(all, operands[0])
	if err != nil {
		return err
	}
	m, config, err := t.setUp(lock)
	if err != nil {
		return err
	}
	report, err := t.hammer(ctx, s, lock, m, config)
	if report == nil {
		return err
	}
	return t.conclude(s, lock, report, err)
}

// conclude writes the report, and returns whether the lock failed: by what is
// in the report, or by what cut the run short.
func (t *trial) conclude(s streams, lock subject, report *stress.Report, failure error) error {
	if errors.Is(failure, stress.ErrStuck) {
		failure = fmt.Errorf("%w\n  a deadlock, or too much work for so many goroutines", failure)
	}
	if err := t.write(s.out, lock, report, failure); err != nil {
		return err
	}
	if failure != nil && !*t.machines {
		tell(s.err, "doorway "+failure.Error())
	}
	if failure != nil || report.Err() != nil {
		return errViolated
	}
	return nil
}

// setUp returns the lock, and how to hammer it, or what cannot be.
func (t *trial) setUp(lock subject) (mutex.Mutex, stress.Config, error) {
	n := *t.n
	if n == 0 {
		n = lock.processes(8)
	}
	none := stress.Config{}
	m := lock.new(lock.processes(n))
	if m.Processes() != n {
		return nil, none, t.mistaken("-n %d: %s is for %d processes", n, lock.name, m.Processes())
	}
	if *t.goroutines > n && !*t.shared {
		return nil, none, t.mistaken("-goroutines %d with %d processes: each needs one of its own, unless -shared", *t.goroutines, n)
	}
	if _, ok := m.(mutex.Abortable); !ok && *t.giveUp > 0 {
		return nil, none, t.mistaken("-give-up %v: %s has no way to give up", *t.giveUp, lock.name)
	}
	return m, stress.Config{
		Goroutines: *t.goroutines,
		Shared:     *t.shared,
		Duration:   *t.time,
		Section:    section(*t.section),
		GiveUp:     *t.giveUp,
		Delay:      *t.delay,
		Seed:       uint64(*t.seed),
		Atomic:     lock.broken, // that it races is no news
	}, nil
}

func section(d time.Duration) func() {
	if d == 0 {
		return nil
	}
	return measure.Work(d).Do
}

// hammer runs the stress, and returns without a report if it is interrupted or
// cannot be.
func (t *trial) hammer(ctx context.Context, s streams, lock subject, m mutex.Mutex, c stress.Config) (*stress.Report, error) {
	type result struct {
		report *stress.Report
		err    error
	}
	ended := make(chan result, 1)
	go func() {
		report, err := stress.Run(m, c)
		ended <- result{report, err}
	}()
	p := newProgress(s.err)
	defer p.clear()
	start, tick := time.Now(), time.NewTicker(100*time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case r := <-ended:
			if r.report == nil {
				return nil, t.mistaken("%s", strings.TrimPrefix(r.err.Error(), "stress: "))
			}
			return r.report, r.err
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
			p.show("%s under stress, %.1f of %.1f s", lock.name, time.Since(start).Seconds(), c.Duration.Seconds())
		}
	}
}

func (t *trial) write(w io.Writer, lock subject, report *stress.Report, failure error) error {
	if !*t.machines {
		_, err := fmt.Fprintf(w, "%-12s %s (%s)\n%v\n", "lock", lock.name, lock.source, report)
		return err
	}
	out := struct {
		Lock     string         `json:"lock"`
		Violated bool           `json:"violated"`
		Error    string         `json:"error,omitempty"`
		Report   *stress.Report `json:"report"`
	}{Lock: lock.name, Violated: report.Err() != nil, Report: report}
	if failure != nil {
		out.Error = failure.Error()
	}
	return writeJSON(w, out)
}
