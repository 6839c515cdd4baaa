//go:build doorway_explore

package explore

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/extract"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/internal/memory/registers"
	"example.org/doorway/internal/spelling"
)

// Executed runs the protocols of a new lock as w went, on registers that hold what they wrote, and then
// takes the steps in more. Each process is a coroutine that stops before each of its operations; no automaton is
// used. It returns an error unless the run makes the operations of w and ends as w did, or, with
// more, if a step cannot be taken.
func Executed(w *Walk, more ...int) error {
	t := w.Trace()
	registers.Hosting.Lock()
	defer registers.Hosting.Unlock()
	lock, err := made(w.c.cfg.New, w.c.cfg.Processes)
	if err != nil {
		return err
	}
	of := w.c.x.Subject
	of.Lock = lock
	r := &execution{Subject: of, x: w.c.x, names: registers.Names(lock), lines: map[*atomic.Uint64][]*player{}, held: map[*sync.Mutex]bool{}}
	var refusal error
	err = r.x.Watched(func() {
		hook.Attach(r)
		defer func() {
			for _, p := range r.players {
				r.now = p
				p.stop()
			}
		}()
		for i := range r.Processes {
			r.add(i)
		}
		for k, slot := range slices.Concat(t.Schedule, more) {
			if why := r.step(slot); why != "" {
				refusal = fmt.Errorf("step %d, which is %d: %s", k+1, slot, why)
				return
			}
		}
	})
	if err = cmp.Or(err, refusal); err != nil || len(more) > 0 {
		return err
	}
	if err := r.compare(t); err != nil || w.c.cfg.Invariant != nil || r.fault() == t.Title {
		return err
	}
	return fmt.Errorf("a schedule ends with %q, and was explored to %q", r.fault(), t.Title)
}

// compare returns an error unless r made the operations of t.
func (r *execution) compare(t *Trace) error {
	if len(r.events) != len(t.Steps) {
		return fmt.Errorf("a schedule has %d steps, and was explored as %d", len(r.events), len(t.Steps))
	}
	for k, s := range t.Steps {
		explored := event{process: s.Process}
		if s.Register >= 0 {
			explored.name, explored.value = t.Registers[s.Register], s.Value
		}
		e := r.events[k]
		if e.name == "" {
			explored.name = "" // it is in no field
		}
		if e != explored {
			return fmt.Errorf("step %d of a schedule is %+v, and was explored as %+v", k+1, e, explored)
		}
	}
	return nil
}

// execution is a run by a schedule. It is the hook.Host of its processes.
type execution struct {
	hook.Aloof
	extract.Subject
	x       *extract.Extraction
	names   map[unsafe.Pointer]string
	players []*player
	now     *player                      // the one that runs
	lines   map[*atomic.Uint64][]*player // at gates
	held    map[*sync.Mutex]bool         // by atomic steps
	events  []event
}

// An event is an operation as the program made it.
type event struct {
	process int
	name    string // of its register
	value   uint64 // that was written or found
}

// A player is a process.
type player struct {
	number   int
	resume   func() (hook.Operation, bool)
	stop     func()
	yield    func(hook.Operation) bool
	next     hook.Operation // that it is about to make
	answer   uint64
	by       uint64 // how it enters: the answer to its start
	asleep   bool   // at a gate
	exiting  bool
	absorbed bool
}

// stopped is the panic that ends a process at the end of a run.
type stopped struct{}

// add makes process i, up to its first operation.
func (r *execution) add(i int) {
	p := &player{number: i}
	p.resume, p.stop = iter.Pull(func(yield func(hook.Operation) bool) {
		defer func() {
			if e := recover(); e != nil && e != any(stopped{}) {
				panic(e)
			}
		}()
		p.yield = yield
		for {
			p.by = r.Do(hook.Operation{Op: automaton.OpStart})
			if !r.Enter(i, p.by) {
				continue
			}
			r.Do(hook.Operation{Op: automaton.OpLeave})
			r.Lock.Unlock(i)
		}
	})
	r.players = append(r.players, p)
	r.advance(p)
}

// advance runs p up to its next operation.
func (r *execution) advance(p *player) {
	r.now = p
	p.next, _ = p.resume()
	if p.next.Op == automaton.OpStart {
		p.exiting, p.absorbed = false, false
	}
}

func (r *execution) Do(op hook.Operation) uint64 {
	r.x.Ops.Add(1)
	p := r.now
	if !p.yield(op) {
		panic(stopped{})
	}
	return p.answer
}

// step takes a step of a schedule, and returns why it cannot.
func (r *execution) step(slot int) string {
	n := r.Processes
	if slot < 0 || slot >= n*r.Ways() {
		return fmt.Sprintf("%d is no process", slot)
	}
	p := r.players[slot%n]
	if slot >= n {
		return r.giveUp(p, slot/n)
	}
	if op := p.next.Op; op == automaton.OpStart || op == automaton.OpLeave {
		p.exiting, p.answer = op == automaton.OpLeave, automaton.AnswerDone
		r.advance(p)
		ways := slices.Compact(slices.Clone(r.x.Trees[p.number].Locals[0].Next))
		if op == automaton.OpStart && len(ways) > 1 || !automaton.Fusable(p.next.Op) {
			r.events = append(r.events, event{process: p.number})
			return ""
		}
	}
	for joined := true; joined; {
		began := p.next.Op == hook.OpBegin
		if why := r.operation(p); why != "" {
			return why
		}
		joined = began || p.next.Op == hook.OpEnd
	}
	return ""
}

// operation makes the next operation of p, and returns why it cannot.
func (r *execution) operation(p *player) string {
	op := p.next
	if !r.can(p) {
		return fmt.Sprintf("process %d waits", p.number)
	}
	if op.Op == hook.OpFetchAdd {
		op.Value += op.Word.Load()
	}
	if r.Cap > 0 && op.Value > r.Cap {
		return fmt.Sprintf("process %d writes %d, which is above the cap", p.number, op.Value)
	}
	if op.Op == hook.OpBegin || op.Op == hook.OpEnd {
		r.held[op.Step] = op.Op == hook.OpBegin
		r.advance(p)
		return ""
	}
	r.perform(p, op)
	if !p.asleep {
		r.advance(p)
	}
	return ""
}

// perform makes an operation on a register, and sets its answer, unless p sleeps then.
func (r *execution) perform(p *player, op hook.Operation) {
	v := op.Word.Load()
	e := event{p.number, r.names[unsafe.Pointer(op.Word)], v}
	holds := op.Holds != nil && op.Holds(v)
	p.answer = 0
	if op.Found != nil && holds {
		*op.Found = v
	}
	switch op.Op {
	case hook.OpLoad:
		p.answer = v
	case hook.OpSet, hook.OpStore:
		e.value = op.Value
		r.write(op)
	case hook.OpCompareAndSwap:
		if v == op.Old {
			e.value, p.answer = op.Value, 1
			r.write(op)
		}
	case hook.OpSwap, hook.OpFetchAdd:
		e.value, p.answer = op.Value, v
		r.write(op)
	case hook.OpAwaitExclusive:
		if !holds {
			r.sleep(p)
			break
		}
		r.leave(p)
		p.answer = 1
	default:
		if holds {
			p.answer = 1
		}
	}
	r.events = append(r.events, e)
}

// write makes a write. Unless by a Set, that wakes the first of those that await the register exclusively.
func (r *execution) write(op hook.Operation) {
	op.Word.Store(op.Value)
	if op.Op != hook.OpSet {
		r.wakeFirst(op.Word)
	}
}

// can reports whether p can take a step.
func (r *execution) can(p *player) bool {
	switch op := p.next; op.Op {
	case hook.OpAwait, hook.OpAwaitValue:
		return op.Holds(op.Word.Load())
	case hook.OpAwaitExclusive:
		return !p.asleep
	case hook.OpBegin:
		return !r.held[op.Step]
	}
	return true
}

// idles reports whether p awaits either of two registers, in vain.
func (r *execution) idles(p *player) bool {
	op := p.next
	return (op.Op == hook.OpTest || op.Op == hook.OpTestFirst) && !op.Holds(op.Word.Load()) && !op.OtherHolds(op.Other.Load())
}

// giveUp aborts the wait of p, or makes it enter in another way than LockContext, and
// returns why it cannot.
func (r *execution) giveUp(p *player, way int) string {
	if p.next.Op != automaton.OpStart && way == automaton.AnswerLock {
		return fmt.Sprintf("process %d is not in its remainder section, and cannot enter by Lock", p.number)
	}
	switch p.next.Op {
	case automaton.OpStart:
		p.answer = uint64(way)
		r.events = append(r.events, event{process: p.number})
		r.advance(p)
		return ""
	case hook.OpTestFirst:
		p.answer = uint64(automaton.AnswerTestGiveUp)
	case hook.OpAwait, hook.OpAwaitExclusive, hook.OpAwaitValue:
		p.answer = 0
	default:
		return fmt.Sprintf("process %d awaits nothing, and cannot give up", p.number)
	}
	if p.by == automaton.AnswerLock {
		return fmt.Sprintf("process %d entered by Lock, and cannot give up", p.number)
	}
	if p.exiting || p.absorbed {
		return fmt.Sprintf("process %d is leaving, and cannot give up", p.number)
	}
	word := p.next.Word
	r.events = append(r.events, event{p.number, r.names[unsafe.Pointer(word)], word.Load()})
	if r.leave(p) {
		r.wakeFirst(word)
	}
	r.advance(p)
	return ""
}

// sleep lines p up at its gate.
func (r *execution) sleep(p *player) {
	p.asleep = true
	if line := r.lines[p.next.Word]; !slices.Contains(line, p) { // if it is there, it was woken in vain
		r.lines[p.next.Word] = append(line, p)
	}
}

// leave takes p out of the line at its gate, and reports whether it was there.
func (r *execution) leave(p *player) bool {
	line := r.lines[p.next.Word]
	for k, q := range line {
		if q == p {
			p.asleep = false
			r.lines[p.next.Word] = append(line[:k:k], line[k+1:]...)
			return true
		}
	}
	return false
}

func (r *execution) wakeFirst(gate *atomic.Uint64) {
	if line := r.lines[gate]; len(line) > 0 {
		line[0].asleep = false
	}
}

// fault returns what is wrong in the state, or "".
func (r *execution) fault() string {
	var is []int
	waits, can := false, false
	for _, p := range r.players {
		switch p.next.Op {
		case automaton.OpStart:
		case automaton.OpLeave:
			is, can = append(is, p.number), true
		default:
			waits = true
			can = can || r.can(p) && !r.idles(p)
		}
	}
	switch {
	case len(is) > 1:
		return "mutual exclusion fails: processes " + spelling.Enumerate(is) + " are inside"
	case waits && !can:
		return "deadlock: no process in its entry or exit section can take a step"
	}
	return ""
}

func (r *execution) Absorb()                   { r.now.absorbed = true }
func (r *execution) Foreign(of *atomic.Uint64) { r.x.Foreign(of) }
func (r *execution) Tries() bool               { return r.now.by != automaton.AnswerTry }
