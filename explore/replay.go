package explore

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.org/doorway/internal/seam"
)

// A replay makes the trace of a schedule: it follows every process through its
// local states before minimization.
type replay struct {
	x     *extraction
	at    []int32
	holds []uint64
	trace *Trace
	relay baton
	lines map[string][]string // of source files
}

// replay returns the replay of a schedule, of slots as in a graph.
func (x *extraction) replay(schedule []int) *replay {
	t := &replay{x: x, at: make([]int32, len(x.trees)), lines: map[string][]string{}}
	t.trace = &Trace{Processes: len(x.trees), Loop: -1}
	for k := range x.vars {
		v := &x.vars[k]
		t.holds = append(t.holds, v.values[0])
		if v.word != nil {
			t.trace.Registers = append(t.trace.Registers, v.name)
		}
	}
	t.trace.Initial = t.shown(t.holds)
	for _, slot := range schedule {
		t.step(slot)
	}
	return t
}

// end returns the trace up to the current state.
func (t *replay) end(title string) *Trace {
	t.trace.Title = title
	for p := range t.at {
		t.trace.Ends = append(t.trace.Ends, t.place(p))
	}
	return t.trace
}

// step takes one step of a schedule.
func (t *replay) step(slot int) {
	t.trace.Schedule = append(t.trace.Schedule, slot)
	p := slot % len(t.at)
	if slot >= len(t.at) {
		t.giveUp(p, slot/len(t.at))
		return
	}
	tree := t.x.trees[p]
	t.at[p] = tree.begun(t.at[p])
	shown := false // an operation of this step
	for first := true; first || tree.locals[t.at[p]].joined; first = false {
		shown = t.operation(p, shown) || shown
	}
}

// begun returns the local state from which a process continues at id. A request, or
// the end of a critical section, may be one step with the operation after it: then
// begun returns that operation.
func (t *tree) begun(id int32) int32 {
	l := &t.locals[id]
	if (l.op == opStart && !t.apart || l.op == opLeave) && fusable(t.locals[l.next[0]].op) {
		return l.next[0]
	}
	return id
}

// operation makes the next operation of process p, and reports whether the trace
// shows it: it omits the begin and end of an atomic step.
func (t *replay) operation(p int, joined bool) bool {
	l := &t.x.trees[p].locals[t.at[p]]
	if l.op == seam.OpBegin || l.op == seam.OpEnd {
		t.at[p] = l.next[0]
		if n := len(t.trace.Steps); n > 0 && l.op == seam.OpEnd {
			t.trace.Steps[n-1].Becomes = t.x.trees[p].locals[t.at[p]].phase.String()
		}
		return false
	}
	s := Step{Process: p, Place: t.place(p), Register: int(l.reg), Atomic: joined}
	answer := answerDone
	if relayed(l.op) {
		if l.op != seam.OpDue {
			s.Register = -1
		} else {
			s.Value = t.holds[l.reg]
		}
		s.Do, _ = t.relay.step(l.op, p, func(q int) bool {
			o := &t.x.trees[q].locals[t.at[q]]
			return o.reg == l.reg || o.other == l.reg
		})
		t.at[p] = l.next[0]
		if s.Do == "" {
			t.becomes(p)
			return false
		}
		t.add(p, s)
		return true
	}
	if l.reg >= 0 {
		s.Value = t.holds[l.reg]
	}
	switch l.op {
	case seam.OpLoad:
		s.Do, answer = "read", int(t.x.vars[l.reg].index[s.Value])
	case seam.OpSet, seam.OpStore, seam.OpStoreGate:
		s.Do, s.Value = "write", t.x.vars[l.reg].values[l.value]
		t.holds[l.reg] = s.Value
	case seam.OpCompareAndSwap:
		s.Do = "compare-and-swap"
		if s.Value == l.operand {
			s.Done, answer = true, answerTrue
			s.Value = t.x.vars[l.reg].values[l.value]
			t.holds[l.reg] = s.Value
		}
	case seam.OpSwap:
		s.Do, answer = "swap", int(t.x.vars[l.reg].index[s.Value])
		s.Value = t.x.vars[l.reg].values[l.value]
		t.holds[l.reg] = s.Value
	case seam.OpFetchAdd:
		s.Do, answer = "fetch-and-add", int(t.x.vars[l.reg].index[s.Value])
		s.Value += l.operand
		t.holds[l.reg] = s.Value
	case seam.OpAwait, seam.OpAwaitGate:
		s.Do, s.Done = "await", l.holds(s.Value)
		if !s.Done {
			answer = -1 // it sleeps at a gate
		}
	case seam.OpAwaitValue, seam.OpTryValue:
		s.Do, s.Done, answer = "await", l.holds(s.Value), answerNoValue
		if s.Done {
			answer = answerValue + int(t.x.vars[l.reg].index[s.Value])
		}
	case seam.OpTest, seam.OpTestFirst, seam.OpTry:
		s.Do, s.Done = "await", l.holds(s.Value)
		if s.Done {
			answer = answerTrue
		}
	case opStart:
		s.Do = "start"
	case opLeave:
		s.Do = "leave"
	}
	if answer >= 0 {
		t.at[p] = l.next[answer]
	}
	t.add(p, s)
	return true
}

// giveUp makes process p give up its wait, or enter in another way than LockContext.
func (t *replay) giveUp(p, way int) {
	l := &t.x.trees[p].locals[t.at[p]]
	if l.op == opStart {
		t.at[p] = l.next[way]
		t.add(p, Step{Process: p, Place: t.place(p), Register: -1, Do: "start"})
		return
	}
	s := Step{Process: p, Place: t.place(p), Register: int(l.reg), Do: "give up", Value: t.holds[l.reg]}
	answer := answerGiveUp
	switch l.op {
	case seam.OpTestFirst:
		answer = answerTestGiveUp
	case seam.OpAwaitValue:
		answer = answerNoValue
	}
	t.at[p] = l.next[answer]
	t.add(p, s)
}

// becomes notes the phase of process p after a step that the trace omits.
func (t *replay) becomes(p int) {
	for k, s := range slices.Backward(t.trace.Steps) {
		if s.Process == p {
			t.trace.Steps[k].Becomes = t.x.trees[p].locals[t.at[p]].phase.String()
			return
		}
	}
}

// shown returns the values of the registers among the variables.
func (t *replay) shown(holds []uint64) []uint64 {
	var all []uint64
	for k, v := range holds {
		if t.x.vars[k].word != nil {
			all = append(all, v)
		}
	}
	return all
}

// register returns the index of a variable among the registers shown.
func (t *replay) register(k int) int {
	for i := range t.x.vars[:max(k, 0)] {
		if t.x.vars[i].word == nil {
			k--
		}
	}
	return k
}

func (t *replay) add(p int, s Step) {
	s.Register = t.register(s.Register)
	s.Becomes = t.x.trees[p].locals[t.at[p]].phase.String()
	s.Holds = t.shown(t.holds)
	t.trace.Steps = append(t.trace.Steps, s)
}

// place returns the place of process p.
func (t *replay) place(p int) Place {
	tree := t.x.trees[p]
	place := Place{Phase: tree.locals[t.at[p]].phase.String()}
	id := tree.begun(t.at[p])
	l := &tree.locals[id]
	if l.op == seam.OpBegin {
		id = l.next[0]
		l = &tree.locals[id]
	}
	s := t.x.locate(tree, id)
	if s.file == "" {
		return place
	}
	place.File, place.Line = filepath.Base(s.file), s.line
	place.Source = t.line(s)
	place.Next = t.x.words(l)
	return place
}

// words describes the operation of l.
func (x *extraction) words(l *local) string {
	if l.op == opPanic {
		return "panic: " + l.site.fn
	}
	if l.op == seam.OpPass {
		return "pass the baton on"
	}
	if l.reg < 0 {
		return ""
	}
	name := x.vars[l.reg].name
	switch l.op {
	case seam.OpDue:
		return "make the waiters of " + name + " due"
	case seam.OpStand:
		return "stand in line at " + name + " and " + x.vars[l.other].name
	case seam.OpPark:
		return "sleep at " + name + " and " + x.vars[l.other].name
	case seam.OpQuit:
		return "leave the lines at " + name + " and " + x.vars[l.other].name
	case seam.OpLoad:
		return "read " + name
	case seam.OpCompareAndSwap:
		return "CAS " + name
	case seam.OpSwap:
		return "swap " + name
	case seam.OpFetchAdd:
		return "fetch-and-add " + name
	case seam.OpAwait, seam.OpAwaitGate, seam.OpAwaitValue, seam.OpTest, seam.OpTestFirst, seam.OpTry, seam.OpTryValue:
		if l.other >= 0 {
			return "await " + name + " or " + x.vars[l.other].name
		}
		return "await " + name
	default:
		if l.over {
			return name + " := a value above the cap"
		}
		return fmt.Sprintf("%s := %d", name, x.vars[l.reg].values[l.value])
	}
}

// line returns the line of a site, trimmed, or "".
func (t *replay) line(s *site) string {
	lines, ok := t.lines[s.file]
	if !ok {
		file, err := locate(s.file, s.path())
		if err == nil {
			text, _ := os.ReadFile(file)
			lines = strings.Split(string(text), "\n")
		}
		t.lines[s.file] = lines
	}
	if s.line < 1 || s.line > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[s.line-1])
}
