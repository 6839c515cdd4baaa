package explore

import (
	"context"
	"fmt"

	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

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
		panic(refused{fmt.Errorf("explore: %s of process %d ends without a call of %s: used without explore, its next call would panic", protocol, r.t.process, missing)})
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

// again returns the same run, gone on after its last retry.
func (r *run) again() *run {
	b := &run{x: r.x, t: r.t, given: r.given, path: r.path, inside: -1, mark: -1, beyond: true}
	b.make()
	return b
}
