//go:build doorway_explore

package main

import (
	"cmp"
	"context"
	"errors"
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

	Bypasses int `json:"bypasses"`
	ByAll    int `json:"bypasses_by_all"`

	// Also is what is not in the numbers above: by which other methods goroutines have entered, or why they could not.
	Also string `json:"also,omitempty"`

	traces []*explore.Trace // of those that fail
}

// runWritten checks a lock as it is written.
func (u *checkup) runWritten(ctx context.Context, s streams, lock string, c constructor) error {
	f := writtenFinding{Lock: lock}
	others := slices.DeleteFunc(slices.Concat(ofLocks, ofProtocols, []string{"workers"}), func(name string) bool {
		return slices.Contains([]string{"rounds", "test", "doorway"}, name)
	})
	if given := u.given(others); len(given) > 0 {
		return u.mistaken("-%s is for a lock of registers or a protocol, and %s is neither: it is checked as it is written", given[0], f.Lock)
	}
	config := anylock.Config{Name: f.Lock, Goroutines: u.Processes, Memory: int64(u.Memory) << 20, Doorway: u.doorway}
	switch len(u.Workload.Requests) {
	case 0:
	case 1:
		config.Rounds = u.Workload.Requests[0]
	default:
		return u.mistaken("-rounds %v: of a lock, it is one number for all goroutines", u.Workload.Requests)
	}
	start := time.Now()
	r, err := watch(ctx, newProgress(s.err), func(say func(string)) (*anylock.Report, error) {
		config.Progress = func(states int, bytes int64) {
			reporting(say, f.Lock, number(cmp.Or(u.Processes, 3), "goroutine", "goroutines"))("states", states, bytes)
		}
		return anylock.Explore(ctx, config)
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
		{"fifo", "FIFO", false, r.FIFO},
	} {
		f.Properties = append(f.Properties, newProperty(p.name, p.words, p.promised, p.NodesVerdict))
	}
	f.Violated, f.traces, f.Bypasses, f.ByAll = len(broken(f.Properties)) > 0, r.Traces, r.Bypasses, r.BypassesByAll
	if f.Also = strings.Join(r.Ways, ", "); r.WaysErr != nil {
		f.Also = "not " + f.Also + ": " + r.WaysErr.Error()
	}
	err = cmp.Or(u.conclude(s, f.result(s.width)), r.WaysErr)
	if u.test != "" && (err == nil || errors.Is(err, errViolated)) {
		err = cmp.Or(u.writeWritten(ctx, s, c, r), err)
	}
	return err
}

// writeWritten writes the run in which the lock breaks a promise to the file that was asked for, as a test.
func (u *checkup) writeWritten(ctx context.Context, s streams, c constructor, r *anylock.Report) error {
	if r.Repeat == nil {
		tell(s.err, fmt.Sprintf("doorway check: no run with an end breaks a promise: %s is not written", u.test))
		return nil
	}
	t := replayed{
		Package: c.source(ctx).Name, Name: c.name, Title: r.Traces[0].Title, Imports: []string{"example.org/doorway/anylock", "example.org/doorway/explore"},
		Check:    "anylock.Explore(t.Context(), anylock.Config{",
		Config:   []string{fmt.Sprintf("Name: %q", r.Repeat.Name), fmt.Sprintf("Goroutines: %d", r.Repeat.Goroutines), fmt.Sprintf("Rounds: %d", r.Repeat.Rounds)},
		Schedule: r.Repeat.Schedule, Who: "who takes each step, plus 8 times the number of the alternative",
	}
	if r.Repeat.Mixed {
		t.Config = append(t.Config, "Mixed: true")
	}
	for name, v := range map[string]explore.NodesVerdict{
		"MutualExclusion": r.MutualExclusion, "RaceFree": r.RaceFree, "PanicFree": r.PanicFree, "DeadlockFree": r.DeadlockFree,
	} {
		if v.Status == explore.Fails {
			t.Property = name
		}
	}
	return u.writeReplay(s, t)
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
	for k, p := range slices.DeleteFunc(slices.Clone(f.Properties), func(p property) bool { return p.History == nil }) {
		t := f.traces[k]
		r.runs = append(r.runs, shownRun{title: t.Title, text: "\n" + (*explore.History)(p.History).String(), draw: func() (drawable, error) { return t, nil }})
		if p.Promised {
			r.shown = len(r.runs)
		}
	}
	for _, p := range f.Properties {
		if p.Status != explore.Unknown {
			t.add(p.words, p.says(p.Status == explore.Fails))
		}
		if p.Name == "fifo" && p.Status != explore.Unknown && p.Status != explore.Undecided {
			t.add("bypasses", fmt.Sprintf("while a goroutine waits, %s by each other, %s by all together", atMost(f.Bypasses), atMost(f.ByAll)))
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
