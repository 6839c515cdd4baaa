package main

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"strconv"
	"strings"
	"text/template"

	"example.org/doorway/explore"
)

// A replayed is a counterexample of a lock of one's own as a test.
type replayed struct {
	constructor
	of     *goPackage
	sized  bool // the constructor takes the number of processes
	report *explore.Report
	args   []string
}

// writeTest writes the test to the file that was asked for.
func (u *checkup) writeTest(s streams, r replayed) error {
	property, trace := r.fails()
	if trace == nil {
		tell(s.err, fmt.Sprintf("doorway check: no schedule ends with two processes inside, or in a deadlock: %s is not written", *u.test))
		return nil
	}
	text, err := r.source(property, trace)
	if err != nil {
		return err
	}
	if err := os.WriteFile(*u.test, text, 0o666); err != nil || *u.machines {
		return err
	}
	_, err = fmt.Fprintf(s.out, "\n%s replays it: go test -tags doorway_explore.\n", *u.test)
	return err
}

// fails returns the property that fails at the end of a schedule, as a field of the
// report, and the schedule; nil if there is none.
func (r replayed) fails() (property string, t *explore.Trace) {
	if t := r.report.MutualExclusion.Trace; t != nil && len(t.Schedule) > 0 {
		return "MutualExclusion", t
	}
	if t := r.report.DeadlockFree.Trace; t != nil && t.Loop < 0 && len(t.Schedule) > 0 {
		return "DeadlockFree", t
	}
	return "", nil
}

// source returns the source of the test.
func (r replayed) source(property string, t *explore.Trace) ([]byte, error) {
	call := "lock." + r.name + "()"
	if r.sized {
		call = "lock." + r.name + "(n)"
	}
	steps := make([]string, len(t.Schedule))
	for k, slot := range t.Schedule {
		steps[k] = strconv.Itoa(slot)
	}
	byLock := 0 // from here on, an element of the schedule enters by Lock
	if r.report.Mixed {
		byLock = 2 * r.report.Processes
	}
	var b bytes.Buffer
	err := replay.Execute(&b, map[string]any{
		"Package": r.of.Name, "Path": strconv.Quote(r.of.ImportPath), "Name": r.name, "Title": t.Title, "Call": call,
		"Line": "doorway " + strings.Join(r.args, " "), "Report": r.report, "Property": property,
		"Schedule": strings.Join(steps, ", "), "ByLock": byLock,
	})
	if err != nil {
		return nil, err
	}
	return format.Source(b.Bytes())
}

var replay = template.Must(template.New("").Parse(`//go:build doorway_explore

package {{.Package}}_test

import (
	"testing"

	"example.org/doorway/explore"
	"example.org/doorway/mutex"

	lock {{.Path}}
)

// Test{{.Name}}Schedule runs the protocols by the schedule of a counterexample, and
// passes while the lock has this fault:
//
//	{{.Title}}
//
// It was written by
//
//	{{.Line}}
func Test{{.Name}}Schedule(t *testing.T) {
	report, err := explore.Check(explore.Config{
		New:       func(n int) mutex.Mutex { return {{.Call}} },
		Processes: {{.Report.Processes}},
		{{with .Report.Cap}}Cap: {{.}},
		{{end}}{{if .Report.Mixed}}Mixed: true,
		{{else if .Report.GiveUp}}GiveUp: true,
		{{end}}Schedule: []int{ {{- .Schedule -}} }, // who takes each step{{if .Report.GiveUp}}; from {{.Report.Processes}} on, gives up or enters by TryLock{{end}}{{with .ByLock}}; from {{.}} on, enters by Lock{{end}}
	})
	if err != nil {
		t.Fatalf("the lock does not run by this schedule any more: %v", err)
	}
	if report.{{.Property}}.Status != explore.Fails {
		t.Fatal("the schedule ends without a fault: is it mended?")
	}
	t.Log(report.{{.Property}}.Trace)
}
`))
