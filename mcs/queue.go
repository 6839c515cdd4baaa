package mcs

import (
	"runtime"
	"sync"

	"example.org/doorway/internal/memory/cell"
	"example.org/doorway/internal/memory/renaming"
)

// A Queue is the lock for any number of goroutines, which take nodes where they need them:
// [example.org/doorway/mutex.FIFO] is made of one, and has the documentation for users. Its
// zero value is free. It must not be copied after first use.
type Queue struct {
	queue  queue
	taking cell.Plain // who takes nodes out of the queue, one at a time
	aborts cell.Plain // since the last sweep, less half of what it has kept
}

// Enter is line 1. It reports whether the caller is in the critical section.
func (q *Queue) Enter() bool { return q.queue.enter() }

// Leave is line 7. It reports whether the lock is free now; otherwise Hand must follow.
func (q *Queue) Leave() bool { return q.queue.leave() }

// Wait joins the queue after Enter has failed. It blocks until the caller is in the critical
// section, and returns true, or false if done is closed first; nil: never. If no node is left,
// it tries to enter, or to get one, until it succeeds.
func (q *Queue) Wait(done <-chan struct{}) bool {
	for {
		if l, _ := leases.Get().(*lease); l != nil {
			return q.wait(places, l, done)
		}
		if l := places.lease(); l != nil {
			runtime.AddCleanup(l, places.Give, l.place)
			return q.wait(places, l, done)
		}
		if q.Enter() {
			return true
		}
		select {
		case <-done:
			return false
		default:
			runtime.Gosched()
		}
	}
}

// Hand is lines 7 to 11. It returns false if no goroutine is in its critical section, or if
// another is in Hand. Two that took nodes out of a queue at once would harm other queues, which
// have the nodes next.
func (q *Queue) Hand() bool { return q.handOn(places) }

// wait is Wait with a lease of a pool. It gives the lease back, or leaves it to the goroutine
// that takes its node out of the queue.
func (q *Queue) wait(in *pool, l *lease, done <-chan struct{}) bool {
	i := &l.at.node
	l.at.lease = l // before others find the node
	if q.queue.join(in, uint64(l.place)+first, i) {
		return true
	}
	runtime.Gosched()                                            // not in Park: see there
	if !i.state.Park(cell.Until(done), isGranted) && i.leave() { // 5, a
		q.sweep(in)
		return false
	}
	l.at.lease = nil // or it would never be dropped
	in.put(l)
	return true
}

// The values of taking.
const (
	idle     = iota
	exiting  // an exit is in lines 8 to 10
	sweeping // an abort takes nodes out
	asked    // and then hands on the lock for an exit, which has come meanwhile
)

// handOn is Hand on the nodes of a pool. It gives back the nodes that were left in the queue.
func (q *Queue) handOn(in *pool) bool {
	for !q.Leave() {
		switch now := q.taking.Load(); {
		case now == exiting, now == asked, q.queue.tail.Load() == free:
			return false
		case now == sweeping:
			if q.taking.CompareAndSwap(sweeping, asked) {
				return true
			}
		case q.taking.CompareAndSwap(idle, exiting):
			if q.queue.tail.Load() < first { // the lock has been unlocked meanwhile, and perhaps locked
				q.taking.Swap(idle)
				continue
			}
			name := q.queue.take(cell.Until(nil), in)
			q.taking.Swap(idle)
			if in.node(name).grant() {
				return true
			}
			in.giveBack(int(name - first))
		}
	}
	return true
}

// sweep comes after each abort. It takes the nodes of aborted waiters out of the queue if enough
// have aborted since the last time: as many as pool.many, and half as many as were left in the
// queue then. So an abort pays for a step of a sweep, and no more nodes of aborted waiters are
// left than about the number of the others, or pool.many.
//
// It leaves the first node, which may be that of the process inside (line 4), and those from the
// last on, behind which another may join.
func (q *Queue) sweep(in *pool) {
	q.count(1)
	for n := q.aborted(); n >= in.many && q.taking.CompareAndSwap(idle, sweeping); n = q.aborted() {
		kept := q.takeAborted(in)
		q.count(-n - kept/2) // not to 0: others have aborted meanwhile, and some of their nodes are left
		if !q.taking.CompareAndSwap(sweeping, idle) {
			q.taking.Swap(idle)
			q.handOn(in)
		}
	}
}

// takeAborted takes the nodes out for sweep, and returns how many nodes it has kept.
func (q *Queue) takeAborted(in *pool) (kept int) {
	name := q.queue.head.Load() // before tail: so last is in the queue, unless name is 0
	last := q.queue.tail.Load() // others may join for as long as this takes
	for ; name != 0 && name != last; kept++ {
		k := in.node(name)
		for name = k.next.Load(); name != 0; name = k.next.Load() {
			next := in.node(name).next.Load()
			if next == 0 || name == last || in.node(name).state.Load() != absent {
				break
			}
			k.next.Store(next)
			in.giveBack(int(name - first))
		}
	}
	return kept
}

func (q *Queue) aborted() int { return int(int64(q.aborts.Load())) }

func (q *Queue) count(aborts int) { q.aborts.FetchAdd(uint64(aborts)) }

// A pool has the nodes of queues.
type pool struct {
	*renaming.Table[place]
	put      func(l *lease)  // gives a lease back
	giveBack func(place int) // gives the lease back of a node that was left in a queue, and is out of it now
	many     int             // aborts are worth a sweep
}

func (p *pool) node(name uint64) *node { return &p.At(int(name - first)).node }

// A place has a node, and its lease while the node is left in a queue. With the link of the
// table it takes a cache line.
type place struct {
	node
	lease *lease
	_     [16]byte
}

// places are the nodes of all queues: as many as have ever been in queues at once.
var (
	table  = renaming.New(64, func(*place) {})
	places = &pool{table, put, giveBack, 64}
)

// A lease is the right to use a place. A lease that is not used is kept for the processor that
// used it last. To take a place from the table, which all processors share, would cost more than
// to queue. A lease that is dropped gives its place back to the table.
type lease struct {
	place int
	at    *place
}

var leases sync.Pool

// lease returns the lease of a free place, or nil if there is none.
func (p *pool) lease() *lease {
	place := p.Take()
	if place < 0 {
		return nil
	}
	return &lease{place: place, at: p.At(place)}
}

func put(l *lease) { leases.Put(l) }

func giveBack(place int) {
	k := table.At(place)
	l := k.lease
	k.lease = nil
	put(l)
}
