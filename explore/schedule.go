package explore

import (
	"fmt"
	"iter"
	"slices"
	"sync"
	"unsafe"

	"example.org/doorway/internal/registers"
	"example.org/doorway/internal/seam"
	"example.org/doorway/mutex"
)

// runSchedule runs the protocols of a new lock in the order of Config.Schedule, on
// registers that hold what they wrote, and reports the state at its end. Each process
// is a coroutine that stops before each of its operations; no automaton is used. The
// trace is made as for any schedule, and compared with that run.
func (c *checking) runSchedule() error {
	r, err := c.played()
	if err != nil {
		return err
	}
	title := r.fault()
	end := c.x.replay(c.cfg.Schedule)
	if title != "" && r.inside() < 2 {
		title += end.forgotten()
	}
	t := end.end(title)
	if err := r.compare(t); err != nil {
		return err
	}
	if c.cfg.Invariant != nil {
		if err := c.violated(c.x.replay(c.cfg.Schedule)); err != nil {
			return err
		}
	}
	if title == "" {
		return nil
	}
	if r.inside() > 1 {
		c.report.MutualExclusion = Verdict{Fails, t}
	} else {
		c.report.DeadlockFree = Verdict{Fails, t}
	}
	return nil
}

// compare returns an error unless the run made the operations of t.
func (r *playing) compare(t *Trace) error {
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

// played runs the schedule.
func (c *checking) played() (*playing, error) {
	registers.Hosting.Lock()
	defer registers.Hosting.Unlock()
	lock, err := made(c.cfg.New, c.cfg.Processes)
	if err != nil {
		return nil, err
	}
	r := &playing{
		cfg: c.cfg, x: c.x, names: registers.Names(lock),
		lines: map[*seam.Number][]*player{}, held: map[*sync.Mutex]bool{},
	}
	err = c.x.watched(func() {
		seam.Attach(r)
		defer func() {
			for _, p := range r.players {
				r.now = p
				p.stop()
			}
		}()
		for i := range c.cfg.Processes {
			r.add(i, lock)
		}
		for k, slot := range c.cfg.Schedule {
			if why := r.step(slot); why != "" {
				panic(refused{fmt.Errorf("explore: step %d of Config.Schedule: %s", k+1, why)})
			}
		}
	})
	return r, err
}

// playing is a run by a schedule. It is the seam.Host of its processes.
type playing struct {
	cfg     *Config
	x       *extraction
	names   map[unsafe.Pointer]string
	players []*player
	now     *player                    // the one that runs
	lines   map[*seam.Number][]*player // at gates
	held    map[*sync.Mutex]bool       // by atomic steps
	relay   baton
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
	run
	number   int
	resume   func() (seam.Operation, bool)
	stop     func()
	yield    func(seam.Operation) bool
	next     seam.Operation // that it is about to make
	answer   uint64
	asleep   bool // at a gate
	exiting  bool
	absorbed bool
}

// add makes process i, up to its first operation.
func (r *playing) add(i int, lock mutex.Mutex) {
	p := &player{number: i, run: run{x: &extraction{cfg: r.cfg, lock: lock}, t: &tree{process: i, apart: r.x.trees[i].apart}}}
	p.resume, p.stop = iter.Pull(func(yield func(seam.Operation) bool) {
		defer func() {
			if e := recover(); e != nil && e != any(abandoned{}) {
				panic(e)
			}
		}()
		p.yield = yield
		for {
			p.by = r.Do(seam.Operation{Op: opStart})
			if !p.enter() {
				continue
			}
			r.Do(seam.Operation{Op: opLeave})
			lock.Unlock(i)
		}
	})
	r.players = append(r.players, p)
	r.advance(p)
}

// advance runs p up to its next operation.
func (r *playing) advance(p *player) {
	r.now = p
	p.next, _ = p.resume()
	if p.next.Op == opStart {
		p.exiting, p.absorbed = false, false
	}
}

func (r *playing) Do(op seam.Operation) uint64 {
	r.x.ops.Add(1)
	p := r.now
	if !p.yield(op) {
		panic(abandoned{})
	}
	return p.answer
}

// step takes a step of a schedule, and returns why it cannot.
func (r *playing) step(slot int) string {
	n := r.cfg.Processes
	if slot < 0 || slot >= n*r.cfg.ways() {
		return fmt.Sprintf("%d is no process", slot)
	}
	p := r.players[slot%n]
	if slot >= n {
		return r.giveUp(p, slot/n)
	}
	if op := p.next.Op; op == opStart || op == opLeave {
		p.exiting, p.answer = op == opLeave, answerDone
		r.advance(p)
		if op == opStart && p.t.apart || !fusable(p.next.Op) {
			r.events = append(r.events, event{process: p.number})
			return ""
		}
	}
	for joined := true; joined; {
		began := p.next.Op == seam.OpBegin
		if why := r.operation(p); why != "" {
			return why
		}
		joined = began || p.next.Op == seam.OpEnd
	}
	return ""
}

// operation makes the next operation of p, and returns why it cannot.
func (r *playing) operation(p *player) string {
	op := p.next
	if !r.can(p) {
		return fmt.Sprintf("process %d waits", p.number)
	}
	if op.Op == seam.OpFetchAdd {
		op.Value += op.Word.Load()
	}
	if r.cfg.Cap > 0 && op.Value > r.cfg.Cap {
		return fmt.Sprintf("process %d writes %d, which is above the cap", p.number, op.Value)
	}
	if op.Op == seam.OpBegin || op.Op == seam.OpEnd {
		r.held[op.Step] = op.Op == seam.OpBegin
		r.advance(p)
		return ""
	}
	if relayed(op.Op) {
		did, _ := r.relay.step(op.Op, p.number, func(q int) bool {
			o := &r.players[q].next
			return o.Word == op.Word || o.Other == op.Word
		})
		p.answer = 1
		if did != "" {
			e := event{process: p.number}
			if op.Op == seam.OpDue {
				e.name, e.value = r.names[unsafe.Pointer(op.Word)], op.Word.Load()
			}
			r.events = append(r.events, e)
		}
		r.advance(p)
		return ""
	}
	v := op.Word.Load()
	e := event{p.number, r.names[unsafe.Pointer(op.Word)], v}
	holds := op.Holds != nil && op.Holds(v)
	p.answer = 0
	if op.Found != nil && holds {
		*op.Found = v
	}
	switch op.Op {
	case seam.OpLoad:
		p.answer = v
	case seam.OpSet, seam.OpStore, seam.OpStoreGate:
		e.value = op.Value
		op.Word.Store(op.Value)
		if op.Op == seam.OpStoreGate {
			r.wakeFirst(op.Word)
		}
	case seam.OpCompareAndSwap:
		if v == op.Old {
			e.value, p.answer = op.Value, 1
			op.Word.Store(op.Value)
		}
	case seam.OpSwap, seam.OpFetchAdd:
		e.value, p.answer = op.Value, v
		op.Word.Store(op.Value)
	case seam.OpAwaitGate:
		if !holds {
			r.sleep(p)
			r.events = append(r.events, e)
			return ""
		}
		r.leave(p)
		p.answer = 1
	default:
		if holds {
			p.answer = 1
		}
	}
	r.events = append(r.events, e)
	r.advance(p)
	return ""
}

// can reports whether p can take a step.
func (r *playing) can(p *player) bool {
	switch op := p.next; op.Op {
	case seam.OpAwait, seam.OpAwaitValue:
		return op.Holds(op.Word.Load())
	case seam.OpAwaitGate:
		return !p.asleep
	case seam.OpPark:
		return r.relay.sent>>p.number&1 == 1
	case seam.OpBegin:
		return !r.held[op.Step]
	}
	return true
}

// giveUp aborts the wait of p, or makes it enter in another way than LockContext, and
// returns why it cannot.
func (r *playing) giveUp(p *player, way int) string {
	if p.next.Op != opStart && way == answerLock {
		return fmt.Sprintf("process %d is not in its remainder section, and cannot enter by Lock", p.number)
	}
	switch p.next.Op {
	case opStart:
		p.answer = uint64(way)
		r.events = append(r.events, event{process: p.number})
		r.advance(p)
		return ""
	case seam.OpTestFirst:
		p.answer = uint64(answerTestGiveUp)
	case seam.OpAwait, seam.OpAwaitGate, seam.OpAwaitValue, seam.OpPark:
		p.answer = 0
	default:
		return fmt.Sprintf("process %d awaits nothing, and cannot give up", p.number)
	}
	if p.by == answerLock {
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

func (r *playing) wakeFirst(gate *seam.Number) {
	if line := r.lines[gate]; len(line) > 0 {
		line[0].asleep = false
	}
}

// inside returns how many processes are inside.
func (r *playing) inside() (n int) {
	for _, p := range r.players {
		if p.next.Op == opLeave {
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
		case opStart:
		case opLeave:
			is, can = append(is, p.number), true
		default:
			waits = true
			can = can || r.can(p)
		}
	}
	switch {
	case len(is) > 1:
		return "mutual exclusion fails: processes " + enumerate(is) + " are inside"
	case waits && !can:
		return "deadlock: no process in its entry or exit section can take a step"
	}
	return ""
}

func (r *playing) Mark() int                     { return 0 }
func (r *playing) Again(int)                     {}
func (r *playing) Passed(int, uint64)            {}
func (r *playing) Comes(seam.Boundary, any, int) {}
func (r *playing) Absorb()                       { r.now.absorbed = true }
func (r *playing) Relays(bool)                   {}
func (r *playing) Passes()                       {}
func (r *playing) Batons() bool                  { return r.x.batons }
func (r *playing) Foreign(of *seam.Number)       { r.x.foreign(of) }
func (r *playing) Tries() bool                   { return r.now.by != answerTry }
