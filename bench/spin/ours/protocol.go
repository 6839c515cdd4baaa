package main

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging/nodetest"
)

// A protocol is a check of a protocol for mutual exclusion and progress.
type protocol struct {
	Name      string `json:"protocol"`
	N         int    `json:"n"`
	Rounds    int    `json:"rounds"` // the requests of each node
	Unordered bool   `json:"unordered"`
}

func (p protocol) check() (result, error) {
	algorithm, ok := catalog.FindProtocol(p.Name)
	if !ok {
		return result{}, fmt.Errorf("unknown protocol %q", p.Name)
	}
	start := time.Now()
	done, err := nodetest.Explore(algorithm.New(p.N), nodetest.Exploration{
		Nodes:     p.N,
		Requests:  slices.Repeat([]int{p.Rounds}, p.N),
		Unordered: p.Unordered,
		Limit:     100_000_000,
	})
	seconds := time.Since(start).Seconds()
	verdict, steps := "holds", 0
	switch failure := nodetest.Failure(err); {
	case failure == "exclusion" || failure == "deadlock":
		verdict, steps = "fails", done.Depth+1
	case err != nil:
		return result{}, err
	case !done.Complete:
		return result{}, fmt.Errorf("%s has more than %d states", p.Name, done.States)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return result{verdict, done.States, done.Events, seconds, int64(m.Sys), steps}, nil
}
