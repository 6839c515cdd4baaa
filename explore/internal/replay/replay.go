// Package replay makes the trace of a schedule, from the local histories of the processes.
package replay

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/extract"
	"example.org/doorway/explore/internal/source"
	"example.org/doorway/explore/internal/trace"
	"example.org/doorway/internal/memory/hook"
)

// A Replay makes the trace of a schedule: it follows every process through its
// local states before minimization.
type Replay struct {
	x     *extract.Extraction
	at    []int32
	Holds []uint64
	trace *trace.Trace
	lines map[string][]string // of source files
}

// A Moment is a state of a Replay, to which it can go back.
type Moment struct {
	at           []int32
	holds        []uint64
	steps, slots int
}

// Now returns the current state.
func (t *Replay) Now() Moment {
	return Moment{slices.Clone(t.at), slices.Clone(t.Holds), len(t.trace.Steps), len(t.trace.Schedule)}
}

// Back goes back to an earlier state.
func (t *Replay) Back(to Moment) {
	t.at, t.Holds = slices.Clone(to.at), slices.Clone(to.holds)
	t.trace.Steps, t.trace.Schedule = t.trace.Steps[:to.steps], t.trace.Schedule[:to.slots]
}

// Of returns the replay of a schedule, of slots as in a graph.
func Of(x *extract.Extraction, schedule []int) *Replay {
	t := &Replay{x: x, at: make([]int32, len(x.Trees)), lines: map[string][]string{}}
	t.trace = &trace.Trace{Processes: len(x.Trees), Loop: -1}
	for k := range x.Variables {
		v := &x.Variables[k]
		t.Holds = append(t.Holds, v.Values[0])
		if v.Word != nil {
			t.trace.Registers = append(t.trace.Registers, v.Name)
		}
	}
	t.trace.Initial = t.shown(t.Holds)
	for _, slot := range schedule {
		t.Step(slot)
	}
	return t
}

// Steps returns the steps from the index since on.
func (t *Replay) Steps(since int) []trace.Step { return t.trace.Steps[since:] }

// Repeat takes steps that can repeat forever.
func (t *Replay) Repeat(loop []int) {
	if len(loop) > 0 {
		t.trace.Loop = len(t.trace.Steps)
	}
	for _, slot := range loop {
		t.Step(slot)
	}
}

// Phases returns the phase of each process.
func (t *Replay) Phases() []string {
	phases := make([]string, len(t.at))
	for p := range phases {
		phases[p] = t.x.Trees[p].Locals[t.at[p]].Phase.String()
	}
	return phases
}

// End returns the trace up to the current state.
func (t *Replay) End(title string) *trace.Trace {
	t.trace.Title, t.trace.Ends = title, nil
	for p := range t.at {
		t.trace.Ends = append(t.trace.Ends, t.Place(p))
	}
	return t.trace
}

// Step takes one step of a schedule.
func (t *Replay) Step(slot int) {
	t.trace.Schedule = append(t.trace.Schedule, slot)
	p := slot % len(t.at)
	if slot >= len(t.at) {
		t.giveUp(p, slot/len(t.at))
		return
	}
	tree := t.x.Trees[p]
	t.at[p] = tree.Begun(t.at[p])
	shown := false // an operation of this step
	for first := true; first || tree.Locals[t.at[p]].Joined; first = false {
		shown = t.operation(p, shown) || shown
	}
}

// operation makes the next operation of process p, and reports whether the trace
// shows it: it omits the begin and end of an atomic step.
func (t *Replay) operation(p int, joined bool) bool {
	l := &t.x.Trees[p].Locals[t.at[p]]
	if l.Op == hook.OpBegin || l.Op == hook.OpEnd {
		t.at[p] = l.Next[0]
		if n := len(t.trace.Steps); n > 0 && l.Op == hook.OpEnd {
			t.trace.Steps[n-1].Becomes = t.x.Trees[p].Locals[t.at[p]].Phase.String()
		}
		return false
	}
	s := trace.Step{Process: p, Place: t.Place(p), Register: int(l.Reg), Atomic: joined}
	if l.Reg >= 0 {
		s.Value = t.Holds[l.Reg]
	}
	if answer := t.perform(l, &s); answer >= 0 {
		t.at[p] = l.Next[answer]
	}
	t.add(p, s)
	return true
}

// perform makes the operation of l, says in s what it does, and returns its answer; -1: there is none, as the
// process sleeps at a gate.
func (t *Replay) perform(l *automaton.Local, s *trace.Step) (answer int) {
	answer = automaton.AnswerDone
	switch l.Op {
	case hook.OpLoad:
		s.Do, answer = "read", int(t.x.Variables[l.Reg].Index[s.Value])
	case hook.OpSet, hook.OpStore:
		s.Do, s.Value = "write", t.x.Variables[l.Reg].Values[l.Value]
		t.Holds[l.Reg] = s.Value
	case hook.OpCompareAndSwap:
		s.Do = "compare-and-swap"
		if s.Value == l.Operand {
			s.Done, answer = true, automaton.AnswerTrue
			s.Value = t.x.Variables[l.Reg].Values[l.Value]
			t.Holds[l.Reg] = s.Value
		}
	case hook.OpSwap:
		s.Do, answer = "swap", int(t.x.Variables[l.Reg].Index[s.Value])
		s.Value = t.x.Variables[l.Reg].Values[l.Value]
		t.Holds[l.Reg] = s.Value
	case hook.OpFetchAdd:
		s.Do, answer = "fetch-and-add", int(t.x.Variables[l.Reg].Index[s.Value])
		s.Value += l.Operand
		t.Holds[l.Reg] = s.Value
	case hook.OpAwait, hook.OpAwaitExclusive:
		s.Do, s.Done = "await", l.Holds(s.Value)
		if !s.Done {
			answer = -1
		}
	case hook.OpAwaitValue, hook.OpTryValue:
		s.Do, s.Done, answer = "await", l.Holds(s.Value), automaton.AnswerNoValue
		if s.Done {
			answer = automaton.AnswerValue + int(t.x.Variables[l.Reg].Index[s.Value])
		}
	case hook.OpTest, hook.OpTestFirst, hook.OpTry:
		s.Do, s.Done = "await", l.Holds(s.Value)
		if s.Done {
			answer = automaton.AnswerTrue
		}
	case automaton.OpStart:
		s.Do = "start"
	case automaton.OpLeave:
		s.Do = "leave"
	}
	return answer
}

// giveUp makes process p give up its wait, or enter in another way than LockContext.
func (t *Replay) giveUp(p, way int) {
	l := &t.x.Trees[p].Locals[t.at[p]]
	if l.Op == automaton.OpStart {
		t.at[p] = l.Next[way]
		t.add(p, trace.Step{Process: p, Place: t.Place(p), Register: -1, Do: "start"})
		return
	}
	s := trace.Step{Process: p, Place: t.Place(p), Register: int(l.Reg), Do: "give up", Value: t.Holds[l.Reg]}
	answer := automaton.AnswerGiveUp
	switch l.Op {
	case hook.OpTestFirst:
		answer = automaton.AnswerTestGiveUp
	case hook.OpAwaitValue:
		answer = automaton.AnswerNoValue
	}
	t.at[p] = l.Next[answer]
	t.add(p, s)
}

// shown returns the values of the registers among the variables.
func (t *Replay) shown(holds []uint64) []uint64 {
	var all []uint64
	for k, v := range holds {
		if t.x.Variables[k].Word != nil {
			all = append(all, v)
		}
	}
	return all
}

// register returns the index of a variable among the registers shown.
func (t *Replay) register(k int) int {
	for i := range t.x.Variables[:max(k, 0)] {
		if t.x.Variables[i].Word == nil {
			k--
		}
	}
	return k
}

func (t *Replay) add(p int, s trace.Step) {
	s.Register = t.register(s.Register)
	s.Becomes = t.x.Trees[p].Locals[t.at[p]].Phase.String()
	s.Holds = t.shown(t.Holds)
	t.trace.Steps = append(t.trace.Steps, s)
}

// Place returns the place of process p: that of its next operation. To begin or to leave may be a step of its own; then
// that of the operation behind it.
func (t *Replay) Place(p int) trace.Place {
	tree := t.x.Trees[p]
	place := trace.Place{Phase: tree.Locals[t.at[p]].Phase.String()}
	id := tree.Begun(t.at[p])
	apart := tree.Locals[id].Op == automaton.OpStart || tree.Locals[id].Op == automaton.OpLeave
	if apart {
		id = tree.Locals[id].Next[0]
	}
	if tree.Locals[id].Op == hook.OpBegin {
		id = tree.Locals[id].Next[0]
	}
	s := t.x.Locate(tree, id)
	if s.File == "" {
		return place
	}
	place.File, place.Line = filepath.Base(s.File), s.Line
	place.Path = path.Join(s.Path(), place.File)
	if lines := t.source(s); s.Line >= 1 && s.Line <= len(lines) {
		place.Source = strings.TrimSpace(lines[s.Line-1])
	}
	if !apart {
		place.Next = words(t.x, &tree.Locals[id])
	}
	return place
}

// words describes the operation of l.
func words(x *extract.Extraction, l *automaton.Local) string {
	if l.Op == automaton.OpPanic {
		return "panic: " + l.Site.Func
	}
	if l.Reg < 0 {
		return ""
	}
	name := x.Variables[l.Reg].Name
	switch l.Op {
	case hook.OpLoad:
		return "read " + name
	case hook.OpCompareAndSwap:
		return "CAS " + name
	case hook.OpSwap:
		return "swap " + name
	case hook.OpFetchAdd:
		return "fetch-and-add " + name
	case hook.OpAwait, hook.OpAwaitExclusive, hook.OpAwaitValue, hook.OpTest, hook.OpTestFirst, hook.OpTry, hook.OpTryValue:
		if l.Other >= 0 {
			return "await " + name + " or " + x.Variables[l.Other].Name
		}
		return "await " + name
	default:
		if l.Over {
			return name + " := a value above the cap"
		}
		return fmt.Sprintf("%s := %d", name, x.Variables[l.Reg].Values[l.Value])
	}
}

// source returns the lines of the file of a site; of one that cannot be read, an empty one.
func (t *Replay) source(s *automaton.Site) []string {
	name := path.Join(s.Path(), filepath.Base(s.File))
	lines, ok := t.lines[name]
	if !ok {
		lines = strings.Split(string(t.read(s, name)), "\n")
		t.lines[name] = lines
	}
	return lines
}

// read returns the file of a site, which is at path; nil if it cannot be read.
func (t *Replay) read(s *automaton.Site, path string) []byte {
	if t.x.Source != nil {
		text, _ := fs.ReadFile(t.x.Source, path)
		return text
	}
	file, err := source.Locate(s.File, s.Path())
	if err != nil {
		return nil
	}
	text, _ := os.ReadFile(file)
	return text
}
