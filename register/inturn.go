package register

import (
	"runtime"
	"time"

	"example.org/doorway/internal/memory/hook"
)

// AwaitEitherInTurn is [AwaitEither] for algorithms in which a process that wakes usually
// goes on only to wait elsewhere, as one that climbs a tree does. If an exit woke every
// process that it unblocks, they would block each other, and each would park and be woken
// once a level.
//
// So a store wakes none of these waiters. It makes them due, in the order of the stores. At
// most one process of a lock has the baton: the one that was woken last. When it passes the
// baton on, the first that is due wakes. A process passes the baton before it parks, wherever
// it does, and by [Process.Pass], which it must call at the end of its exit protocol and of an
// aborted entry. Then its next entry may be delayed, and it becomes due itself, while another
// process has the baton.
//
// No wake-up is lost. While a process is due, either a process has the baton, or one that made
// others due has yet to call Pass. Both are awake, and pass before they park or leave. If no
// process has the baton, it goes to the first that is due. That may be as late as an exit, but
// until then no other process could enter.
func AwaitEitherInTurn(p *Process, a *Word, holdsA func(va uint64) bool, b *Word, holdsB func(vb uint64) bool) bool {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			return hostedEither(h, hook.AtAwaitInTurn, p, a, holdsA, b, holdsB)
		}
	}
	return holdsA(a.Load()) || holdsB(b.Load()) || p.awaitInTurn(a, holdsA, b, holdsB)
}

// awaitInTurn is the slow path of AwaitEitherInTurn. When it returns, p is neither in line
// nor due: the baton must not go to a process that does not wait. If holdsA or holdsB panics,
// p passes the baton on too, since no other process will.
//
// It yields once before it parks, as awaitEither does; but in line, if others are due. For
// while p waits for a processor, a process on another branch of the tree may enter again
// and again: in line p becomes due, and that process gives way to it ([Process.Pass]).
func (p *Process) awaitInTurn(a *Word, holdsA func(uint64) bool, b *Word, holdsB func(uint64) bool) (held bool) {
	if p.trying {
		return false
	}
	if p.came == 0 {
		p.came = hook.Now()
	}
	holds := func() bool { return holdsA(a.Load()) || holdsB(b.Load()) }
	crowded := p.lot.due.first.Load() != nil
	if !crowded {
		runtime.Gosched()
		if holds() {
			return true
		}
	}
	returned := false
	defer func() {
		p.stand(nil, nil)
		if !returned {
			p.pass()
		}
	}()
	held = p.standUntil(holds, &a.line, &b.line, crowded)
	returned = true
	return held
}

// standUntil has p stand in the lines a and b until holds returns true, and returns false if p
// aborts first. If yields is true, p yields once before it parks.
func (p *Process) standUntil(holds func() bool, a, b *line, yields bool) bool {
	for ; ; yields = false {
		p.stand(a, b)
		hook.Intercepted(hook.Waking, nil)
		if holds() {
			return true
		}
		if yields {
			p.pass()
			runtime.Gosched()
			if holds() {
				return true
			}
		}
		if !p.sleep() {
			return false
		}
	}
}

// Pass passes the baton on, if p has it or no process does. If another process has had it
// for a microsecond, and began to wait 50 µs ago, and others are due, then the next entry
// of p waits at its beginning until p is given the baton itself ([Processes.Entry],
// [Processes.Context]), or fails ([Processes.Try]). Pass takes a lock that is held for a
// few instructions at a time.
func (p *Process) Pass() {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			hostedBoundary(h, hook.AtPass, p)
			return
		}
	}
	p.standBehind()
	p.pass()
}

// pass passes the baton on, if p has it or no process does.
func (p *Process) pass() {
	hook.Intercepted(hook.Waking, nil)
	lot := p.lot
	switch lot.baton.Load() {
	case p:
	case nil:
		if lot.due.first.Load() == nil {
			return
		}
	default:
		return // its holder passes it later, and then sees the processes that p made due
	}
	hook.Intercepted(hook.Waking, nil)
	now := hook.Now()
	lot.mu.Lock()
	next := lot.pass(p, now)
	lot.mu.Unlock()
	if next != nil {
		hook.Intercepted(hook.Waking, nil)
		next.signal()
	}
}

// Waiting in turn is bounded by the clock. A process that exits is running, and may
// enter again before the process with the baton, which has been woken, runs: the operating
// system may leave that one without a processor for milliseconds, while the running one
// occupies the processor next to it. So it enters again only until the holder has waited
// for patience, and has had the baton for a burst. Then it parks behind those that are due,
// which leaves its processor to them.
//
// Without the burst each entry would cost a wake-up when so many contend that all have
// waited for patience. If none is due, the holder and p go on to take turns.
const (
	patience = 50 * time.Microsecond
	burst    = time.Microsecond
)

// standBehind has p stand behind the processes that are due before its next entry, if
// another has had the baton for too long.
func (p *Process) standBehind() {
	lot := p.lot
	if holder := lot.baton.Load(); holder == nil || holder == p || lot.due.first.Load() == nil || hook.Now() < lot.until.Load() {
		return
	}
	p.late = true
	if !p.barred { // as in giveWay
		p.barred = true
	}
}

// awaitBaton waits until p is given the baton, behind the processes that are due, and
// returns false if done is closed first. It does not wait if no process has the baton.
func (p *Process) awaitBaton(done <-chan struct{}) bool {
	if p.lot.baton.Load() != nil {
		if done == closed {
			return false
		}
		p.done = done
		given := p.standDue()
		p.done = nil
		if !given {
			return false
		}
	}
	p.late = false
	return true
}

// standDue makes p due, unless no process has the baton, and waits until p is no longer:
// then p has been given the baton, and may have passed it on before it parked. If p
// aborts, standDue returns false, and p passes the baton on.
func (p *Process) standDue() bool {
	p.lot.mu.Lock()
	if p.lot.baton.Load() != nil {
		p.came = overdue // until it has the baton, others may enter before it for a burst only
		p.climbing[0].move(&p.lot.due)
	}
	p.lot.mu.Unlock()
	for p.isDue() {
		if !p.sleep() {
			p.stand(nil, nil)
			p.pass()
			return false
		}
	}
	return true
}

// isDue reports whether p is due. It takes the lock, under which the baton changes hands:
// a process that saw itself removed before it has the baton would not pass it on.
func (p *Process) isDue() bool {
	p.lot.mu.Lock()
	defer p.lot.mu.Unlock()
	return p.climbing[0].at.Load() != nil
}

// pass gives the baton to the first process that is due, and returns that process.
// It returns nil if a process other than p has the baton, or none is due.
func (t *lot) pass(p *Process, now uint64) *Process {
	if holder := t.baton.Load(); holder != nil && holder != p {
		return nil
	}
	first := t.due.first.Load()
	if first == nil {
		t.baton.Store(nil)
		return nil
	}
	first.move(nil)
	t.until.Store(max(first.p.came+uint64(patience), now+uint64(burst)))
	t.baton.Store(first.p)
	return first.p
}

// makeDue takes every process out of l and makes it due.
func (t *lot) makeDue(l *line) {
	t.mu.Lock()
	for q := l.first.Load(); q != nil; q = l.first.Load() {
		q.p.climbing[1].move(nil)
		q.p.climbing[0].move(&t.due)
	}
	t.mu.Unlock()
}

// stand takes p out of the lines that it is in, or out of lot.due, and puts it at
// the end of a and b.
func (p *Process) stand(a, b *line) {
	p.lot.mu.Lock()
	p.climbing[0].move(a)
	p.climbing[1].move(b)
	p.lot.mu.Unlock()
}

// move takes q out of its line, if any, and puts it at the end of l, if l is not
// nil. No process behind q need wake, because the lines of those that wait in turn are
// read only under lot.mu. That is why a process has separate places for them.
func (q *place) move(l *line) {
	if old := q.at.Load(); old != nil {
		old.remove(q)
	}
	if l != nil {
		l.append(q)
	}
}
