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

// writeTest writes a counterexample of a lock of one's own to the file that was asked for, as a test. If
// the lock is sized, its constructor takes the number of processes.
func (u *checkup) writeTest(s streams, c constructor, of *goPackage, sized bool, report *explore.Report) error {
	property, t := ending(report)
	if t == nil {
		tell(s.err, fmt.Sprintf("doorway check: no schedule ends with two processes inside, or in a deadlock: %s is not written", u.test))
		return nil
	}
	call := "lock." + c.name + "()"
	if sized {
		call = "lock." + c.name + "(n)"
	}
	byLock := 0 // from here on, an element of the schedule enters by Lock
	if report.Mixed {
		byLock = 2 * report.Processes
	}
	var b bytes.Buffer
	err := replay.Execute(&b, map[string]any{
		"Package": of.Name, "Path": strconv.Quote(of.ImportPath), "Name": c.name, "Title": t.Title, "Call": call,
		"Line": "doorway " + strings.Join(s.args, " "), "Report": report, "Property": property,
		"Schedule": strings.ReplaceAll(strings.Trim(fmt.Sprint(t.Schedule), "[]"), " ", ", "), "ByLock": byLock,
	})
	if err != nil {
		return err
	}
	text, err := format.Source(b.Bytes())
	if err != nil {
		return err
	}
	err = os.WriteFile(u.test, text, 0o666)
	if err == nil && !u.machines {
		s.out.print(fmt.Sprintf("\n%s replays it: go test -tags doorway_explore.\n", u.test))
	}
	return err
}

// ending returns the property that fails at the end of a schedule, as a field of the
// report, and the schedule; nil if there is none.
func ending(r *explore.Report) (property string, t *explore.Trace) {
	if t := r.MutualExclusion.Trace; t != nil && len(t.Schedule) > 0 {
		return "MutualExclusion", t
	}
	if t := r.DeadlockFree.Trace; t != nil && t.Loop < 0 && len(t.Schedule) > 0 {
		return "DeadlockFree", t
	}
	return "", nil
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
