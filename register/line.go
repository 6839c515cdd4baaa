package register

import "example.org/doorway/internal/seam"

// A line is the processes that wait at one register, the longest wait first.
//
// The protocol, which must lose no wake-up: a process that waits joins the
// line, looks at the register once more, and sleeps until somebody sends it a
// token; then it looks again. Whoever changes the register writes first, and
// then looks whether there is a line. Since sync/atomic is sequentially
// consistent, one of the two sees the other: either the look comes after the
// write, or the line is seen. Turning either pair around loses wake-ups.
//
// A token too many is harmless, for whoever wakes looks for itself. That buys
// the fast path: a process keeps its place after its wait has ended, until it
// waits elsewhere or a token sent to it lies unused. So processes that hand a
// lock round in the same order change no line at all; and to give up costs
// nothing, however many wait.
type line struct {
	first seam.Pointer[place] // written under lot.mu
}

// A place is where a process stands in line. The places of a line form a ring.
type place struct {
	p    *Process
	at   seam.Pointer[line]  // the line that it stands in, or nil; written under lot.mu
	next seam.Pointer[place] // written under lot.mu
	prev seam.Guarded[place] // under lot.mu

	woken seam.Flag // at a gate: woken, and yet to look
}

// A lot is what the processes of one lock share.
type lot struct {
	pkg string
	mu  seam.Mutex // guards the lines of all registers of the lock; held for a few instructions

	due   line                  // those whom the next to have the baton are taken from; see Relay
	baton seam.Pointer[Process] // who was woken by it and has yet to pass it on, or nil; written under mu
}

// join puts q at the end of l, unless it stands there already: if somebody is
// just taking it out, a token follows.
func (q *place) join(l *line) {
	if q.at.Load() == l {
		return
	}
	q.p.lot.mu.Lock()
	q.step(l)
	q.p.lot.mu.Unlock()
}

// leaveGate takes q out of the line of a gate. Nobody else need wake.
func (q *place) leaveGate(l *line) {
	q.p.lot.mu.Lock()
	l.remove(q)
	q.p.lot.mu.Unlock()
}

// step takes q out of its line, if any, and puts it at the end of l. If it was the
// first, those whom it leaves behind are woken, because a writer on the fast path
// of wakeAll, which takes no lock, may have found q first in its line, and then
// alone, in another.
func (q *place) step(l *line) {
	if old := q.at.Load(); old != nil {
		first := old.first.Load() == q
		old.remove(q)
		if first {
			old.empty()
		}
	}
	l.append(q)
}

// wakeAll wakes everyone in l.
func (l *line) wakeAll() {
	first := l.first.Load()
	if first == nil {
		return
	}
	seam.Intercepted(seam.Waking, nil)
	if first.next.Load() == first && first.p.signal() {
		return // alone, and keeps its place
	}
	mu := &first.p.lot.mu
	mu.Lock()
	l.empty()
	mu.Unlock()
}

// wakeOne wakes the first in line at a gate, unless that was done already and
// it has yet to look: then it will see what was written.
func (l *line) wakeOne() {
	if q := l.first.Load(); q != nil && !q.woken.Load() {
		q.woken.Store(true)
		seam.Intercepted(seam.Waking, nil)
		q.p.signal()
	}
}

// The following are called under lot.mu.

func (l *line) append(q *place) {
	first := l.first.Load()
	if first == nil {
		q.prev.Store(q)
		q.next.Store(q)
		l.first.Store(q)
	} else {
		last := first.prev.Load()
		q.prev.Store(last)
		q.next.Store(first)
		last.next.Store(q)
		first.prev.Store(q)
	}
	q.at.Store(l)
}

func (l *line) remove(q *place) {
	next := q.next.Load()
	if next == q {
		l.first.Store(nil)
	} else {
		prev := q.prev.Load()
		next.prev.Store(prev)
		prev.next.Store(next)
		if l.first.Load() == q {
			l.first.Store(next)
		}
	}
	q.at.Store(nil)
}

// empty wakes everyone in l and takes them out, so that each of them is woken once
// for each time that it has joined.
func (l *line) empty() {
	for q := l.first.Load(); q != nil; q = l.first.Load() {
		l.remove(q) // before the token: who has it need not be in line
		seam.Intercepted(seam.Waking, nil)
		q.p.signal()
	}
}
