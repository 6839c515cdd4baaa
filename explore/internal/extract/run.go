package extract

import (
	"fmt"
	"slices"
	"sync/atomic"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/memory/hook"
)

// A run executes the protocols of a process on given answers, until the first
// operation without one. It is the hook.Host of the execution.
type run struct {
	x        *Extraction
	t        *automaton.Tree
	given    []uint64 // the answers
	path     []int32  // the local states in which they were given
	pos      int
	inside   int // answers given before the critical section began; -1: it did not
	waits    bool
	absorbed bool
	passed   bool      // called Process.Pass, after all stores and waits in turn of this protocol
	awaits   wait      // of the latest await
	began    bool      // the last operation began an atomic step
	stepping bool      // within an atomic step
	by       uint64    // how it enters: the answer to its start
	gaveUp   bool      // and is withdrawing
	beyond   bool      // continue after Again, to see what follows
	locate   bool      // note the site
	goesOn   bool      // past operations that have one answer
	skips    bool      // an entry that may abort, if it has one
	skipped  bool      // it
	found    int       // where the local states of path begin that it has found
	at       []section // of each lock that it has reached; as a rule one
	last     mark      // the last one set

	// How it ended.
	end    ending
	op     hook.Operation
	phase  phase.Phase
	joined bool
	site   *automaton.Site
	stack  int32 // of the operation, if it is in a loop that carries nothing over
	mark   mark  // where a retry continues, or where the Pure that has just ended began
	result any   // of that Pure
	what   any   // the value of the panic
}

type ending int

const (
	endedAtOperation ending = iota
	endedInRetry
	endedInRemainder
	endedInPanic
)

// abandoned is the panic that abandons a run.
type abandoned struct{}

// refused is the panic of a run that breaks the contract.
type refused struct{ err error }

func (r *run) Do(op hook.Operation) uint64 {
	r.x.Ops.Add(1)
	if r.skipped {
		panic(refused{r.x.broken("process %d uses registers although its entry did not run: use them only in the entry", r.t.Process)})
	}
	if r.skips {
		panic(abandoned{})
	}
	if r.pos < len(r.given) {
		r.check(op)
		answer := r.x.give(op, r.given[r.pos])
		r.pos++
		r.answered(op, answer)
		return answer
	}
	if !r.x.Vetted {
		r.x.alone()
	}
	if r.pos == automaton.MaxRun {
		panic(refused{r.x.broken("process %d makes %d operations without a retry: a loop that only registers end must be a register.Repeat, or an await if it only waits", r.t.Process, automaton.MaxRun)})
	}
	r.comesAgain(op)
	r.alike(op)
	r.op, r.end, r.joined = op, endedAtOperation, r.began || op.Op == hook.OpEnd
	if r.stepping && op.Op == hook.OpBegin {
		panic(refused{r.x.broken("process %d begins an atomic step within another: a register.Step must not block", r.t.Process)})
	}
	if r.stepping && automaton.Waits(op.Op) {
		panic(refused{r.x.broken("process %d waits within an atomic step: a register.Step must not block", r.t.Process)})
	}
	r.phase, r.site = r.phaseNow(op), nil
	if op.Word != nil && (r.locate || automaton.Waits(op.Op) && r.phase == phase.Doorway) {
		r.site = r.x.site()
	}
	if r.goesOn && r.mark == nowhere && r.forced(op) {
		return r.goOn(op)
	}
	panic(abandoned{})
}

// forced reports whether op has one answer: then the run need not be made again for it.
func (r *run) forced(op hook.Operation) (is bool) {
	switch op.Op {
	case hook.OpSet, hook.OpStore:
		return r.x.Cap == 0 || op.Value <= r.x.Cap
	case hook.OpBegin, hook.OpEnd, automaton.OpLeave:
		return true
	case hook.OpAwait, hook.OpAwaitExclusive:
		defer func() {
			if recover() != nil {
				is = false // it is asked again, outside of the protocol
			}
		}()
		return !r.x.GiveUp && slices.ContainsFunc(r.x.Variables[r.x.variable(op.Word)].Values, op.Holds)
	}
	return false
}

// goOn adds the local state that r has reached, and returns the answer to its operation.
func (r *run) goOn(op hook.Operation) uint64 {
	id := r.x.grow(r.t, r)
	l := &r.t.Locals[id]
	l.Next = []int32{-1}
	answer := r.x.reply(l, automaton.AnswerDone)
	r.link(id)
	r.path, r.given = append(r.path, id), append(r.given, answer)
	r.pos++
	r.answered(op, answer)
	return answer
}

// link makes the local state id follow the one before, if the run found that.
func (r *run) link(id int32) {
	if len(r.path) > r.found {
		r.t.Locals[r.path[len(r.path)-1]].Next[automaton.AnswerDone] = id
	}
}

// phaseNow returns the phase of the process while it is about to make op. One that
// enters is inside, whether or not an await of its entry was aborted.
func (r *run) phaseNow(op hook.Operation) phase.Phase {
	switch {
	case r.pos == 0:
		return phase.Remainder
	case op.Op == automaton.OpLeave:
		return phase.Inside
	case r.inside >= 0:
		return phase.Exit
	case r.absorbed:
		return phase.Absorbed
	case r.gaveUp:
		return phase.Withdrawing
	case r.waits:
		return phase.Waiting
	}
	return phase.Doorway
}

// check panics if op differs from the operation of an earlier run on these answers.
func (r *run) check(op hook.Operation) {
	was := &r.t.Locals[r.path[r.pos]]
	if op.Op != was.Op || op.Word != nil && op.Word != r.x.Variables[was.Reg].Word {
		panic(refused{r.x.broken("process %d behaves differently on the same reads: it keeps state outside of registers", r.t.Process)})
	}
}

// answered notes what an answer reveals about the process.
func (r *run) answered(op hook.Operation, answer uint64) {
	r.began = op.Op == hook.OpBegin
	switch op.Op {
	case automaton.OpStart:
		r.by = answer
	case hook.OpBegin:
		r.stepping = true
	case hook.OpEnd:
		r.stepping = false
	case hook.OpStore, hook.OpCompareAndSwap, hook.OpSwap, hook.OpFetchAdd:
		r.passed = false
	case hook.OpAwait, hook.OpAwaitExclusive, hook.OpAwaitValue:
		r.gaveUp = r.gaveUp || answer == 0
	case hook.OpTestFirst:
		r.gaveUp = r.gaveUp || answer == automaton.AnswerTestGiveUp
	}
}

// A mark is the number of answers given, and the number of marks set since the
// last of them: the latter distinguishes nested functions that begin at the same
// point.
type mark struct{ pos, nth int }

var nowhere = mark{-1, 0}

const maxMarks = 1 << 10 // at one point

func (r *run) Mark() int {
	if r.last.pos != r.pos {
		r.last = mark{pos: r.pos, nth: -1}
	}
	if r.last.nth++; r.last.nth == maxMarks {
		panic(refused{r.x.broken("process %d begins more than %d register.Repeat tries or register.Pure calls without an operation", r.t.Process, maxMarks)})
	}
	return r.last.pos*maxMarks + r.last.nth
}

// at decodes a value that Mark returned.
func at(m int) mark { return mark{m / maxMarks, m % maxMarks} }

func (r *run) Again(m int) {
	if r.stepping {
		panic(refused{r.x.broken("process %d retries within an atomic step: a register.Step must not block", r.t.Process)})
	}
	if r.beyond {
		return
	}
	if r.pos < len(r.given) || r.pos == at(m).pos {
		panic(refused{r.x.broken("process %d retries without a read: the next try would be the same", r.t.Process)})
	}
	r.end, r.mark = endedInRetry, at(m)
	panic(abandoned{})
}

func (r *run) Passed(m int, result any) {
	if r.pos == len(r.given) && r.pos > at(m).pos {
		r.mark, r.result = at(m), result
	}
}

func (r *run) Comes(to hook.Boundary, lot any, process int) {
	r.number(to, lot, process)
	r.passes(to, lot)
	if to > hook.AtExit {
		return
	}
	k := slices.IndexFunc(r.at, func(s section) bool { return s.lot == lot })
	if k < 0 {
		k = len(r.at)
		r.at = append(r.at, section{lot: lot, last: hook.AtExit})
	}
	last := r.at[k].last
	switch {
	case to == hook.AtEntry && last == hook.AtInside:
		panic(refused{r.x.broken("process %d calls Entry and is inside: used without explore, it panics", process)})
	case to == hook.AtExit && last != hook.AtInside:
		panic(refused{r.x.broken("process %d calls Exit and is not inside: used without explore, it panics", process)})
	case (to == hook.AtWaiting || to == hook.AtInside) && last == hook.AtExit:
		panic(refused{r.x.broken("process %d calls %s before Processes.Entry, which begins each entry", process, calls[to])})
	}
	r.at[k].last = to
	if to == hook.AtWaiting && r.inside < 0 {
		r.waits, r.x.Marked = true, true
	}
}

// A section is where a process is in a lock: the boundary that it came to last.
type section struct {
	lot  any // stands for the lock
	last hook.Boundary
}

// A handle is what a process has of a lock: its number there.
type handle struct {
	lot    any
	number int
}

// calls are the names of the calls at boundaries and between them.
var calls = map[hook.Boundary]string{
	hook.AtEntry: "Entry", hook.AtWaiting: "Process.Doorway", hook.AtInside: "Process.Inside", hook.AtExit: "Exit",
	hook.AtAwait: "an await", hook.AtAwaitInTurn: "an await", hook.AtPass: "Process.Pass", hook.AtAbsorb: "Process.Absorb", hook.AtGiveWay: "Word.GiveWay",
}

// number panics unless the process has the same number as before in the lock that lot
// stands for, and no other process has it.
func (r *run) number(to hook.Boundary, lot any, process int) {
	if r.x.came[r.t.Process] == (handle{lot, process}) {
		return
	}
	numbers := r.x.numbers[lot]
	if numbers == nil {
		numbers = map[int]int{}
		r.x.numbers[lot] = numbers
	}
	mine, known := numbers[r.t.Process]
	begins := to == hook.AtEntry || to == hook.AtExit
	switch {
	case known && mine == process:
		r.x.came[r.t.Process] = handle{lot, process}
		return
	case known && begins:
		panic(refused{r.x.broken("process %d calls %s(%d), and was %d before: a protocol is run by the process that it was called for", r.t.Process, calls[to], process, mine)})
	case known:
		panic(refused{r.x.broken("process %d calls %s with the handle of process %d: a protocol is run by the process that it was called for", r.t.Process, calls[to], process)})
	case !begins:
		panic(refused{r.x.broken("process %d calls %s before Processes.Entry, which begins each entry", r.t.Process, calls[to])})
	}
	for other, n := range numbers {
		if n == process {
			panic(refused{r.x.broken("process %d calls %s(%d), as process %d does: a protocol is run by the process that it was called for", r.t.Process, calls[to], process, other)})
		}
	}
	numbers[r.t.Process] = process
}

// Tries reports whether awaits under Try are single looks: not where TryLock is what
// is explored, for that has an abort at any await.
func (r *run) Tries() bool { return r.by != automaton.AnswerTry }

// Skips reports whether r is a run without the entry of a TryLock or a LockContext, to which it has come now.
func (r *run) Skips() bool {
	r.skipped = r.skips
	return r.skips
}

// skip runs a TryLock or a LockContext whose entry does not run: it must say so, and do nothing.
func (x *Extraction) skip(t *automaton.Tree, by uint64) {
	r := &run{x: x, t: t, inside: -1, mark: nowhere, by: by, skips: true}
	defer func() {
		if e, ok := recover().(refused); ok {
			panic(e)
		}
	}()
	hook.Attach(r)
	if x.Enter(t.Process, by) && r.skipped {
		r.entered()
	}
}

func (r *run) Absorb() { r.absorbed = true }

func (r *run) Foreign(of *atomic.Uint64) { r.x.Foreign(of) }

// entered panics unless the entry protocol ends where it must.
func (r *run) entered() {
	if len(r.at) == 0 || slices.ContainsFunc(r.at, func(s section) bool { return s.last == hook.AtEntry || s.last == hook.AtWaiting }) ||
		!slices.ContainsFunc(r.at, func(s section) bool { return s.last == hook.AtInside }) {
		switch {
		case !r.x.mayGiveUp(r.t.Process) || r.by == automaton.AnswerLock:
			r.missing("Lock", "Process.Inside")
		case r.by == automaton.AnswerTry:
			r.ignores("TryLock", "true", "Processes.Try")
		default:
			r.ignores("LockContext", "nil", "Processes.Context")
		}
	}
}

// left panics unless the exit protocol ends where it must.
func (r *run) left() {
	if slices.ContainsFunc(r.at, func(s section) bool { return s.last != hook.AtExit }) {
		r.missing("Unlock", "Processes.Exit")
	}
}

func (r *run) missing(protocol, call string) {
	panic(refused{fmt.Errorf("explore: %s of process %d returns without calling %s: outside of explore, its next call would panic", protocol, r.t.Process, call)})
}

// aborts returns the method by which an entry that may abort was made.
func (r *run) aborts() string {
	if r.by == automaton.AnswerTry {
		return "TryLock"
	}
	return "LockContext"
}

// ignores refuses an entry that gave up, and whose caller is told that it did not.
func (r *run) ignores(method, result, call string) {
	panic(refused{fmt.Errorf("explore: %s of process %d returns %s although the entry gave up: it must return the result of %s", method, r.t.Process, result, call)})
}

// make executes the run.
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
	hook.Attach(r)
	r.Do(hook.Operation{Op: automaton.OpStart})
	if !r.x.Enter(r.t.Process, r.by) {
		r.handsOn(r.aborts())
		r.end = endedInRemainder
		return
	}
	r.entered()
	r.inside = r.pos
	r.passed = false
	r.Do(hook.Operation{Op: automaton.OpLeave})
	r.x.Lock.Unlock(r.t.Process)
	r.left()
	r.handsOn("Unlock")
	r.end = endedInRemainder
}

// again returns the same run, continued after its last retry.
func (r *run) again() *run {
	b := &run{x: r.x, t: r.t, given: r.given, path: r.path, inside: -1, mark: nowhere, beyond: true}
	b.make()
	return b
}
