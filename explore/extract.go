package explore

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

// The operations of a process beside those of package register.
const (
	opStart register.Op = 100 + iota // leaves the remainder section
	opLeave                          // leaves the critical section, by an exit protocol that makes no operation
	opPanic                          // the protocol panicked
	opSleep                          // sleeps in the line of a gate
	opLook                           // was woken there, and looks again
)

// Limits of an extraction.
const (
	maxProcesses = 8
	maxValues    = 64      // of a register
	maxRegisters = 256     // of a lock
	maxLocals    = 4 << 20 // local states of a process, before they are minimised
	maxRun       = 5000    // operations of a run
)

// A variable is a register of the lock that is explored.
type variable struct {
	word   *register.Word
	name   string
	values []uint64           // that it can hold, the initial value first; the index of a value stands for it
	index  map[uint64]uint8   // of values
	gate   bool               // a store wakes the first in line
	writes [maxProcesses]bool // by process
}

// A local is a local state of a process: the history of the answers that it has
// got, or several of them that are equivalent, and the operation that it makes
// next.
type local struct {
	op         register.Op
	phase      Phase
	joined     bool // one atomic step with the operation before
	over       bool // writes more than the cap
	reg        int16
	value      uint8 // what is written, as an index of values
	old        uint64
	holds      func(uint64) bool
	other      int16 // what is awaited beside; -1: nothing
	otherHolds func(uint64) bool
	site       *site
	next       []int32 // by answer: for a load the index of the value read; see answer

	parent int32
	depth  int32
	answer uint64 // that led here from the parent
}

// The answers of operations, as indices of local.next.
const (
	answerDone       = 0 // of a write, or an await that came true
	answerFail       = 0 // of a swap, or a test
	answerTrue       = 1
	answerGiveUp     = 1 // of an await
	answerTestGiveUp = 2
)

// A site is a place in the source.
type site struct {
	file string
	line int
	fn   string
}

// A tree is all local states of one process, the remainder section first. Each
// is reached from its parent by an answer; edges that go elsewhere go to where
// the contract of package register says that the protocol goes on.
type tree struct {
	process int
	locals  []local
	passed  map[passage]int32 // where the protocol goes on after a Pure
}

// A passage is the end of a Pure that began at a local state, with its result.
type passage struct {
	from   int32
	nth    int // of the functions that began there
	result uint64
}

// An extraction finds the local states of all processes of a lock by running
// its protocols.
type extraction struct {
	cfg   *Config
	lock  mutex.Mutex
	vars  []variable
	of    map[*register.Word]int16
	trees []*tree
	sites map[[siteDepth]uintptr]*site
	ops   atomic.Int64 // made so far, for the watchdog

	answered []uint64 // a buffer of given

	settled bool // no protocol says where its doorway ends
}

// run is one run of a process's protocols on given answers, until the first
// operation that has none. It is the register.Host that the run is made on.
type run struct {
	x             *extraction
	t             *tree
	given         []uint64 // the answers
	path          []int32  // the local states that they were given in
	pos           int
	inside        int // answers that had been given when the critical section began; -1: it did not
	waits         bool
	absorbed      bool
	step          int               // 0: outside of an atomic step; else one more than the operations made in it
	beyond        bool              // go on after Again, to see what comes then
	locate        bool              // note the site
	at            register.Boundary // the last that it came to
	marked, marks int               // where the last mark was set, and how many there

	// How it ended.
	end    ending
	op     register.Operation
	phase  Phase
	joined bool
	site   *site
	mark   int    // where a retry goes on, or a Pure that has just passed began; -1: none
	result uint64 // of that Pure
	what   any    // that it panicked with
}

type ending int

const (
	endedAtOperation ending = iota
	endedInRetry
	endedInRemainder
	endedInPanic
)

// abandoned is what a run is abandoned with.
type abandoned struct{}

// refused is what a run that breaks the contract panics with.
type refused struct{ err error }

func (r *run) Do(op register.Operation) uint64 {
	r.x.ops.Add(1)
	if r.pos < len(r.given) {
		r.check(op)
		answer := r.given[r.pos]
		r.pos++
		if r.step > 0 {
			r.step++
		}
		return answer
	}
	if r.pos == maxRun {
		panic(refused{r.x.broken("process %d makes %d operations without a retry: a loop of plain loads must await what it waits for, or say register.Repeat", r.t.process, maxRun)})
	}
	r.op, r.end, r.joined = op, endedAtOperation, r.step > 1
	if r.locate && op.Word != nil {
		r.site = r.x.site()
	}
	switch {
	case r.pos == 0:
		r.phase = Remainder
	case r.absorbed:
		r.phase = Absorbed
	case r.inside == r.pos:
		r.phase = Inside
	case r.inside >= 0:
		r.phase = Exit
	case r.waits:
		r.phase = Waiting
	default:
		r.phase = Doorway
	}
	panic(abandoned{})
}

// check panics if op is not what was done when these answers were given before.
func (r *run) check(op register.Operation) {
	was := &r.t.locals[r.path[r.pos]]
	if op.Op != was.op || was.reg >= 0 && op.Word != r.x.vars[was.reg].word {
		panic(refused{r.x.broken("process %d does not do the same when it reads the same: it keeps something outside of registers", r.t.process)})
	}
}

// A mark is how many answers had been given, and how many marks had been set
// since the last of them: where two functions begin at the same point, one
// inside the other, they are not the same.
func (r *run) Mark() int {
	if r.marked != r.pos {
		r.marked, r.marks = r.pos, 0
	}
	r.marks++
	return r.pos*maxMarks + r.marks - 1
}

const maxMarks = 1 << 10

func (r *run) Again(mark int) {
	if r.beyond {
		return
	}
	if r.pos < len(r.given) || r.pos == mark/maxMarks {
		panic(refused{r.x.broken("process %d retries without having read anything that could make a difference", r.t.process)})
	}
	r.end, r.mark = endedInRetry, mark
	panic(abandoned{})
}

func (r *run) Passed(mark int, result uint64) {
	if r.pos == len(r.given) && r.pos > mark/maxMarks {
		r.mark, r.result = mark, result
	}
}

func (r *run) Comes(at register.Boundary) {
	r.at = at
	if at == register.AtWaiting {
		r.waits = true
	}
}

func (r *run) Absorb() { r.absorbed = true }

// arrive panics unless the process is at the boundary where a protocol must end.
func (r *run) arrive(at register.Boundary, protocol, missing string) {
	if r.at != at {
		panic(refused{fmt.Errorf("explore: %s of process %d ends without a call of %s, and where no checker runs the lock, the next call panics", protocol, r.t.process, missing)})
	}
}

func (r *run) Step(begins bool) {
	r.step = 0
	if begins {
		r.step = 1
	}
}

// make makes the run.
func (r *run) make() {
	defer func() {
		switch e := recover().(type) {
		case nil, abandoned:
		case refused:
			panic(e)
		default:
			r.end, r.what = endedInPanic, e
			r.site = panicSite()
		}
	}()
	register.Attach(r)
	r.Do(register.Operation{Op: opStart})
	if !r.enter() {
		r.end = endedInRemainder
		return
	}
	r.arrive(register.AtInside, "Lock", "Process.Inside")
	r.inside = r.pos
	r.x.lock.Unlock(r.t.process)
	r.arrive(register.AtExit, "Unlock", "Processes.Exit")
	if r.pos == r.inside {
		r.Do(register.Operation{Op: opLeave})
	}
	r.end = endedInRemainder
}

// enter runs the entry protocol, and says whether it was not given up.
func (r *run) enter() bool {
	if a, ok := r.x.lock.(mutex.Abortable); ok && r.x.cfg.GiveUp {
		return a.LockContext(context.Background(), r.t.process) == nil
	}
	r.x.lock.Lock(r.t.process)
	return true
}

// extract returns the extraction of the lock of cfg, complete for all values that its
// registers can hold.
func extract(cfg *Config) (*extraction, error) {
	x := &extraction{
		cfg: cfg, lock: cfg.New(cfg.Processes),
		of: map[*register.Word]int16{}, sites: map[[siteDepth]uintptr]*site{},
	}
	for i := range cfg.Processes {
		t := &tree{process: i, passed: map[passage]int32{}}
		x.trees = append(x.trees, t)
	}
	err := x.watched(func() {
		for _, t := range x.trees {
			t.locals = append(t.locals, x.local(t, -1, 0, nil))
		}
		x.complete()
	})
	return x, err
}

// complete makes runs until every answer that is possible has been given in
// every local state.
func (x *extraction) complete() {
	for again := true; again; {
		again = false
		for _, t := range x.trees {
			for id := int32(0); int(id) < len(t.locals); id++ {
				var path []int32 // to id, if it is needed
				for k := range x.answers(&t.locals[id]) {
					l := &t.locals[id]
					if k < len(l.next) && l.next[k] >= 0 || !x.possible(l, k) {
						continue
					}
					for len(l.next) <= k {
						l.next = append(l.next, -1)
					}
					if path == nil {
						path = t.path(id)
					}
					to := x.follow(t, path, k)
					t.locals[id].next[k] = to
					again = true
				}
			}
		}
	}
}

// answers returns how many answers there are to the operation of l.
func (x *extraction) answers(l *local) int {
	switch l.op {
	case register.OpLoad:
		return len(x.vars[l.reg].values)
	case register.OpSwap, register.OpTest:
		return 2
	case register.OpTestFirst:
		if x.cfg.GiveUp && l.phase != Absorbed {
			return 3
		}
		return 2
	case register.OpAwait, register.OpAwaitGate:
		if x.cfg.GiveUp && l.phase != Absorbed {
			return 2
		}
		return 1
	case opPanic:
		return 0
	default:
		if l.over {
			return 0
		}
		return 1
	}
}

// possible says whether the operation of l can be answered by k, given what the
// registers can hold.
func (x *extraction) possible(l *local, k int) bool {
	some := func(want bool) bool {
		for _, v := range x.vars[l.reg].values {
			if l.holds(v) == want {
				return true
			}
		}
		return false
	}
	switch l.op {
	case register.OpSwap:
		if l.over {
			return k == answerFail
		}
		_, ok := x.vars[l.reg].index[l.old]
		return k == answerFail || ok
	case register.OpAwait, register.OpAwaitGate:
		return k == answerGiveUp || some(true)
	case register.OpTest, register.OpTestFirst:
		return k == answerTestGiveUp || some(k == answerTrue)
	}
	return true
}

// reply returns what an operation is told, for answer k.
func (x *extraction) reply(l *local, k int) uint64 {
	switch l.op {
	case register.OpLoad:
		return x.vars[l.reg].values[k]
	case register.OpAwait, register.OpAwaitGate:
		return 1 - uint64(k)
	default:
		return uint64(k)
	}
}

// given returns the answers that lead along a path, and then answer k.
func (x *extraction) given(t *tree, path []int32, k int) []uint64 {
	given := x.answered[:0]
	for _, l := range path[1:] {
		given = append(given, t.locals[l].answer)
	}
	x.answered = append(given, x.reply(&t.locals[path[len(path)-1]], k))
	return x.answered
}

// follow returns the local state of t that follows on the last of path by answer k.
func (x *extraction) follow(t *tree, path []int32, k int) int32 {
	id := path[len(path)-1]
	given := x.given(t, path, k)
	r := &run{x: x, t: t, given: given, path: path, inside: -1, mark: -1}
	r.make()
	switch r.end {
	case endedInRemainder:
		return 0
	case endedInRetry:
		head := path[r.mark/maxMarks]
		x.compare(t, head, r.again(), "a try of register.Repeat")
		return head
	case endedAtOperation:
		if r.mark < 0 {
			break
		}
		p := passage{path[r.mark/maxMarks], r.mark % maxMarks, r.result}
		if to, ok := t.passed[p]; ok {
			x.compare(t, to, r, "a function of register.Pure")
			return to
		}
		t.passed[p] = int32(len(t.locals))
	}
	if len(t.locals) >= maxLocals {
		panic(refused{fmt.Errorf("explore: process %d has more than %d local states: too many processes, too large a Cap, or a loop of plain loads, which must await what it waits for", t.process, maxLocals)})
	}
	l := x.note(t, r)
	l.parent, l.depth, l.answer = id, t.locals[id].depth+1, given[len(given)-1]
	t.locals = append(t.locals, l)
	return int32(len(t.locals) - 1)
}

// again returns the same run, gone on after its last retry.
func (r *run) again() *run {
	b := &run{x: r.x, t: r.t, given: r.given, path: r.path, inside: -1, mark: -1, beyond: true}
	b.make()
	return b
}

// compare panics if the run r, which was to go on as from the local state to,
// does something else.
func (x *extraction) compare(t *tree, to int32, r *run, who string) {
	got, want := x.note(t, r), &t.locals[to]
	if r.end == endedAtOperation && got.op == want.op && got.reg == want.reg && got.value == want.value && got.over == want.over &&
		got.phase == want.phase && got.old == want.old && x.mask(got.reg, got.holds) == x.mask(want.reg, want.holds) {
		return
	}
	again := *r
	again.locate, again.pos, again.step, again.waits, again.absorbed, again.inside, again.mark = true, 0, 0, false, false, -1, -1
	again.marked, again.marks = 0, 0
	again.make()
	var s site
	if again.site != nil {
		s = *again.site
	}
	panic(refused{&ContractError{File: s.file, Line: s.line, What: fmt.Sprintf(
		"process %d carries something out of %s: what comes next depends on it", t.process, who)}})
}

// path returns the local states from the first to id.
func (t *tree) path(id int32) []int32 {
	path := make([]int32, t.locals[id].depth+1)
	for d := len(path) - 1; d >= 0; d-- {
		path[d] = id
		id = t.locals[id].parent
	}
	return path
}

// local returns the local state of t at the end of a run on given answers.
func (x *extraction) local(t *tree, parent int32, answer uint64, given []uint64) local {
	r := &run{x: x, t: t, given: given, inside: -1, mark: -1}
	r.make()
	l := x.note(t, r)
	l.parent, l.answer = parent, answer
	return l
}

// note returns the local state that r ended in.
func (x *extraction) note(t *tree, r *run) local {
	l := local{op: r.op.Op, phase: r.phase, joined: r.joined, reg: -1, other: -1, old: r.op.Old, site: r.site}
	if r.end == endedInPanic {
		l.op, l.joined = opPanic, false
		l.site = &site{r.site.file, r.site.line, fmt.Sprint(r.what)}
		return l
	}
	if r.op.Word == nil || r.end != endedAtOperation {
		return l
	}
	l.reg = x.variable(r.op.Word)
	l.holds, l.otherHolds = r.op.Holds, r.op.OtherHolds
	if r.op.Other != nil {
		l.other = x.variable(r.op.Other)
	}
	v := &x.vars[l.reg]
	switch l.op {
	case register.OpStoreGate, register.OpAwaitGate:
		v.gate = true
	}
	switch l.op {
	case register.OpSet, register.OpStore, register.OpStoreGate, register.OpSwap:
		v.writes[t.process] = true
		if x.cfg.Cap > 0 && r.op.Value > x.cfg.Cap {
			l.over = true
			break
		}
		l.value = x.value(v, r.op.Value)
	}
	return l
}

// variable returns the index of w, which is new if it has not been met before.
func (x *extraction) variable(w *register.Word) int16 {
	if i, ok := x.of[w]; ok {
		return i
	}
	if len(x.vars) == maxRegisters {
		panic(refused{fmt.Errorf("explore: more than %d registers", maxRegisters)})
	}
	initial := register.Peek(w) // what the constructor set
	i := int16(len(x.vars))
	x.of[w] = i
	x.vars = append(x.vars, variable{word: w, values: []uint64{initial}, index: map[uint64]uint8{initial: 0}})
	return i
}

// mask returns of which values of a register holds is true, a bit each.
func (x *extraction) mask(reg int16, holds func(uint64) bool) uint64 {
	if holds == nil {
		return 0
	}
	var m uint64
	for k, v := range x.vars[reg].values {
		if holds(v) {
			m |= 1 << k
		}
	}
	return m
}

// value returns the index of value among those of v.
func (x *extraction) value(v *variable, value uint64) uint8 {
	if k, ok := v.index[value]; ok {
		return k
	}
	if len(v.values) == maxValues {
		hint := "its values grow: set Config.Cap"
		if x.cfg.Cap > 0 {
			hint = "Config.Cap is too large"
		}
		panic(refused{fmt.Errorf("explore: %s can hold more than %d values: %s", x.nameOf(v.word), maxValues, hint)})
	}
	k := uint8(len(v.values))
	v.values = append(v.values, value)
	v.index[value] = k
	return k
}

// broken returns the error that the protocol, at the operation that it is making, breaks
// the contract.
func (x *extraction) broken(format string, args ...any) error {
	s := x.site()
	return &ContractError{File: s.file, Line: s.line, What: fmt.Sprintf(format, args...)}
}

// locate returns the site of a local state, for which its run is made again.
func (x *extraction) locate(t *tree, id int32) *site {
	l := &t.locals[id]
	if l.site != nil {
		return l.site
	}
	path := t.path(id)
	given := make([]uint64, 0, len(path))
	for _, on := range path[1:] {
		given = append(given, t.locals[on].answer)
	}
	r := &run{x: x, t: t, given: given, path: path, inside: -1, mark: -1, locate: true}
	if err := x.watched(r.make); err != nil || r.site == nil {
		return &site{}
	}
	l.site = r.site
	return l.site
}

const siteDepth = 8

// site returns the place in the source of the operation that is being made:
// the innermost that is not in package register.
func (x *extraction) site() *site {
	var pcs [siteDepth]uintptr
	n := runtime.Callers(2, pcs[:])
	if s, ok := x.sites[pcs]; ok {
		return s
	}
	s := &site{}
	frames := runtime.CallersFrames(pcs[:n])
	for {
		f, more := frames.Next()
		if !hosting(f.Function) {
			s.file, s.line, s.fn = f.File, f.Line, f.Function
			break
		}
		if !more {
			break
		}
	}
	x.sites[pcs] = s
	return s
}

// hosting says whether a function, which is on the stack of a protocol's
// operation, is no part of the protocol.
func hosting(function string) bool {
	for _, prefix := range []string{"register.", "explore.(*run).", "explore.(*extraction).", "explore.(*walker).", "explore.(*counter)."} {
		if strings.HasPrefix(function, "example.org/doorway/"+prefix) {
			return true
		}
	}
	return false
}

// panicSite returns where the protocol panicked.
func panicSite() *site {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	panicking := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicking = true
		case panicking && !strings.HasPrefix(f.Function, "runtime.") && !hosting(f.Function):
			return &site{f.File, f.Line, f.Function}
		}
		if !more {
			return &site{}
		}
	}
}

// exploring is held while a host of this package is behind the registers.
var exploring sync.Mutex

// patience is for how many seconds a protocol may make no operation.
var patience = 10

// watched runs f, which runs protocols, in a goroutine, and returns why it was
// refused. A protocol that blocks or loops outside of registers keeps that
// goroutine; there is no way to stop it.
func (x *extraction) watched(f func()) error {
	exploring.Lock()
	defer exploring.Unlock()
	defer register.Attach(nil)
	done := make(chan error, 1)
	go func() {
		defer func() {
			switch e := recover().(type) {
			case nil:
				done <- nil
			case refused:
				done <- e.err
			default:
				panic(e)
			}
		}()
		f()
	}()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for last, idle := int64(-1), 0; ; {
		select {
		case err := <-done:
			return err
		case <-tick.C:
		}
		if ops := x.ops.Load(); ops != last {
			last, idle = ops, 0
		} else if idle++; idle == patience {
			return fmt.Errorf("explore: a protocol has touched no register for %d s: it blocks or loops outside of registers", patience)
		}
	}
}

// A ContractError says where a lock breaks the contract by which its protocols
// can be explored; see the documentation of the package. There is no verdict.
type ContractError struct {
	File string
	Line int
	What string
}

func (e *ContractError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.What) }
