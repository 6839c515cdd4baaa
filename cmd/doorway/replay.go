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

// A replay is a run of a lock of one's own, as a test that repeats it.
type replay struct {
	Tagged            bool // of registers: a walk, in builds that explore
	Package, Function string
	Title             string
	Property          string   // that fails, as a field of the report; "": of a walk
	Imports           []string // as the source has them
	Check             string   // the call
	Config            []string
	Schedule          []int
	Who               string // what a number of the schedule means

	Line string
}

// replay returns the run in which the lock breaks a promise; nil if there is none that a schedule repeats.
func (f *lockFinding) replay() *replay {
	t := ending(f.report)
	if t == nil || f.code == nil {
		return nil
	}
	call := "lock." + f.code.function + "()"
	if fn, err := f.code.find(); err == nil && fn.Type.Params.NumFields() > 0 {
		call = "lock." + f.code.function + "(n)"
	}
	config := []string{
		"New: func(n int) mutex.Mutex { return " + call + " }",
		fmt.Sprintf("Processes: %d", f.Processes),
	}
	if f.report.Cap > 0 {
		config = append(config, fmt.Sprintf("Cap: %d", f.report.Cap))
	}
	who := "who takes each step"
	if f.GiveUp {
		who += fmt.Sprintf("; from %d on, gives up or enters by TryLock", f.Processes)
	}
	switch {
	case f.Mixed:
		config = append(config, "Mixed: true")
		who += fmt.Sprintf("; from %d on, enters by Lock", 2*f.Processes)
	case f.GiveUp:
		config = append(config, "GiveUp: true")
	}
	return &replay{
		Tagged: true, Package: f.code.Name, Function: f.code.function, Title: t.Title,
		Imports: []string{"lock " + strconv.Quote(f.code.ImportPath), `"example.org/doorway/explore"`, `"example.org/doorway/mutex"`},
		Check:   "explore.Start(explore.Config{", Config: config, Schedule: t.Schedule, Who: who,
	}
}

// ending returns a run of the report with an end that is wrong; nil if there is none.
func ending(r *explore.Report) *explore.Trace {
	if t := r.MutualExclusion.Trace; t != nil && len(t.Schedule) > 0 {
		return t
	}
	if t := r.DeadlockFree.Trace; t != nil && t.Loop < 0 && len(t.Schedule) > 0 {
		return t
	}
	return nil
}

// writeTest writes the run to the file that was asked for, as a test.
func (u *checkup) writeTest(s streams, r result) error {
	switch {
	case u.test == "":
		return nil
	case r.replay == nil:
		s.notWritten(r.noReplay, u.test)
		return nil
	}
	r.replay.Line = "doorway " + strings.Join(s.args, " ")
	var b bytes.Buffer
	if err := replayTest.Execute(&b, r.replay); err != nil {
		return err
	}
	text, err := format.Source(b.Bytes())
	if err != nil {
		return err
	}
	if err := os.WriteFile(u.test, text, 0o666); err != nil {
		return err
	}
	by := "go test"
	if r.replay.Tagged {
		by += " -tags doorway_explore"
	}
	s.say(fmt.Sprintf("\n%s replays it: %s.\n", u.test, by))
	return nil
}

var replayTest = template.Must(template.New("").Parse(`{{if .Tagged}}//go:build doorway_explore

{{end}}package {{.Package}}_test

import (
	"testing"
{{range .Imports}}
	{{.}}{{end}}
)

// Test{{.Function}}Schedule runs the lock by the schedule of a counterexample, and
// passes while the lock has this fault:
//
//	{{.Title}}
//
// It was written by
//
//	{{.Line}}
func Test{{.Function}}Schedule(t *testing.T) {
	{{if .Tagged}}walk, err := {{.Check}}
		{{range .Config}}{{.}},
	{{end}}})
	if err == nil {
		err = walk.Do({{range $k, $slot := .Schedule}}{{if $k}}, {{end}}{{$slot}}{{end}}) // {{.Who}}
	}{{else}}report, err := {{.Check}}
		{{range .Config}}{{.}},
		{{end}}Schedule: {{printf "%#v" .Schedule}}, // {{.Who}}
	}){{end}}
	if err != nil {
		t.Fatalf("the lock does not run by this schedule any more: %v", err)
	}
	if {{if .Tagged}}walk.Err() == nil{{else}}report.{{.Property}}.Status != explore.Fails{{end}} {
		t.Fatal("the schedule ends without a fault: is it mended?")
	}
	t.Log({{if .Tagged}}walk.Trace(){{else}}report.Err(){{end}})
}
`))
