// Package extract finds the local states of the processes of a lock, by running its
// protocols on every sequence of values that registers can hold.
package extract

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/explore/internal/source"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/internal/memory/registers"
	"example.org/doorway/internal/space"
	"example.org/doorway/mutex"
)

// often is after how many local states of a process it is examined what makes them so many.
const often = 1 << 14

// A Subject is a lock that is explored, with the ways to enter it.
type Subject struct {
	Lock      mutex.Mutex
	Processes int
	Cap       uint64 // of the values of registers; 0: none
	Memory    int64  // that the local states may take, in bytes
	GiveUp    bool   // processes enter by LockContext or TryLock, and may give up
	Mixed     bool   // or by Lock
	Aborters  int    // how many processes give up, those with the smallest numbers; 0: all

	Vetted bool          // the source keeps the contract
	Loops  []source.Loop // of the lock, which carry nothing from round to round
}

// mayGiveUp reports whether a process ever gives up.
func (s *Subject) mayGiveUp(process int) bool {
	return s.GiveUp && (s.Aborters == 0 || process < s.Aborters)
}

// Ways is in how many ways a process can enter.
func (s *Subject) Ways() int {
	switch {
	case s.Mixed:
		return 3
	case s.GiveUp:
		return 2
	}
	return 1
}

// Enter runs the entry protocol of a process, and reports whether it entered. The answer
// to its start is how it enters.
func (s *Subject) Enter(process int, by uint64) bool {
	if !s.mayGiveUp(process) || by == automaton.AnswerLock {
		s.Lock.Lock(process)
		return true
	}
	a := s.Lock.(mutex.Abortable)
	if by == automaton.AnswerTry {
		return a.TryLock(process)
	}
	return a.LockContext(context.Background(), process) == nil
}

// An Extraction finds the local states of all processes by running the protocols
// of a lock.
type Extraction struct {
	Subject
	Variables []automaton.Variable
	Trees     []*automaton.Tree
	Marked    bool         // an entry protocol calls Process.Doorway
	Least     *excess      // the least value above the cap that a process can write
	Ops       atomic.Int64 // made so far, for the watchdog

	of    map[*atomic.Uint64]int16
	steps map[*sync.Mutex]int16
	sites map[[siteDepth]uintptr]*automaton.Site

	answered []uint64 // a buffer of given
	answers  []bool   // a buffer of possible

	stacks    map[string]int32              // of operations in loops: numbers from 1, or 0 if they are in none
	fields    map[unsafe.Pointer]string     // the registers of the lock, by address
	goroutine string                        // the one that runs protocols
	outermost uintptr                       // the function that it was started with
	intruder  atomic.Pointer[source.Breach] // what another did

	waits map[*atomic.Uint64]wait // how processes await each register
	turns bool                    // a process waits in turn
	keeps error                   // a method ends without passing the baton on; it matters if turns

	numbers map[any]map[int]int // of the processes in each lock, which lots stand for
	came    []handle            // by process: the lock that it came to last, and its number there
	passed  map[passage]int32   // where a protocol continues after a Pure
}

// A passage is the end of a Pure: the local state where it began, and its result.
type passage struct {
	of     int // the process
	from   int32
	nth    int // among the functions that began there
	result any
}

// From returns the extraction of a lock, complete for all values that its
// registers can hold.
func From(s Subject) (*Extraction, error) {
	x := &Extraction{
		Subject: s, stacks: map[string]int32{},
		of: map[*atomic.Uint64]int16{}, steps: map[*sync.Mutex]int16{}, sites: map[[siteDepth]uintptr]*automaton.Site{}, waits: map[*atomic.Uint64]wait{},
		numbers: map[any]map[int]int{}, came: make([]handle, s.Processes), passed: map[passage]int32{}, fields: registers.Names(s.Lock),
	}
	for i := range s.Processes {
		t := &automaton.Tree{Process: i}
		x.Trees = append(x.Trees, t)
	}
	err := x.Watched(func() {
		for _, t := range x.Trees {
			r := &run{x: x, t: t, inside: -1, mark: nowhere}
			r.make()
			first := x.note(t, r)
			first.Parent = -1
			t.Locals = append(t.Locals, first)
		}
		for _, t := range x.Trees {
			if x.mayGiveUp(t.Process) {
				x.skip(t, automaton.AnswerDone) // by LockContext
				x.skip(t, automaton.AnswerTry)
			}
		}
		x.complete()
	})
	if err == nil && x.turns {
		err = x.keeps
	}
	return x, err
}

// Automata returns the minimal automaton of each process. It runs the protocols beside
// them, and returns an error if they differ.
func (x *Extraction) Automata() (all [][]automaton.Node, err error) {
	x.name()
	automaton.Settle(x.Trees, x.Marked)
	for _, t := range x.Trees {
		all = append(all, automaton.Minimal(t, x.Variables))
	}
	if err := x.conform(all); err != nil {
		return nil, err
	}
	for p, nodes := range all {
		x.Trees[p].Unite(nodes[0].Next)
		all[p] = automaton.Steps(nodes)
	}
	return all, nil
}

// Histories returns the automaton of each process before it is minimized, after Automata: node k is local state k.
func (x *Extraction) Histories() (all [][]automaton.Node) {
	for _, t := range x.Trees {
		all = append(all, automaton.Steps(automaton.Freeze(t, x.Variables)))
	}
	return all
}

// complete makes runs until every possible answer has been given in every local
// state.
func (x *Extraction) complete() {
	for again := true; again; {
		again = false
		for _, t := range x.Trees {
			for id := int32(0); int(id) < len(t.Locals); id++ {
				again = x.answer(t, id) || again
			}
		}
	}
}

// answer gives the answers to the operation of the local state id of t that have become possible, and reports whether there
// is any.
func (x *Extraction) answer(t *automaton.Tree, id int32) (again bool) {
	values := x.values(&t.Locals[id])
	if t.Locals[id].Asked == values {
		return false
	}
	t.Locals[id].Asked = values
	var path []int32 // to id, if needed
	for k, is := range x.possible(t, id) {
		l := &t.Locals[id]
		if !is || k < len(l.Next) && l.Next[k] >= 0 {
			continue
		}
		for len(l.Next) <= k {
			l.Next = append(l.Next, -1)
		}
		if path == nil {
			path = t.Path(id)
		}
		to := x.follow(t, path, k)
		l = &t.Locals[id]
		l.Next[k], again = to, true
		if l.Op == hook.OpFetchAdd {
			x.value(&x.Variables[l.Reg], x.sum(l, k))
		}
	}
	return again
}

// follow returns the local state of t to which answer k leads from the end of path.
func (x *Extraction) follow(t *automaton.Tree, path []int32, k int) int32 {
	r := &run{x: x, t: t, given: x.given(t, path, k), path: path, inside: -1, mark: nowhere, goesOn: true, found: len(path)}
	r.make()
	to := x.ended(t, r)
	r.link(to)
	return append(r.path, to)[len(path)]
}

// ended returns the local state of t in which r ended, which may be an earlier one.
func (x *Extraction) ended(t *automaton.Tree, r *run) int32 {
	switch r.end {
	case endedInRemainder:
		return 0
	case endedInRetry:
		head := r.path[r.mark.pos]
		part := "a try of register.Repeat"
		if r.stack != 0 {
			part = "a round of a loop"
		}
		x.compare(t, head, r.again(), part)
		return head
	case endedAtOperation:
		if r.mark.pos < 0 {
			break
		}
		p := passage{t.Process, r.path[r.mark.pos], r.mark.nth, r.result}
		if to, ok := x.passed[p]; ok {
			x.compare(t, to, r, "a function of register.Pure")
			return to
		}
		x.passed[p] = int32(len(t.Locals))
	}
	return x.grow(t, r)
}

// grow adds the local state in which r ended to t.
func (x *Extraction) grow(t *automaton.Tree, r *run) int32 {
	if len(t.Locals)%often == 0 {
		x.checkSize(t, r.path)
	}
	id := r.path[len(r.path)-1]
	l := x.note(t, r)
	l.Parent, l.Depth, l.Answer = id, t.Locals[id].Depth+1, r.given[len(r.given)-1]
	t.Locals = append(t.Locals, l)
	return int32(len(t.Locals) - 1)
}

// checkSize panics if the local states take too much memory, or if the one at the end
// of a path shows that a loop makes them so many.
func (x *Extraction) checkSize(t *automaton.Tree, path []int32) {
	type access struct {
		op    hook.Op
		reg   int16
		phase phase.Phase
	}
	visits := map[access]int{}
	for _, id := range path {
		l := &t.Locals[id]
		a := access{l.Op, l.Reg, l.Phase}
		if visits[a]++; visits[a] > x.mostVisits() {
			panic(refused{breach(x.siteAgain(t, t.Path(id)),
				"process %d comes here %d times in one entry, each time with more to remember: a loop that only registers end must be a register.Repeat, whose tries carry nothing over", t.Process, visits[a])})
		}
	}
	all := 0
	for _, t := range x.Trees {
		all += len(t.Locals)
	}
	if int64(all)*localBytes > x.Memory {
		panic(refused{&space.MemoryError{Limit: x.Memory, States: all}})
	}
}

// mostVisits is how often a process may make the same access in an entry, where there
// are many local states: a scan of all pairs of processes makes so many.
func (x *Extraction) mostVisits() int { return x.Processes*x.Processes + 4 }

// localBytes is about how many bytes a local state takes, with its answers.
const localBytes = 160

// siteAgain returns the site of the last of a path, whose run is made again.
func (x *Extraction) siteAgain(t *automaton.Tree, path []int32) *automaton.Site {
	given := make([]uint64, 0, len(path))
	for _, on := range path[1:] {
		given = append(given, t.Locals[on].Answer)
	}
	return located(&run{x: x, t: t, given: given, path: path, inside: -1, mark: nowhere, locate: true})
}

// located makes a run that notes its site, and returns that; an empty one if it has none.
func located(r *run) *automaton.Site {
	r.make()
	return cmp.Or(r.site, &automaton.Site{})
}

// compare panics unless the run r continues as from the local state to.
func (x *Extraction) compare(t *automaton.Tree, to int32, r *run, part string) {
	got, want := x.note(t, r), &t.Locals[to]
	now, before := got.Node(x.Variables), want.Node(x.Variables)
	if r.end == endedAtOperation && got.Operand == want.Operand && bytes.Equal(now.Look(nil), before.Look(nil)) {
		return
	}
	s := located(&run{x: x, t: t, given: r.given, path: r.path, inside: -1, mark: nowhere, beyond: r.beyond, locate: true})
	what := fmt.Sprintf("process %d carries state out of %s: its next operation depends on it", t.Process, part)
	if got.Op == want.Op && got.Phase != want.Phase {
		what = fmt.Sprintf("process %d is in phase %v at the end of %s, and was in %v at its beginning", t.Process, got.Phase, part, want.Phase)
	}
	panic(refused{breach(s, "%s", what)})
}

// note returns the local state in which r ended.
func (x *Extraction) note(t *automaton.Tree, r *run) automaton.Local {
	l := automaton.Local{Op: r.op.Op, Phase: r.phase, Joined: r.joined, Sure: r.by == automaton.AnswerLock || !x.mayGiveUp(t.Process), Reg: -1, Other: -1, Operand: r.op.Old, Site: r.site, Stack: r.stack}
	if r.end == endedInPanic {
		l.Op, l.Joined = automaton.OpPanic, false
		l.Site = &automaton.Site{File: r.site.File, Line: r.site.Line, Func: fmt.Sprint(r.what)}
		return l
	}
	if r.end == endedAtOperation && r.op.Step != nil {
		l.Reg = x.stepping(r.op.Step)
		return l
	}
	if r.op.Word == nil || r.end != endedAtOperation {
		return l
	}
	l.Reg = x.variable(r.op.Word)
	l.Holds, l.OtherHolds = r.op.Holds, r.op.OtherHolds
	if r.op.Other != nil {
		l.Other = x.variable(r.op.Other)
	}
	v := &x.Variables[l.Reg]
	v.Gate = v.Gate || l.Op == hook.OpAwaitExclusive
	switch l.Op {
	case hook.OpSet, hook.OpStore, hook.OpCompareAndSwap, hook.OpSwap:
		v.Writes[t.Process] = true
		if l.Over = x.over(l.Reg, r.op.Value); !l.Over {
			l.Value = x.value(v, r.op.Value)
		}
	case hook.OpFetchAdd:
		v.Writes[t.Process] = true
		l.Operand = r.op.Value
	}
	return l
}

// DoorwayIsEntry reports whether no process has anything to do between its doorway and
// its critical section. Of a single process, it does not matter.
func (x *Extraction) DoorwayIsEntry() bool {
	return len(x.Trees) > 1 && !slices.ContainsFunc(x.Trees, func(t *automaton.Tree) bool {
		return slices.ContainsFunc(t.Locals, func(l automaton.Local) bool { return l.Phase == phase.Waiting })
	})
}
