package mutex

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"example.org/doorway/internal/memory/hook"
)

// An admission decides which goroutines may contend for a Mutex, and as which
// process: at most one for each process, and the others queue.
//
// No goroutine sleeps while it could be admitted. Whoever makes that possible first
// does so, by freeing a process or clearing entering, and then looks whether the
// queue is empty. Whoever queues first joins the queue, and then looks whether it
// can be admitted. Since sync/atomic is sequentially consistent, one of the two sees
// the other.
type admission struct {
	order    order
	patience time.Duration
	taken    []atomic.Bool                            // by process
	watched  atomic.Pointer[[]atomic.Pointer[record]] // the records by process; nil unless Watch has been called

	_        [64]byte      // the fields below are written by those who wait, too
	queued   atomic.Uint64 // length of the queue; changed under mu
	entering atomic.Bool   // firstCome: a goroutine has been admitted and has yet to let the next be admitted
	looking  atomic.Bool   // barging: the first in the queue has been woken and has yet to look for a process
	starving atomic.Bool   // barging: the first in the queue has lost its patience, so no goroutine barges; changed under mu

	mu    sync.Mutex // held for a few instructions
	queue list
	spare *waiter // the first of those that no goroutine uses
}

// An order is that in which goroutines are admitted.
type order uint8

const (
	// undeclared: in FIFO order, as soon as a process is free.
	undeclared order = iota

	// firstCome: in FIFO order. The first to come while a goroutine is inside contends with
	// it, as another process. Those behind it queue, and each is admitted when the one
	// before it has left, and takes over its process: so the goroutines enter in the order
	// of the queue, and one that is admitted finds the lock free. If it were admitted before,
	// it would be woken, find the lock taken, and park again.
	firstCome

	// barging: whoever finds a free process takes it. A process that is given back
	// wakes the first in the queue, which then looks for a free one. If it finds none
	// and has lost its patience, the next that is given back is handed to it, and the
	// following to those behind it that have waited four times as long: if they had to
	// wait once as long, a queue of hundreds would seldom let others barge.
	//
	// There are two processes, that of the goroutine inside and one that contends. With
	// more the tail of the latency is longer, and the throughput no higher.
	barging
)

// patience is how long the first in the queue of a lock that permits barging may
// lose against others. It is that of sync.Mutex.
const patience = time.Millisecond

// orderOf returns the order that m declares.
func orderOf(m Mutex) order {
	switch declares, ok := m.(interface{ FIFO() bool }); {
	case !ok:
		return undeclared
	case declares.FIFO():
		return firstCome
	default:
		return barging
	}
}

// take takes a free process, if the caller can be admitted at once.
func (a *admission) take() (i int, ok bool) {
	switch a.order {
	case firstCome:
		if a.queued.Load() != 0 || !a.entering.CompareAndSwap(false, true) {
			return 0, false
		}
		if i, ok = a.free(); !ok {
			a.pass(nil)
		}
		return i, ok
	case barging:
		if a.starving.Load() {
			return 0, false
		}
	default:
		if a.queued.Load() != 0 {
			return 0, false
		}
	}
	return a.free()
}

// free takes the free process with the smallest number.
func (a *admission) free() (i int, ok bool) {
	for i := range a.taken {
		if t := &a.taken[i]; !t.Load() && t.CompareAndSwap(false, true) {
			return i, true
		}
	}
	return 0, false
}

// entered lets the next be admitted: the caller has entered. It has waited as w, or not
// at all if w is nil. If it has, and the order is firstCome, entered returns w and does
// nothing, and give lets the next be admitted when the caller leaves.
func (a *admission) entered(w *waiter) (kept *waiter) {
	if w != nil && a.order == firstCome {
		return w
	}
	a.pass(w)
	return nil
}

// pass admits the next: the caller has entered, or will not. It has waited as w, or not
// at all if w is nil.
func (a *admission) pass(w *waiter) {
	if a.order == firstCome {
		if w == nil && a.queued.Load() == 0 {
			a.entering.Store(false)
			if a.queued.Load() == 0 || !a.entering.CompareAndSwap(false, true) {
				return
			}
		}
	} else if w == nil {
		return
	}
	var asleep *waiter
	a.mu.Lock()
	if w != nil {
		a.recycle(w)
	}
	if a.order == firstCome {
		asleep = a.admit()
	}
	a.mu.Unlock()
	asleep.wake()
}

// failed gives back process i, which has not entered. The caller has waited as w,
// or not at all if w is nil.
func (a *admission) failed(i int, w *waiter) {
	a.record(i, nil)
	a.give(i, nil)
	a.pass(w)
}

// give gives process i back. The result of entered was kept.
func (a *admission) give(i int, kept *waiter) {
	if kept != nil {
		a.handOver(i, kept)
		return
	}
	a.taken[i].Store(false)
	if a.queued.Load() == 0 {
		return
	}
	switch a.order {
	case firstCome:
		if a.entering.Load() {
			return // whoever is entering admits the next
		}
	case barging:
		if a.looking.Load() {
			return // the first in the queue will see that i is free
		}
	}
	a.mu.Lock()
	if a.order != barging || a.starving.Load() {
		asleep := a.serve()
		a.mu.Unlock()
		asleep.wake()
		return
	}
	first := a.queue.first
	looks := first != nil && !a.looking.Load()
	asleep := false
	if looks {
		a.looking.Store(true)
		asleep = first.changes(woken)
	}
	a.mu.Unlock()
	if asleep {
		first.token <- struct{}{}
	}
}

// handOver gives process i back and admits the next as the same process. The caller,
// which has waited as kept, has admitted no other since it entered.
func (a *admission) handOver(i int, kept *waiter) {
	var asleep *waiter
	a.mu.Lock()
	a.recycle(kept)
	if w := a.queue.first; w == nil {
		a.taken[i].Store(false)
		a.entering.Store(false)
	} else if a.hand(w, i) {
		asleep = w
	}
	a.mu.Unlock()
	asleep.wake()
}

// serve hands free processes to the waiters in the queue, under mu. The caller must
// wake those that it returns, linked by next, when it no longer has mu: waking a
// goroutine can take microseconds.
func (a *admission) serve() (asleep *waiter) {
	if a.order == firstCome {
		if !a.entering.Load() && a.entering.CompareAndSwap(false, true) {
			asleep = a.admit()
		}
		return asleep
	}
	for w := a.queue.first; w != nil; w = a.queue.first {
		i, ok := a.free()
		if !ok {
			break
		}
		if a.hand(w, i) {
			w.next = asleep
			asleep = w
		}
	}
	return asleep
}

// admit admits the first in the queue, under mu, by a caller that has set entering.
// If none can be admitted, it clears entering. It returns the waiter to be woken, if
// any; see serve.
func (a *admission) admit() (asleep *waiter) {
	for w := a.queue.first; w != nil; {
		if i, ok := a.free(); ok {
			if a.hand(w, i) {
				asleep = w
			}
			return asleep
		}
		a.entering.Store(false)
		if !a.anyFree() || !a.entering.CompareAndSwap(false, true) {
			return nil // whoever gives back the next sees that no goroutine is entering
		}
	}
	a.entering.Store(false)
	return nil
}

// hand hands process i to w, under mu, and reports whether w must be woken.
func (a *admission) hand(w *waiter, i int) (asleep bool) {
	a.leave(w)
	if w.record != nil {
		a.record(i, w.record)
	}
	return w.changes(served + uint64(i))
}

func (a *admission) anyFree() bool {
	for i := range a.taken {
		if !a.taken[i].Load() {
			return true
		}
	}
	return false
}

// leave takes w out of the queue, under mu, and reports whether it was there.
func (a *admission) leave(w *waiter) bool {
	first := a.queue.first == w
	if !a.queue.remove(w) {
		return false
	}
	a.queued.Store(a.queued.Load() - 1)
	if first && a.order == barging {
		next := a.queue.first
		a.starving.Store(a.starving.Load() && next != nil && time.Duration(hook.Now()-next.since)/4 >= a.patience)
		a.looking.Store(false)
	}
	return true
}

// recycle keeps w, whose goroutine no longer uses it, for the next that waits, under mu.
func (a *admission) recycle(w *waiter) {
	w.next = a.spare
	a.spare = w
}

// wait queues for a process, and fails if done is closed before it gets one.
func (a *admission) wait(done <-chan struct{}, r *record) (i int, w *waiter, ok bool) {
	var since uint64
	if a.order == barging {
		since = hook.Now()
	}
	a.mu.Lock()
	w = a.spare
	if w == nil {
		w = &waiter{token: make(chan struct{}, 1)}
	} else {
		a.spare = w.next
	}
	w.record, w.since = r, since
	w.state.Store(waiting)
	a.queue.push(w)
	a.queued.Store(a.queued.Load() + 1)
	asleep := a.serve()
	a.mu.Unlock()
	asleep.wake()

	runtime.Gosched()
	for {
		if !w.sleep(done) {
			return a.abort(w)
		}
		if state := w.state.Load(); state >= served {
			return int(state - served), w, true
		}
		a.mu.Lock()
		a.looking.Store(false)
		w.state.CompareAndSwap(woken, waiting)
		asleep := a.serve()
		if a.queue.first == w && time.Duration(hook.Now()-since) >= a.patience {
			a.starving.Store(true)
		}
		a.mu.Unlock()
		asleep.wake()
	}
}

// abort takes w, whose goroutine has parked, out of the queue, unless it has been
// served.
func (a *admission) abort(w *waiter) (i int, _ *waiter, ok bool) {
	var asleep *waiter
	a.mu.Lock()
	left := a.leave(w)
	if w.state.Load() != parked {
		<-w.token
	}
	if left {
		a.recycle(w)
		asleep = a.serve()
	}
	a.mu.Unlock()
	asleep.wake()
	if left {
		return 0, nil, false
	}
	return int(w.state.Load() - served), w, true
}

// A waiter is a goroutine in the queue. A Shared keeps as many as were ever queued
// at once. No two Shareds use the same waiter, because they may live in different
// synctest bubbles.
type waiter struct {
	state      atomic.Uint64 // waiting, parked, woken or served; the last two are written under the mutex of the queue
	token      chan struct{}
	prev, next *waiter // in the list; the spare waiters use only next
	record     *record // of the call, or nil; guarded by the mutex of the queue
	since      uint64  // barging: when it joined the queue; guarded likewise
}

// The states of a waiter.
const (
	waiting = iota
	parked  // or about to be
	woken   // barging: to look for a process
	served  // served + i: it has process i
)

// changes changes the state of w, under the mutex of the queue, and reports whether
// its goroutine must be woken.
func (w *waiter) changes(state uint64) (asleep bool) {
	return w.state.Swap(state) == parked
}

// wake wakes the goroutine of w and of those behind it, if any.
func (w *waiter) wake() {
	for w != nil {
		next := w.next // before the token: then w can be used for another wait
		w.token <- struct{}{}
		w = next
	}
}

// sleep parks the goroutine of w until it is woken, and returns false if done is
// closed first.
func (w *waiter) sleep(done <-chan struct{}) bool {
	if !w.state.CompareAndSwap(waiting, parked) {
		return true
	}
	if done == nil {
		<-w.token
		return true
	}
	select {
	case <-w.token:
		return true
	case <-done:
		return false
	}
}
