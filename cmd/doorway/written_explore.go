//go:build doorway_explore

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/doorway/anylock"
	"example.org/doorway/explore"
	"example.org/doorway/internal/proof"
	"example.org/doorway/internal/spelling"
)

// A writtenFinding is what a check of a lock as it is written found out.
type writtenFinding struct {
	Lock       string        `json:"lock"`
	Violated   bool          `json:"violated"`
	Goroutines int           `json:"goroutines"`
	Rounds     int           `json:"rounds"` // -1: any number
	States     int           `json:"states"`
	Steps      int           `json:"transitions"`
	Depth      int           `json:"depth"`
	Elapsed    time.Duration `json:"elapsed_ns"`
	Properties []property    `json:"properties"`

	// Also is what is not in the numbers above: by which other methods goroutines have entered, or why they could not.
	Also string `json:"also,omitempty"`

	trace *explore.Trace
}

// runWritten checks a lock as it is written.
func (u *checkup) runWritten(ctx context.Context, s streams, lock string) error {
	f := writtenFinding{Lock: lock}
	others := slices.DeleteFunc(slices.Concat(ofLocks, ofProtocols, []string{"workers"}), func(name string) bool { return name == "rounds" })
	if given := u.given(others); len(given) > 0 {
		return u.mistaken("-%s is for a lock of registers or a protocol, and %s is neither: it is checked as it is written", given[0], f.Lock)
	}
	config := anylock.Config{Name: f.Lock, Goroutines: u.Processes, Memory: int64(u.Memory) << 20}
	switch len(u.Workload.Requests) {
	case 0:
	case 1:
		config.Rounds = u.Workload.Requests[0]
	default:
		return u.mistaken("-rounds %v: of a lock, it is one number for all goroutines", u.Workload.Requests)
	}
	start := time.Now()
	r, err := watch(ctx, newProgress(s.err), func(say func(string)) (*anylock.Report, error) {
		say(f.Lock)
		return anylock.Explore(config)
	})
	if err != nil {
		return u.hint(err)
	}
	f.Goroutines, f.Rounds, f.States, f.Steps, f.Depth, f.Elapsed = r.Goroutines, r.Rounds, r.States, r.Steps, r.Depth, time.Since(start)
	for _, p := range []struct {
		name, words string
		promised    bool
		explore.NodesVerdict
	}{
		{"mutual_exclusion", "mutual exclusion", true, r.MutualExclusion},
		{"race_free", "free of data races", true, r.RaceFree},
		{"no_panic", "no panic", true, r.PanicFree},
		{"deadlock_free", "deadlock-free", true, r.DeadlockFree},
		{"starvation_free", "starvation-free", false, r.StarvationFree},
	} {
		f.Properties = append(f.Properties, newProperty(p.name, p.words, p.promised, p.NodesVerdict))
	}
	f.Violated, f.trace = len(broken(f.Properties)) > 0, r.Trace
	if f.Also = strings.Join(r.Ways, ", "); r.WaysErr != nil {
		f.Also = "not " + f.Also + ": " + r.WaysErr.Error()
	}
	return u.conclude(s, f.result(s.width))
}

func (f *writtenFinding) result(limit int) result {
	t := table{limit: limit}
	t.add("lock", f.Lock)
	t.add("checked", "every interleaving of "+number(f.Goroutines, "goroutine", "goroutines")+", of the lock as it is written")
	t.add("states", fmt.Sprintf("%s, the farthest %s from the start; %s between them",
		proof.Thousands(f.States), number(f.Depth, "step", "steps"), number(f.Steps, "step", "steps")))
	if f.Also != "" {
		t.add("entered also by", f.Also)
	}
	t.add("took", fmt.Sprint(f.Elapsed.Round(10*time.Millisecond)))
	t.add()
	r := result{json: f, violated: f.Violated, none: "no property fails, so there is no run to draw"}
	for _, promised := range []bool{true, false} {
		for _, p := range f.Properties {
			if p.History != nil && p.Promised == promised {
				r.runs = append(r.runs, shownRun{
					title: f.trace.Title, text: "\n" + (*explore.History)(p.History).String(), draw: func() (drawable, error) { return f.trace, nil },
				})
			}
		}
		if promised {
			r.shown = len(r.runs)
		}
	}
	for _, p := range f.Properties {
		if p.Status != explore.Unknown {
			t.add(p.words, p.says(p.Status == explore.Fails))
		}
	}
	r.text = t.concluded(f.conclusion(), "")
	return r
}

func (f *writtenFinding) conclusion() string {
	of := number(f.Goroutines, "goroutine", "goroutines")
	if broken := broken(f.Properties); len(broken) > 0 {
		return fmt.Sprintf("%s breaks every lock's promise of %s.", f.Lock, spelling.Enumerate(words(broken)))
	}
	if f.Rounds > 0 {
		of += " that lock " + number(f.Rounds, "time", "times")
	}
	return fmt.Sprintf("%s keeps every lock's promise in every run of %s.", f.Lock, of)
}
