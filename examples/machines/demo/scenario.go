package main

import (
	"context"
	"errors"
	"math"
	"time"

	"example.org/doorway/messaging"
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
	d.title("Three processes take turns. Each reads a counter, works for %s, and writes it plus 1.", ms(calm))
	d.columns()
	if err := d.start(ctx, "A", "B", "C"); err != nil {
		return err
	}
	d.all(orders{Enter: true, Hold: calm})
	if err := d.more(ctx, 3); err != nil { // all work now
		return err
	}
	count := d.count()
	if err := d.more(ctx, 9); err != nil {
		return err
	}
	d.calmly = count()
	return nil
}

// count begins to count frames per entry. What it returns ends it.
func (d *demo) count() (ratio func() float64) {
	entries, frames := d.entries, d.frames.Load()
	return func() float64 { return float64(d.frames.Load()-frames) / float64(d.entries-entries) }
}

// more waits for a number of entries.
func (d *demo) more(ctx context.Context, n int) error {
	n += d.entries
	return d.until(ctx, "waiting for entries", func() bool { return d.entries >= n })
}

// hold has a process stay inside.
func (d *demo) hold(ctx context.Context, name string) error {
	d.lost, d.refused = "", ""
	d.processes[name].order(orders{Enter: true, Hold: calm, Keep: true})
	if err := d.until(ctx, "waiting for "+name, func() bool { return d.keeps == name }); err != nil {
		return err
	}
	return d.during(ctx, name+" is inside", 2*calm)
}

// next waits for the next entry, after a process has failed, and notes how long it took.
func (d *demo) next(ctx context.Context, failed, how string) error {
	began, before := time.Now(), d.entries
	d.event(failed, messaging.Token{}, "%s while it holds the lock", how)
	text := "waiting: the others evict " + failed + " when it has been silent for a lease"
	if err := d.until(ctx, text, func() bool { return d.entries > before }); err != nil {
		return err
	}
	took := d.since.Sub(began)
	d.event(d.entered, messaging.Token{}, "took over %s after %s %s", ms(took), failed, how)
	d.note("holder "+how, "%s took over after %s; expected within lease + 0.3 s = %s", d.entered, ms(took), ms(d.Lease+300*time.Millisecond))
	return d.more(ctx, 4)
}

func (d *demo) kill(ctx context.Context) error {
	d.title("C is killed with -9 while it holds the lock. The others evict it and go on. Then it starts again.")
	if err := d.hold(ctx, "C"); err != nil {
		return err
	}
	d.processes["C"].kill()
	delete(d.members, "C")
	if err := d.next(ctx, "C", "was killed"); err != nil {
		return err
	}
	if err := d.start(ctx, "C"); err != nil {
		return err
	}
	d.processes["C"].order(orders{Enter: true, Hold: calm})
	return d.more(ctx, 4)
}

func (d *demo) stop(ctx context.Context) error {
	if !stops {
		d.title("This system cannot stop a process and continue it, so none is.")
		return nil
	}
	d.title("B is stopped (SIGSTOP) while it holds the lock. The others evict it and go on. Then it is continued.")
	if err := d.hold(ctx, "B"); err != nil {
		return err
	}
	b := d.processes["B"]
	if err := b.stop(); err != nil {
		return err
	}
	if err := d.next(ctx, "B", "was stopped"); err != nil {
		return err
	}
	d.event("B", messaging.Token{}, "is continued; it knows nothing yet, and will write what it has read, plus 1")
	began := time.Now()
	if err := b.cont(); err != nil {
		return err
	}
	if err := d.until(ctx, "B goes on", func() bool { return d.lost != "" }); err != nil {
		return err
	}
	told := time.Since(began)
	if err := d.until(ctx, "B goes on", func() bool { return d.refused != "" }); err != nil {
		return err
	}
	d.note("when continued", "it was told after %s that its guard was lost, and its write was refused", ms(told))
	return d.more(ctx, 6)
}

func (d *demo) speed(ctx context.Context) error {
	const long = 2 * time.Second
	d.title("They go on without the work, at full speed, for %v.", long)
	d.all(orders{Enter: true})
	d.fast = true
	if err := d.more(ctx, 200); err != nil { // all are fast now
		return err
	}
	entries, count := d.entries, d.count()
	d.pause = 0
	if err := d.during(ctx, "at full speed", long); err != nil {
		return err
	}
	d.event("all", messaging.Token{}, "%.0f entries/s, with two requests to the counter in each", float64(d.entries-entries)/long.Seconds())
	d.note("frames per entry", "%.2f at full speed, %.2f taking turns", count(), d.calmly)
	d.note("", "%.3g of them are messages of the algorithm: %s. The others acknowledge: a frame that goes",
		d.protocol.messages(float64(len(d.members))), d.protocol.formula)
	d.note("", "back soon does so, too; if there is none, an acknowledgement goes alone")
	return nil
}

func (d *demo) change(ctx context.Context) error {
	d.title("Meanwhile D joins, does not enter, and leaves.")
	usual := d.pause
	d.pause = 0
	if err := d.start(ctx, "D"); err != nil {
		return err
	}
	if err := d.during(ctx, "at full speed", 4*calm); err != nil {
		return err
	}
	joining := d.pause
	d.pause = 0
	d.processes["D"].order(orders{Leave: true})
	if err := d.until(ctx, "waiting for D to leave", func() bool { return !d.members["D"] }); err != nil {
		return err
	}
	if err := d.during(ctx, "at full speed", 4*calm); err != nil {
		return err
	}
	d.note("longest pause", "%s at full speed, %s when D joined, %s when it left", ms(usual), ms(joining), ms(d.pause))
	return nil
}

func (d *demo) leave(ctx context.Context) error {
	d.title("All leave.")
	d.all(orders{Leave: true})
	return d.until(ctx, "waiting for all to leave", func() bool { return len(d.members) == 0 })
}

// company is the demonstration with members of other machines, until it is interrupted.
func (d *demo) company(ctx context.Context) error {
	d.printf("\nOn other machines, in a network that you trust, since there is no TLS:\n\n")
	d.printf("    go run -C examples/machines . -join %s -token %s -protocol %s -lease %v\n\n",
		reachable(d.Address), d.Token, d.protocol.Name, d.Lease)
	d.printf("Kill them, stop them, unplug them: the others go on when they have been silent for a lease.\n\n")
	d.columns()
	if err := d.start(ctx, "A", "B", "C"); err != nil {
		return err
	}
	d.all(orders{Enter: true, Hold: leisure})
	err := d.during(ctx, "waiting: a holder that is silent for a lease is evicted", math.MaxInt64)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}
