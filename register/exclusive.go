package register

import (
	"time"

	"example.org/doorway/internal/memory/hook"
)

// AwaitExclusive is [Word.Await] for a value on which only one waiter can act, such as that
// of a free lock, which one process takes. So a store to w wakes one process, that which has
// waited longest, unless it was woken already and has yet to read w. The others stay parked.
// The process that is woken must either write w again, or see that another did and await it
// once more; otherwise those behind it sleep forever.
func (w *Word) AwaitExclusive(p *Process, holds func(v uint64) bool) bool {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			return hostedAwait(h, p, hook.OpAwaitExclusive, hook.OpTry, &w.v.V, holds, nil)
		}
	}
	return holds(w.Load()) || p.awaitExclusive(w, holds)
}

// GiveWay lets the first exclusive waiter of w enter before p enters again, if it has been the
// first for 150 µs. Then the next entry of p waits at its beginning until p is the first in
// line itself ([Processes.Entry], [Processes.Context]), or fails ([Processes.Try]). Otherwise
// p, which is running, could enter again each time before the process that it has woken.
// Process p calls GiveWay at the end of its exit protocol, after the store for which the others
// wait. GiveWay does not block.
func (w *Word) GiveWay(p *Process) {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			hostedBoundary(h, hook.AtGiveWay, p)
			return
		}
	}
	if w.line.first.Load() != nil {
		p.giveWay(&w.line)
	}
}

// Exclusive waiting is bounded by the clock. A running process may pass the line
// again and again, which makes barging fast, until the first in line has been the
// first for a quantum. A process that exits then is behind the line: it begins its
// next entry only when it is the first itself.
//
// This costs nothing where no process waits. Waiters note since when they are the
// first. An exit looks at the clock only if it finds a line, and then rarely. The
// handle of a process shows that it is behind a line.
//
// A process that leaves the line as the first, and then finds the register closed again,
// comes back as the first. So no process passes it again and again.
//
// All this delays entries before they begin, and changes no register. So it cannot
// break a property of the algorithm, unless it loses a wake-up. But a process behind a
// line is in line, like any other waiter, and the first is woken.

// quantum is how long a running process may pass the first in line. It is
// long enough for hundreds of short entries, which pay for a wake-up.
const quantum = 150 * time.Microsecond

// overdue stands for the time since which a process is the first in line when it has
// found out itself that its quantum is over.
const overdue = 0

// A way is what a process that exits knows of the line of exclusive waiters.
type way struct {
	seen   uint64 // since when the first in line is the first, as of the latest exit that found a line
	exits  uint   // that found the same
	behind *line  // where it has to stand before its next entry; nil: nowhere
}

// awaitExclusive is the slow path of AwaitExclusive.
func (p *Process) awaitExclusive(w *Word, holds func(uint64) bool) bool {
	if p.trying {
		return false
	}
	return p.awaitInLine(&w.line, func() bool { return holds(w.Load()) })
}

// giveWay puts p behind l if the first in line has been the first for a quantum. It
// reads the clock at the first exit that finds that process there, which suffices for
// long critical sections, and at every 64th after it. If the sections become longer
// in between, the waiter is overdue when it is woken next. Others than exclusive waiters
// have no line in which p could stand.
func (p *Process) giveWay(l *line) {
	first := l.first.Load()
	if first == nil || first.manner != exclusive {
		return
	}
	since := first.p.since.Load()
	if p.way.seen != since {
		p.way.seen, p.way.exits = since, 0
	}
	p.way.exits++
	if p.way.exits%64 != 1 || !over(since) {
		return
	}
	p.way = way{behind: l} // and the next exit reads the clock
	if !p.barred {         // it is if the exit is part of an absorbed entry; then another goroutine may read it
		p.barred = true
	}
}

// over reports whether a quantum that began at since is over.
func over(since uint64) bool { return hook.Now()-since >= uint64(quantum) }

// givenWay waits until p is no longer behind a line, and returns false if done is
// closed first. It looks at no register: if that is closed when p is the first, p
// comes back as the first.
func (p *Process) givenWay(done <-chan struct{}) bool {
	if l := p.way.behind; l.first.Load() != nil {
		if done == closed {
			return false
		}
		p.done = done
		passed := p.awaitInLine(l, func() bool { return l.first.Load() == &p.single })
		p.done = nil
		if !passed {
			return false
		}
	}
	p.way.behind = nil
	return true
}

// awaitInLine has p stand in l as an exclusive waiter until passes returns true, which is
// asked whenever p is woken. Then p leaves the line, since a store wakes only the
// first. If p aborts or passes panics, p wakes the next, since it may have been woken
// itself.
func (p *Process) awaitInLine(l *line, passes func() bool) (passed bool) {
	q := &p.single
	q.joinExclusive(l)
	defer func() {
		wasFirst := q.leaveExclusive(l)
		if p.front = passed && wasFirst; !passed {
			hook.Intercepted(hook.Waking, nil)
			l.wakeFirst()
		}
	}()
	for {
		p.woken.Store(false) // before the read: a store after it wakes q again
		hook.Intercepted(hook.Waking, nil)
		if passes() {
			return true
		}
		if l.first.Load() == q && over(p.since.Load()) {
			p.since.Store(overdue)
		}
		if !p.sleep() {
			return false
		}
	}
}

// joinExclusive puts q into the line of exclusive waiters: at the end, or at the front if q
// comes back.
func (q *place) joinExclusive(l *line) {
	now := hook.Now()
	q.p.lot.mu.Lock()
	if !q.p.front {
		q.p.since.Store(now)
	}
	for k := range q.p.places {
		q.p.places[k].leave() // so that stores there wake it no more
	}
	l.append(q)
	if q.p.front {
		l.first.Store(q) // the line is a ring
	}
	q.p.lot.mu.Unlock()
}

// leaveExclusive takes q out of the line of exclusive waiters, and reports whether it was
// the first. No other process need wake.
func (q *place) leaveExclusive(l *line) (wasFirst bool) {
	now := hook.Now()
	q.p.lot.mu.Lock()
	wasFirst = l.first.Load() == q
	l.remove(q)
	if next := l.first.Load(); wasFirst && next != nil {
		next.p.since.Store(now)
	}
	q.p.lot.mu.Unlock()
	return wasFirst
}

// wakeFirst wakes the first of the exclusive waiters in l, if any.
func (l *line) wakeFirst() {
	if first := l.first.Load(); first != nil {
		first.p.wakeExclusive()
	}
}

// wakeExclusive wakes p, unless it was woken already and has yet to read the register: then
// it will see what was written.
func (p *Process) wakeExclusive() {
	if !p.woken.Load() {
		p.woken.Store(true)
		hook.Intercepted(hook.Waking, nil)
		p.signal()
	}
}
