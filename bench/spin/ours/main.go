// Ours checks one lock as SPIN checks the equivalent model, and prints the result
// as a line of JSON, for the script bench/spin/run.
//
// Usage:
//
//	go run -tags doorway_explore ./bench/spin/ours -lock lamportfast -n 4 [-cap 8] [-workers 2] [-only starvation]
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

// A line is the output.
type line struct {
	Lock        string  `json:"lock"`
	N           int     `json:"n"`
	Cap         uint64  `json:"cap"` // of register values; 0: none
	Workers     int     `json:"workers"`
	Only        string  `json:"only"`
	Verdict     string  `json:"verdict"`
	States      int     `json:"states"`
	Transitions int     `json:"transitions"`
	Seconds     float64 `json:"seconds"` // wall-clock time of the whole check: automata, states, verdict
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("ours: ")
	name := flag.String("lock", "lamportfast", "`name` of the lock in the catalog")
	n := flag.Int("n", 2, "processes")
	limit := flag.Uint64("cap", 0, "largest `value` that a register may hold; 0 means no cap")
	workers := flag.Int("workers", 1, "processors to use, 1 or 2")
	only := flag.String("only", "exclusion", "the `property` to check: exclusion or starvation")
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	l, err := check(*name, *n, *limit, *workers, *only)
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(l); err != nil {
		log.Fatal(err)
	}
}

func check(name string, n int, limit uint64, workers int, only string) (line, error) {
	algorithm, ok := catalog.Find(name)
	if !ok {
		return line{}, fmt.Errorf("unknown lock %q", name)
	}
	if !algorithm.For(n) {
		return line{}, fmt.Errorf("%s does not support %d processes", name, n)
	}
	properties := map[string]explore.Properties{"exclusion": {MutualExclusion: true}, "starvation": {StarvationFree: true}}
	property, ok := properties[only]
	if !ok {
		return line{}, fmt.Errorf("unknown property %q: want exclusion or starvation", only)
	}
	start := time.Now()
	report, err := explore.Check(explore.Config{
		New:       func(n int) mutex.Mutex { return algorithm.New(n) },
		Processes: n,
		Cap:       limit,
		Workers:   workers,
		Only:      property,
	})
	if err != nil {
		return line{}, err
	}
	seconds := time.Since(start).Seconds()
	verdict := report.MutualExclusion
	if property.StarvationFree {
		verdict = report.StarvationFree
	}
	return line{
		name, n, limit, workers, only, verdict.Status,
		report.States, report.Transitions, seconds,
	}, nil
}
