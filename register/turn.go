package register

import (
	"time"

	"example.org/doorway/internal/seam"
)

// Waiting at a gate is bounded by the clock. A running process may pass the line
// again and again, which makes barging fast, until the first in line has been the
// first for a quantum. A process that exits then is behind the line: it begins its
// next entry only when it is the first itself.
//
// This costs nothing where no process waits. Waiters note since when they are the
// first; an exit looks at the clock only if it finds a line, and then rarely; and the
// handle of a process shows that it is behind a line.
//
// A process that leaves the line as the first, and then finds the gate closed again,
// comes back as the first. So no process passes it again and again.
//
// All this delays entries before they begin, and changes no register. So it cannot
// break a property of the algorithm, unless it loses a wake-up: but a process behind a
// line is in line, like any other that awaits the gate, and the first is woken.

// quantum is how long a running process may pass the first in line at a gate. It is
// long enough for hundreds of short entries, which pay for a wake-up.
const quantum = 150 * time.Microsecond

// overdue stands for the time since which a process is the first in line when it has
// found out itself that its quantum is over.
const overdue = 0

// A turn is what a process that exits knows of the line at a gate.
type turn struct {
	seen   uint64 // since when the first in line is the first, as of the latest exit that found a line
	exits  uint   // that found the same
	behind *line  // where it has to stand before its next entry; nil: nowhere
}

// awaitGate is the slow path of Gate.Await.
func (p *Process) awaitGate(g *Gate, holds func(uint64) bool) bool {
	if p.trying {
		return false
	}
	return p.awaitInLine(&g.w.line, func() bool { return holds(g.Load()) })
}

// giveWay puts p behind l if the first in line has been the first for a quantum. It
// reads the clock at the first exit that finds that process there, which suffices for
// long critical sections, and at every 64th after it. If the sections become longer
// in between, the waiter is overdue when it is woken next.
func (p *Process) giveWay(l *line) {
	first := l.first.Load()
	if first == nil {
		return
	}
	since := first.since.Load()
	if p.turn.seen != since {
		p.turn.seen, p.turn.exits = since, 0
	}
	p.turn.exits++
	if p.turn.exits%64 != 1 || !over(since) {
		return
	}
	p.turn = turn{behind: l} // and the next exit reads the clock
	if !p.barred {           // it is if the exit is part of an absorbed entry; then another goroutine may read it
		p.barred = true
	}
}

// over reports whether a quantum that began at since is over.
func over(since uint64) bool { return seam.Now()-since >= uint64(quantum) }

// givenWay waits until p is no longer behind a line, and returns false if done is
// closed first. It looks at no gate: if the gate is closed when p is the first, p
// comes back as the first.
func (p *Process) givenWay(done <-chan struct{}) bool {
	if l := p.turn.behind; l.first.Load() != nil {
		if done == closed {
			return false
		}
		p.done = done
		passed := p.awaitInLine(l, func() bool { return l.first.Load() == &p.places[0] })
		p.done = nil
		if !passed {
			return false
		}
	}
	p.turn.behind = nil
	return true
}

// awaitInLine has p stand in line at a gate until passes returns true, which is
// asked whenever p is woken. Then p leaves the line, since the gate wakes only the
// first. If p aborts or passes panics, p wakes the next, since it may have been woken
// itself.
func (p *Process) awaitInLine(l *line, passes func() bool) (passed bool) {
	q := &p.places[0]
	q.joinGate(l)
	defer func() {
		wasFirst := q.leaveGate(l)
		if p.front = passed && wasFirst; !passed {
			seam.Intercepted(seam.Waking, nil)
			l.wakeOne()
		}
	}()
	for {
		q.woken.Store(false) // before the read: a store after it wakes q again
		seam.Intercepted(seam.Waking, nil)
		if passes() {
			return true
		}
		if l.first.Load() == q && over(q.since.Load()) {
			q.since.Store(overdue)
		}
		if !p.sleep() {
			return false
		}
	}
}

// joinGate puts q into the line of a gate: at the end, or at the front if q comes
// back.
func (q *place) joinGate(l *line) {
	now := seam.Now()
	q.p.lot.mu.Lock()
	if !q.p.front {
		q.since.Store(now)
	}
	q.step(l)
	if q.p.front {
		l.first.Store(q) // the line is a ring
	}
	q.p.lot.mu.Unlock()
}

// leaveGate takes q out of the line of a gate, and reports whether it was the first.
// No other process need wake.
func (q *place) leaveGate(l *line) (wasFirst bool) {
	now := seam.Now()
	q.p.lot.mu.Lock()
	wasFirst = l.first.Load() == q
	l.remove(q)
	if next := l.first.Load(); wasFirst && next != nil {
		next.since.Store(now)
	}
	q.p.lot.mu.Unlock()
	return wasFirst
}
