package main

import (
	"context"
	"errors"
	"strings"
	"time"
)

// How long critical sections take that a reader can follow.
const calm, leisure = 100 * time.Millisecond, 500 * time.Millisecond

// faults is the demonstration on this machine.
func (d *demo) faults(ctx context.Context) error {
	for _, part := range []func(context.Context) error{d.turns, d.kill, d.stop, d.speed, d.change, d.leave} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (d *demo) turns(ctx context.Context) error {
	d.title("Three processes take turns. Each reads a counter, works for %v, and writes it plus 1.", calm)
	d.columns()
	d.hold = calm
	if err := d.start(ctx, "A", "B", "C"); err != nil {
		return err
	}
	if err := d.more(ctx, 3); err != nil { // all work now
		return err
	}
	count := d.count()
	if err := d.more(ctx, 9); err != nil {
		return err
	}
	d.note("frames per entry", "%.2f taking turns", count())
	return nil
}

// more waits for a number of entries.
func (d *demo) more(ctx context.Context, n int) error {
	n += d.entries
	return d.until(ctx, "more entries", func() bool { return d.entries >= n })
}

// count begins to count frames per entry. What it returns ends it.
func (d *demo) count() (ratio func() float64) {
	entries, frames := d.entries, d.frames.Load()
	return func() float64 { return float64(d.frames.Load()-frames) / float64(d.entries-entries) }
}

func (d *demo) kill(ctx context.Context) error {
	d.title("C is killed with -9 while it holds the lock. The others evict it and go on. Then it starts again.")
	if err := d.fault(ctx, "C", "was killed", d.processes["C"].kill); err != nil {
		return err
	}
	if err := d.start(ctx, "C"); err != nil {
		return err
	}
	return d.more(ctx, 4)
}

// fault has a process fail while it holds the lock, and notes when another takes over.
func (d *demo) fault(ctx context.Context, name, how string, fail func() error) error {
	d.keeper = name
	if err := d.until(ctx, name+" to enter", func() bool { return d.keeper == "" }); err != nil {
		return err
	}
	if err := d.during(ctx, 2*calm); err != nil {
		return err
	}
	began, before := time.Now(), d.entries
	if err := fail(); err != nil {
		return err
	}
	d.event(name, "%s while it holds the lock: evicted when it has been silent for a lease", how)
	if err := d.until(ctx, "another to take over", func() bool { return d.entries > before }); err != nil {
		return err
	}
	took := ms(d.since.Sub(began))
	d.event(d.entered, "took over %s after %s %s", took, name, how)
	d.note("holder "+how, "%s took over after %s; expected within lease + 0.3 s = %v", d.entered, took, d.lease+300*time.Millisecond)
	return d.more(ctx, 4)
}

func (d *demo) stop(ctx context.Context) error {
	if sigstop == nil {
		d.title("This system cannot stop a process and continue it, so none is.")
		return nil
	}
	d.title("B is stopped (SIGSTOP) while it holds the lock. The others evict it and go on. Then it is continued.")
	b := d.processes["B"].Process
	if err := d.fault(ctx, "B", "was stopped", func() error { return b.Signal(sigstop) }); err != nil {
		return err
	}
	d.event("B", "is continued; it knows nothing yet, and will write what it has read, plus 1")
	began := time.Now()
	if err := b.Signal(sigcont); err != nil {
		return err
	}
	if err := d.until(ctx, "B to write", func() bool { return d.refused.After(began) }); err != nil {
		return err
	}
	d.note("when continued", "it was told after %s that its guard was lost, and its write was refused", ms(d.lost.Sub(began)))
	return d.more(ctx, 6)
}

func (d *demo) speed(ctx context.Context) error {
	const long = 2 * time.Second
	d.title("They go on without the work, at full speed, for %v.", long)
	d.hold, d.fast = 0, true
	if err := d.more(ctx, 200); err != nil { // all are fast now
		return err
	}
	entries, count := d.entries, d.count()
	d.pause = 0
	if err := d.during(ctx, long); err != nil {
		return err
	}
	d.event("all", "%.0f entries/s, with two requests to the counter in each", float64(d.entries-entries)/long.Seconds())
	d.note("frames per entry", "%.2f at full speed; messages of the algorithm: %s.", count(), d.protocol.messages)
	d.note("", "The other frames acknowledge, when none goes back soon that does so, too")
	return nil
}

// longest returns the longest pause between entries while something happens, and soon after.
func (d *demo) longest(ctx context.Context, happens func() error) (string, error) {
	d.pause = 0
	if err := happens(); err != nil {
		return "", err
	}
	err := d.during(ctx, 4*calm)
	return ms(d.pause), err
}

func (d *demo) change(ctx context.Context) error {
	d.title("Meanwhile D joins, enters, and leaves.")
	usual := ms(d.pause)
	joining, err := d.longest(ctx, func() error { return d.start(ctx, "D") })
	if err != nil {
		return err
	}
	leaving, err := d.longest(ctx, func() error { return d.depart(ctx, "D") })
	d.note("longest pause", "%s at full speed, %s when D joined, %s when it left", usual, joining, leaving)
	return err
}

func (d *demo) leave(ctx context.Context) error {
	d.title("All leave.")
	return d.depart(ctx, "A", "B", "C")
}

// depart has members leave.
func (d *demo) depart(ctx context.Context, names ...string) error {
	stay := len(d.members) - len(names)
	for _, name := range names {
		d.leaving[name] = true
	}
	return d.until(ctx, strings.Join(names, ", ")+" to leave", func() bool { return len(d.members) == stay })
}

// company is the demonstration with members of other machines, until it is interrupted.
func (d *demo) company(ctx context.Context) error {
	d.title("On other machines, in a network that you trust, since there is no TLS:\n\n    go run -C examples/machines . %s\n",
		strings.Join(d.arguments(), " "))
	d.printf("Kill them, stop them, unplug them: the others go on when they have been silent for a lease.\n\n")
	d.columns()
	d.hold = leisure
	if err := d.start(ctx, "A", "B", "C"); err != nil {
		return err
	}
	err := d.during(ctx, forever)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
