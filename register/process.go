package register

import (
	"context"
	"runtime"
	"sync/atomic"

	"example.org/doorway/internal/memory/hook"
)

// Processes are the n processes of one lock, numbered from 0.
type Processes struct {
	_  noCopy
	of []Process
}

// A Process is one process of a lock, as the entry and exit protocols see it:
// a number, a place to wait at, and what is needed to abort a wait.
//
// A process is used by one goroutine at a time. Two at once are a data race.
type Process struct {
	i      int
	inside bool // in its critical section
	barred bool // from an entry: it is inside, an aborted entry may not be over, or it stands behind a line
	trying bool // aborts instead of waiting
	front  bool // in this entry, it was the first of a line of exclusive waiters and left: it comes back as the first
	late   bool // in turn: the next entry stands behind those that are due
	lot    *lot
	token  chan struct{}   // capacity one; belongs to this lock, and so to the lock's synctest bubble
	done   <-chan struct{} // the process aborts when this is closed; nil: never
	came   uint64          // in turn: the time at which this entry began to wait, or 0; read by others under lot.mu while it waits
	sent   atomic.Bool     // a token has been sent and not yet been received
	woken  atomic.Bool     // exclusive: woken, and has yet to read the register
	since  atomic.Uint64   // exclusive: the time at which it came or became the first, or overdue

	rest     func()        // the rest of an aborted entry that cannot be withdrawn
	places   [2]place      // together
	single   place         // exclusive
	absorbed chan struct{} // closed when rest has returned; nil: there was none
	climbing [2]place      // in turn
	way      way           // of exclusive waiters
	_        [16]byte      // aligns the next process to a cache line of 64 bytes
}

// maxProcesses is the largest number of processes of a lock. That many fit into
// memory on every platform of Go, those with 32 bits included, and every number,
// name and pair of an algorithm fits into its register: a bakery of this size has
// 43 bits for numbers.
const maxProcesses = 1 << 20

// MakeProcesses returns the n processes of a lock of package pkg, whose name
// begins the panic messages. It panics unless 1 <= n <= 1<<20, so a constructor
// calls it before it allocates registers for n processes.
func MakeProcesses(pkg string, n int) Processes {
	if n < 1 {
		panic(pkg + ": " + hook.Decimal(n) + " processes: there must be at least one")
	}
	if n > maxProcesses {
		panic(pkg + ": " + hook.Decimal(n) + " processes: there can be at most " + hook.Decimal(maxProcesses))
	}
	of, shared := make([]Process, n), &lot{pkg: pkg, crowd: int64(hook.Crowd())}
	for i := range of {
		p := &of[i]
		p.i, p.lot, p.token = i, shared, make(chan struct{}, 1)
		p.places, p.single = [2]place{{p: p}, {p: p}}, place{p: p, manner: exclusive}
		p.climbing = [2]place{{p: p, manner: inTurn}, {p: p, manner: inTurn}}
	}
	return Processes{of: of}
}

// Len returns the number of processes.
func (ps *Processes) Len() int { return len(ps.of) }

// Entry returns process i, which is about to run its entry protocol. It panics if
// there is no such process, or if the process is in its critical section. It blocks
// while an aborted entry of process i is being absorbed ([Process.Absorb]), and
// while process i gives way ([Word.GiveWay], [Process.Pass]).
func (ps *Processes) Entry(i int) *Process {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			return hostedBoundary(h, hook.AtEntry, ps.at(i))
		}
	}
	if uint(i) >= uint(len(ps.of)) || ps.of[i].barred {
		ps.notNow(i)
	}
	return &ps.of[i]
}

// Exit returns process i, which is about to run its exit protocol. It panics if
// there is no such process, or if the process is not in its critical section.
func (ps *Processes) Exit(i int) *Process {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			return hostedBoundary(h, hook.AtExit, ps.at(i))
		}
	}
	return ps.leave(i, (*Processes).notInside)
}

// leave is Exit, and calls misused if it must panic. That is a parameter so that Exit
// is inlined, as in line.unlessEmpty.
func (ps *Processes) leave(i int, misused func(*Processes, int)) *Process {
	if uint(i) >= uint(len(ps.of)) || !ps.of[i].inside {
		misused(ps, i)
	}
	p := &ps.of[i]
	p.inside, p.barred = false, false
	return p
}

// Try runs an entry protocol of process i that aborts instead of waiting, and
// reports whether the process is now in its critical section. It panics as Entry
// does. While an earlier entry of process i is being absorbed, and while process i
// would have to give way, it returns false.
//
// If the protocol panics or calls [runtime.Goexit], the process is not in its
// critical section and can begin another entry. The protocol itself must withdraw
// what it has written to registers.
func (ps *Processes) Try(i int, entry func(*Process) bool) bool {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			return hostedEntry(h, ps.at(i), true, entry)
		}
	}
	ps.check(i)
	p := &ps.of[i]
	if p.barred && !p.begin(closed) {
		return false
	}
	p.trying = true
	return p.run(entry)
}

// Context runs an entry protocol of process i that aborts when ctx is done, and
// then returns ctx.Err(). It panics as Entry does, and if ctx is nil. If ctx is
// done before the call, the protocol does not run. For a protocol that panics, see
// [Processes.Try].
func (ps *Processes) Context(ctx context.Context, i int, entry func(*Process) bool) error {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			if !hostedEntry(h, ps.at(i), false, entry) {
				return context.Canceled
			}
			return nil
		}
	}
	ps.check(i)
	if ctx == nil {
		panic(ps.of[i].lot.pkg + ": lock of process " + hook.Decimal(i) + " with a nil Context")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	p := &ps.of[i]
	if p.barred && !p.begin(ctx.Done()) {
		return ctx.Err()
	}
	p.done = ctx.Done()
	if !p.run(entry) {
		return ctx.Err()
	}
	return nil
}

// notNow panics, or waits until process i may begin an entry.
func (ps *Processes) notNow(i int) {
	ps.check(i)
	ps.of[i].begin(nil)
}

func (ps *Processes) check(i int) {
	ps.inRange("lock", i)
	if ps.of[i].inside {
		panic(ps.of[i].lot.pkg + ": lock of process " + hook.Decimal(i) + ", which is inside already")
	}
}

func (ps *Processes) notInside(i int) {
	ps.inRange("unlock", i)
	panic(ps.of[i].lot.pkg + ": unlock of process " + hook.Decimal(i) + ", which is not inside")
}

func (ps *Processes) inRange(call string, i int) {
	if len(ps.of) == 0 {
		panic("register: " + call + " of a lock that was not made by its constructor")
	}
	if uint(i) >= uint(len(ps.of)) {
		panic(ps.of[0].lot.pkg + ": " + call + " of process " + hook.Decimal(i) + ": the processes are 0 to " + hook.Decimal(len(ps.of)-1))
	}
}

// at returns process i for a host. A host keeps track of the processes that are
// inside itself.
func (ps *Processes) at(i int) *Process {
	ps.inRange("use", i)
	return &ps.of[i]
}

// Done returns a channel that is closed when p must abort, or nil if it need not. An entry
// protocol that waits for something else than a register returns false then, as one does whose
// await returns false.
func (p *Process) Done() <-chan struct{} {
	if p.trying {
		return closed
	}
	return p.done
}

// ID returns the number of p, from 0.
func (p *Process) ID() int { return p.i }

// Name returns the number of p as the papers count, from 1, so that 0 can
// stand for no process.
func (p *Process) Name() uint64 { return uint64(p.i) + 1 }

// Doorway marks the end of the doorway, the part of p's entry protocol that takes
// a bounded number of steps. If the algorithm is FIFO, a process that begins its
// entry protocol later enters after p.
func (p *Process) Doorway() {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			hostedBoundary(h, hook.AtWaiting, p)
		}
	}
}

// Inside marks the end of p's entry protocol: its critical section begins.
func (p *Process) Inside() {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			hostedBoundary(h, hook.AtInside, p)
			return
		}
	}
	p.inside, p.barred, p.front, p.came = true, true, false, 0
}

// Absorb aborts an entry of p that cannot withdraw what it has written: once the
// entry protocol has returned, a goroutine runs rest on behalf of p. The function
// rest must finish the withdrawal, or the entry and then the exit protocol. Until rest
// returns, p cannot begin another entry. Absorb returns [GaveUp].
func (p *Process) Absorb(rest func()) Outcome {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			hostedBoundary(h, hook.AtAbsorb, p)
		}
	}
	p.rest = rest
	return GaveUp
}

// run runs an entry protocol of p that may abort. One that panics or calls
// runtime.Goexit has aborted; if p then has the baton, p passes it on.
func (p *Process) run(entry func(*Process) bool) (entered bool) {
	returned := false
	defer func() {
		if !returned {
			p.pass()
		}
		p.trying, p.done, p.front, p.came = false, nil, false, 0
		p.ended(entered)
	}()
	entered = entry(p)
	returned = true
	return entered
}

// ended records the result of an entry that may abort, and starts its rest if
// there is one.
func (p *Process) ended(entered bool) {
	if entered {
		p.Inside()
		return
	}
	rest := p.rest
	if rest == nil {
		return
	}
	over := make(chan struct{})
	p.barred, p.rest, p.absorbed = true, nil, over
	go func() {
		defer close(over)
		rest()
	}()
}

// begin waits until p may begin an entry, and returns false if done is closed first:
// until an absorbed entry of p is over, and p has given way to exclusive waiters or to those
// that are due.
func (p *Process) begin(done <-chan struct{}) bool {
	if p.absorbed != nil && !p.reattach(done) || p.way.behind != nil && !p.givenWay(done) || p.late && !p.awaitBaton(done) {
		return false
	}
	p.barred = false
	return true
}

// reattach waits until the absorbed entry of p is over, and returns false if done
// is closed first.
func (p *Process) reattach(done <-chan struct{}) bool {
	select {
	case <-p.absorbed:
	default:
		select {
		case <-p.absorbed:
		case <-done:
			return false
		}
	}
	p.absorbed = nil
	return true
}

// await is the slow path of Word.Await.
func (p *Process) await(w *Word, holds func(uint64) bool) bool {
	return p.awaitEither(w, holds, nil, nil)
}

// awaitEither is the slow path of AwaitEither; b may be nil.
//
// It yields once before it parks. If the condition then holds, that saves a park
// and a wake-up. If not, another process has run in between, and p parks in
// parallel to the process that is inside: the scheduler hands a goroutine that
// yields to any idle thread, so that thread need not sleep and be woken by the
// kernel for every entry. Yielding more often, or spinning first, only takes time
// from the processes that could enter. In a crowd it does not yield; see hook.Crowd.
func (p *Process) awaitEither(a *Word, holdsA func(uint64) bool, b *Word, holdsB func(uint64) bool) bool {
	if p.trying {
		return false
	}
	if !p.lot.crowded() {
		runtime.Gosched()
		if holdsA(a.Load()) || b != nil && holdsB(b.Load()) {
			return true
		}
	}
	for {
		p.places[0].join(&a.line)
		if b != nil {
			p.places[1].join(&b.line)
		}
		if holdsA(a.Load()) || b != nil && holdsB(b.Load()) {
			return true
		}
		if !p.sleep() {
			return false
		}
	}
}

// sleep passes the baton on, blocks p until it receives a token, and returns false if it
// must abort instead. Wherever p parks, those that are due may be the ones that it waits
// for.
func (p *Process) sleep() bool {
	p.pass()
	hook.Intercepted(hook.Waking, nil)
	p.lot.parked.Add(1)
	defer p.lot.parked.Add(-1)
	if p.done == nil {
		<-p.token
	} else {
		select {
		case <-p.token:
		case <-p.done:
			return false
		}
	}
	p.sent.Store(false)
	return true
}

// signal sends p a token, and returns false if one has been sent already. A
// non-blocking send would detect that too; but a send that fails synchronizes
// nothing, and p might have read the register before the latest store.
func (p *Process) signal() bool {
	if !p.sent.CompareAndSwap(false, true) {
		return false
	}
	p.token <- struct{}{} // does not block: p clears sent when it has emptied the channel
	return true
}

var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// noCopy makes go vet report copies.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}
