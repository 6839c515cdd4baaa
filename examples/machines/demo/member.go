package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.org/doorway/engine"
	natsengine "example.org/doorway/engine/nats"
	"example.org/doorway/messaging"
)

// A report is what a member says to the process that has the counter, at subject reports.
type report struct {
	From    string
	Kind    kind
	Token   messaging.Token
	Counter counter       `json:",omitzero"` // of writes: the new one
	Took    time.Duration `json:",omitempty"`
	Keeps   bool          `json:",omitempty"` // it stays inside
	PID     int           `json:",omitempty"`
	Error   string        `json:",omitempty"`
}

type kind string

const (
	joined  kind = "joined"
	reads   kind = "reads"   // the counter, at the beginning of a critical section
	writes  kind = "writes"  // what it has read, plus one, at the end
	lost    kind = "lost"    // the context of its guard has ended
	invalid kind = "invalid" // a guard was valid when another's token was seen: a broken promise
	left    kind = "left"
)

const reports = "machines.reports"

// A reply is what that process says to reads and writes.
type reply struct {
	Refused string // why; empty: it was not
	Counter counter
}

// Orders are what a member does from now on.
type orders struct {
	Enter bool          // again and again,
	Hold  time.Duration // for so long.
	Keep  bool          // The next time it holds the lock until that is lost, and then writes all the same.
	Leave bool
}

// A member is a process that shares the lock.
type member struct {
	settings
	nc    *nats.Conn
	lock  *engine.Lock
	table *table // nil: it prints nothing
}

// child is an environment variable: a process that has it obeys its parent.
const child = "MACHINES_CHILD"

// obey is the life of a child. Its standard input has settings, and then orders; it ends when the parent does.
func obey(ctx context.Context, input io.Reader) error {
	signal.Ignore(os.Interrupt) // Ctrl-C is for the parent
	lines := json.NewDecoder(bufio.NewReader(input))
	m := &member{}
	if err := lines.Decode(&m.settings); err != nil {
		return err
	}
	todo := make(chan orders)
	go func() {
		for {
			var o orders
			if lines.Decode(&o) != nil {
				os.Exit(1) // there is no parent any more
			}
			todo <- o
		}
	}()
	return m.live(ctx, todo)
}

// join is the life of a member on another machine.
func join(ctx context.Context, s settings) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	s.Name = fmt.Sprintf("%s/%d", host, os.Getpid())
	todo := make(chan orders, 1)
	todo <- orders{Enter: true, Hold: leisure}
	return (&member{settings: s, table: newTable(os.Stdout)}).live(ctx, todo)
}

var errAlone = errors.New("the process with the NATS server has ended")

// live joins the lock, carries out orders, and leaves.
func (m *member) live(ctx context.Context, todo <-chan orders) error {
	connected, disconnect := context.WithCancel(ctx)
	defer disconnect()
	nc, err := nats.Connect("nats://"+m.Address, nats.Token(m.Token), nats.Name(m.Name),
		nats.NoReconnect(), nats.ClosedHandler(func(*nats.Conn) { disconnect() }))
	if err != nil {
		return fmt.Errorf("%s: %w", m.Address, err)
	}
	defer nc.Close()
	m.nc = nc
	if m.table != nil {
		m.table.printf("%s joins the lock at %s. Ctrl-C leaves.\n", m.Name, m.Address)
		m.table.columns()
	}
	began := time.Now()
	if err := m.enrol(connected); err != nil {
		return err
	}
	if _, err := m.say(connected, report{Kind: joined, Took: time.Since(began), PID: os.Getpid()}); err != nil {
		return err
	}
	err = m.work(connected, todo)
	switch {
	case nc.IsClosed():
		return errAlone
	case err != nil && ctx.Err() == nil:
		return err
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), m.Lease)
	defer cancel()
	return m.leave(last)
}

// enrol joins the lock.
func (m *member) enrol(ctx context.Context) error {
	p, err := find(m.Protocol)
	if err != nil {
		return err
	}
	js, err := jetstream.New(m.nc)
	if err != nil {
		return err
	}
	store, err := natsengine.Store(ctx, js, bucket, lock)
	if err != nil {
		return err
	}
	m.lock, err = engine.Join(ctx, lock, engine.Config{
		Links: natsengine.Links(m.nc), Store: store, Protocol: p.Protocol, Lease: m.Lease, Process: m.Name,
	})
	return err
}

func (m *member) leave(ctx context.Context) error {
	began := time.Now()
	if err := m.lock.Leave(ctx); err != nil {
		return err
	}
	_, err := m.say(ctx, report{Kind: left, Took: time.Since(began)})
	return err
}

// say reports, and returns the answer.
func (m *member) say(ctx context.Context, r report) (reply, error) {
	r.From = m.Name
	data, err := json.Marshal(r)
	if err != nil {
		return reply{}, err
	}
	answer, err := m.nc.RequestWithContext(ctx, reports, data)
	if err != nil {
		return reply{}, err
	}
	var a reply
	err = json.Unmarshal(answer.Data, &a)
	if m.table != nil {
		m.table.report(r, a)
	}
	return a, err
}

// work carries out orders until one is to leave.
func (m *member) work(ctx context.Context, todo <-chan orders) error {
	var now orders
	for !now.Leave {
		if !now.Enter {
			select {
			case now = <-todo:
			case <-ctx.Done():
				return ctx.Err()
			}
			continue
		}
		if err := m.enter(ctx, now); err != nil {
			return err
		}
		now.Keep = false // once
		select {
		case now = <-todo:
		default:
		}
	}
	return nil
}

// enter adds one to the counter, in a critical section. It is a bad user: it does not look at the context of its guard
// before it writes.
func (m *member) enter(ctx context.Context, o orders) error {
	asked := time.Now()
	g, err := m.lock.Lock(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = g.Unlock() }() // which would say that the guard was lost
	a, err := m.access(ctx, g, report{Kind: reads, Took: time.Since(asked), Keeps: o.Keep})
	if err != nil || a.Refused != "" {
		return err
	}
	if err := m.stay(ctx, g, o); err != nil {
		return err
	}
	_, err = m.access(ctx, g, report{Kind: writes, Counter: a.Counter.add(1)})
	return err
}

// access reads or writes the counter.
func (m *member) access(ctx context.Context, g *engine.Guard, r report) (reply, error) {
	r.Token = g.Token()
	a, err := m.say(ctx, r)
	if err == nil && a.Refused != "" && g.Valid() {
		_, err = m.say(ctx, report{Kind: invalid, Token: g.Token(), Error: a.Refused})
	}
	return a, err
}

// stay is what takes time in the critical section.
func (m *member) stay(ctx context.Context, g *engine.Guard, o orders) error {
	if o.Hold == 0 {
		return nil
	}
	var enough <-chan time.Time
	if !o.Keep {
		enough = time.After(o.Hold)
	}
	select {
	case <-enough:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-g.Context().Done():
		_, err := m.say(ctx, report{Kind: lost, Token: g.Token(), Error: context.Cause(g.Context()).Error()})
		return err
	}
}
