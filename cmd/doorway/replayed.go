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
	config := []string{
		"New: func(n int) mutex.Mutex { return " + call + " }",
		fmt.Sprintf("Processes: %d", report.Processes),
	}
	if report.Cap > 0 {
		config = append(config, fmt.Sprintf("Cap: %d", report.Cap))
	}
	who := "who takes each step"
	if report.GiveUp {
		who += fmt.Sprintf("; from %d on, gives up or enters by TryLock", report.Processes)
	}
	switch {
	case report.Mixed:
		config = append(config, "Mixed: true")
		who += fmt.Sprintf("; from %d on, enters by Lock", 2*report.Processes)
	case report.GiveUp:
		config = append(config, "GiveUp: true")
	}
	return u.writeReplay(s, replayed{
		Tagged: true, Package: of.Name, Name: c.name, Title: t.Title, Property: property,
		Imports: []string{"example.org/doorway/explore", "example.org/doorway/mutex", "lock " + of.ImportPath},
		Check:   "explore.Check(explore.Config{", Config: config, Schedule: t.Schedule, Who: who,
	})
}

// A replayed is a run of a lock, and how it is repeated.
type replayed struct {
	Tagged               bool // for builds that explore
	Package, Name, Title string
	Property             string // that fails, as a field of the report
	Imports              []string
	Check                string // the call
	Config               []string
	Schedule             []int
	Who                  string // what a number of the schedule means

	Line string
}

// Text returns the schedule in Go.
func (r replayed) Text() string {
	return "[]int{" + strings.ReplaceAll(strings.Trim(fmt.Sprint(r.Schedule), "[]"), " ", ", ") + "}"
}

// Quoted returns the imports in Go.
func (r replayed) Quoted() (all []string) {
	for _, path := range r.Imports {
		name, path, named := strings.Cut(path, " ")
		if !named {
			name, path = "", name
		}
		all = append(all, name+" "+strconv.Quote(path))
	}
	return all
}

// writeReplay writes a run to the file that was asked for, as a test.
func (u *checkup) writeReplay(s streams, r replayed) error {
	r.Line = "doorway " + strings.Join(s.args, " ")
	var b bytes.Buffer
	if err := replay.Execute(&b, r); err != nil {
		return err
	}
	text, err := format.Source(b.Bytes())
	if err != nil {
		return err
	}
	err = os.WriteFile(u.test, text, 0o666)
	if err == nil && !u.machines {
		by := "go test"
		if r.Tagged {
			by += " -tags doorway_explore"
		}
		s.out.print(fmt.Sprintf("\n%s replays it: %s.\n", u.test, by))
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

var replay = template.Must(template.New("").Parse(`{{if .Tagged}}//go:build doorway_explore

{{end}}package {{.Package}}_test

import (
	"testing"
{{range .Quoted}}
	{{.}}{{end}}
)

// Test{{.Name}}Schedule runs the lock by the schedule of a counterexample, and
// passes while the lock has this fault:
//
//	{{.Title}}
//
// It was written by
//
//	{{.Line}}
func Test{{.Name}}Schedule(t *testing.T) {
	report, err := {{.Check}}
		{{range .Config}}{{.}},
		{{end}}Schedule: {{.Text}}, // {{.Who}}
	})
	if err != nil {
		t.Fatalf("the lock does not run by this schedule any more: %v", err)
	}
	if report.{{.Property}}.Status != explore.Fails {
		t.Fatal("the schedule ends without a fault: is it mended?")
	}
	t.Log(report.Err())
}
`))
