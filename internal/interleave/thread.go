package interleave

import (
	"fmt"
	"runtime"
	"slices"
)

// A Variable is a variable with which threads synchronise. It is identified by ==,
// and never changed itself: the explorer keeps its value.
type Variable = interface {
	Initial() any // its initial value; comparable
}

// A Run is one run of one thread alone: its operations are answered as in earlier
// runs, up to a point that no run has reached. There the run ends with a panic, and
// the next operation of the thread is recorded. Its methods are called by that
// thread, and by the variables on which it operates.
type Run struct {
	e      *explorer
	thread int
	path   []int32 // what has been answered, as states of the thread
	answer []uint8 // and what the answer was
	pos    int     // how many of them have been given again

	over    bool
	next    operation // that the thread was about to make
	from    []uintptr // where, for a trace
	failure string    // it panicked
	point   any       // see Forget; nil: it did not, since the last answer
}

type abandoned struct{}

// An operation of a thread, its variables and values as the explorer counts.
type operation struct {
	kind   kind
	x      int // variable
	or     int // variable; that is closed, of a receive; -1: none
	old, v uint8
}

type kind uint8

const (
	end kind = iota // the thread has finished
	load
	store
	compareAndSwap
	swap
	add
	lock
	unlock
	send     // to a channel of capacity one
	receive  // from it, or from one that is closed
	critical // the critical section
	failed   // the thread panicked
)

// accesses reports whether o reads or writes a variable that is no mutex and no channel.
func (o operation) accesses() bool { return load <= o.kind && o.kind <= add }

var verbs = [...]string{"end", "load", "store", "compare and swap", "swap", "add", "lock", "unlock", "send", "receive", "critical section", "panic"}

// Load reads x.
func (r *Run) Load(x Variable) any {
	i := r.e.variable(x)
	return r.e.vars[i].values[r.ask(operation{kind: load, x: i})]
}

// Store writes v to x.
func (r *Run) Store(x Variable, v any) {
	i := r.e.variable(x)
	r.ask(operation{kind: store, x: i, v: r.e.vars[i].number(v)})
}

// CompareAndSwap writes v to x if x holds old, and reports whether it did.
func (r *Run) CompareAndSwap(x Variable, old, v any) bool {
	i := r.e.variable(x)
	e := &r.e.vars[i]
	return r.ask(operation{kind: compareAndSwap, x: i, old: e.number(old), v: e.number(v)}) == 1
}

// Swap writes v to x and returns what x held before.
func (r *Run) Swap(x Variable, v any) any {
	i := r.e.variable(x)
	return r.e.vars[i].values[r.ask(operation{kind: swap, x: i, v: r.e.vars[i].number(v)})]
}

// Add adds delta to x, whose values are of type uint64, and returns the sum.
func (r *Run) Add(x Variable, delta uint64) uint64 {
	i := r.e.variable(x)
	return r.e.vars[i].values[r.ask(operation{kind: add, x: i, v: r.e.vars[i].number(delta)})].(uint64) + delta
}

// Lock locks the mutex x.
func (r *Run) Lock(x Variable) { r.ask(operation{kind: lock, x: r.e.mutex(x)}) }

// Unlock unlocks the mutex x.
func (r *Run) Unlock(x Variable) { r.ask(operation{kind: unlock, x: r.e.mutex(x)}) }

// Send sends to x, a channel of capacity one, whose value is whether it is full.
// Sending to a full one is a failure.
func (r *Run) Send(x Variable) { r.ask(operation{kind: send, x: r.e.variable(x)}) }

// Receive blocks until it can receive from x, or the variable or, of which there is
// at most one, is true. It reports whether it received from x; if it could do
// either, both are explored.
func (r *Run) Receive(x Variable, or ...Variable) bool {
	o := operation{kind: receive, x: r.e.variable(x), or: -1}
	for _, y := range or {
		o.or = r.e.variable(y)
	}
	return r.ask(o) == 1
}

// Critical is a critical section: it is a failure if two threads are in theirs.
func (r *Run) Critical() { r.ask(operation{kind: critical}) }

// Forget declares that the rest of the thread depends only on point and on memory,
// and not on what else it has read, and merges the runs that reach this point.
func (r *Run) Forget(point any) {
	if r.pos == len(r.path) {
		r.point = point
	}
}

// ask returns the answer that was given to an operation.
func (r *Run) ask(o operation) uint8 {
	if r.over {
		panic(abandoned{}) // deferred, while the run is being abandoned
	}
	if r.pos < len(r.path) {
		was := r.e.nodes[r.path[r.pos]].operation
		if was != o {
			panic(fmt.Sprintf("interleave: thread %d is not deterministic: it did %v, and now %v", r.thread, was, o))
		}
		r.pos++
		return r.answer[r.pos-1]
	}
	r.next, r.over = o, true
	var pcs [40]uintptr
	r.from = slices.Clone(pcs[:runtime.Callers(3, pcs[:])])
	panic(abandoned{})
}

// A node is a state of one thread: all that it has read, and the operation that
// it is about to make.
type node struct {
	operation
	parent  int32   // the state before it, on one of the paths to it; -1: the first
	answer  uint8   // to the operation there
	next    []int32 // the states after it, by answer; -1: never been there
	from    []uintptr
	stack   int32
	facts   []fact // what the thread remembers
	failure string
}

// after returns the state of a thread in state n when its operation has been
// answered.
func (e *explorer) after(thread int, n int32, answer uint8) int32 {
	for len(e.nodes[n].next) <= int(answer) {
		e.nodes[n].next = append(e.nodes[n].next, -1)
	}
	if m := e.nodes[n].next[answer]; m >= 0 {
		return m
	}
	m := e.run(thread, n, answer)
	e.nodes[n].next[answer] = m
	return m
}

// run runs a thread from its beginning up to the state that follows n, of which
// it returns the number; n is -1 for the first.
func (e *explorer) run(thread int, n int32, answer uint8) int32 {
	r := &Run{e: e, thread: thread, path: e.path[:0], answer: e.answers[:0]}
	for m, a := n, answer; m >= 0; m, a = e.nodes[m].parent, e.nodes[m].answer {
		r.path, r.answer = append(r.path, m), append(r.answer, a)
	}
	slices.Reverse(r.path)
	slices.Reverse(r.answer)
	e.path, e.answers = r.path, r.answer

	e.world.restore()
	r.do()
	next := node{operation: r.next, parent: n, answer: answer, from: r.from, failure: r.failure, stack: -1}
	var stack []frame
	if r.from != nil {
		next.stack = e.stacks.number(r.from, e.s.Mute)
		stack = e.stacks.all[next.stack]
	}
	switch {
	case r.point != nil:
		key := fmt.Sprint(thread, r.point)
		if _, ok := e.points[key]; !ok {
			e.points[key] = int32(len(e.points))
		}
		next.facts = []fact{{from: -1 - e.points[key]}}
	case n >= 0:
		was := &e.nodes[n]
		next.facts = append(slices.Clip(was.facts), fact{from: was.stack, answer: answer, gaveUp: was.kind == receive && answer == 0})
		if !e.s.Fine {
			next.facts = e.stacks.forget(next.facts, stack)
		}
	}
	// The stack tells a mute function that has returned from one within it that has.
	key := fmt.Sprint(thread, next.operation, next.stack, next.failure, next.facts, e.world.changes())
	if m, ok := e.merged[key]; ok {
		return m
	}
	e.merged[key] = int32(len(e.nodes))
	e.nodes = append(e.nodes, next)
	return int32(len(e.nodes)) - 1
}

func (r *Run) do() {
	r.e.s.Attach(r)
	defer r.e.s.Attach(nil)
	defer func() {
		switch p := recover().(type) {
		case nil, abandoned:
		default:
			r.next, r.failure = operation{kind: failed}, fmt.Sprint(p)
		}
	}()
	r.e.s.Threads[r.thread].Run(r)
	r.next = operation{kind: end}
}
