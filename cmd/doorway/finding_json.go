package main

import (
	"time"

	"example.org/doorway/explore"
)

// A verdictJSON is what doorway check says of a lock to machines.
type verdictJSON struct {
	Lock        string         `json:"lock"`
	Source      string         `json:"source"`
	Why         string         `json:"why,omitempty"`
	Violated    bool           `json:"violated"`
	Error       string         `json:"error,omitempty"`
	Trace       *explore.Trace `json:"trace,omitempty"`
	Differences []string       `json:"differences,omitempty"`
	Checks      []checkJSON    `json:"checks"`
}

// A checkJSON is one check of it.
type checkJSON struct {
	Processes      int             `json:"processes"`
	Numbers        uint64          `json:"numbers"`
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
	Registers      []registerJSON  `json:"registers"`
	Bytes          int64           `json:"bytes"`
	Elapsed        time.Duration   `json:"elapsed_ns"`
	Vetted         bool            `json:"vetted"`
	Properties     []propertyJSON  `json:"properties"`
}

type registerJSON struct {
	Name    string `json:"name"`
	Largest uint64 `json:"largest"`
	Writers []int  `json:"writers"`
}

type propertyJSON struct {
	Name     string         `json:"name"`
	Promised bool           `json:"promised"`
	Status   string         `json:"status"`
	Note     string         `json:"note,omitempty"`
	Trace    *explore.Trace `json:"trace,omitempty"`
}

// json returns f for machines.
func (f *finding) json() verdictJSON {
	return verdictJSON{
		Lock: f.lock.name, Source: f.lock.source, Why: f.lock.why,
		Violated: len(f.broken()) > 0, Checks: []checkJSON{f.check()},
	}
}

func (f *finding) check() checkJSON {
	r := f.report
	c := checkJSON{
		Processes: r.Processes, Numbers: f.numbers, GiveUp: r.GiveUp, Mixed: r.Mixed, NotExplored: r.NotExplored, Waits: r.DoorwayWaits, DoorwayIsEntry: r.DoorwayIsEntry,
		States: r.States, Transitions: r.Transitions, Depth: r.Depth, Cut: r.Cut,
		Bypasses: r.Bypasses, ByAll: r.BypassesByAll, Writes: f.alone.Writes, Reads: f.alone.Reads,
		Registers: []registerJSON{}, Bytes: r.Bytes, Elapsed: f.elapsed, Vetted: r.Vetted,
	}
	for _, v := range r.Registers {
		c.Registers = append(c.Registers, registerJSON{v.Name, v.Largest, append([]int{}, v.Writers...)})
	}
	for _, p := range f.properties() {
		c.Properties = append(c.Properties, propertyJSON{p.name, p.promised, p.status, p.note, p.trace})
	}
	return c
}
