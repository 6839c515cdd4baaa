package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"example.org/doorway/engine"
	"example.org/doorway/messaging/permission/central"
)

// Gaps are the longest times without an entry of three members that contend all the time, in milliseconds, one for each
// round.
type gaps struct{ none, join, leave []float64 }

// stalls measures for how long a member that joins, never enters, and leaves stops the others.
func stalls(ctx context.Context, s *servers, rounds int) (g gaps, err error) {
	s.names++
	member := func() (*engine.Lock, error) {
		return join(ctx, s.urls["nats"], fmt.Sprintf("lock%d", s.names), central.Protocol, 0)
	}
	var clients []client
	for range 3 {
		var l *engine.Lock
		if l, err = member(); err != nil {
			return g, err
		}
		defer func() { err = errors.Join(err, l.Leave(context.WithoutCancel(ctx))) }()
		clients = append(clients, user(l))
	}
	var idle *engine.Lock
	for round := range rounds {
		fmt.Fprintf(os.Stderr, "\rjoin and leave: round %d of %d ", round+1, rounds)
		for _, event := range []struct {
			gaps *[]float64
			f    func() error
		}{
			{&g.none, func() error { return nil }},
			{&g.join, func() (err error) { idle, err = member(); return err }},
			{&g.leave, func() error { return idle.Leave(ctx) }},
		} {
			gap, err := longest(ctx, clients, event.f)
			if err != nil {
				return g, err
			}
			*event.gaps = append(*event.gaps, float64(gap)/float64(time.Millisecond))
		}
	}
	fmt.Fprintln(os.Stderr)
	return g, nil
}

// longest returns the longest time without an entry while f runs, in the middle of a window.
func longest(ctx context.Context, clients []client, f func() error) (gap time.Duration, err error) {
	const window = 300 * time.Millisecond
	failed := make(chan error, 1)
	time.AfterFunc(warm+window/4, func() { failed <- f() })
	last := time.Now().Add(warm).UnixNano()
	end := entry{At: last + int64(window)}
	m, err := contend(ctx, clients, 0, window)
	m.sort()
	for _, e := range append(m, end) {
		gap, last = max(gap, time.Duration(e.At-last)), e.At
	}
	return gap, errors.Join(err, <-failed)
}
