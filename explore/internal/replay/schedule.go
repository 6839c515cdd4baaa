package replay

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
	"example.org/doorway/explore/internal/trace"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/internal/memory/registers"
	"example.org/doorway/internal/spelling"
	"example.org/doorway/mutex"
)

// Execute runs the protocols of a new lock in the order of a schedule, on registers
// that hold what they wrote. Each process is a coroutine that stops before each of its
// operations; no automaton is used.
func Execute(x *extract.Extraction, newLock func() (mutex.Mutex, error), schedule []int) (*Run, error) {
	registers.Hosting.Lock()
	defer registers.Hosting.Unlock()
	lock, err := newLock()
	if err != nil {
		return nil, err
	}
	of := x.Subject
	of.Lock = lock
	r := &playing{Subject: of, x: x, names: registers.Names(lock), lines: map[*atomic.Uint64][]*player{}, held: map[*sync.Mutex]bool{}}
	var refusal error
	err = x.Watched(func() {
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
		for k, slot := range schedule {
			if why := r.step(slot); why != "" {
				refusal = fmt.Errorf("explore: step %d of Config.Schedule: %s", k+1, why)
				return
			}
		}
	})
	if err = cmp.Or(err, refusal); err != nil {
		return nil, err
	}
	return &Run{Inside: r.inside(), Fault: r.fault(), events: r.events}, nil
}

// A Run is what a schedule led to.
type Run struct {
	Inside int    // how many processes are inside
	Fault  string // what is wrong in the last state; "": nothing
	events []event
}

// Compare returns an error unless the run made the operations of t.
func (r *Run) Compare(t *trace.Trace) error {
	if len(r.events) != len(t.Steps) {
		return fmt.Errorf("explore: internal error: a schedule has %d steps, and was explored as %d", len(r.events), len(t.Steps))
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
			return fmt.Errorf("explore: internal error: step %d of a schedule is %+v, and was explored as %+v", k+1, e, explored)
		}
	}
	return nil
}

// playing is a run by a schedule. It is the hook.Host of its processes.
type playing struct {
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
func (r *playing) add(i int) {
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
func (r *playing) advance(p *player) {
	r.now = p
	p.next, _ = p.resume()
	if p.next.Op == automaton.OpStart {
		p.exiting, p.absorbed = false, false
	}
}

func (r *playing) Do(op hook.Operation) uint64 {
	r.x.Ops.Add(1)
	p := r.now
	if !p.yield(op) {
		panic(stopped{})
	}
	return p.answer
}

// step takes a step of a schedule, and returns why it cannot.
func (r *playing) step(slot int) string {
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
		if op == automaton.OpStart && r.x.Trees[p.number].Apart || !automaton.Fusable(p.next.Op) {
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
func (r *playing) operation(p *player) string {
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
func (r *playing) perform(p *player, op hook.Operation) {
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
func (r *playing) write(op hook.Operation) {
	op.Word.Store(op.Value)
	if op.Op != hook.OpSet {
		r.wakeFirst(op.Word)
	}
}

// can reports whether p can take a step.
func (r *playing) can(p *player) bool {
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

// giveUp aborts the wait of p, or makes it enter in another way than LockContext, and
// returns why it cannot.
func (r *playing) giveUp(p *player, way int) string {
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
func (r *playing) sleep(p *player) {
	p.asleep = true
	if line := r.lines[p.next.Word]; !slices.Contains(line, p) { // if it is there, it was woken in vain
		r.lines[p.next.Word] = append(line, p)
	}
}

// leave takes p out of the line at its gate, and reports whether it was there.
func (r *playing) leave(p *player) bool {
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

func (r *playing) wakeFirst(gate *atomic.Uint64) {
	if line := r.lines[gate]; len(line) > 0 {
		line[0].asleep = false
	}
}

// inside returns how many processes are inside.
func (r *playing) inside() (n int) {
	for _, p := range r.players {
		if p.next.Op == automaton.OpLeave {
			n++
		}
	}
	return n
}

// fault returns what is wrong in the state, or "".
func (r *playing) fault() string {
	var is []int
	waits, can := false, false
	for _, p := range r.players {
		switch p.next.Op {
		case automaton.OpStart:
		case automaton.OpLeave:
			is, can = append(is, p.number), true
		default:
			waits = true
			can = can || r.can(p)
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

func (r *playing) Absorb()                   { r.now.absorbed = true }
func (r *playing) Foreign(of *atomic.Uint64) { r.x.Foreign(of) }
func (r *playing) Tries() bool               { return r.now.by != automaton.AnswerTry }
