// Package machine runs Go code, as package ssa has it, one operation after another, in a
// memory that can be written down: a state of goroutines and of all that they can reach is
// a few bytes, the same ones however it was reached.
package machine

import (
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
	frames   []frame
	parked   bool
	woken    bool  // it was parked at the operation that it is at
	ticket   bool  // and what it waited for is its own
	notified bool  // by a sync.Cond, before it has begun to wait
	doomed   bool  // the channel to which it sends was closed
	awaits   bool  // it is parked for a sync.Cond
	clock    uint8 // see nanotime
	cases    []chanCase
}

// A chanCase is one of the operations on channels for which a thread is parked.
type chanCase struct {
	ch    ptr
	send  bool
	value []uint64
}

// A waiter is a thread in the queue of a semaphore, a sync.Cond or a channel.
type waiter struct {
	at     ptr
	thread int
	number int // of its case
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

// An Access is one of plain memory, or the atomic one at the end of a step.
type Access struct {
	At     ptr
	n      int
	write  bool
	atomic bool
	Pos    token.Pos
}

// A Word is one of the first objects, by its place among all their words, and what it holds.
type Word struct {
	At    int
	Value uint64
}

// word returns the place of a word of the first objects; -1: it is of another.
func (m *Machine) word(at ptr) int {
	if id := int(at >> 32); id <= m.last {
		return m.objects[id].at + int(uint32(at))
	}
	return -1
}

// known refuses what is not known.
func (m *Machine) known(at ptr) {
	if why := m.objects[at>>32].unknown; why != "" {
		m.refuse(why)
	}
}

// reading records that n words are read, and writing that they are written.
func (m *Machine) reading(at ptr, n int) {
	m.known(at)
	from := m.word(at)
	if m.simple = true; from < 0 {
		return
	}
	for k := range n {
		is := func(w Word) bool { return w.At == from+k }
		if !slices.ContainsFunc(m.writes, is) && !slices.ContainsFunc(m.reads, is) {
			m.reads = append(m.reads, Word{from + k, m.fixed[from+k]})
		}
	}
}

func (m *Machine) writing(at ptr, n int) {
	m.known(at)
	from := m.word(at)
	if m.simple = true; from < 0 {
		return
	}
	for k := range n {
		if !slices.ContainsFunc(m.writes, func(w Word) bool { return w.At == from+k }) {
			m.writes = append(m.writes, Word{At: from + k})
		}
	}
}

// idle records that the step depends on whether a thread waits at an object.
func (m *Machine) idle(at ptr) {
	if id := at >> 32; m.word(at) >= 0 {
		m.reading(m.queues+id, 1)
		m.complex = m.complex || m.objects[m.queues>>32].w[id] != 0
	}
}

// Writes reports whether it writes.
func (a Access) Writes() bool { return a.write }

// Conflicts reports whether two accesses of goroutines that are not ordered are a data race.
func (a Access) Conflicts(b Access) bool {
	return (a.write || b.write) && (!a.atomic || !b.atomic) &&
		a.At>>32 == b.At>>32 && a.At < b.At+uint64(b.n) && b.At < a.At+uint64(a.n)
}

// A Machine is a state that is changed by steps.
type Machine struct {
	p       *Program
	objects []object
	threads []thread
	users   int      // the goroutines that were there first; the others are started by these
	waiters []waiter // in the order of their arrival at each place

	fixed    []uint64 // the words of the first objects, those that were there when the goroutines began
	kinds    []kind   // of these words
	pointers []int    // which of them may be pointers
	last     int      // the number of the last of these objects
	clock    ptr      // the time, one of them; see look
	queues   ptr      // another, which has how many wait at each of them

	// of the step that is made
	cur      int
	after    bool // the operation that others observe was made
	made     int  // how many instructions
	saw      int  // after how many it has accessed memory that others reach
	born     int  // objects from this one on are made in it, and no other goroutine has seen them
	accesses []Access
	choice   int // which of the alternatives
	choices  int // how many there are
	did      Event
	failure  *Failure
	blocked  bool
	endless  *Refusal // it is blocked since it loops, unless it is a data race
	reads    []Word   // of the first objects
	writes   []Word
	simple   bool // what the last instruction depends on are the goroutine and these reads, and what it changes are these
	complex  bool // a step that is not simple
	queued   bool // a queue has changed

	// Doorway, if not nil, reports whether a place is in the doorway, and passed is set if the step was made there.
	Doorway func(token.Pos) bool
	passed  bool

	arena arena
	code  coder
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

func refuse(format string, args ...any) { panic(&Refusal{What: fmt.Sprintf(format, args...)}) }

// refuse panics with a refusal of what is run.
func (m *Machine) refuse(what string) {
	r := &Refusal{What: what}
	m.place(r)
	panic(r)
}

// place adds to a refusal where it is.
func (m *Machine) place(r *Refusal) {
	frames := m.threads[m.cur].frames
	if n := len(frames); n > 0 && !r.Pos.IsValid() {
		if f := &frames[n-1]; !f.fn.atomic && f.pc < len(f.fn.at) && !f.fn.at[f.pc].IsValid() {
			r.Pos = f.fn.ssa.Pos()
		}
	}
	if !r.Pos.IsValid() {
		r.Pos = m.pos()
	}
	r.Calls = nil
	for k := len(frames) - 1; k >= 0; k-- {
		if f := &frames[k]; f.pc < len(f.fn.at) {
			r.Calls = append(r.Calls, f.fn.at[f.pc])
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
	m.cur, m.made, m.accesses, m.choices, m.failure, m.blocked, m.endless = t, 0, m.accesses[:0], 1, nil, false, nil
	m.saw = -spinInstructions
	m.born = len(m.objects)
	m.reads, m.writes, m.complex, m.queued = m.reads[:0], m.writes[:0], false, false
	m.did, m.passed = Event{Thread: t}, false
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
			m.refuse(fmt.Sprintf("more than %d instructions without an operation that others can see", mostInstructions))
		case m.made > spinInstructions && m.made-m.saw < fewInstructions:
			r := &Refusal{What: fmt.Sprintf("more than %d instructions on plain memory without an operation that others can see", spinInstructions)}
			m.place(r)
			m.blocked, m.complex, m.endless = true, true, r
			var once []Access
			for _, a := range m.accesses {
				if !slices.Contains(once, a) {
					once = append(once, a)
				}
			}
			m.accesses = once
			return
		}
		m.simple = false
		sig := f.fn.code[f.pc](m, f)
		if !m.simple && (sig == done || sig == parked || sig == blocked || sig == failed) {
			m.complex = true
		}
		if m.Doorway != nil && (sig == done || sig == parked) && !strings.HasPrefix(m.did.What, "fail") {
			m.passed = slices.ContainsFunc(th.frames, func(f frame) bool { return f.pc < len(f.fn.at) && m.Doorway(f.fn.at[f.pc]) })
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
			m.blocked = true
			return
		case failed:
			return
		}
	}
}

func (m *Machine) fail(format string, args ...any) signal {
	if strings.HasPrefix(format, "panics") {
		for _, f := range m.threads[m.cur].frames {
			if slices.ContainsFunc(f.defers, func(d deferred) bool { return d.fn.recovers }) {
				m.refuse("a panic that is recovered")
			}
		}
	}
	m.failure = &Failure{What: fmt.Sprintf(format, args...), Pos: m.pos()}
	return failed
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

// alone refuses what a constructor does after it has started a goroutine, which would have to be interleaved: but what it does to
// memory that no other reaches.
func (m *Machine) alone(at ptr) {
	if m.users == 0 && len(m.threads) > 1 && m.objects[at>>32].shared {
		m.refuse("an operation of a constructor on memory that a goroutine can reach, which it has started: start it last")
	}
}

// see returns n words of plain memory to read or write, or stops if a step cannot go on with that.
func (m *Machine) see(at ptr, n int, write bool) (words []uint64, sig signal) {
	id, off := int(at>>32), int(uint32(at))
	if id == 0 {
		return nil, m.fail("panics: nil pointer dereference")
	}
	m.known(at)
	if write {
		m.alone(at)
	}
	o := &m.objects[id]
	if (o.shared || m.p.Fine) && !o.shape.frozen && n > 0 {
		if m.after {
			return nil, stopped
		}
		if m.p.Fine {
			sig = done
		}
		a := Access{At: at, n: n, write: write, Pos: m.pos()}
		if th := &m.threads[m.cur]; n == 1 && o.shape.kinds[off%len(o.shape.kinds)] == scalar && th.frames[len(th.frames)-1].fn.relaxed {
			a.atomic, sig = true, done
			m.did = Event{Thread: m.cur, What: "load", Pos: a.Pos, At: at, Old: o.w[off], New: o.w[off], Reads: true, Writes: write}
			if write {
				m.did.What = "store"
			}
		}
		if id < m.born {
			m.saw = m.made
			m.accesses = append(m.accesses, a)
		}
		if write {
			m.writing(at, n)
		} else {
			m.reading(at, n)
		}
	}
	return o.w[off : off+n], sig
}

// write stores words of these kinds in an object.
func (m *Machine) store(at ptr, kinds []kind, words []uint64) signal {
	to, s := m.see(at, len(words), true)
	if !s.ran() {
		return s
	}
	copy(to, words)
	if m.objects[at>>32].shared {
		m.publish(kinds, words)
	}
	return s
}

// publish marks what words point to as shared, and what that points to.
func (m *Machine) publish(kinds []kind, words []uint64) {
	for k, w := range words {
		if id := m.target(kinds[k%len(kinds)], words, k, w); id > 0 && !m.objects[id].shared {
			o := &m.objects[id]
			o.shared = true
			m.publish(o.shape.kinds, o.w)
		}
	}
}

// target returns the object to which word k of some points; 0 if to none.
func (m *Machine) target(kd kind, words []uint64, k int, w uint64) int {
	switch kd {
	case pointer:
	case dynamic:
		if !m.p.pointing(words[k-1]) {
			return 0
		}
	default:
		return 0
	}
	if w&isFunction != 0 {
		return 0
	}
	return int(w >> 32)
}

// alloc returns a pointer to n new zero elements.
func (m *Machine) alloc(s *shape, n int) ptr {
	m.objects = append(m.objects, object{shape: s, n: n, w: m.arena.words(s.size() * n), shared: false})
	return pointTo(len(m.objects) - 1)
}

// atomic makes an operation on a word, which others observe if it is shared.
func (m *Machine) atomic(at ptr, what string, writes bool, do func(w uint64) uint64) signal {
	if at>>32 == 0 {
		return m.fail("panics: nil pointer dereference")
	}
	m.known(at)
	m.alone(at)
	o := &m.objects[at>>32]
	w := &o.w[uint32(at)]
	if !o.shared && !m.p.Fine && m.made < fewInstructions {
		*w = do(*w)
		return next
	}
	if m.after {
		return stopped
	}
	if what == "store" {
		m.writing(at, 1)
	} else if m.reading(at, 1); writes {
		m.writing(at, 1)
	}
	old := *w
	*w = do(old)
	pos := m.pos()
	m.accesses = append(m.accesses, Access{At: at, n: 1, write: writes, atomic: true, Pos: pos})
	m.did = Event{Thread: m.cur, What: what, Pos: pos, At: at, Old: old, New: *w, Reads: true, Writes: writes}
	if *w != old {
		k := o.shape.kinds[int(uint32(at))%len(o.shape.kinds)]
		if k == pointer {
			m.publish([]kind{pointer}, o.w[uint32(at):uint32(at)+1])
		}
	}
	return done
}

// choose returns one of n alternatives, for each of which the step is made.
func (m *Machine) choose(n int) int {
	if n > 15 {
		m.refuse(fmt.Sprintf("a choice among %d, more than 15", n))
	}
	m.choices = n
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
