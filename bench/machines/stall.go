package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"example.org/doorway/messaging/permission/central"
)

// Gaps are the longest times without an entry of three members that contend all the time, one for each round.
type gaps struct{ none, join, leave []time.Duration }

// after is for how long the gaps are watched that an event may cause.
const after = 200 * time.Millisecond

// stalls measures for how long a member that joins, never enters, and leaves stops the others.
func stalls(ctx context.Context, s *servers, rounds int) (g gaps, err error) {
	name, url := s.fresh(), s.urls["nats"]
	ctx, stop := context.WithCancel(ctx)
	var members []*engineClient
	defer func() {
		for _, c := range members {
			err = errors.Join(err, c.close(context.WithoutCancel(ctx)))
		}
	}()
	for range 3 {
		c, err := join(ctx, url, name, central.Protocol, 0)
		if err != nil {
			stop()
			return g, err
		}
		members = append(members, c)
	}
	var w watch
	var users sync.WaitGroup
	for _, c := range members {
		users.Go(func() { w.contend(ctx, c) })
	}
	defer users.Wait()
	defer stop()
	for round := range rounds {
		fmt.Fprintf(os.Stderr, "\rjoin and leave: round %d of %d ", round+1, rounds)
		var idle *engineClient
		g.none = append(g.none, w.longest(func() {}))
		g.join = append(g.join, w.longest(func() { idle, err = join(ctx, url, name, central.Protocol, 0) }))
		if err != nil {
			return g, err
		}
		g.leave = append(g.leave, w.longest(func() { err = idle.close(ctx) }))
		if err != nil {
			return g, err
		}
	}
	fmt.Fprintln(os.Stderr)
	return g, nil
}

// A watch knows the longest time between two entries. They are one after the other, each with the lock.
type watch struct{ last, gap atomic.Int64 } // nanoseconds

// contend enters and exits until ctx is done.
func (w *watch) contend(ctx context.Context, c *engineClient) {
	for c.lock(ctx) == nil {
		now := time.Now().UnixNano()
		w.gap.Store(max(w.gap.Load(), now-w.last.Swap(now)))
		if c.unlock(ctx) != nil {
			return
		}
	}
}

// longest returns the longest time without an entry while f runs and for some time after it.
func (w *watch) longest(f func()) time.Duration {
	w.last.Store(time.Now().UnixNano())
	w.gap.Store(0)
	f()
	time.Sleep(after)
	return time.Duration(w.gap.Load())
}
