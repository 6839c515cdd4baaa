package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// A demo is the process that starts the others, and has the counter. One goroutine does all.
type demo struct {
	settings
	*table
	inbox     chan *nats.Msg
	frames    atomic.Uint64 // that the members have sent each other
	processes map[string]*process
	ended     chan *process
	running   sync.WaitGroup

	hold    time.Duration   // how long critical sections take,
	keeper  string          // and the process whose next one lasts forever
	leaving map[string]bool // those that are to leave
	fast    bool            // entries are counted, and not printed

	resource resource
	members  map[string]bool // those that have joined
	entries  int             // how many there were
	entered  string          // the process of the last,
	since    time.Time       // and when
	pause    time.Duration   // the longest from one entry to the next, since it was set to 0
	lost     time.Time       // when a process has been told that its guard was lost,
	refused  time.Time       // and when its write was refused
	results  []string
}

// forever is longer than any lease.
const forever = math.MaxInt64

// show runs the demonstration.
func show(ctx context.Context, s settings, listen string) error {
	b, err := serve(ctx, cmp.Or(listen, "127.0.0.1:0"))
	if err != nil {
		return err
	}
	defer b.close()
	s.address, s.token = b.address(), b.token
	d := &demo{
		settings: s, table: newTable(os.Stdout), since: time.Now(),
		inbox: make(chan *nats.Msg, 1000), ended: make(chan *process, 10),
		processes: map[string]*process{}, members: map[string]bool{}, leaving: map[string]bool{},
	}
	defer d.end()
	if _, err := b.nc.ChanSubscribe(reports, d.inbox); err != nil {
		return err
	}
	if _, err := b.nc.Subscribe("doorway."+lock+".>", func(*nats.Msg) { d.frames.Add(1) }); err != nil {
		return err
	}
	d.printf("One lock of several processes: %s, a lease of %v, an embedded NATS server at %s. Ctrl-C ends all.\n", s.protocol.Name, s.lease, s.address)
	d.printf("A token is a view and the number of an entry in it: it grows with each entry, also when members change.\n")
	if listen == "" {
		d.faults(ctx)
	} else {
		d.company(ctx)
	}
	if errors.Is(d.err, context.Canceled) {
		return errors.New("interrupted: its processes have ended")
	}
	return d.verdict()
}

// fail ends the demonstration: from the first error on, nothing is waited for, and nothing printed.
func (d *demo) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// start starts processes.
func (d *demo) start(ctx context.Context, names ...string) {
	for _, name := range names {
		delete(d.members, name)
		d.spawn(name)
	}
	all := len(d.members) + len(names)
	d.until(ctx, strings.Join(names, ", ")+" to join", func() bool { return len(d.members) >= all })
}

// end leaves no process behind.
func (d *demo) end() {
	for _, p := range d.processes {
		_ = p.kill() // its error: it has ended
	}
	d.running.Wait()
}

// until handles reports until a condition holds. What it waits for holds within a lease and some seconds, or a
// promise is broken.
func (d *demo) until(ctx context.Context, what string, ok func() bool) {
	limit := d.lease + 10*time.Second
	if !d.handle(ctx, limit, ok) {
		d.fail(fmt.Errorf("a promise is broken: waited for %s, %v without success", what, limit))
	}
}

// during handles reports for a time.
func (d *demo) during(ctx context.Context, t time.Duration) {
	d.handle(ctx, t, func() bool { return false })
}

// handle handles reports until a condition holds, or for a limited time, and returns whether it was in time. When nothing
// was printed for a second, it tells how far it is.
func (d *demo) handle(ctx context.Context, limit time.Duration, ok func() bool) bool {
	late := time.After(limit)
	for d.err == nil && !ok() {
		select {
		case m := <-d.inbox:
			d.receive(m)
		case p := <-d.ended:
			if !p.ends {
				d.fail(fmt.Errorf("process %s has ended: %v", p.name, p.ProcessState))
			}
		case <-time.After(time.Until(d.wrote.Add(time.Second))):
			d.event("...", "%d entries, the last %v ago", d.entries, rounded(time.Since(d.since)))
		case <-late:
			return false
		case <-ctx.Done():
			d.fail(ctx.Err())
		}
	}
	return true
}

// receive takes a report, and answers.
func (d *demo) receive(m *nats.Msg) {
	var r report
	if json.Unmarshal(m.Data, &r) != nil {
		return // of no member
	}
	var a answer
	switch r.Kind {
	case joined:
		d.members[r.From] = true
	case reads:
		a = d.resource.read(r.From, r.Token)
		d.pause = max(d.pause, time.Since(d.since))
		d.entered, d.since = r.From, time.Now()
		d.entries++
	case writes:
		a = d.resource.write(r.From, r.Token, r.Counter)
		if a.Refused != "" {
			d.refused = time.Now()
		}
	case lost:
		d.lost = time.Now()
	case invalid:
		d.fail(fmt.Errorf("a promise is broken: %s: %s", r.From, r.Text))
	case left:
		delete(d.members, r.From)
		if p := d.processes[r.From]; p != nil {
			p.ends = true
		}
	}
	a.Hold, a.Leave = d.hold, d.leaving[r.From]
	if r.Kind == reads && r.From == d.keeper {
		a.Hold, d.keeper = forever, ""
	}
	if !d.fast || r.Kind != reads && r.Kind != writes {
		d.report(r, a)
	}
	if data, err := json.Marshal(a); err == nil {
		_ = m.Respond(data) // its error: the connection is closed, as the demonstration ends
	}
}

// note keeps a result for the verdict.
func (d *demo) note(about, format string, args ...any) {
	d.results = append(d.results, fmt.Sprintf("  %-19s %s\n", about, fmt.Sprintf(format, args...)))
}

// verdict prints the results, and returns an error if a promise is broken.
func (d *demo) verdict() error {
	if d.err != nil {
		return d.err
	}
	c, w := d.resource.counter, d.resource.acknowledged
	d.note("entries", "%d", d.entries)
	d.note("counter", "%d after %d acknowledged updates: lost %d", c.Fenced, w.Fenced, w.Fenced-c.Fenced)
	d.note("without its fence", "%d after %d acknowledged updates: lost %d", c.Unfenced, w.Unfenced, w.Unfenced-c.Unfenced)
	d.printf("\nWhat was seen:\n%s", strings.Join(d.results, ""))
	if c.Fenced != w.Fenced {
		return errors.New("a promise is broken: the counter has lost an update")
	}
	d.printf("Never two processes with a valid guard. All promises were kept.\n")
	return nil
}
