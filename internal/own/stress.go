package own

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"example.org/doorway/internal/node/conflict"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/mutex"
	"example.org/doorway/stress"
)

// A Stress is how to stress a lock; see [stress.Config].
type Stress struct {
	Goroutines    int
	Duration      time.Duration
	Section       time.Duration // 0: next to nothing
	GiveUp, Delay float64
	Seed          int
	Shared        bool
	Atomic        bool
}

// Run is stress.Run of a lock of that name. Its errors are in the terms of the command line.
func (s Stress) Run(name string, m mutex.Mutex, excludes func(i, j int) bool) (*stress.Report, error) {
	if s.Goroutines > m.Processes() && !s.Shared {
		return nil, mistake{fmt.Errorf("-goroutines %d with %d processes: each needs one of its own, unless -shared", s.Goroutines, m.Processes())}
	}
	if _, ok := m.(mutex.Abortable); !ok && s.GiveUp > 0 {
		return nil, mistake{fmt.Errorf("-give-up %v: %s has no way to give up", s.GiveUp, name)}
	}
	if excludes != nil && s.Shared {
		return nil, mistake{fmt.Errorf("-shared: some nodes of %s may be inside together, so goroutines cannot share them", name)}
	}
	c := stress.Config{
		Goroutines: s.Goroutines, Duration: s.Duration, GiveUp: s.GiveUp, Delay: s.Delay, Seed: uint64(s.Seed),
		Shared: s.Shared, Atomic: s.Atomic, Excludes: excludes,
	}
	if s.Section > 0 {
		c.Section = func() {
			over := false
			for start := time.Now(); !over; {
				over = time.Since(start) >= s.Section
			}
		}
	}
	r, err := stress.Run(m, c)
	if r == nil {
		return nil, mistake{errors.New(strings.TrimPrefix(err.Error(), "stress: "))}
	}
	return r, Explained(err)
}

// Explained returns an error of a run with what can be its cause.
func Explained(err error) error {
	if errors.Is(err, stress.ErrStuck) {
		return fmt.Errorf("%w\n  a deadlock, or too much work for so many goroutines", err)
	}
	return err
}

// stress stresses a lock, or a cluster of nodes.
func (c checker) stress() (*stress.Report, error) {
	n := cmp.Or(c.Processes, 8)
	newLock := c.Lock
	if c.Nodes != nil {
		newLock = func(n int) mutex.Mutex { return cluster.New(n, c.Nodes(n)) }
	}
	m, err := c.made(newLock, n)
	if err != nil {
		return nil, err
	}
	var excludes func(i, j int) bool
	if c.Nodes != nil {
		a := c.Nodes(n)
		apart := conflict.Of(n, func(i messaging.ID) messaging.Node { return a(messaging.Start{Self: i, Nodes: n}) })
		if !apart.Complete() {
			excludes = func(i, j int) bool { return apart.Excludes(messaging.ID(i), messaging.ID(j)) }
		}
	}
	return c.Stress.Run(c.Name, m, excludes)
}
