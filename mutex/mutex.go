// Package mutex is the contract of mutual exclusion for n processes, and what
// can be had from any algorithm that keeps it: a [sync.Locker] for one process
// ([Locker]), and one for any number of goroutines ([Share]), both with TryLock
// and LockContext.
package mutex

import "context"

// A Mutex is an algorithm of mutual exclusion for n processes, numbered from 0.
//
// Different processes may call its methods at the same time. One process is one
// thread of control: a goroutine at a time, with happens-before edges where it
// passes from one goroutine to another. A process that is used by two
// goroutines at once is a data race, which the race detector reports.
//
// In the terminology of the Go memory model, a call of Unlock is synchronized
// before the return of every later call of Lock, by whichever process. So data
// that is touched between Lock and Unlock alone needs no other protection.
type Mutex interface {
	// Processes returns n, which is at least 1 and never changes.
	Processes() int

	// Lock runs the entry protocol of process i: it blocks until i is in its
	// critical section. It panics unless 0 <= i < n, and if i is in its critical
	// section already.
	Lock(i int)

	// Unlock runs the exit protocol of process i. It panics unless 0 <= i < n,
	// and if i is not in its critical section, whoever else may be.
	Unlock(i int)
}

// Abortable is a Mutex whose entry protocol can be given up. A process that
// gave up is as if it had never come: it blocks nobody, and it may call any
// method anew. Where the algorithm cannot take back what it has written, a
// goroutine finishes the entry in the name of the process and leaves at once;
// a later Lock of that process waits for it, a later TryLock fails until then.
type Abortable interface {
	Mutex

	// TryLock takes process i into its critical section if that needs no
	// waiting, and reports whether it did. It may fail though nobody is inside,
	// if other processes are on their way in or out. It panics as Lock does.
	// A TryLock that fails synchronizes nothing.
	TryLock(i int) bool

	// LockContext is Lock that gives up when ctx is done, and then returns
	// ctx.Err(); nil means that process i is in its critical section. If ctx is
	// done before the call, it returns ctx.Err() at once. It panics as Lock does,
	// and if ctx is nil.
	LockContext(ctx context.Context, i int) error
}
