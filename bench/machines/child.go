package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"time"
)

// A shape is how many processes there are, of how many clients each.
type shape struct{ Processes, Clients int }

func (s shape) String() string {
	switch {
	case s.Processes > 1:
		return fmt.Sprintf("%d processes", s.Processes)
	case s.Clients > 1:
		return fmt.Sprintf("%d clients", s.Clients)
	}
	return "1 client"
}

// Clients are in one process, or each in one of its own.
var (
	alone     = shape{1, 1}
	three     = shape{1, 3}
	eight     = shape{1, 8}
	processes = shape{3, 1}

	shapes = []shape{alone, three, eight, processes}
)

// A job is what a child process does.
type job struct {
	NATS  string // it is the NATS server, with this directory,
	Lock  string // or has clients of this lock,
	Name  string // of this name,
	URL   string // at this server
	Shape shape
	Rank  int // of its first client; -1: it is a server of the lock
}

// A measurement is what the clients of a lock have done in a window.
type measurement struct {
	Window  time.Duration
	Clients [][]entry
}

type entry struct {
	At   int64         // when, in nanoseconds
	Wait time.Duration // for how long the client had waited
}

// variable has the job of a child process, in its environment.
const variable = "DOORWAY_MACHINES_JOB"

// warm is for how long clients contend before they are measured.
const warm = 100 * time.Millisecond

// isChild does the job of a child process, and reports whether this is one.
func isChild() bool {
	text, is := os.LookupEnv(variable)
	if !is {
		return false
	}
	var j job
	err := json.Unmarshal([]byte(text), &j)
	if err == nil {
		err = j.do(context.Background(), json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}

// do answers each window that it reads with a measurement, until there is none.
func (j job) do(ctx context.Context, in *json.Decoder, out *json.Encoder) (err error) {
	if j.NATS != "" {
		return serveNATS(j.NATS, in, out)
	}
	clients, err := j.open(ctx)
	defer func() {
		for _, c := range clients {
			err = errors.Join(err, c.close(ctx))
		}
	}()
	if err != nil {
		return err
	}
	if err := out.Encode("ready"); err != nil {
		return err
	}
	for {
		var window time.Duration
		if err := in.Decode(&window); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		contenders := clients
		if j.Rank < 0 {
			contenders = nil
		}
		m, err := contend(ctx, contenders, window)
		if err != nil {
			return err
		}
		if err := out.Encode(m); err != nil {
			return err
		}
	}
}

// open opens the clients of this process.
func (j job) open(ctx context.Context) (clients []client, err error) {
	k := slices.IndexFunc(locks, func(l lock) bool { return l.name == j.Lock })
	if k < 0 {
		return nil, fmt.Errorf("there is no lock %q", j.Lock)
	}
	for i := range j.Shape.Clients {
		c, err := locks[k].open(ctx, j, j.Rank+i)
		if err != nil {
			return clients, err
		}
		clients = append(clients, c)
	}
	return clients, nil
}

// contend has clients enter and exit all the time, and measures them for a window.
func contend(ctx context.Context, clients []client, window time.Duration) (measurement, error) {
	begin := time.Now().Add(warm)
	m := measurement{window, make([][]entry, len(clients))}
	errs := make([]error, len(clients))
	var users sync.WaitGroup
	for i, c := range clients {
		users.Go(func() { m.Clients[i], errs[i] = loop(ctx, c, begin, begin.Add(window)) })
	}
	users.Wait()
	return m, errors.Join(errs...)
}

func loop(ctx context.Context, c client, begin, end time.Time) (all []entry, err error) {
	for asked := time.Now(); asked.Before(end); asked = time.Now() {
		if err := c.lock(ctx); err != nil {
			return all, err
		}
		if now := time.Now(); !now.Before(begin) && now.Before(end) {
			all = append(all, entry{now.UnixNano(), now.Sub(asked)})
		}
		if err := c.unlock(ctx); err != nil {
			return all, err
		}
	}
	return all, nil
}
