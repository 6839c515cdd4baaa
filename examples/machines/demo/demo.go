package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"example.org/doorway/messaging"
)

// A demo is the process that starts the others, and has the counter. One goroutine does all.
type demo struct {
	settings
	protocol protocol
	*broker
	*table
	inbox     chan *nats.Msg
	processes map[string]*process
	resource  resource
	frames    atomic.Uint64 // that the members have sent each other

	fast    bool            // entries are counted, and not printed
	members map[string]bool // those that have joined
	entries int             // how many there were
	entered string          // the process of the last,
	since   time.Time       // and when
	keeps   string          // the process that stays inside
	calmly  float64         // frames per entry when they take turns
	pause   time.Duration   // the longest from one entry to the next, since it was set to 0
	lost    string          // why a process has lost its guard, as it was told,
	refused string          // and why its write was refused
	results []result
	broken  []string // promises
}

// show runs the demonstration.
func show(ctx context.Context, s settings, p protocol, listen string) error {
	address := "127.0.0.1:0"
	if listen != "" {
		address = listen
	}
	b, err := serve(ctx, address)
	if err != nil {
		return err
	}
	defer b.close()
	s.Address, s.Token = b.server.Addr().String(), b.token
	d := &demo{
		settings: s, protocol: p, broker: b, table: newTable(os.Stdout),
		inbox: make(chan *nats.Msg, 1000), processes: map[string]*process{}, members: map[string]bool{},
	}
	defer d.end()
	d.printf("One lock of several processes: %s, a lease of %v, an embedded NATS server at %s. Ctrl-C ends all.\n", p.Name, s.Lease, s.Address)
	d.printf("A token is a view and the number of an entry in it: it grows with each entry, also when members change.\n")
	if err := d.subscribe(); err != nil {
		return err
	}
	if listen == "" {
		err = d.faults(ctx)
	} else {
		err = d.company(ctx)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted: its processes have ended")
	case err != nil:
		return err
	}
	return d.verdict()
}

func (d *demo) subscribe() error {
	if _, err := d.nc.ChanSubscribe(reports, d.inbox); err != nil {
		return err
	}
	_, err := d.nc.Subscribe("doorway."+lock+".>", func(*nats.Msg) { d.frames.Add(1) })
	return err
}

// end leaves no process behind.
func (d *demo) end() {
	for _, p := range d.processes {
		p.kill()
	}
}

// start starts a process.
func (d *demo) start(ctx context.Context, names ...string) error {
	for _, name := range names {
		s := d.settings
		s.Name = name
		p, err := spawn(s)
		if p != nil {
			d.processes[name] = p
		}
		if err != nil {
			return err
		}
	}
	return d.until(ctx, "starting "+strings.Join(names, ", "), func() bool {
		for _, name := range names {
			if !d.members[name] {
				return false
			}
		}
		return true
	})
}

// all gives an order to all processes.
func (d *demo) all(o orders) {
	for _, p := range d.processes {
		p.order(o)
	}
}

var errLate = errors.New("it takes too long")

// until handles reports until a condition holds. What it waits for holds within a lease and some seconds, or a
// promise is broken.
func (d *demo) until(ctx context.Context, what string, ok func() bool) error {
	limit := d.Lease + 10*time.Second
	err := d.handle(ctx, what, limit, ok)
	if errors.Is(err, errLate) {
		return fmt.Errorf("a promise is broken: %v without success: %s", limit, what)
	}
	return err
}

// during handles reports for a time.
func (d *demo) during(ctx context.Context, what string, t time.Duration) error {
	err := d.handle(ctx, what, t, func() bool { return false })
	if errors.Is(err, errLate) {
		return nil
	}
	return err
}

// quiet is how long nothing is printed at most.
const quiet = time.Second

// handle handles reports until a condition holds, or for a limited time.
func (d *demo) handle(ctx context.Context, what string, limit time.Duration, ok func() bool) error {
	late := time.After(limit)
	tick := time.NewTicker(quiet / 4)
	defer tick.Stop()
	for !ok() {
		select {
		case m := <-d.inbox:
			d.receive(m)
		case <-tick.C:
			if time.Since(d.wrote) >= quiet*3/4 {
				d.progress(what)
			}
			if err := d.ended(); err != nil {
				return err
			}
		case <-late:
			return errLate
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// progress tells what is waited for.
func (d *demo) progress(what string) {
	if d.fast {
		what += fmt.Sprintf("; %d entries so far", d.entries)
	}
	d.event("...", messaging.Token{}, "%s", what)
}

// ended returns an error if a process has ended that should not have.
func (d *demo) ended() error {
	for name, p := range d.processes {
		select {
		case <-p.ended:
			if !p.ends {
				return fmt.Errorf("process %s has ended: %v", name, p.cmd.ProcessState)
			}
		default:
		}
	}
	return nil
}

// receive takes a report, and answers.
func (d *demo) receive(m *nats.Msg) {
	var r report
	if json.Unmarshal(m.Data, &r) != nil {
		return // of no member
	}
	a := reply{}
	switch r.Kind {
	case reads:
		a = d.resource.read(r.From, r.Token)
		d.entry(r)
	case writes:
		a = d.resource.write(r.From, r.Token, r.Counter)
		if a.Refused != "" {
			d.refused = a.Refused
		}
	case joined:
		d.members[r.From] = true
	case left:
		delete(d.members, r.From)
	case lost:
		d.lost = r.Error
	case invalid:
		d.broken = append(d.broken, fmt.Sprintf("the guard of %s was valid, but %s", r.From, r.Error))
	}
	if !d.fast || r.Kind != reads && r.Kind != writes {
		d.report(r, a)
	}
	if data, err := json.Marshal(a); err == nil {
		_ = m.Respond(data) // its error: the connection is closed, as the demonstration ends
	}
}

// entry notes that a process has entered.
func (d *demo) entry(r report) {
	now := time.Now()
	d.pause = max(d.pause, now.Sub(d.since))
	d.entered, d.since, d.keeps = r.From, now, ""
	d.entries++
	if r.Keeps {
		d.keeps = r.From
	}
}
