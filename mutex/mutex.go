// Package mutex defines the interface of mutual exclusion algorithms for n
// processes, and builds on any implementation of it: a [sync.Locker] for one
// process ([Locker]), and one for any number of goroutines ([Share]), both with
// TryLock and LockContext.
package mutex

import "context"

// A Mutex is a mutual exclusion algorithm for n processes, numbered from 0.
//
// Its methods are safe for concurrent use by different processes. One process is
// one thread of control: a goroutine at a time, with happens-before edges where
// it passes from one goroutine to another. Two goroutines that use one process at
// once are a data race, which the race detector reports.
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

// Abortable is a Mutex whose entry protocol can be aborted. An aborted
// acquisition leaves no trace: it blocks no other process, and its process may
// call any method again. Where the algorithm cannot withdraw what it has written,
// the acquisition is absorbed: a goroutine finishes the entry in the name of the
// process and leaves at once; a later Lock of that process waits for it, and a
// TryLock fails until then.
type Abortable interface {
	Mutex

	// TryLock takes process i into its critical section if that needs no
	// waiting, and reports whether it did. It may fail although no process is
	// inside, if others are in their entry or exit protocols. It panics as Lock
	// does. A TryLock that fails synchronizes nothing.
	TryLock(i int) bool

	// LockContext is Lock that aborts when ctx is done, and then returns
	// ctx.Err(); nil means that process i is in its critical section. If ctx is
	// done before the call, it returns ctx.Err() at once. It panics as Lock does,
	// and if ctx is nil.
	LockContext(ctx context.Context, i int) error
}
