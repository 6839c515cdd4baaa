package main

import (
	"fmt"
	"runtime"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
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
	r, err := explore.CheckNodes(explore.NodesConfig{New: algorithm.New(p.N), Nodes: p.N, Rounds: p.Rounds, Unordered: p.Unordered, Memory: 16 << 30})
	seconds := time.Since(start).Seconds()
	if err != nil {
		return result{}, err
	}
	verdict, steps := "holds", 0
	for _, v := range []explore.NodesVerdict{r.NoPanic, r.MutualExclusion, r.DeadlockFree} {
		if v.Status == explore.Fails {
			verdict, steps = "fails", v.History.Length
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return result{verdict, r.States, r.Events, seconds, int64(m.Sys), steps}, nil
}
