package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"sync"
	"time"
)

// A job is what a child process does: it has clients of a lock.
type job struct {
	Lock  string
	Name  string // under which they find each other
	URL   string // of their server
	Shape shape
	Rank  int // of its first client; negative: it has the server of the lock, and no clients
}

// A measurement is what the clients of a lock have done in a window: their entries.
type measurement []entry

type entry struct {
	Client int           // its rank
	At     int64         // when, in nanoseconds
	Wait   time.Duration // for how long the client had waited
}

func (m measurement) sort() { slices.SortFunc(m, func(a, b entry) int { return int(a.At - b.At) }) }

// variable is set in the environment of a child process.
const variable = "DOORWAY_MACHINES_CHILD"

// warm is for how long clients contend before they are measured.
const warm = 100 * time.Millisecond

// isChild does the job of a child process, and reports whether this is one.
func isChild() bool {
	if os.Getenv(variable) == "" {
		return false
	}
	if err := work(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return true
}

// work reads a job, says that its clients are there, and answers each window that it reads with a measurement. When its
// input ends, the process does, and with it its connections.
func work(ctx context.Context) error {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	var j job
	if err := in.Decode(&j); err != nil {
		return err
	}
	clients, err := j.open(ctx)
	if err != nil {
		return err
	}
	if err := out.Encode("ready"); err != nil {
		return err
	}
	for window := time.Duration(0); in.Decode(&window) == nil; {
		m, err := contend(ctx, clients, j.Rank, window)
		if err != nil {
			return err
		}
		if err := out.Encode(m); err != nil {
			return err
		}
	}
	return nil
}

// open opens the clients of this process.
func (j job) open(ctx context.Context) (clients []client, err error) {
	k := slices.IndexFunc(locks, func(l lock) bool { return l.name == j.Lock })
	if k < 0 {
		return nil, fmt.Errorf("there is no lock %q", j.Lock)
	}
	if j.Rank < 0 {
		return nil, serveBare(j.URL, j.Name)
	}
	for i := range j.Shape.Clients {
		c, err := locks[k].open(ctx, j, j.Rank+i)
		if err != nil {
			return nil, err
		}
		clients = append(clients, c)
	}
	return clients, nil
}

// contend has clients, the first of which has that rank, enter and exit all the time, and measures them for a window.
func contend(ctx context.Context, clients []client, rank int, window time.Duration) (measurement, error) {
	begin := time.Now().Add(warm)
	all := make([]measurement, len(clients))
	errs := make([]error, len(clients))
	var users sync.WaitGroup
	for i, c := range clients {
		users.Go(func() { all[i], errs[i] = c.loop(ctx, rank+i, begin, begin.Add(window)) })
	}
	users.Wait()
	return slices.Concat(all...), errors.Join(errs...)
}

func (c client) loop(ctx context.Context, rank int, begin, end time.Time) (m measurement, err error) {
	for asked := time.Now(); asked.Before(end); asked = time.Now() {
		if err := c.lock(ctx); err != nil {
			return m, err
		}
		if now := time.Now(); !now.Before(begin) && now.Before(end) {
			m = append(m, entry{rank, now.UnixNano(), now.Sub(asked)})
		}
		if err := c.unlock(ctx); err != nil {
			return m, err
		}
	}
	return m, nil
}

// A group is the processes of a lock in one shape.
type group struct {
	lock      string
	processes []process
}

// A process is a child process, with which this one exchanges JSON.
type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *json.Decoder
}

// open starts the processes of a lock, and returns when all clients are there. The caller ends them, also after an error.
func (s *servers) open(ctx context.Context, l lock, sh shape) (*group, error) {
	s.names++
	j := job{Lock: l.name, Name: fmt.Sprintf("lock%d", s.names), URL: s.urls[l.server], Shape: sh}
	g := &group{lock: l.name}
	first := 0
	if l.served && sh.Processes > 1 {
		first = -1
	}
	for k := first; k < sh.Processes; k++ {
		j.Rank = k * sh.Clients
		if err := g.launch(ctx, j); err != nil {
			return g, err
		}
	}
	return g, nil
}

// launch starts a child process, and waits until it is ready.
func (g *group) launch(ctx context.Context, j job) error {
	c := exec.CommandContext(ctx, os.Args[0])
	c.Env, c.Stderr = append(os.Environ(), variable+"=1"), os.Stderr
	in, err := c.StdinPipe()
	if err != nil {
		return err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	p := process{c, in, json.NewDecoder(out)}
	g.processes = append(g.processes, p)
	return errors.Join(json.NewEncoder(in).Encode(j), p.out.Decode(new(string)))
}

// contend has all clients contend for the same time.
func (g *group) contend(window time.Duration) (all measurement, err error) {
	for _, p := range g.processes {
		if err := json.NewEncoder(p.in).Encode(window); err != nil {
			return nil, err
		}
	}
	for _, p := range g.processes {
		var m measurement
		if err := p.out.Decode(&m); err != nil {
			return nil, err
		}
		all = append(all, m...)
	}
	return all, nil
}

// end ends the input of all processes, and waits until they have ended.
func (g *group) end() (err error) {
	for _, p := range g.processes {
		_ = p.in.Close()
	}
	for _, p := range g.processes {
		err = errors.Join(err, p.command.Wait())
	}
	return err
}
