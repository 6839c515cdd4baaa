package stress

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"example.org/doorway/mutex"
)

// A locker is the lock as one goroutine uses it; a mutex.Shared is one.
type locker interface {
	Lock()
	TryLock() bool
	LockContext(ctx context.Context) error
	Unlock()
}

// A process is the locker of one process.
type process struct {
	m mutex.Mutex
	a mutex.Abortable // m, or nil
	i int
}

func (p process) Lock()                                 { p.m.Lock(p.i) }
func (p process) TryLock() bool                         { return p.a.TryLock(p.i) }
func (p process) LockContext(ctx context.Context) error { return p.a.LockContext(ctx, p.i) }
func (p process) Unlock()                               { p.m.Unlock(p.i) }

// A worker is one of the goroutines of a run. Only it accesses its fields; others
// may read its state.
type worker struct {
	r      *run
	k      int
	locker locker
	state  *state
	rng    *rand.Rand

	resources []*resource
	seen      []uint64 // by resource, its guarded data
}

// work makes attempts until a limit is reached. A panic ends it, and so does
// runtime.Goexit, with which a failing test ends.
func (w *worker) work() {
	finished := false
	defer func() {
		if finished {
			return
		}
		w.state.set(panicked, w.r.now())
		why := "called runtime.Goexit"
		if v := recover(); v != nil {
			why = fmt.Sprintf("panicked: %v\n%s", v, strings.TrimSuffix(trim(panicStack()), "\n"))
		}
		w.r.failed <- fmt.Errorf("stress: goroutine %d, call %d: %s", w.k, w.state.calls.Load(), why)
	}()
	w.state.goroutine.Store(goroutineID())
	most := uint64(w.r.c.Entries) // 0: no limit
	for calls := uint64(1); !w.r.stop.Load() && (most == 0 || calls <= most); calls++ {
		w.state.calls.Store(calls)
		w.attempt()
		w.pass(w.r.c.Remainder)
	}
	w.state.set(done, w.r.now())
	finished = true
}

func (w *worker) attempt() {
	how := w.how()
	called := w.r.now()
	w.state.set(how, called)
	number := w.r.order.call(w.k)
	if !w.enter(how) {
		w.r.order.leave(w.k)
		w.state.set(remainder, w.r.now())
		return
	}
	w.critical(how, called, number)
	w.locker.Unlock()
	w.state.set(remainder, w.r.now())
}

// critical is the critical section. It begins with the plain reads and ends with
// the plain writes of the guarded data: only the lock can order these two with
// those of others. Nothing before the reads may be synchronized with a goroutine
// that was just inside.
func (w *worker) critical(how phase, called time.Duration, number uint64) {
	r := w.r
	for k, x := range w.resources {
		w.seen[k] = x.guarded.read(r.c.Atomic)
	}

	entered := r.now()
	w.state.set(inside, entered)
	w.enterResources()
	w.state.entries.Add(1)
	r.tally.enter(how, r.order.enter(w.k, number), entered-called)
	w.pass(r.c.Section)
	for _, x := range w.resources {
		x.inside.leave(w.k)
	}
	w.state.set(unlocking, entered)

	for k, x := range w.resources {
		x.guarded.write(w.seen[k]+1, r.c.Atomic)
	}
}

// pass spends time in a section: with delays, more of it, to give the others time.
func (w *worker) pass(section func()) {
	if w.r.c.Delay > 0 {
		yield(w.rng.IntN(16))
	}
	if section != nil {
		section()
	}
}

// how chooses the method by which to enter.
func (w *worker) how() phase {
	if w.r.c.GiveUp == 0 || w.rng.Float64() >= w.r.c.GiveUp {
		return locking
	}
	if w.rng.Uint64()&1 == 0 {
		return trying
	}
	return lockingContext
}

func (w *worker) enter(how phase) bool {
	switch how {
	case trying:
		return w.locker.TryLock()
	case lockingContext:
		patience := time.Duration(w.rng.Int64N(int64(110*time.Microsecond))) - 10*time.Microsecond
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		return w.locker.LockContext(ctx) == nil
	default:
		w.locker.Lock()
		return true
	}
}

// A phase is what a goroutine is doing.
type phase uint64

const (
	remainder phase = iota
	locking
	trying
	lockingContext
	inside
	unlocking
	done
	panicked
	phaseBits = 3
)

// A state is the part of a goroutine that others may read; only the goroutine
// writes it.
type state struct {
	phase     atomic.Uint64 // when it began, in ns since the start, and the phase
	calls     atomic.Uint64
	entries   atomic.Uint64
	goroutine atomic.Uint64 // its number in stack traces
	_         [32]byte
}

func (s *state) set(p phase, since time.Duration) {
	s.phase.Store(uint64(since)<<phaseBits | uint64(p))
}

func (s *state) get() (p phase, since time.Duration) {
	v := s.phase.Load()
	return phase(v & (1<<phaseBits - 1)), time.Duration(v >> phaseBits)
}
