package main

import (
	"slices"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/registers"
)

// A finding is what one check of a lock found out, for machines and for people.
type finding struct {
	lock   subject
	report *explore.Report
	alone  registers.Accesses

	Processes      int             `json:"processes"`
	Numbers        uint64          `json:"numbers"` // how far they were followed; 0: there are none
	GiveUp         bool            `json:"give_up"`
	Mixed          bool            `json:"mixed"`
	NotExplored    []string        `json:"not_explored,omitempty"`
	Waits          []explore.Place `json:"doorway_waits,omitempty"`
	DoorwayIsEntry bool            `json:"doorway_is_entry,omitempty"`
	States         int             `json:"states"`
	Transitions    int             `json:"transitions"`
	Depth          int             `json:"depth"`
	Cut            int             `json:"cut"`
	Bypasses       int             `json:"bypasses"`
	ByAll          int             `json:"bypasses_by_all"`
	Writes         int             `json:"uncontended_writes"`
	Reads          int             `json:"uncontended_reads"`
	Registers      []register      `json:"registers"`
	Bytes          int64           `json:"bytes"`
	Elapsed        time.Duration   `json:"elapsed_ns"`
	Vetted         bool            `json:"vetted"`
	Properties     []property      `json:"properties"`
}

type register struct {
	Name    string `json:"name"`
	Largest uint64 `json:"largest"`
	Writers []int  `json:"writers"`
}

func newFinding(lock subject, numbers uint64, r *explore.Report, alone registers.Accesses, elapsed time.Duration) *finding {
	f := &finding{
		lock: lock, report: r, alone: alone,
		Processes: r.Processes, Numbers: numbers, GiveUp: r.GiveUp, Mixed: r.Mixed,
		NotExplored: r.NotExplored, Waits: r.DoorwayWaits, DoorwayIsEntry: r.DoorwayIsEntry,
		States: r.States, Transitions: r.Transitions, Depth: r.Depth, Cut: r.Cut,
		Bypasses: r.Bypasses, ByAll: r.BypassesByAll, Writes: alone.Writes, Reads: alone.Reads,
		Registers: []register{}, Bytes: r.Bytes, Elapsed: elapsed, Vetted: r.Vetted,
	}
	for _, v := range r.Registers {
		f.Registers = append(f.Registers, register{v.Name, v.Largest, append([]int{}, v.Writers...)})
	}
	f.Properties = f.properties()
	return f
}

// A verdict is what doorway check says of a lock to machines.
type verdict struct {
	Lock        string         `json:"lock"`
	Source      string         `json:"source"`
	Why         string         `json:"why,omitempty"`
	Violated    bool           `json:"violated"`
	Error       string         `json:"error,omitempty"`
	Trace       *explore.Trace `json:"trace,omitempty"`
	Differences []string       `json:"differences,omitempty"`
	Checks      []*finding     `json:"checks"`
}

func newVerdict(lock subject, checks ...*finding) verdict {
	return verdict{
		Lock: lock.Name, Source: lock.Source, Why: lock.why(), Checks: checks,
		Violated: slices.ContainsFunc(checks, func(f *finding) bool { return len(broken(f.Properties)) > 0 }),
	}
}

// result returns f as check prints it, and the runs in which a property fails: the promised ones first.
func (f *finding) result(limit int) result {
	r := result{json: newVerdict(f.lock, f), violated: len(broken(f.Properties)) > 0, none: "no property fails, so there is no run to draw"}
	r.text = f.text(limit)
	for _, promised := range []bool{true, false} {
		for _, p := range f.Properties {
			if p.Trace != nil && p.Promised == promised {
				r.runs = append(r.runs, shownRun{p.Trace.Title, "\n" + p.Trace.String(), func() (drawable, error) { return p.Trace, nil }})
			}
		}
		if promised {
			r.shown = min(1, len(r.runs))
		}
	}
	return r
}

// steps is how many steps a run has.
func steps(t *explore.Trace) (n int) {
	for _, s := range t.Steps {
		if !s.Atomic {
			n++
		}
	}
	return n
}
