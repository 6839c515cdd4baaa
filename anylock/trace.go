package anylock

import (
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"example.org/doorway/anylock/internal/search"
	"example.org/doorway/explore"
)

// dos are the operations that have a name in the runs of locks of registers.
var dos = map[string]string{
	"load": "read", "store": "write", "compare and swap": "compare-and-swap", "fail to compare and swap": "compare-and-swap",
	"swap": "swap", "add": "fetch-and-add",
}

// A drawer makes a trace of a run.
type drawer struct {
	*code
	*explore.Trace
	users    int
	holds    []uint64
	phases   []string
	pointers map[uint64]uint64
}

// trace returns the run in which a property fails as that of a lock of registers.
func (c *code) trace(title string, goroutines int, way, loop, next []search.Step) *explore.Trace {
	d := drawer{code: c, users: goroutines, Trace: &explore.Trace{Title: title, Loop: -1}, pointers: map[uint64]uint64{}}
	all := slices.Concat(way, loop)
	if len(loop) == 0 {
		d.Schedule = search.Schedule(way)
	}
	d.Processes = goroutines
	for _, step := range all {
		d.Processes = max(d.Processes, step.Thread+1)
	}
	for range d.Processes {
		d.phases = append(d.phases, "remainder")
	}
	for _, step := range all { // what each place in memory held at first
		if step.At != "" && !slices.Contains(d.Registers, step.At) {
			d.Registers = append(d.Registers, step.At)
			d.Initial = append(d.Initial, d.value(step.Old, step.Event.Old))
		}
	}
	d.holds = slices.Clone(d.Initial)
	for k, step := range all {
		if k == len(way) {
			d.Loop = len(d.Steps)
		}
		d.add(step)
	}
	for t, phase := range d.phases {
		end := explore.Place{Phase: phase}
		for _, step := range next {
			if step.Thread == t {
				end = d.placeOf(step.Event.Pos, phase)
				end.Next = strings.TrimSpace(step.Event.What + " " + step.At)
			}
		}
		d.Ends = append(d.Ends, end)
	}
	return d.Trace
}

func (d *drawer) add(s search.Step) {
	e := s.Event
	before := d.phases[s.Thread]
	switch {
	case s.Rests || s.Thread >= d.users:
		d.phases[s.Thread] = "remainder"
	case s.Inside:
		d.phases[s.Thread] = "inside"
	case before == "inside" || before == "exit":
		d.phases[s.Thread] = "exit"
	case s.Early:
		d.phases[s.Thread] = "doorway"
	default:
		d.phases[s.Thread] = "waiting"
	}
	if e.What == "" || e.What == "enter" {
		return
	}
	step := explore.Step{
		Process: s.Thread, Place: d.placeOf(e.Pos, before), Do: e.What, Register: slices.Index(d.Registers, s.At), Becomes: d.phases[s.Thread],
		Done: !strings.HasPrefix(e.What, "fail"), Value: d.value(s.New, e.New),
	}
	if do := dos[e.What]; do != "" {
		step.Do = do
	}
	if step.Register >= 0 && e.Writes {
		d.holds[step.Register] = step.Value
	}
	step.Holds = slices.Clone(d.holds)
	d.Steps = append(d.Steps, step)
}

// value returns a word as a number: those of pointers count what they have pointed to.
func (d *drawer) value(text string, w uint64) uint64 {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return uint64(n)
	}
	if text == "nil" || text == "" {
		return 0
	}
	if d.pointers[w] == 0 {
		d.pointers[w] = uint64(len(d.pointers)) + 1
	}
	return d.pointers[w]
}

func (d *drawer) placeOf(pos token.Pos, phase string) explore.Place {
	p := d.Program.Fset.Position(pos)
	if !p.IsValid() {
		return explore.Place{Phase: phase}
	}
	return explore.Place{Phase: phase, File: filepath.Base(p.Filename), Line: p.Line, Source: d.line(p)}
}
