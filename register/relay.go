package register

import "example.org/doorway/internal/seam"

// A Relay is an atomic register whose waiters are woken one at a time, by the
// holder of a baton and not by Store. It is for algorithms in which a process that
// wakes usually goes on only to wait elsewhere, as one that climbs a tree does: if
// an exit woke every process that it unblocks, they would block each other, and
// each would park and be woken once a level.
//
// So Store only makes the waiters due, in the order of the stores. At most one
// process of a lock has the baton: the one that was woken last. When it passes the
// baton on, the first that is due wakes. A process passes the baton before it
// parks, here or at a [Word] or a [Gate], and by [Process.Pass], which it must call at the end of its exit protocol
// and when it aborts.
//
// No wake-up is lost: while a process is due, either a process has the baton, or
// one that made others due has yet to call Pass. Both are awake, and pass before
// they park or leave; if no process has the baton, it goes to the first that is
// due. That may be as late as an exit, but until then no other process could
// enter.
//
// Its zero value holds 0 and is ready for use. It must not be copied after first
// use. All methods are safe for concurrent use. Its waiters must be processes of
// one lock.
type Relay struct{ w Word }

// Load reads r.
func (r *Relay) Load() uint64 { return r.w.Load() }

// Set writes v to r and makes no process due: for a value that no process awaits.
func (r *Relay) Set(v uint64) { r.w.Set(v) }

// Store writes v to r and makes its waiters due.
func (r *Relay) Store(v uint64) {
	if seam.Hosted {
		if h := seam.Attached(); h != nil {
			h.Do(seam.Operation{Op: seam.OpStore, Word: &r.w.v, Value: v})
			h.Relays(false)
			if h.Batons() {
				h.Do(seam.Operation{Op: seam.OpDue, Word: &r.w.v})
			}
			return
		}
	}
	r.w.Set(v)
	seam.Intercepted(seam.Waking, nil)
	if first := r.w.line.first.Load(); first != nil {
		first.p.lot.makeDue(&r.w.line)
	}
}

// AwaitEitherRelay is [AwaitEither] for relays.
func AwaitEitherRelay(p *Process, a *Relay, holdsA func(va uint64) bool, b *Relay, holdsB func(vb uint64) bool) bool {
	if seam.Hosted {
		if h := seam.Attached(); h != nil {
			held := hostedEitherRelay(h, p, &a.w, holdsA, &b.w, holdsB)
			h.Relays(true)
			return held
		}
	}
	return holdsA(a.Load()) || holdsB(b.Load()) || p.awaitEitherRelay(a, holdsA, b, holdsB)
}

// awaitEitherRelay is the slow path of AwaitEitherRelay. When it returns, p is
// neither in line nor due: the baton must not go to a process that does not wait.
// If holdsA or holdsB panics, p passes the baton on too, since no other process
// will.
func (p *Process) awaitEitherRelay(a *Relay, holdsA func(uint64) bool, b *Relay, holdsB func(uint64) bool) bool {
	if p.trying {
		return false
	}
	seam.Gosched() // as in awaitEither
	if holdsA(a.Load()) || holdsB(b.Load()) {
		return true
	}
	waits := true
	defer func() {
		if waits {
			p.stand(nil, nil)
			p.Pass()
		}
	}()
	for {
		p.stand(&a.w.line, &b.w.line)
		seam.Intercepted(seam.Waking, nil)
		if holdsA(a.Load()) || holdsB(b.Load()) {
			waits = false
			p.stand(nil, nil)
			return true
		}
		if !p.sleep() {
			waits = false
			p.stand(nil, nil)
			return false
		}
	}
}

// Pass passes the baton on, if p has it or no process does.
func (p *Process) Pass() {
	if seam.Hosted {
		if h := seam.Attached(); h != nil {
			hostedBoundary(h, seam.AtPass, p)
			h.Passes()
			if h.Batons() {
				h.Do(seam.Operation{Op: seam.OpPass})
			}
			return
		}
	}
	seam.Intercepted(seam.Waking, nil)
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
	seam.Intercepted(seam.Waking, nil)
	lot.mu.Lock()
	next := lot.pass(p)
	lot.mu.Unlock()
	if next != nil {
		seam.Intercepted(seam.Waking, nil)
		next.signal()
	}
}

// pass gives the baton to the first process that is due, and returns that process.
// It returns nil if a process other than p has the baton, or none is due.
func (t *lot) pass(p *Process) *Process {
	if holder := t.baton.Load(); holder != nil && holder != p {
		return nil
	}
	first := t.due.first.Load()
	if first == nil {
		t.baton.Store(nil)
		return nil
	}
	first.move(nil)
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
// nil. No process behind q need wake, because the lines of relays are read only
// under lot.mu. That is why a process has separate places for relays.
func (q *place) move(l *line) {
	if old := q.at.Load(); old != nil {
		old.remove(q)
	}
	if l != nil {
		l.append(q)
	}
}
