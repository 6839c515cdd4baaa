package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"time"
)

// A process is a child process, with which this one exchanges JSON.
type process struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *json.Decoder
}

// launch starts a child process, and waits until it says that it is ready, or where.
func launch(ctx context.Context, j job) (p *process, said string, err error) {
	text, err := json.Marshal(j)
	if err != nil {
		return nil, "", err
	}
	p = &process{command: exec.CommandContext(ctx, os.Args[0])}
	p.command.Env = append(os.Environ(), variable+"="+string(text))
	p.command.Stderr = os.Stderr
	if p.in, err = p.command.StdinPipe(); err != nil {
		return nil, "", err
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	p.out = json.NewDecoder(out)
	if err := p.command.Start(); err != nil {
		return nil, "", err
	}
	if err := p.out.Decode(&said); err != nil {
		return nil, "", errors.Join(err, p.end())
	}
	return p, said, nil
}

// end ends the input of a child process, and waits until it has ended.
func (p *process) end() error {
	_ = p.in.Close()
	return p.command.Wait()
}

// A group is the processes of a lock in one shape.
type group struct {
	lock      string
	processes []*process
}

// open starts the processes of a lock, and returns when all clients are there.
func (s *servers) open(ctx context.Context, l lock, sh shape) (*group, error) {
	j := job{Lock: l.name, Name: s.fresh(), URL: s.urls[l.server], Shape: sh}
	g := &group{lock: l.name}
	first := 0
	if l.served && sh.Processes > 1 {
		first = -1
	}
	for rank := first; rank < sh.Processes; rank++ {
		j.Rank = rank * sh.Clients
		p, _, err := launch(ctx, j)
		if err != nil {
			return nil, errors.Join(err, g.end())
		}
		g.processes = append(g.processes, p)
	}
	return g, nil
}

// contend has all clients contend for the same time.
func (g *group) contend(window time.Duration) (all measurement, err error) {
	for _, p := range g.processes {
		if err := json.NewEncoder(p.in).Encode(window); err != nil {
			return all, err
		}
	}
	for _, p := range g.processes {
		var m measurement
		if err := p.out.Decode(&m); err != nil {
			return all, err
		}
		all.Window, all.Clients = m.Window, append(all.Clients, m.Clients...)
	}
	return all, nil
}

// end ends all processes.
func (g *group) end() (err error) {
	for _, p := range g.processes {
		_ = p.in.Close()
	}
	for _, p := range g.processes {
		err = errors.Join(err, p.command.Wait())
	}
	return err
}
