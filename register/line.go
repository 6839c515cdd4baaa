package register

import (
	"sync"
	"sync/atomic"

	"example.org/doorway/internal/memory/hook"
)

// A line holds the processes that wait at one register, the longest waiter first.
//
// The protocol must lose no wake-up. A waiter joins the line, reads the register
// once more, and parks until it receives a token; then it reads again. A writer
// writes the register first, and then checks whether the line is empty. Since
// sync/atomic is sequentially consistent, one of the two sees the other: either
// the waiter reads after the write, or the writer sees the line. Reversing either
// pair loses wake-ups.
//
// A spurious token is harmless, since a process that wakes reads the register
// itself. That makes the fast path possible: a process keeps its place after its
// wait has ended, until it waits elsewhere or a token sent to it remains unused.
// So processes that pass a lock around in the same order change no line at all,
// and aborting costs nothing, however many wait.
type line struct {
	first atomic.Pointer[place] // written under lot.mu
}

// A place is where a process stands in line. The places of a line form a ring.
type place struct {
	p    *Process
	at   atomic.Pointer[line]  // the line that it is in, or nil; written under lot.mu
	next atomic.Pointer[place] // written under lot.mu
	prev *place                // under lot.mu

	manner manner // how p waits there; constant, so a store that has found p the first knows how the others wait
}

// A manner is how processes wait in a line. A store looks at that of the first, as all in a line have the same.
type manner uint8

const (
	together  manner = iota // a store wakes all
	exclusive               // a store wakes the first
	inTurn                  // a store makes all due
)

// A lot is what the processes of one lock share.
type lot struct {
	pkg string
	mu  sync.Mutex // guards the lines of all registers of the lock; held for a few instructions

	due   line                    // the processes to be given the baton, in this order; see AwaitEitherInTurn
	baton atomic.Pointer[Process] // the process that has it, woken by it and yet to pass it on, or nil; written under mu
	until atomic.Uint64           // the time until which other processes may enter before the holder; written under mu

	parked atomic.Int64 // processes
	crowd  int64        // so many; see hook.Crowd
}

// crowded reports whether a crowd is parked. It decides only how a process waits, so no
// other variable need agree with it.
func (t *lot) crowded() bool { return t.parked.Load() >= t.crowd }

// join puts q at the end of l, unless it is in l already: if another process is
// just taking it out, a token follows.
func (q *place) join(l *line) {
	if q.at.Load() == l {
		return
	}
	q.p.lot.mu.Lock()
	q.leave()
	l.append(q)
	q.p.lot.mu.Unlock()
}

// leave takes q out of its line, if any. If q was the first, leave wakes the processes
// behind it: a writer on the fast path of wakeAll, which takes no lock, may have found
// q first there, and then see it as the only process, in another line.
func (q *place) leave() {
	if old := q.at.Load(); old != nil {
		first := old.first.Load() == q
		old.remove(q)
		if first {
			old.empty()
		}
	}
}

// unlessEmpty calls wake(l) if some process is in l. It takes wake as a parameter so
// that the compiler inlines the stores that call it: a call of a parameter, which
// inlining turns into one of a known function, takes less of their budget.
func (l *line) unlessEmpty(wake func(*line)) {
	if l.first.Load() != nil {
		wake(l)
	}
}

// wake wakes the processes in l, as they wait there.
func (l *line) wake() {
	first := l.first.Load()
	if first == nil {
		return
	}
	switch first.manner {
	case exclusive:
		first.p.wakeExclusive()
	case inTurn:
		first.p.lot.makeDue(l)
	default:
		l.wakeAll(first)
	}
}

// wakeAll wakes every process in l, of which one was the first.
func (l *line) wakeAll(first *place) {
	hook.Intercepted(hook.Waking, nil)
	if first.next.Load() == first && first.p.signal() {
		return // the only one; it keeps its place
	}
	mu := &first.p.lot.mu
	mu.Lock()
	l.empty()
	mu.Unlock()
}

// The following are called under lot.mu.

func (l *line) append(q *place) {
	first := l.first.Load()
	if first != nil && (first.manner != q.manner || first.p.lot != q.p.lot) {
		q.p.lot.mu.Unlock()
		if first.manner != q.manner {
			panic("register: processes await a Word in two ways, of which stores can serve one")
		}
		panic("register: processes of two locks await a Word")
	}
	if first == nil {
		q.prev = q
		q.next.Store(q)
		l.first.Store(q)
	} else {
		last := first.prev
		q.prev = last
		q.next.Store(first)
		last.next.Store(q)
		first.prev = q
	}
	q.at.Store(l)
}

func (l *line) remove(q *place) {
	next := q.next.Load()
	if next == q {
		l.first.Store(nil)
	} else {
		prev := q.prev
		next.prev = prev
		prev.next.Store(next)
		if l.first.Load() == q {
			l.first.Store(next)
		}
	}
	q.at.Store(nil)
}

// empty takes every process out of l and wakes it, so each is woken once for each
// time that it joined.
func (l *line) empty() {
	for q := l.first.Load(); q != nil; q = l.first.Load() {
		l.remove(q) // before the token: a process that has it need not be in line
		hook.Intercepted(hook.Waking, nil)
		q.p.signal()
	}
}
