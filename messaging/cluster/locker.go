package cluster

import (
	"cmp"
	"context"
	"sync"

	"example.org/doorway/messaging"
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
	Token() messaging.Token
}

// Node returns the Locker of node i. It panics unless 0 <= i < Processes().
func (c *Cluster) Node(i int) Locker { return &c.member("locker", i).locker }

// A locker is the Locker of a node.
type locker struct {
	cluster *Cluster
	node    int

	mu    sync.Mutex
	taken bool   // by a caller that is entering, or inside
	down  bool   // the node is down: callers do not wait
	queue waiter // the head of a circular list of those that wait for their turn
}

// A waiter is a caller that waits for its turn. It leaves the queue without a search, since many may
// abort at once. Waiters are used again: an entry allocates none.
type waiter struct {
	turn           chan error // gets nil when it is its turn, or why it will not be; has room for one
	previous, next *waiter
}

func newWaiter() any { return &waiter{turn: make(chan error, 1)} }

// remove removes a waiter from its queue.
func (w *waiter) remove() { w.previous.next, w.next.previous = w.next, w.previous }

func (l *locker) Lock() {
	if err := l.lock(context.Background()); err != nil {
		panic(l.cluster.lockFailed(l.node, err))
	}
}

func (l *locker) LockContext(ctx context.Context) error {
	mustContext(ctx, "lock", l.node)
	return l.lock(ctx)
}

func (l *locker) lock(ctx context.Context) error {
	if err := l.awaitTurn(ctx); err != nil {
		return err
	}
	var err error
	l.enter(func() bool {
		err = l.cluster.lockContext(ctx, l.node, byLocker)
		return err == nil
	})
	return err
}

func (l *locker) TryLock() bool {
	l.mu.Lock()
	taken := l.taken
	l.taken = true
	l.mu.Unlock()
	return !taken && l.enter(func() bool { return l.cluster.tryLock(l.node, byLocker) })
}

// enter has the node enter, as it is the caller's turn, and passes the turn on if it does not.
func (l *locker) enter(how func() bool) (entered bool) {
	defer func() { // also if it panics
		if !entered {
			l.passTurn()
		}
	}()
	return how()
}

func (l *locker) Unlock() { l.cluster.Unlock(l.node) }

func (l *locker) Token() messaging.Token { return l.cluster.Token(l.node) }

// awaitTurn waits until it is the caller's turn.
func (l *locker) awaitTurn(ctx context.Context) error {
	l.mu.Lock()
	if err := cmp.Or(l.cluster.Err(), ctx.Err()); err != nil || l.down || !l.taken {
		defer l.mu.Unlock()
		switch {
		case err != nil:
			return err
		case l.down:
			return ErrDown
		}
		l.taken = true
		return nil
	}
	w := l.join()
	defer l.cluster.waiters.Put(w)
	l.mu.Unlock()
	var err error
	called := false
	select {
	case err = <-w.turn:
		called = err == nil
	case <-ctx.Done():
		l.withdraw(w)
	case <-l.cluster.done:
		l.withdraw(w)
	}
	over := cmp.Or(l.cluster.Err(), ctx.Err()) // they count, also if the turn came at once with the end
	if called && over != nil {
		l.passTurn()
	}
	return cmp.Or(over, err)
}

// join adds a waiter to the queue.
func (l *locker) join() *waiter {
	w := l.cluster.waiters.Get().(*waiter)
	w.previous, w.next = l.queue.previous, &l.queue
	w.previous.next, w.next.previous = w, w
	return w
}

// withdraw removes a waiter from the queue. If its turn has come meanwhile, it passes it on.
func (l *locker) withdraw(w *waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case err := <-w.turn:
		if err == nil {
			l.passOn()
		}
	default:
		w.remove()
	}
}

// crash ends the waiting of all callers, and of those to come until the node restarts. The turn
// of one that is inside remains its own.
func (l *locker) crash() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = true
	for l.queued() {
		l.callFirst(ErrDown)
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
	l.passOn()
}

// passOn is passTurn of a caller that has locked mu.
func (l *locker) passOn() {
	if l.taken = l.queued(); l.taken {
		l.callFirst(nil)
	}
}

// callFirst removes the first caller from the queue, and tells it err.
func (l *locker) callFirst(err error) {
	first := l.queue.next
	first.remove()
	first.turn <- err
}

// queued reports whether callers wait for their turn.
func (l *locker) queued() bool { return l.queue.next != &l.queue }
