package messaging

import (
	"context"
	"sync"
)

// A Locker is a node of a [Cluster] as a sync.Locker for any number of callers; see
// [Cluster.Node]. Callers queue at the node in FIFO order, and the algorithm sees one
// request of the node at a time. As with sync.Mutex, one goroutine may unlock what
// another has locked; it may do so by the Locker or by [Cluster.Unlock]. But callers of
// [Cluster.Lock] do not queue here: if the node is in use, they panic.
type Locker interface {
	// Lock blocks until the caller is in the critical section. It panics if the
	// node is down or the cluster is closed, before or during the call.
	Lock()

	// Unlock leaves the critical section. It panics if the node is not inside.
	Unlock()

	// TryLock enters the critical section if no other caller is queued or inside at
	// the node and no waiting is needed, and reports whether it did; see
	// [Cluster.TryLock].
	TryLock() bool

	// LockContext is like Lock, but aborts when ctx is done, and then returns
	// ctx.Err(). It returns [ErrDown] if the node is down, and an error that is or wraps
	// ErrClosed if the cluster is closed, before or during the call. It panics if ctx is nil.
	LockContext(ctx context.Context) error

	// Token returns the token of the entry by which the node is inside; see
	// [Cluster.Token].
	Token() Token
}

// Node returns the Locker of node i. It panics unless 0 <= i < Processes().
func (c *Cluster) Node(i int) Locker { return &c.member("locker", i).locker }

// A locker is the Locker of a node.
type locker struct {
	cluster *Cluster
	node    int

	mu    sync.Mutex
	taken bool    // by a caller that is entering, or inside
	down  bool    // the node is down: callers do not wait
	queue waiters // the callers that wait for their turn
	spare *waiter // a free list, linked by next
}

func (l *locker) Lock() {
	if err := l.lock(context.Background()); err != nil {
		panic(l.cluster.lockFailed(l.node, err))
	}
}

func (l *locker) LockContext(ctx context.Context) error {
	mustContext(ctx, l.node)
	if err := ctx.Err(); err != nil {
		return err
	}
	return l.lock(ctx)
}

func (l *locker) lock(ctx context.Context) error {
	if err := l.awaitTurn(ctx); err != nil {
		return err
	}
	entered := false
	defer func() { // also if it panics
		if !entered {
			l.passTurn()
		}
	}()
	err := l.cluster.lockContext(ctx, l.node, byLocker)
	entered = err == nil
	return err
}

func (l *locker) TryLock() bool {
	l.mu.Lock()
	taken := l.taken
	l.taken = true
	l.mu.Unlock()
	if taken {
		return false
	}
	entered := false
	defer func() { // also if it panics
		if !entered {
			l.passTurn()
		}
	}()
	entered = l.cluster.tryLock(l.node, byLocker)
	return entered
}

func (l *locker) Unlock() { l.cluster.Unlock(l.node) }

func (l *locker) Token() Token { return l.cluster.Token(l.node) }

// awaitTurn waits until it is the caller's turn.
func (l *locker) awaitTurn(ctx context.Context) error {
	l.mu.Lock()
	switch {
	case l.down:
		l.mu.Unlock()
		return ErrDown
	case !l.taken:
		l.taken = true
		l.mu.Unlock()
		return nil
	}
	w := l.join()
	l.mu.Unlock()
	var err error
	select {
	case <-w.turn:
		return l.called(w)
	case <-ctx.Done():
		err = ctx.Err()
	case <-l.cluster.done:
		err = l.cluster.closed()
	}
	l.leave(w)
	return err
}

func (l *locker) join() *waiter {
	w := l.spare
	if w != nil {
		l.spare = w.next
	} else {
		w = &waiter{turn: make(chan struct{}, 1)}
	}
	l.queue.push(w)
	return w
}

// called returns nil if it is the turn of w, or ErrDown if the node has crashed.
func (l *locker) called(w *waiter) (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if w.inVain {
		err = ErrDown
	}
	w.inVain = false
	w.next, l.spare = l.spare, w
	return err
}

// leave removes w from the queue. If its turn has come meanwhile, it passes it on.
func (l *locker) leave(w *waiter) {
	l.mu.Lock()
	queued, inVain := w.queued, w.inVain
	if queued {
		l.queue.remove(w)
	}
	l.mu.Unlock()
	if !queued && !inVain {
		l.passTurn()
	}
}

// crash ends the waiting of all callers, and of those to come until the node restarts. The turn
// of one that is inside remains its own.
func (l *locker) crash() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = true
	for w := l.queue.first; w != nil; w = l.queue.first {
		l.queue.remove(w)
		w.inVain = true
		w.turn <- struct{}{}
	}
}

func (l *locker) restart() {
	l.mu.Lock()
	l.down = false
	l.mu.Unlock()
}

// passTurn gives the turn to the next caller.
func (l *locker) passTurn() {
	l.mu.Lock()
	defer l.mu.Unlock()
	w := l.queue.first
	if w == nil {
		l.taken = false
		return
	}
	l.queue.remove(w)
	w.turn <- struct{}{}
}

// A waiter is a caller that waits for its turn at a node.
type waiter struct {
	turn           chan struct{} // with room for one value
	queued         bool          // whether it is in the queue
	inVain         bool          // its turn will not come, since the node has crashed
	previous, next *waiter       // in the queue
}

// Waiters are a queue from which any waiter is removed without a search, since many may
// abort at once.
type waiters struct{ first, last *waiter }

func (q *waiters) push(w *waiter) {
	w.queued, w.previous, w.next = true, q.last, nil
	if q.last != nil {
		q.last.next = w
	} else {
		q.first = w
	}
	q.last = w
}

// remove removes w, which must be in the queue.
func (q *waiters) remove(w *waiter) {
	if w.previous != nil {
		w.previous.next = w.next
	} else {
		q.first = w.next
	}
	if w.next != nil {
		w.next.previous = w.previous
	} else {
		q.last = w.previous
	}
	w.queued, w.previous, w.next = false, nil, nil
}
