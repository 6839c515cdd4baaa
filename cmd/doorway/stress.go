package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/own"
	"example.org/doorway/stress"
)

// A trial is a call of doorway stress.
type trial struct {
	*command
	own.Stress
	n int
}

func newStress() *command {
	c := newCommand("stress", "lock | package.constructor", "stress a lock, and report whether it kept its promise")
	t := &trial{command: c, Stress: own.Stress{Duration: 2 * time.Second, Seed: 1}}
	c.whole(&t.n, "n", 1, 4096, "`number` of processes, 1 to 4096 (default: 8, or as many as the lock serves)")
	c.whole(&t.Goroutines, "goroutines", 1, 1<<16-1, "`number` of goroutines, 1 to 65535 (default: one a process)")
	c.span(&t.Duration, "time", time.Millisecond, 24*time.Hour, "5s", "`duration` of the run, 1ms to 24h (default 2s)")
	c.span(&t.Section, "section", 0, time.Second, "100ns", "`duration` of the critical section, up to 1s (default: next to nothing)")
	c.fraction(&t.GiveUp, "give-up", "`fraction` of the calls that give up rather than wait, 0 to 1 (default 0)", "giveup")
	c.fraction(&t.Delay, "delay", "`probability` of a delay before a register access, 0 to 1 (default 0)")
	c.whole(&t.Seed, "seed", 0, math.MaxInt32, "`number` that determines which calls give up (default 1)")
	c.is(&t.Shared, "shared", "go through mutex.Share, with any number of goroutines")
	c.json()
	c.words = func() []string { return catalog.Names(stressable()) }
	c.run = t.run
	return c
}

func stressable() []subject { return subjects(right, passing, peer, wrong, printed) }

func (t *trial) run(ctx context.Context, s streams, operands []string) error {
	all := stressable()
	name, err := t.operand(s, operands, "lock", "a lock; "+lists(all))
	if err != nil {
		return err
	}
	if c, is := exportedOwn(name); is {
		return t.runOwn(ctx, s, c)
	}
	lock, err := t.choose(all, "lock", name)
	if err != nil {
		return err
	}
	n := cmp.Or(t.n, lock.usual())
	switch {
	case !lock.serves(n):
		return t.mistaken("-n %d: %s is for %d processes", n, lock.Name, lock.max)
	case lock.Lacking() != nil:
		return lock.Lacking()
	}
	var excludes func(i, j int) bool
	if lock.protocol.New != nil {
		excludes = lock.protocol.Excludes(n)
	}
	t.Atomic = lock.kind == wrong || lock.kind == printed // its data races are known
	m := lock.new(n)
	report, err := watch(ctx, newProgress(s.err), func(say func(string)) (*stress.Report, error) {
		say(fmt.Sprintf("%s under stress for %v", lock.Name, t.Duration))
		report, err := t.Run(lock.Name, m, excludes)
		if report == nil {
			err = t.mistaken("%v", err)
		}
		return report, err
	})
	return t.conclude(s, lock, report, err)
}

// runOwn stresses a lock or a protocol of one's own.
func (t *trial) runOwn(ctx context.Context, s streams, c constructor) error {
	code, err := c.load(ctx)
	if err != nil {
		return err
	}
	m, err := t.ask(ctx, s, code, own.Request{Processes: t.n, Stress: &t.Stress})
	if m == nil {
		return err
	}
	return t.conclude(s, code.subject(), m.Stressed, err)
}

// conclude writes the report, and returns an error if the lock failed: by the report,
// or by what cut the run short. Without a report that is its error.
func (t *trial) conclude(s streams, lock subject, report *stress.Report, failure error) error {
	if report == nil {
		return failure
	}
	of := stressed{lock: lock, Lock: lock.Name, Violated: report.Err() != nil, Report: report}
	if failure != nil {
		of.Error = failure.Error()
	}
	s.report(of, of.text)
	if failure != nil && !s.json {
		tell(s.err, "doorway "+of.Error)
	}
	if failure != nil || of.Violated {
		return errViolated
	}
	return nil
}

// A stressed lock is what doorway stress reports.
type stressed struct {
	lock     subject
	Lock     string         `json:"lock"`
	Violated bool           `json:"violated"`
	Error    string         `json:"error,omitempty"`
	Report   *stress.Report `json:"report"`
}

// text returns the report as a table at most as wide as limit.
func (r stressed) text(limit int) string {
	t := table{limit: limit}
	t.add("lock", r.lock.String())
	for line := range strings.Lines(r.Report.String()) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), "  ")
		t.add(name, strings.TrimSpace(text))
	}
	return t.String()
}
