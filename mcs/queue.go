package mcs

import (
	"runtime"
	"sync"

	"example.org/doorway/internal/renaming"
	"example.org/doorway/register"
)

// Wait is what follows if Enter fails: it blocks until the caller is in the critical section,
// and returns true, or false if done is closed first; nil: never.
func (q *Queue) Wait(done <-chan struct{}) bool {
	l := leases.Get().(*lease)
	entered, left := q.wait(places, l, done)
	if !left {
		leases.Put(l)
	}
	return entered
}

// Hand is lines 7 to 11. It returns false if no goroutine is in its critical section, and may if several
// call it at once: one of them takes nodes out of the queue, and no more than one, since nodes go from queue to queue.
func (q *Queue) Hand() bool { return q.handOn(places, giveBack) }

// wait is lines 2 to 5, and lines a and b. It reports whether the caller is in its critical
// section, and whether its node is left in the queue: then an exit will give it back.
func (q *Queue) wait(in pool, l *lease, done <-chan struct{}) (entered, left bool) {
	p, i := &anyone, &l.at.node
	if done != nil {
		p = l.until(done)
	}
	entered = q.join(in, uint64(l.place)+first, i) || i.await(p)
	if entered && i.state.Load() == granted {
		return true, false
	}
	l.at.lease, l.p = l, nil   // which keeps done: a node may be left in its queue for long
	if !entered && i.leave() { // a
		return false, true
	}
	if left = i.state.Load() != granted; !left {
		l.at.lease = nil // or it would never be dropped
	}
	return true, left
}

// handOn is Hand on the nodes of a pool. It gives back the places of nodes that were left in the queue.
func (q *Queue) handOn(in pool, giveBack func(place int)) bool {
	for !q.Leave() {
		if q.tail.Load() == free || !q.leaving.CompareAndSwap(0, 1) {
			return false
		}
		name := q.take(&anyone, in)
		q.leaving.Swap(0)
		if in.node(name).grant() {
			return true
		}
		giveBack(int(name - first))
	}
	return true
}

// anyone is a process of which nothing is known, and which never aborts.
var anyone register.Process

// A pool has the nodes of queues.
type pool struct{ *renaming.Table[place] }

func (p pool) node(name uint64) *node { return &p.At(int(name - first)).node }

// A place has a node, and its lease while the node is left in a queue. With the link of the
// table it takes a cache line.
type place struct {
	node
	lease *lease
	_     [16]byte
}

// places are the nodes of all queues, as many as goroutines have ever waited at once, and
// aborted nodes been left with them.
var places = pool{renaming.New(64, func(*place) {})}

// A lease is the right to use a place. Those that are not used are kept for the processor that
// used them last: the table is shared by all processors, and taking a place there would cost
// more than to queue. A lease that is dropped gives its place back to the table.
type lease struct {
	place int
	at    *place
	p     *register.Process // of waits that may be aborted, or nil; on the stack it would make that grow
}

var leases = sync.Pool{New: func() any {
	l := places.lease()
	runtime.AddCleanup(l, places.Give, l.place)
	return l
}}

func (p pool) lease() *lease {
	place := p.Take()
	return &lease{place: place, at: p.At(place)}
}

// until returns a process that aborts when done is closed.
func (l *lease) until(done <-chan struct{}) *register.Process {
	if l.p == nil {
		l.p = new(register.Process)
	}
	l.p.Until(done)
	return l.p
}

// giveBack gives a place back, whose node was left in a queue and is out of it now.
func giveBack(place int) {
	k := places.At(place)
	l := k.lease
	k.lease = nil
	leases.Put(l)
}
