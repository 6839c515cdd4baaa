package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
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
	Counter counter // of writes: the new one
	Text    string  // what happens, for the table
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

// An answer is what that process says to a report.
type answer struct {
	Refused string // why; empty: it was not
	Counter counter
	Hold    time.Duration // how long the critical section takes
	Leave   bool          // instead of entering again
}

// A member is a process that shares the lock.
type member struct {
	settings
	*table
	name string
	nc   *nats.Conn
	lock *engine.Lock
}

// live joins the lock, enters again and again, and leaves when it is told to, or interrupted.
func live(ctx context.Context, s settings) error {
	host, _ := os.Hostname()
	m := &member{settings: s, table: newTable(os.Stdout), name: cmp.Or(os.Getenv(child), fmt.Sprintf("%s/%d", host, os.Getpid()))}
	connected, disconnect := context.WithCancel(ctx)
	defer disconnect()
	var err error
	m.nc, err = nats.Connect("nats://"+m.address, nats.Token(m.token), nats.Name(m.name),
		nats.NoReconnect(), nats.ClosedHandler(func(*nats.Conn) { disconnect() }))
	if err != nil {
		return fmt.Errorf("%s: %w", m.address, err)
	}
	defer m.nc.Close()
	m.printf("%s joins the lock at %s. Ctrl-C leaves.\n", m.name, m.address)
	m.columns()
	a, err := m.join(connected)
	for err == nil && !a.Leave {
		a, err = m.enter(connected)
	}
	switch {
	case m.nc.IsClosed():
		return errors.New("the process with the NATS server has ended")
	case m.lock == nil || err != nil && ctx.Err() == nil:
		return err // one that has joined, and is interrupted, leaves
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), m.lease)
	defer cancel()
	return m.leave(last)
}

func (m *member) join(ctx context.Context) (answer, error) {
	began := time.Now()
	js, err := jetstream.New(m.nc)
	if err != nil {
		return answer{}, err
	}
	store, err := natsengine.Store(ctx, js, bucket, lock)
	if err != nil {
		return answer{}, err
	}
	m.lock, err = engine.Join(ctx, lock, engine.Config{
		Links: natsengine.Links(m.nc), Store: store, Protocol: m.protocol.Protocol, Lease: m.lease, Process: m.name,
	})
	if err != nil {
		return answer{}, err
	}
	return m.say(ctx, report{Kind: joined, Text: fmt.Sprintf("joined in %v; pid %d", rounded(time.Since(began)), os.Getpid())})
}

func (m *member) leave(ctx context.Context) error {
	began := time.Now()
	if err := m.lock.Leave(ctx); err != nil {
		return err
	}
	_, err := m.say(ctx, report{Kind: left, Text: fmt.Sprintf("left in %v", rounded(time.Since(began)))})
	return err
}

// enter adds one to the counter, in a critical section. It is a bad user: it does not look at the context of its guard
// before it writes.
func (m *member) enter(ctx context.Context) (answer, error) {
	asked := time.Now()
	g, err := m.lock.Lock(ctx)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = g.Unlock() }() // which would say that the guard was lost
	a, err := m.access(ctx, g, report{Kind: reads, Text: fmt.Sprintf("entered after %v", rounded(time.Since(asked)))})
	if err != nil || a.Refused != "" {
		return a, err
	}
	select {
	case <-time.After(a.Hold): // the work
	case <-ctx.Done():
		return answer{}, ctx.Err()
	case <-g.Context().Done():
		text := fmt.Sprintf("its context has ended: %v", context.Cause(g.Context()))
		if _, err := m.say(ctx, report{Kind: lost, Token: g.Token(), Text: text}); err != nil {
			return answer{}, err
		}
	}
	return m.access(ctx, g, report{Kind: writes, Text: "writes", Counter: counter{a.Counter.Fenced + 1, a.Counter.Unfenced + 1}})
}

// access reads or writes the counter. Who is refused must have no valid guard.
func (m *member) access(ctx context.Context, g *engine.Guard, r report) (answer, error) {
	r.Token = g.Token()
	a, err := m.say(ctx, r)
	if err == nil && a.Refused != "" && g.Valid() {
		_, err = m.say(ctx, report{Kind: invalid, Token: g.Token(), Text: "its guard was valid, but " + a.Refused})
	}
	return a, err
}

// say reports, and returns the answer.
func (m *member) say(ctx context.Context, r report) (a answer, err error) {
	r.From = m.name
	data, err := json.Marshal(r)
	if err != nil {
		return a, err
	}
	msg, err := m.nc.RequestWithContext(ctx, reports, data)
	if err != nil {
		return a, err
	}
	err = json.Unmarshal(msg.Data, &a)
	m.report(r, a)
	return a, err
}
