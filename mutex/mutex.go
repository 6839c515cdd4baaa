// Package mutex defines the interface of mutual-exclusion algorithms for n
// processes, and two adapters that turn any implementation into a [sync.Locker]:
// [Share] for any number of goroutines, and [Locker] for one process. [FIFO] is a
// lock that needs neither.
package mutex

import "context"

// A Mutex is a mutual-exclusion algorithm for n processes, numbered from 0.
//
// Its methods are safe for concurrent use by different processes. A process must
// be used by one goroutine at a time, with happens-before edges where it passes
// from one goroutine to another. Concurrent use of one process is a data race,
// which the race detector reports.
//
// A Mutex may declare its order by a method FIFO() bool: true means that processes
// enter first come, first served, from the end of their doorways on, and false that
// it permits barging, so that a process may enter many times past one that waits.
// [Share] carries this order.
//
// In the terminology of the Go memory model, a call of Unlock is synchronized
// before the return of every later call of Lock, by any process. So data that is
// accessed only between Lock and Unlock needs no other protection.
type Mutex interface {
	// Processes returns n, which is at least 1 and never changes.
	Processes() int

	// Lock runs the entry protocol of process i: it blocks until i is in its
	// critical section. It panics unless 0 <= i < n, and if i is already in its
	// critical section.
	Lock(i int)

	// Unlock runs the exit protocol of process i. It panics unless 0 <= i < n,
	// and if i is not in its critical section, even if another process is.
	Unlock(i int)
}

// Abortable is a Mutex whose entry protocol can be aborted. An aborted acquisition
// leaves no trace: it blocks no other process, and its process may call any method
// again. Where the algorithm cannot withdraw what it has written, the acquisition
// is absorbed: a goroutine finishes the withdrawal on behalf of the process, or the
// entry, and leaves at once. A later Lock of that process waits for it, and a TryLock
// fails until then.
type Abortable interface {
	Mutex

	// TryLock tries to enter the critical section as process i without waiting,
	// and reports whether it succeeded. It may fail although no process is in its
	// critical section, if others are in their entry or exit protocols. It panics
	// as Lock does. A failed TryLock establishes no happens-before edge.
	TryLock(i int) bool

	// LockContext is Lock that aborts when ctx is done, and then returns
	// ctx.Err(); nil means that process i is in its critical section. If ctx is
	// done before the call, it returns ctx.Err() at once. It panics as Lock does,
	// and if ctx is nil.
	LockContext(ctx context.Context, i int) error
}
