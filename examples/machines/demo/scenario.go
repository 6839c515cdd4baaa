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
func (d *demo) faults(ctx context.Context) {
	for _, part := range []func(context.Context){d.turns, d.kill, d.stop, d.speed, d.change, d.leave} {
		if d.err == nil {
			part(ctx)
		}
	}
}

func (d *demo) turns(ctx context.Context) {
	d.title("Three processes take turns. Each reads a counter, works for %v, and writes it plus 1.", calm)
	d.columns()
	d.hold = calm
	d.start(ctx, "A", "B", "C")
	d.more(ctx, 3) // all work now
	count := d.count()
	d.more(ctx, 9)
	d.note("frames per entry", "%.2f taking turns", count())
}

// more waits for a number of entries.
func (d *demo) more(ctx context.Context, n int) {
	n += d.entries
	d.until(ctx, "more entries", func() bool { return d.entries >= n })
}

// count begins to count frames per entry. What it returns ends it.
func (d *demo) count() (ratio func() float64) {
	entries, frames := d.entries, d.frames.Load()
	return func() float64 { return float64(d.frames.Load()-frames) / float64(d.entries-entries) }
}

func (d *demo) kill(ctx context.Context) {
	d.title("C is killed with -9 while it holds the lock. The others evict it and go on. Then it starts again.")
	d.fault(ctx, "C", "was killed", d.processes["C"].kill)
	d.start(ctx, "C")
	d.more(ctx, 4)
}

// fault has a process fail while it holds the lock, and notes when another takes over.
func (d *demo) fault(ctx context.Context, name, how string, fail func() error) {
	d.keeper = name
	d.until(ctx, name+" to enter", func() bool { return d.keeper == "" })
	d.during(ctx, 2*calm)
	began, before := time.Now(), d.entries
	d.fail(fail())
	d.event(name, "%s while it holds the lock: evicted when it has been silent for a lease", how)
	d.until(ctx, "another to take over", func() bool { return d.entries > before })
	took := rounded(d.since.Sub(began))
	d.event(d.entered, "took over %v after %s %s", took, name, how)
	d.note("holder "+how, "%s took over after %v; expected within lease + 0.3 s = %v", d.entered, took, d.lease+300*time.Millisecond)
	d.more(ctx, 4)
}

func (d *demo) stop(ctx context.Context) {
	if sigstop == nil {
		d.title("This system cannot stop a process and continue it, so none is.")
		return
	}
	d.title("B is stopped (SIGSTOP) while it holds the lock. The others evict it and go on. Then it is continued.")
	b := d.processes["B"].Process
	d.fault(ctx, "B", "was stopped", func() error { return b.Signal(sigstop) })
	d.event("B", "is continued; it knows nothing yet, and will write what it has read, plus 1")
	began := time.Now()
	d.fail(b.Signal(sigcont))
	d.until(ctx, "B to write", func() bool { return d.refused.After(began) })
	d.note("when continued", "it was told after %v that its guard was lost, and its write was refused", rounded(d.lost.Sub(began)))
	d.more(ctx, 6)
}

func (d *demo) speed(ctx context.Context) {
	const long = 2 * time.Second
	d.title("They go on without the work, at full speed, for %v.", long)
	d.hold, d.fast = 0, true
	d.more(ctx, 200) // all are fast now
	entries, count := d.entries, d.count()
	d.pause = 0
	d.during(ctx, long)
	d.event("all", "%.0f entries/s, with two requests to the counter in each", float64(d.entries-entries)/long.Seconds())
	d.note("frames per entry", "%.2f at full speed; messages of the algorithm: %s.", count(), d.protocol.messages)
	d.note("", "The other frames acknowledge, when none goes back soon that does so, too")
}

func (d *demo) change(ctx context.Context) {
	d.title("Meanwhile D joins, enters, and leaves.")
	usual := rounded(d.pause)
	d.pause = 0
	d.start(ctx, "D")
	d.during(ctx, 4*calm)
	joining := rounded(d.pause)
	d.pause = 0
	d.depart(ctx, "D")
	d.during(ctx, 4*calm)
	d.note("longest pause", "%v at full speed, %v when D joined, %v when it left", usual, joining, rounded(d.pause))
}

func (d *demo) leave(ctx context.Context) {
	d.title("All leave.")
	d.depart(ctx, "A", "B", "C")
}

// depart has members leave.
func (d *demo) depart(ctx context.Context, names ...string) {
	stay := len(d.members) - len(names)
	for _, name := range names {
		d.leaving[name] = true
	}
	d.until(ctx, strings.Join(names, ", ")+" to leave", func() bool { return len(d.members) == stay })
}

// company is the demonstration with members of other machines, until it is interrupted.
func (d *demo) company(ctx context.Context) {
	d.title("On other machines, in a network that you trust, since there is no TLS:\n\n    go run -C examples/machines . %s\n",
		strings.Join(d.arguments(), " "))
	d.printf("Kill them, stop them, unplug them: the others go on when they have been silent for a lease.\n\n")
	d.columns()
	d.hold = leisure
	d.start(ctx, "A", "B", "C")
	d.during(ctx, forever)
	if errors.Is(d.err, context.Canceled) {
		d.err = nil
	}
}
