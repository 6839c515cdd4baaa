package messaging

import (
	"context"
	"fmt"
	"sync"
)

// A Locker is node i of a [Cluster] as a sync.Locker for any number of callers.
// They queue at the node, first come first served, and the algorithm sees one
// request of the node at a time. As with sync.Mutex, one goroutine may unlock what
// another has locked. Who uses a node by its Locker must not also use it by Lock
// of the Cluster.
type Locker struct {
	cluster *Cluster
	node    int

	mu    sync.Mutex
	taken bool                // by a caller that is coming, or inside
	queue fifo[chan struct{}] // those that wait for their turn; with room for one value
	spare []chan struct{}
}

// Node returns the Locker of node i. It panics unless 0 <= i < Processes().
func (c *Cluster) Node(i int) *Locker { return &c.member("locker", i).locker }

// Lock blocks until the caller is in the critical section. It panics if the
// cluster is closed, or is closed while it waits.
func (l *Locker) Lock() {
	if l.LockContext(context.Background()) != nil {
		panic(fmt.Sprintf("messaging: lock of node %d of a cluster that is closed", l.node))
	}
}

// LockContext is Lock that gives up when ctx is done, and then returns ctx.Err();
// and it returns ErrClosed if the cluster is closed, or is closed while it waits.
func (l *Locker) LockContext(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := l.comeFirst(ctx); err != nil {
		return err
	}
	err := l.cluster.LockContext(ctx, l.node)
	if err != nil {
		l.makeWay()
	}
	return err
}

// TryLock enters the critical section if nobody is before the caller at the node,
// and that needs no waiting, as [Cluster.TryLock] says.
func (l *Locker) TryLock() bool {
	l.mu.Lock()
	taken := l.taken
	l.taken = true
	l.mu.Unlock()
	if taken {
		return false
	}
	if !l.cluster.TryLock(l.node) {
		l.makeWay()
		return false
	}
	return true
}

// Unlock leaves the critical section. It panics if nobody is inside at this node.
func (l *Locker) Unlock() {
	l.cluster.Unlock(l.node)
	l.makeWay()
}

// comeFirst waits until the caller is the one that is taken.
func (l *Locker) comeFirst(ctx context.Context) error {
	l.mu.Lock()
	if !l.taken {
		l.taken = true
		l.mu.Unlock()
		return nil
	}
	turn := l.join()
	l.mu.Unlock()
	var err error
	select {
	case <-turn:
		l.mu.Lock()
		l.spare = append(l.spare, turn)
		l.mu.Unlock()
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-l.cluster.done:
		err = ErrClosed
	}
	l.leave(turn)
	return err
}

func (l *Locker) join() (turn chan struct{}) {
	if n := len(l.spare); n > 0 {
		turn, l.spare = l.spare[n-1], l.spare[:n-1]
	} else {
		turn = make(chan struct{}, 1)
	}
	l.queue.push(turn)
	return turn
}

// leave leaves the queue. If its turn has come meanwhile, the next has it.
func (l *Locker) leave(turn chan struct{}) {
	l.mu.Lock()
	k := 0
	for k < l.queue.len && *l.queue.at(k) != turn {
		k++
	}
	waits := k < l.queue.len
	if waits {
		l.queue.remove(k)
	}
	l.mu.Unlock()
	if !waits {
		l.makeWay()
	}
}

// makeWay lets the next caller have its turn.
func (l *Locker) makeWay() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.queue.len == 0 {
		l.taken = false
		return
	}
	l.queue.pop() <- struct{}{}
}
