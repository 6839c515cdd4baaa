// Explore checks one lock or protocol as SPIN checks the equivalent model, and prints the
// result as a line of JSON, for the script bench/spin/run.
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
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/mutex"
)

// A line is the output: what was checked, and the result.
type line struct {
	Checked any `json:"checked"`
	result
}

type result struct {
	Verdict     string  `json:"verdict"`
	States      int     `json:"states"`
	Transitions int     `json:"transitions"`
	Seconds     float64 `json:"seconds"` // wall-clock time of the whole check: of a lock its automata, states, verdict
	Bytes       int64   `json:"bytes"`   // of a lock, those of the states; of a protocol, of the program
	Steps       int     `json:"steps"`   // of a protocol that fails, those of a shortest run; of a lock 0
}

// A lock is a check of a lock.
type lock struct {
	Name    string `json:"lock"`
	N       int    `json:"n"`
	Cap     uint64 `json:"cap"` // of register values; 0: none
	Workers int    `json:"workers"`
	Only    string `json:"only"`
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("explore: ")
	var l lock
	var p protocol
	flag.StringVar(&l.Name, "lock", "", "`name` of the lock in the catalog")
	flag.StringVar(&p.Name, "protocol", "", "`name` of the protocol in the catalog")
	flag.IntVar(&l.N, "n", 2, "processes or nodes")
	flag.Uint64Var(&l.Cap, "cap", 0, "largest `value` that a register may hold; 0 means no cap")
	flag.IntVar(&l.Workers, "workers", 1, "processors to use for a lock, 1 or 2")
	flag.StringVar(&l.Only, "only", "exclusion", "the `property` of a lock to check: exclusion or starvation")
	flag.IntVar(&p.Rounds, "rounds", 1, "requests of each node")
	flag.BoolVar(&p.Unordered, "unordered", false, "messages of a link may overtake each other")
	flag.Parse()
	if flag.NArg() > 0 || (l.Name == "") == (p.Name == "") {
		flag.Usage()
		os.Exit(2)
	}
	out, check := line{Checked: l}, l.check
	if p.Name != "" {
		p.N = l.N
		out, check = line{Checked: p}, p.check
	}
	var err error
	if out.result, err = check(); err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(out); err != nil {
		log.Fatal(err)
	}
}

func (l lock) check() (result, error) {
	algorithm, ok := catalog.Find(l.Name)
	if !ok {
		return result{}, fmt.Errorf("unknown lock %q", l.Name)
	}
	if !algorithm.For(l.N) {
		return result{}, fmt.Errorf("%s does not support %d processes", l.Name, l.N)
	}
	properties := map[string]explore.Properties{"exclusion": {MutualExclusion: true}, "starvation": {StarvationFree: true}}
	property, ok := properties[l.Only]
	if !ok {
		return result{}, fmt.Errorf("unknown property %q: want exclusion or starvation", l.Only)
	}
	start := time.Now()
	report, err := explore.Check(explore.Config{
		New:       func(n int) mutex.Mutex { return algorithm.New(n) },
		Processes: l.N,
		Cap:       l.Cap,
		Workers:   l.Workers,
		Only:      property,
	})
	if err != nil {
		return result{}, err
	}
	seconds := time.Since(start).Seconds()
	verdict := report.MutualExclusion
	if property.StarvationFree {
		verdict = report.StarvationFree
	}
	return result{verdict.Status, report.States, report.Transitions, seconds, report.Bytes, 0}, nil
}
