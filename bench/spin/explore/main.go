// Explore checks one lock or protocol as SPIN checks the equivalent model, and prints a line for the script
// bench/spin/run: the verdict, states, transitions, seconds, bytes, and the steps of a shortest counterexample.
//
// Usage:
//
//	go run -tags doorway_explore ./bench/spin/explore -lock lamportfast -n 4 [-cap 8] [-workers 2] [-only starvation]
//	go run ./bench/spin/explore -protocol maekawa -n 3 [-rounds 2] [-unordered]
//
// The states are those of the whole product. The exit status is 1 if there is no
// verdict; a property that fails is a verdict.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/mutex"
)

// A check is what is checked: a lock, or a protocol for mutual exclusion and progress.
type check struct {
	lock, protocol string // its name in the catalog
	n              int    // processes or nodes

	cap     uint64 // of register values; 0: none
	workers int
	only    string // the property of a lock

	rounds    int // the requests of each node
	unordered bool
}

type result struct {
	verdict             string // holds or fails
	states, transitions int
	bytes               int64 // of a lock, those of the states; of a protocol, of the program
	steps               int   // of a protocol that fails, those of a shortest run; of a lock 0
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("explore: ")
	var c check
	flag.StringVar(&c.lock, "lock", "", "`name` of the lock in the catalog")
	flag.StringVar(&c.protocol, "protocol", "", "`name` of the protocol in the catalog")
	flag.IntVar(&c.n, "n", 2, "processes or nodes")
	flag.Uint64Var(&c.cap, "cap", 0, "largest `value` that a register may hold; 0 means no cap")
	flag.IntVar(&c.workers, "workers", 1, "processors to use for a lock, 1 or 2")
	flag.StringVar(&c.only, "only", "exclusion", "the `property` of a lock to check: exclusion or starvation")
	flag.IntVar(&c.rounds, "rounds", 1, "requests of each node")
	flag.BoolVar(&c.unordered, "unordered", false, "messages of a link may overtake each other")
	flag.Parse()
	if flag.NArg() > 0 || (c.lock == "") == (c.protocol == "") {
		flag.Usage()
		os.Exit(2)
	}
	run := c.ofLock
	if c.protocol != "" {
		run = c.ofProtocol
	}
	start := time.Now() // the whole check: of a lock its automata, states, verdict
	r, err := run()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.verdict, r.states, r.transitions, time.Since(start).Seconds(), r.bytes, r.steps)
}

func (c check) ofLock() (result, error) {
	algorithm, ok := catalog.Find(c.lock)
	if !ok || !algorithm.For(c.n) {
		return result{}, fmt.Errorf("the catalog has no lock %q for %d processes", c.lock, c.n)
	}
	properties := map[string]explore.Properties{"exclusion": {MutualExclusion: true}, "starvation": {StarvationFree: true}}
	property, ok := properties[c.only]
	if !ok {
		return result{}, fmt.Errorf("unknown property %q: want exclusion or starvation", c.only)
	}
	report, err := explore.Check(explore.Config{
		New: func(n int) mutex.Mutex { return algorithm.New(n) }, Processes: c.n, Cap: c.cap, Workers: c.workers, Only: property,
	})
	if err != nil {
		return result{}, err
	}
	verdict := report.MutualExclusion
	if property.StarvationFree {
		verdict = report.StarvationFree
	}
	return result{verdict.Status, report.States, report.Transitions, report.Bytes, 0}, nil
}

func (c check) ofProtocol() (result, error) {
	algorithm, ok := catalog.FindProtocol(c.protocol)
	if !ok {
		return result{}, fmt.Errorf("unknown protocol %q", c.protocol)
	}
	r, err := explore.CheckNodes(explore.NodesConfig{
		New: algorithm.New(c.n), Nodes: c.n, Rounds: c.rounds, Unordered: c.unordered, Memory: 16 << 30,
	})
	if err != nil {
		return result{}, err
	}
	verdict, steps := explore.Holds, 0
	for _, v := range []explore.NodesVerdict{r.NoPanic, r.MutualExclusion, r.DeadlockFree} {
		if v.Status == explore.Fails {
			verdict, steps = explore.Fails, v.History.Length
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return result{verdict, r.States, r.Events, int64(m.Sys), steps}, nil
}
