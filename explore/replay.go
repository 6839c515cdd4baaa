package explore

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/graph"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/explore/internal/source"
	"example.org/doorway/internal/memory/hook"
)

// A replay makes the trace of a schedule: it takes the steps of a graph, of which each state is that of every process
// before minimization, and so has a place in the source.
type replay struct {
	c       *checking
	now     graph.State
	writing [automaton.MaxProcesses]bool // with safe registers: the processes whose write has begun
	trace   *Trace
}

// replay returns the replay of a schedule, of slots as in a graph.
func (c *checking) replay(schedule []int) *replay {
	if c.histories == nil {
		first := graph.First(graph.Program{Variables: c.x.Variables, Automata: c.x.Histories(), Ways: c.x.Ways()})
		c.histories = &first
	}
	r := &replay{c: c, now: *c.histories, trace: &Trace{Processes: c.cfg.Processes, Loop: -1}}
	for k := range c.x.Variables {
		if v := &c.x.Variables[k]; v.Word != nil {
			r.trace.Registers = append(r.trace.Registers, v.Name)
		}
	}
	r.trace.Initial = r.shown()
	r.take(schedule)
	return r
}

// take takes steps.
func (r *replay) take(schedule []int) {
	for _, slot := range schedule {
		r.step(slot)
	}
}

// repeat takes steps that can repeat forever.
func (r *replay) repeat(loop []int) {
	if len(loop) > 0 {
		r.trace.Loop = len(r.trace.Steps)
	}
	r.take(loop)
}

// safely takes the steps of a schedule with safe registers.
func (r *replay) safely(safe []bool, schedule []automaton.Access) {
	for _, a := range schedule {
		p := a.Process
		n := r.now.Node(p)
		switch {
		case n.Writes() && safe[n.Reg] && !r.writing[p]:
			r.writing[p] = true
			value := r.c.x.Variables[n.Reg].Values[n.Value]
			r.add(r.now, Step{Process: p, Place: r.place(p), Do: "begin to write", Register: int(n.Reg), Value: value})
		case a.Value >= 0:
			was := r.now.Value(n.Reg)
			r.now = r.now.Holding(n.Reg, a.Value)
			r.operation(p, false)
			r.now = r.now.Holding(n.Reg, was)
			r.trace.Steps[len(r.trace.Steps)-1].Holds = r.shown()
		default:
			r.writing[p] = false
			r.operation(p, n.Op == hook.OpEnd)
		}
	}
}

// end returns the trace up to the current state.
func (r *replay) end(title string) *Trace {
	r.trace.Title, r.trace.Ends = title, nil
	for p := range r.trace.Processes {
		r.trace.Ends = append(r.trace.Ends, r.place(p))
	}
	return r.trace
}

// phase returns the phase of process p. What it begins, or leaves, by a write that has begun, it has begun or left.
func (r *replay) phase(p int) phase.Phase {
	if r.writing[p] {
		return r.local(p).Phase
	}
	return r.now.Node(p).Phase
}

// phases returns the phase of each process.
func (r *replay) phases() []string {
	phases := make([]string, r.trace.Processes)
	for p := range phases {
		phases[p] = r.phase(p).String()
	}
	return phases
}

// holds returns what a variable holds.
func (r *replay) holds(variable int) uint64 {
	return r.c.x.Variables[variable].Values[r.now.Value(int16(variable))]
}

// shown returns the values of the registers among the variables.
func (r *replay) shown() (all []uint64) {
	for k := range r.c.x.Variables {
		if r.c.x.Variables[k].Word != nil {
			all = append(all, r.holds(k))
		}
	}
	return all
}

// register returns the index of a variable among the registers shown.
func (r *replay) register(k int) int {
	for i := range r.c.x.Variables[:max(k, 0)] {
		if r.c.x.Variables[i].Word == nil {
			k--
		}
	}
	return k
}

// step takes one step of a schedule.
func (r *replay) step(slot int) {
	r.trace.Schedule = append(r.trace.Schedule, slot)
	p := slot % r.trace.Processes
	if slot >= r.trace.Processes {
		r.choose(p, slot)
		return
	}
	shown := false // an operation of this step
	for first := true; first || r.now.Node(p).Flags&automaton.Joined != 0; first = false {
		shown = r.operation(p, shown) || shown
	}
}

// choose makes process p give up, or begin the entry of a slot, whose place is that of its first operation.
func (r *replay) choose(p, slot int) {
	to, _, _ := r.now.Step(slot)
	if r.phase(p) == phase.Remainder {
		r.now = to
		r.add(to, Step{Process: p, Place: r.place(p), Do: "start", Register: -1})
		return
	}
	reg := int(r.now.Node(p).Reg)
	r.add(to, Step{Process: p, Place: r.place(p), Do: "give up", Register: reg, Value: r.holds(reg)})
}

// does says what operations do; the others await.
var does = map[hook.Op]string{
	hook.OpLoad: "read", hook.OpSet: "write", hook.OpStore: "write", hook.OpCompareAndSwap: "compare-and-swap",
	hook.OpSwap: "swap", hook.OpFetchAdd: "fetch-and-add", automaton.OpStart: "start", automaton.OpLeave: "leave",
}

// operation makes the next operation of process p, and reports whether the trace shows it: it omits the begin and end of
// an atomic step, of which it has shown an operation if joined is set.
func (r *replay) operation(p int, joined bool) bool {
	n, to := r.now.Node(p), r.now.Operation(p)
	if n.Op == hook.OpBegin || n.Op == hook.OpEnd {
		if last := len(r.trace.Steps) - 1; n.Op == hook.OpEnd && joined && last >= 0 {
			r.trace.Steps[last].Becomes = to.Node(p).Phase.String()
		}
		r.now = to
		return false
	}
	s := Step{Process: p, Place: r.c.place(p, n.Name), Do: cmp.Or(does[n.Op], "await"), Register: int(n.Reg), Atomic: joined}
	if n.Reg >= 0 {
		found := r.now.Value(n.Reg)
		s.Value = r.c.x.Variables[n.Reg].Values[to.Value(n.Reg)]
		s.Done = n.Holds>>found&1 == 1 || n.Op == hook.OpCompareAndSwap && found == int(n.Old)
	}
	r.add(to, s)
	return true
}

// add adds a step to the state to.
func (r *replay) add(to graph.State, s Step) {
	r.now = to
	s.Register, s.Becomes, s.Holds = r.register(s.Register), r.phase(s.Process).String(), r.shown()
	r.trace.Steps = append(r.trace.Steps, s)
}

// local returns the next operation of process p.
func (r *replay) local(p int) *automaton.Local {
	return &r.c.x.Trees[p].Locals[r.now.Node(p).Name]
}

// place returns the place of process p.
func (r *replay) place(p int) Place {
	place := r.c.place(p, r.now.Node(p).Name)
	place.Phase = r.phase(p).String()
	return place
}

// doorwayWaits returns the places where a process may stay in its doorway forever: its
// awaits, and the operations after which it retries.
func (c *checking) doorwayWaits() (places []Place) {
	for p, t := range c.x.Trees {
		for id := range t.Locals {
			l := &t.Locals[id]
			if l.Phase == phase.Doorway && (automaton.Waits(l.Op) || t.Retries(int32(id))) {
				places = append(places, c.place(p, int32(id)))
			}
		}
	}
	slices.SortFunc(places, func(a, b Place) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return slices.CompactFunc(places, func(a, b Place) bool { return a.File == b.File && a.Line == b.Line })
}

// place returns the place of a local state of process p: that of its next operation. To begin or to leave may be a step of
// its own; then that of the operation behind it.
func (c *checking) place(p int, id int32) Place {
	tree := c.x.Trees[p]
	place := Place{Phase: tree.Locals[id].Phase.String()}
	apart := tree.Locals[id].Op == automaton.OpStart || tree.Locals[id].Op == automaton.OpLeave
	if apart {
		id = tree.Locals[id].Next[0]
	}
	if tree.Locals[id].Op == hook.OpBegin {
		id = tree.Locals[id].Next[0]
	}
	s := c.x.Locate(tree, id)
	if s.File == "" {
		return place
	}
	place.File, place.Line = filepath.Base(s.File), s.Line
	place.Path = path.Join(s.Path(), place.File)
	if lines := c.source(s); s.Line >= 1 && s.Line <= len(lines) {
		place.Source = strings.TrimSpace(lines[s.Line-1])
	}
	if !apart {
		place.Next = c.words(&tree.Locals[id])
	}
	return place
}

// words describes the operation of l.
func (c *checking) words(l *automaton.Local) string {
	if l.Op == automaton.OpPanic {
		return "panic: " + l.Site.Func
	}
	if l.Reg < 0 {
		return ""
	}
	name := c.x.Variables[l.Reg].Name
	switch l.Op {
	case hook.OpSet, hook.OpStore, hook.OpEnd:
		if l.Over {
			return name + " := a value above the cap"
		}
		return fmt.Sprintf("%s := %d", name, c.x.Variables[l.Reg].Values[l.Value])
	case hook.OpCompareAndSwap:
		return "CAS " + name
	}
	if l.Other >= 0 {
		name += " or " + c.x.Variables[l.Other].Name
	}
	return cmp.Or(does[l.Op], "await") + " " + name
}

// source returns the lines of the file of a site; of one that cannot be read, an empty one.
func (c *checking) source(s *automaton.Site) []string {
	name := path.Join(s.Path(), filepath.Base(s.File))
	lines, ok := c.lines[name]
	if !ok {
		lines = strings.Split(string(c.read(s, name)), "\n")
		c.lines[name] = lines
	}
	return lines
}

// read returns the file of a site, which is at path; nil if it cannot be read.
func (c *checking) read(s *automaton.Site, path string) []byte {
	if c.cfg.Source != nil {
		text, _ := fs.ReadFile(c.cfg.Source, path)
		return text
	}
	file, err := source.Locate(s.File, s.Path())
	if err != nil {
		return nil
	}
	text, _ := os.ReadFile(file)
	return text
}
