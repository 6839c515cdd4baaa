// Package machine runs Go code, as package ssa has it, one operation after another, in a
// memory that can be written down: a state of goroutines and of all that they can reach is
// a few bytes, the same ones however it was reached.
package machine

import (
	"cmp"
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// A ptr is the number of an object and an offset in it, in words; 0 is nil. A value of a
// function without free variables is its number and isFunction.
type ptr = uint64

const isFunction = 1 << 63

func pointTo(object int) ptr { return uint64(object) << 32 }

// An object is a variable, or an array of them behind a slice.
type object struct {
	shape  *shape
	n      int // elements
	w      []uint64
	at     int  // of one of the first objects: where these words are among all of them
	shared bool // more than one goroutine can reach it

	unknown string // why it is not known what it holds; "": it is
}

// A thread is a goroutine.
type thread struct {
	frames []frame
	parked bool
	ticket bool  // what it waited for, at the operation that it is at, is its own
	doomed bool  // the channel to which it sends was closed
	awaits bool  // it is parked for a sync.Cond
	clock  uint8 // see nanotime
	places []place
}

// A frame is a call.
type frame struct {
	fn     *function
	pc     int
	r      []uint64
	dst    int // where its results go in the frame below; negative: nowhere, and what was interrupted is repeated
	defers []deferred
}

// A deferred is a call at the end of a function.
type deferred struct {
	fn   *function
	args []uint64
}

// A signal is what an instruction has done.
type signal uint8

const (
	next    signal = iota
	jumped         // the counter is set
	stopped        // nothing: others can observe it, so it begins the next step
	done           // something that others observe, which ends the step
	parked         // likewise, and it goes on when another wakes it
	blocked        // nothing: it cannot, as long as another does not change something
	failed
)

// ran reports whether an instruction was made.
func (s signal) ran() bool { return s == next || s == done }

// A Machine is a state that is changed by steps.
type Machine struct {
	p       *Program
	objects []object
	threads []thread
	Users   int // the goroutines that were there first; the others are started by these

	fixed    []uint64 // the words of the first objects, those that were there when the goroutines began
	kinds    []kind   // of these words
	pointers []int    // which of them may be pointers
	last     int      // the number of the last of these objects
	clock    ptr      // the time, one of them; see look
	queues   ptr      // another, which has how many wait at each of them

	// of the step that is made
	Made
	cur     int
	after   bool // the operation that others observe was made
	made    int  // how many instructions
	saw     int  // after how many it has accessed memory that others reach
	born    int  // objects from this one on are made in it, and no other goroutine has seen them
	choice  int  // which of the alternatives
	writes  []Word
	simple  bool // what the last instruction depends on are the goroutine and the words of Reads, and what it changes are these
	complex bool // a step that is not simple
	queued  bool // a queue has changed

	Doorway func(token.Pos) bool // reports whether a place is in the doorway; nil: there is none

	arena arena
	code  coder
}

// A Made is what the last step has made.
type Made struct {
	Did      Event
	Choices  int      // how many alternatives it had
	Accesses []Access // valid until the next step
	Reads    []Word   // those of the first objects on which it depended, in this order; valid likewise
	Failure  *Failure // what went wrong; nil: nothing
	Blocked  bool     // the goroutine could make no step
	Endless  *Refusal // why: it may loop forever over plain memory, which is to be refused unless that is a data race
	Passed   bool     // its operation was in the doorway
}

// An Event is the operation of a step, for a reader.
type Event struct {
	Thread int
	What   string
	Pos    token.Pos
	At     ptr
	Old    uint64
	New    uint64
	Reads  bool
	Writes bool
	Both   bool // it is a choice that goes both ways if it is made again and again: the clock does not stand
}

// A Failure is what goes wrong in a step.
type Failure struct {
	What string
	Pos  token.Pos
}

// A Refusal is code that cannot be followed.
type Refusal struct {
	What  string
	Pos   token.Pos
	In    string
	Calls []token.Pos // that lead there, the innermost first
}

func (r *Refusal) Error() string { return r.What }

// refuse panics with a refusal of what is compiled or run.
func refuse(format string, args ...any) { panic(&Refusal{What: fmt.Sprintf(format, args...)}) }

// placed has a refusal in a step say where that is.
func (m *Machine) placed() {
	r := recover()
	if refusal, ok := r.(*Refusal); ok {
		m.place(refusal)
	}
	if r != nil {
		panic(r)
	}
}

// place adds to a refusal where it is.
func (m *Machine) place(r *Refusal) {
	r.Calls = nil
	for _, f := range slices.Backward(m.threads[m.cur].frames) {
		if f.pc >= len(f.fn.at) {
			continue
		}
		r.Calls = append(r.Calls, f.fn.at[f.pc])
		if !r.Pos.IsValid() && !f.fn.atomic {
			if r.Pos = f.fn.at[f.pc]; !r.Pos.IsValid() {
				r.Pos = f.fn.ssa.Pos()
			}
			r.In = cmp.Or(r.In, f.fn.ssa.String())
		}
	}
}

// mostInstructions is how many a step may have.
const mostInstructions = 1 << 24

// spinInstructions is how many a step may have that accesses memory which others reach: it may be a loop that waits there.
const spinInstructions = 1 << 18

// fewInstructions is after how many a step ends with an operation on memory of the goroutine's own: it may wait there.
const fewInstructions = 1 << 12

// manyInstructions is after how many it ends where a goroutine yields, or sleeps.
const manyInstructions = 1 << 16

// advance makes one step of a thread: plain instructions, one operation that others can observe, and those after it
// that none can.
func (m *Machine) advance(t int) {
	defer m.placed()
	m.cur, m.made, m.Accesses, m.Choices, m.Failure, m.Blocked, m.Endless = t, 0, m.Accesses[:0], 1, nil, false, nil
	m.saw = -spinInstructions
	m.born = len(m.objects)
	m.Reads, m.writes, m.complex, m.queued = m.Reads[:0], m.writes[:0], false, false
	m.Did, m.Passed = Event{Thread: t}, false
	th := &m.threads[t]
	if th.doomed {
		m.fail("panics: send on closed channel")
	}
	for {
		th = &m.threads[t] // there may be more of them
		if len(th.frames) == 0 {
			return
		}
		f := &th.frames[len(th.frames)-1]
		switch m.made++; {
		case m.made > mostInstructions:
			refuse("more than %d instructions without an operation that others can see", mostInstructions)
		case m.made > spinInstructions && m.made-m.saw < fewInstructions:
			m.endless()
			return
		}
		m.simple = false
		sig := f.fn.code[f.pc](m, f)
		if !m.simple && (sig == done || sig == parked || sig == blocked || sig == failed) {
			m.complex = true
		}
		if m.Doorway != nil && (sig == done || sig == parked) && !strings.HasPrefix(m.Did.What, "fail") {
			m.Passed = slices.ContainsFunc(th.frames, func(f frame) bool { return f.pc < len(f.fn.at) && m.Doorway(f.fn.at[f.pc]) })
		}
		switch sig {
		case next:
			f.pc++
		case jumped:
		case stopped:
			return
		case done:
			f.pc++
			m.after = true
		case parked:
			th.parked = true
			return
		case blocked:
			m.Blocked = true
			return
		case failed:
			return
		}
	}
}

// endless ends a step of a thread that may wait for a change of plain memory for ever: it keeps each access once.
func (m *Machine) endless() {
	r := &Refusal{What: fmt.Sprintf("more than %d instructions on plain memory without an operation that others can see", spinInstructions)}
	m.place(r)
	m.Blocked, m.complex, m.Endless = true, true, r
	var once []Access
	for _, a := range m.Accesses {
		if !slices.Contains(once, a) {
			once = append(once, a)
		}
	}
	m.Accesses = once
}

func (m *Machine) fail(format string, args ...any) signal {
	if strings.HasPrefix(format, "panics") {
		for _, f := range m.threads[m.cur].frames {
			if slices.ContainsFunc(f.defers, func(d deferred) bool { return d.fn.recovers }) {
				refuse("a panic that is recovered")
			}
		}
	}
	m.Failure = &Failure{What: fmt.Sprintf(format, args...), Pos: m.pos()}
	return failed
}

func (m *Machine) nilPointer() signal { return m.fail("panics: nil pointer dereference") }

// does names the operation that ends the step, and what it is on; 0: nothing.
func (m *Machine) does(what string, at ptr) signal {
	m.Did.What, m.Did.At, m.Did.Pos = what, at, m.pos()
	return done
}

// pos returns the place of the instruction that is run: of a method of package sync/atomic, where it is called.
func (m *Machine) pos() token.Pos {
	frames := m.threads[m.cur].frames
	for k := len(frames) - 1; k >= 0; k-- {
		if f := &frames[k]; !f.fn.atomic && f.pc < len(f.fn.at) && f.fn.at[f.pc].IsValid() {
			return f.fn.at[f.pc]
		}
	}
	return token.NoPos
}

// choose returns one of n alternatives, for each of which the step is made.
func (m *Machine) choose(n int) int {
	if n > 15 {
		refuse("a choice among %d, more than 15", n)
	}
	m.Choices = n
	return min(m.choice, n-1)
}

// An arena gives out memory that is all forgotten at once.
type arena struct {
	block []uint64
	at    int
}

func (a *arena) words(n int) []uint64 {
	if a.at+n > len(a.block) {
		a.block, a.at = make([]uint64, max(4096, 2*len(a.block), 2*n)), 0
	}
	w := a.block[a.at : a.at+n : a.at+n]
	a.at += n
	clear(w)
	return w
}

func (a *arena) reset() { a.at = 0 }
