package explore

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"example.org/doorway/internal/registers"
	"example.org/doorway/internal/seam"
	"example.org/doorway/mutex"
)

// The operations of a process in addition to those of package register.
const (
	opStart seam.Op = 100 + iota // leaves the remainder section
	opLeave                      // leaves the critical section
	opPanic                      // the protocol panicked
	opSleep                      // sleeps in line at a gate
	opLook                       // was woken there, and checks again
)

// Limits of an extraction.
const (
	maxProcesses = 8
	maxValues    = 64   // of a register
	maxRegisters = 256  // of a lock
	maxRun       = 1000 // operations of a run
)

// often is after how many local states of a process it is examined what makes them so many.
const often = 1 << 14

// A local is a local state of a process: the history of its answers, or several
// equivalent histories, and its next operation.
type local struct {
	op         seam.Op
	phase      phase
	joined     bool // part of the same atomic step as the operation before
	over       bool // writes more than the cap
	sure       bool // of an entry by Lock, which cannot be aborted, or of a process that only enters so
	reg        int16
	value      uint8  // the value written, as an index of values
	operand    uint64 // the value that a compare-and-swap expects, or that a fetch-and-add adds
	holds      func(uint64) bool
	other      int16 // the other register awaited; -1: none
	otherHolds func(uint64) bool
	site       *site
	stack      int32   // of the operation, if it is in a loop that carries nothing over
	next       []int32 // by answer: for a load, the index of the value read; see answer

	parent int32
	depth  int32
	answer uint64 // that leads here from the parent
}

// The answers of operations, as indices of local.next.
const (
	answerDone       = 0 // of a write, or an await whose condition holds
	answerFail       = 0 // of a compare-and-swap, or a test
	answerTrue       = 1
	answerGiveUp     = 1 // of an await
	answerTestGiveUp = 2
	answerTry        = 1 // of a start: by TryLock
	answerNoValue    = 0 // of an await that returns a value, which is aborted or does not wait
	answerValue      = 1 // of such an await, the first value of the register; the others follow
	answerLock       = 2 // of a start, if callers are mixed: by Lock
)

// A tree has all local states of one process, the remainder section first. An
// answer leads from a parent to a child; other edges lead to where the protocol
// continues by the contract of package register.
type tree struct {
	process int
	locals  []local
	passed  map[passage]int32 // where the protocol continues after a Pure
	apart   bool              // the request is a step of its own

	lot    any // the lock that the process came to last,
	number int // and its number there
}

// A passage is the end of a Pure: the local state where it began, and its result.
type passage struct {
	from   int32
	nth    int // among the functions that began there
	result uint64
}

// An extraction finds the local states of all processes by running the protocols
// of a lock.
type extraction struct {
	cfg   *Config
	lock  mutex.Mutex
	vars  []variable
	of    map[*seam.Number]int16
	steps map[*sync.Mutex]int16
	trees []*tree
	sites map[[siteDepth]uintptr]*site
	ops   atomic.Int64 // made so far, for the watchdog

	answered []uint64 // a buffer of given

	examined  bool                      // the source was
	loops     []stateless               // of the lock
	stacks    map[string]int32          // of operations in loops: numbers from 1, or 0 if they are in none
	fields    map[unsafe.Pointer]string // the registers of the lock, by address
	goroutine string                    // the one that runs protocols
	outermost uintptr                   // the function that it was started with
	intruder  atomic.Pointer[LockError] // what another did

	relays bool   // a process awaits one
	keeps  string // which process does not pass the baton on, and where; it matters if there are relays
	batons bool   // the steps of waiting at relays are operations

	numbers map[any]map[int]int // of the processes in each lock, which lots stand for

	marked bool    // an entry protocol calls Process.Doorway
	least  *excess // the least value above the cap that a process can write
}

// extract returns the extraction of lock, complete for all values that its
// registers can hold.
func extract(cfg *Config, lock mutex.Mutex, examined bool, loops []stateless) (*extraction, error) {
	x, err := extractWith(cfg, lock, examined, loops, false)
	if err != nil || !x.relays || x.keeps == "" {
		return x, err
	}
	x, err = extractWith(cfg, lock, examined, nil, true) // a baton is carried from round to round
	return x, x.larger(err)
}

// extractWith is extract, with the steps of waiting at relays if batons is set.
func extractWith(cfg *Config, lock mutex.Mutex, examined bool, loops []stateless, batons bool) (*extraction, error) {
	x := &extraction{
		cfg: cfg, lock: lock, examined: examined, batons: batons, loops: loops, stacks: map[string]int32{},
		of: map[*seam.Number]int16{}, steps: map[*sync.Mutex]int16{}, sites: map[[siteDepth]uintptr]*site{},
		numbers: map[any]map[int]int{}, fields: registers.Names(lock),
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
		x.askAll()
	})
	return x, err
}

// complete makes runs until every possible answer has been given in every local
// state.
func (x *extraction) complete() {
	for again := true; again; {
		again = false
		for _, t := range x.trees {
			for id := int32(0); int(id) < len(t.locals); id++ {
				var path []int32 // to id, if needed
				for k := range x.answers(&t.locals[id]) {
					l := &t.locals[id]
					if k < len(l.next) && l.next[k] >= 0 || !x.possible(t, id, k) {
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
					if t.locals[id].op == seam.OpFetchAdd {
						x.value(&x.vars[t.locals[id].reg], x.sum(&t.locals[id], k))
					}
					again = true
				}
			}
		}
	}
}

// askAll asks every condition of every value that its register can hold: verdicts ask
// them outside of any run.
func (x *extraction) askAll() {
	for _, t := range x.trees {
		for id := range t.locals {
			l := &t.locals[id]
			x.asking(t, int32(id), func() {
				x.mask(l.reg, l.holds)
				x.mask(l.other, l.otherHolds)
			})
		}
	}
}

// asking calls f, which asks the conditions of the local state id of t, and refuses the
// lock if one panics.
func (x *extraction) asking(t *tree, id int32, f func()) {
	defer func() {
		if e := recover(); e != nil {
			s := x.siteAgain(t, t.path(id))
			if s == nil {
				s = &site{}
			}
			panic(refused{&LockError{File: s.file, Line: s.line, What: fmt.Sprintf(
				"the condition of this await panics for a value that the register can hold: %v", e)}})
		}
	}()
	f()
}

// answers returns the number of answers to the operation of l.
func (x *extraction) answers(l *local) int {
	switch l.op {
	case seam.OpLoad, seam.OpSwap, seam.OpFetchAdd:
		if l.over {
			return 0
		}
		return len(x.vars[l.reg].values)
	case seam.OpAwaitValue, seam.OpTryValue:
		return answerValue + len(x.vars[l.reg].values)
	case seam.OpCompareAndSwap, seam.OpTest, seam.OpTry:
		return 2
	case seam.OpTestFirst:
		if x.aborts(l) {
			return 3
		}
		return 2
	case seam.OpAwait, seam.OpAwaitGate, seam.OpPark:
		if x.aborts(l) {
			return 2
		}
		return 1
	case opStart:
		if l.sure {
			return 1
		}
		return x.cfg.ways()
	case opPanic:
		return 0
	default:
		if l.over {
			return 0
		}
		return 1
	}
}

// aborts reports whether the await of l can be aborted: those of an exit protocol,
// of an entry by Lock, and of what is left of an entry that was absorbed, are not.
func (x *extraction) aborts(l *local) bool {
	return x.cfg.GiveUp && !l.sure && l.phase != phaseAbsorbed && l.phase != phaseExit
}

// possible reports whether the operation of the local state id of t can be answered by
// k, given what the registers can hold.
func (x *extraction) possible(t *tree, id int32, k int) bool {
	l := &t.locals[id]
	some := func(values []uint64, want bool) (found bool) {
		x.asking(t, id, func() {
			found = slices.ContainsFunc(values, func(v uint64) bool { return l.holds(v) == want })
		})
		return found
	}
	var values []uint64
	if l.reg >= 0 {
		values = x.vars[l.reg].values
	}
	switch l.op {
	case seam.OpCompareAndSwap:
		if l.over {
			return k == answerFail
		}
		_, ok := x.vars[l.reg].index[l.operand]
		return k == answerFail || ok
	case seam.OpFetchAdd:
		return !x.over(l.reg, x.sum(l, k))
	case seam.OpAwaitValue, seam.OpTryValue:
		switch {
		case k >= answerValue:
			return some(values[k-answerValue:k-answerValue+1], true)
		case l.op == seam.OpAwaitValue:
			return x.aborts(l)
		}
		return some(values, false)
	case seam.OpAwait, seam.OpAwaitGate:
		return k == answerGiveUp || some(values, true)
	case seam.OpTest, seam.OpTestFirst, seam.OpTry:
		return k == answerTestGiveUp || some(values, k == answerTrue)
	}
	return true
}

// reply returns the result of an operation for answer k.
func (x *extraction) reply(l *local, k int) uint64 {
	switch l.op {
	case seam.OpLoad, seam.OpSwap, seam.OpFetchAdd:
		return x.vars[l.reg].values[k]
	case seam.OpAwait, seam.OpAwaitGate, seam.OpPark:
		return 1 - uint64(k)
	default:
		return uint64(k)
	}
}

// give returns an answer to op as a host gives it: reply, but to an await that returns a
// value, which is stored, whether there is one.
func (x *extraction) give(op seam.Operation, reply uint64) uint64 {
	if op.Found == nil || reply == answerNoValue {
		return reply
	}
	*op.Found = x.vars[x.of[op.Word]].values[reply-answerValue]
	return 1
}

// given returns the answers along a path, followed by answer k.
func (x *extraction) given(t *tree, path []int32, k int) []uint64 {
	given := x.answered[:0]
	for _, l := range path[1:] {
		given = append(given, t.locals[l].answer)
	}
	x.answered = append(given, x.reply(&t.locals[path[len(path)-1]], k))
	return x.answered
}

// follow returns the local state of t to which answer k leads from the end of path.
func (x *extraction) follow(t *tree, path []int32, k int) int32 {
	id := path[len(path)-1]
	given := x.given(t, path, k)
	r := &run{x: x, t: t, given: given, path: path, inside: -1, mark: nowhere}
	r.make()
	switch r.end {
	case endedInRemainder:
		return 0
	case endedInRetry:
		head := path[r.mark.pos]
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
		p := passage{path[r.mark.pos], r.mark.nth, r.result}
		if to, ok := t.passed[p]; ok {
			x.compare(t, to, r, "a function of register.Pure")
			return to
		}
		t.passed[p] = int32(len(t.locals))
	}
	if len(t.locals)%often == 0 {
		x.checkSize(t, path)
	}
	l := x.note(t, r)
	l.parent, l.depth, l.answer = id, t.locals[id].depth+1, given[len(given)-1]
	t.locals = append(t.locals, l)
	return int32(len(t.locals) - 1)
}

// checkSize panics if the local states take too much memory, or if the one at the end
// of a path shows that a loop makes them so many.
func (x *extraction) checkSize(t *tree, path []int32) {
	type access struct {
		op    seam.Op
		reg   int16
		phase phase
	}
	visits := map[access]int{}
	for _, id := range path {
		l := &t.locals[id]
		a := access{l.op, l.reg, l.phase}
		if visits[a]++; visits[a] > x.mostVisits() {
			s := x.siteAgain(t, t.path(id))
			if s == nil {
				s = &site{}
			}
			panic(refused{&LockError{File: s.file, Line: s.line, What: fmt.Sprintf(
				"process %d comes here %d times in one entry, each time with more to remember: a loop that only registers end must be a register.Repeat, whose tries carry nothing over", t.process, visits[a])}})
		}
	}
	all := 0
	for _, t := range x.trees {
		all += len(t.locals)
	}
	if int64(all)*localBytes > x.cfg.Memory {
		panic(refused{&memoryError{limit: x.cfg.Memory, states: all}})
	}
}

// mostVisits is how often a process may make the same access in an entry, where there
// are many local states: a scan of all pairs of processes makes so many.
func (x *extraction) mostVisits() int { return x.cfg.Processes*x.cfg.Processes + 4 }

// localBytes is about how many bytes a local state takes, with its answers.
const localBytes = 160

// siteAgain returns the site of the last of a path, whose run is made again; nil if it
// has none.
func (x *extraction) siteAgain(t *tree, path []int32) *site {
	given := make([]uint64, 0, len(path))
	for _, on := range path[1:] {
		given = append(given, t.locals[on].answer)
	}
	r := &run{x: x, t: t, given: given, path: path, inside: -1, mark: nowhere, locate: true}
	r.make()
	return r.site
}

// compare panics unless the run r continues as from the local state to.
func (x *extraction) compare(t *tree, to int32, r *run, part string) {
	got, want := x.note(t, r), &t.locals[to]
	if r.end == endedAtOperation && got.op == want.op && got.reg == want.reg && got.value == want.value && got.over == want.over &&
		got.phase == want.phase && got.joined == want.joined && got.operand == want.operand && x.mask(got.reg, got.holds) == x.mask(want.reg, want.holds) &&
		got.other == want.other && x.mask(got.other, got.otherHolds) == x.mask(want.other, want.otherHolds) {
		return
	}
	again := &run{x: x, t: t, given: r.given, path: r.path, inside: -1, mark: nowhere, beyond: r.beyond, locate: true}
	again.make()
	var s site
	if again.site != nil {
		s = *again.site
	}
	what := fmt.Sprintf("process %d carries state out of %s: its next operation depends on it", t.process, part)
	if got.op == want.op && got.phase != want.phase {
		what = fmt.Sprintf("process %d is in phase %v at the end of %s, and was in %v at its beginning", t.process, got.phase, part, want.phase)
	}
	panic(refused{&LockError{File: s.file, Line: s.line, What: what}})
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

// local returns the local state of t after a run on given answers.
func (x *extraction) local(t *tree, parent int32, answer uint64, given []uint64) local {
	r := &run{x: x, t: t, given: given, inside: -1, mark: nowhere}
	r.make()
	l := x.note(t, r)
	l.parent, l.answer = parent, answer
	return l
}

// note returns the local state in which r ended.
func (x *extraction) note(t *tree, r *run) local {
	l := local{op: r.op.Op, phase: r.phase, joined: r.joined, sure: r.by == answerLock || !x.cfg.mayGiveUp(t.process), reg: -1, other: -1, operand: r.op.Old, site: r.site, stack: r.stack}
	if r.end == endedInPanic {
		l.op, l.joined = opPanic, false
		l.site = &site{r.site.file, r.site.line, fmt.Sprint(r.what)}
		return l
	}
	if r.end == endedAtOperation && r.op.Step != nil {
		l.reg = x.stepping(r.op.Step)
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
	case seam.OpStoreGate, seam.OpAwaitGate:
		v.gate = true
	}
	switch l.op {
	case seam.OpSet, seam.OpStore, seam.OpStoreGate, seam.OpCompareAndSwap, seam.OpSwap:
		v.writes[t.process] = true
		if l.over = x.over(l.reg, r.op.Value); !l.over {
			l.value = x.value(v, r.op.Value)
		}
	case seam.OpFetchAdd:
		v.writes[t.process] = true
		l.operand = r.op.Value
	}
	return l
}

// sum returns what a fetch-and-add writes where its register holds value k.
func (x *extraction) sum(l *local, k int) uint64 { return x.vars[l.reg].values[k] + l.operand }

// over reports whether a value that a process would write to a register is above the
// cap.
func (x *extraction) over(reg int16, value uint64) bool {
	if x.cfg.Cap == 0 || value <= x.cfg.Cap {
		return false
	}
	if x.least == nil || value < x.least.value {
		x.least = &excess{reg, value}
	}
	return true
}

// An excess is a value above the cap.
type excess struct {
	reg   int16
	value uint64
}
