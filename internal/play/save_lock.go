package play

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
)

func (l *lock) writeScenario(io.Writer) error {
	return errors.New("a scenario has nodes that pass messages: the run of a lock can be saved as a test or a picture")
}

// draw draws a lane for each process.
func (l *lock) draw(w io.Writer, title string) error {
	t := *l.walk.Trace()
	t.Lock, t.Title = l.name, cmp.Or(t.Title, title, "a run of "+l.name)
	return t.WriteSVG(w)
}

// writeTest writes the run as a Go test, which takes its steps, and expects what is wrong and the phases of the processes at
// its end.
func (l *lock) writeTest(w io.Writer, title string) error {
	imported, call, err := l.made()
	if err != nil {
		return err
	}
	fields := []string{
		"New: func(n int) mutex.Mutex { return " + call + " },",
		fmt.Sprintf("Processes: %d,", l.processes),
	}
	if l.cap > 0 {
		fields = append(fields, fmt.Sprintf("Cap: %d,", l.cap))
	}
	if l.giveUp {
		fields = append(fields, "GiveUp: true,")
	}
	for k, f := range fields {
		name, value, _ := strings.Cut(f, " ")
		fields[k] = fmt.Sprintf("\t\t%-10s %s\n", name, value)
	}
	var phases []string
	for _, p := range l.walk.Pending() {
		phases = append(phases, fmt.Sprintf("%q", p.Place.Phase))
	}
	steps := strings.ReplaceAll(choices(l.walk.Trace().Schedule), ".", ", ")
	_, err = fmt.Fprintf(w, lockTest, importing([]string{imported, quoted("explore"), quoted("mutex")}, "fmt", "slices", "testing"),
		title, strings.Join(fields, ""), steps, fmt.Sprint(l.walk.Err()), strings.Join(phases, ", "))
	return err
}

// made returns the import of the package of the lock, and how a program makes it for n processes.
func (l *lock) made() (imported, call string, err error) {
	if o, is := ownOf(l.name); is {
		call, err = o.call("n")
		return o.path(), call, err
	}
	if l.of.Broken != nil {
		return "", "", fmt.Errorf("%s is wrong on purpose, so no program can import it: Copy link keeps the run", l.name)
	}
	return quoted(l.of.Package()), l.of.Import, nil
}

const lockTest = `//go:build doorway_explore

package run_test

%s
// TestRun repeats a run of the page, by go test -tags doorway_explore: %s.
func TestRun(t *testing.T) {
	walk, err := explore.Start(explore.Config{
%s	})
	if err != nil {
		t.Fatal(err)
	}
	if err := walk.Do(%s); err != nil {
		t.Fatal(err)
	}
	t.Log(walk.Trace())
	if is, was := fmt.Sprint(walk.Err()), %q; is != was {
		t.Fatalf("what is wrong: %%s, and it was: %%s", is, was)
	}
	var phases []string
	for _, p := range walk.Pending() {
		phases = append(phases, p.Place.Phase)
	}
	if want := []string{%s}; !slices.Equal(phases, want) {
		t.Fatalf("the processes are in the phases %%v, and were in %%v", phases, want)
	}
}
`
