//go:build doorway_explore

package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"example.org/doorway/anylock"
	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
)

// runWritten checks a lock as it is written.
func (u *checkup) runWritten(ctx context.Context, s streams, name string, code *ownCode) error {
	neither := fmt.Sprintf("and %s is neither: it is checked as it is written", name)
	if err := u.only("a lock of registers or a protocol", neither, ofLocks, []string{"withdrawals", "workers"}, ofFaults); err != nil {
		return err
	}
	config := anylock.Config{Name: name, Goroutines: u.Processes, Memory: int64(u.Memory) << 20, Doorway: u.doorway}
	if len(u.Workload.Requests) > 1 {
		return u.mistaken("-rounds %v: of a lock, it is one number for all goroutines", u.Workload.Requests)
	}
	for _, rounds := range u.Workload.Requests {
		config.Rounds = rounds
	}
	start := time.Now()
	r, err := watch(ctx, newProgress(s.err), func(say func(string)) (*anylock.Report, error) {
		config.Progress = func(states int, bytes int64) {
			reporting(say, name, number(cmp.Or(u.Processes, 3), "goroutine", "goroutines"))("states", states, bytes)
		}
		return anylock.Explore(ctx, config)
	})
	of := subject{kind: foreign, Entry: catalog.Entry{Name: name}}
	if err != nil {
		return u.finish(s, of, nil, err)
	}
	return cmp.Or(u.finish(s, of, newWrittenFinding(of, code, r, time.Since(start)), nil), r.WaysErr)
}

// A writtenFinding is what a check of a lock as it is written found out.
type writtenFinding struct {
	of     subject
	code   *ownCode
	report *anylock.Report

	Lock       string `json:"lock"`
	Violated   bool   `json:"violated"`
	Goroutines int    `json:"goroutines"`
	Rounds     int    `json:"rounds"`         // -1: any number
	Also       string `json:"also,omitempty"` // by which other methods goroutines have entered, which no number counts, or why not
	extent
}

func newWrittenFinding(of subject, code *ownCode, r *anylock.Report, elapsed time.Duration) *writtenFinding {
	f := &writtenFinding{
		of: of, code: code, report: r, Lock: of.Name, Goroutines: r.Goroutines, Rounds: r.Rounds, Also: strings.Join(r.Ways, ", "),
		extent: extent{
			States: r.States, Transitions: r.Steps, Depth: r.Depth, Bypasses: r.Bypasses, ByAll: r.BypassesByAll, Elapsed: elapsed,
			Properties: []property{
				newProperty("mutual_exclusion", "mutual exclusion", true, r.MutualExclusion),
				newProperty("race_free", "race-free", true, r.RaceFree),
				newProperty("no_panic", "no panic", true, r.PanicFree),
				newProperty("deadlock_free", "deadlock-free", true, r.DeadlockFree),
				newProperty("starvation_free", "starvation-free", false, r.StarvationFree),
				newProperty("fifo", "FIFO", false, r.FIFO),
			},
		},
	}
	f.Violated = len(broken(f.Properties)) > 0
	if r.WaysErr != nil {
		f.Also = "not " + f.Also + ": " + r.WaysErr.Error()
	}
	return f
}

func (f *writtenFinding) result(limit int) result {
	traces := f.report.Traces // in the order of the properties that fail
	r := f.extent.result(f, f.text(limit), func(p property) shownRun {
		t := traces[0]
		traces = traces[1:]
		return shownRun{t.Title, "\n" + (*explore.History)(p.History).String(), func() (drawable, error) { return t, nil }}
	})
	r.replay, r.noReplay = f.replay(), "no run with an end breaks a promise"
	return r
}

func (f *writtenFinding) text(limit int) string {
	t := table{limit: limit}
	t.add("lock", f.Lock)
	t.add("checked", "every interleaving of "+number(f.Goroutines, "goroutine", "goroutines")+", of the lock as it is written")
	f.addStates(&t, "step", "steps")
	if f.Also != "" {
		t.add("entered also by", f.Also)
	}
	f.addTook(&t)
	t.add()
	f.addVerdicts(&t, "")
	if fifo := f.report.FIFO.Status; fifo != explore.Unknown && fifo != explore.Undecided {
		f.addBypasses(&t, "goroutine waits")
	}
	runs := "run of " + number(f.Goroutines, "goroutine", "goroutines")
	if f.Rounds > 0 {
		runs += " that lock " + number(f.Rounds, "time", "times")
	}
	return t.concluded(f.conclusion(f.of, "lock", runs), "")
}

// replay returns the run in which the lock breaks a promise; nil if there is none with an end.
func (f *writtenFinding) replay() *replay {
	again, r := f.report.Repeat, f.report
	if again == nil {
		return nil
	}
	t := &replay{
		Package: f.code.Name, Function: f.code.function, Title: r.Traces[0].Title,
		Imports:  []string{`"example.org/doorway/anylock"`, `"example.org/doorway/explore"`},
		Check:    "anylock.Explore(t.Context(), anylock.Config{",
		Config:   []string{fmt.Sprintf("Name: %q", again.Name), fmt.Sprintf("Goroutines: %d", again.Goroutines), fmt.Sprintf("Rounds: %d", again.Rounds)},
		Schedule: again.Schedule, Who: "who takes each step, plus 8 times the number of the alternative",
	}
	if again.Mixed {
		t.Config = append(t.Config, "Mixed: true")
	}
	switch explore.Fails {
	case r.MutualExclusion.Status:
		t.Property = "MutualExclusion"
	case r.RaceFree.Status:
		t.Property = "RaceFree"
	case r.PanicFree.Status:
		t.Property = "PanicFree"
	case r.DeadlockFree.Status:
		t.Property = "DeadlockFree"
	}
	return t
}
