package mutex

import (
	"context"

	"example.org/doorway/mcs"
)

// A FIFO is a mutual exclusion lock whose waiters enter first come, first served: once a
// goroutine waits, it enters before every goroutine that calls Lock later. It is a
// [sync.Locker], for any number of goroutines, with TryLock and LockContext, and can be
// the Locker of a [sync.Cond].
//
// The zero value for a FIFO is an unlocked lock. A FIFO must not be copied after first use.
// Its methods are safe for concurrent use. As with [sync.Mutex], one goroutine may lock a
// FIFO and another unlock it, and a goroutine that locks it twice deadlocks.
//
// Uncontended, a FIFO costs about what a sync.Mutex does, and allocates nothing. Contended, it
// hands the lock to the first waiter, as a channel does. A sync.Mutex instead lets a running
// goroutine enter before those that it would have to wake. So a FIFO has less throughput, and a
// shorter tail. A waiter yields once, and then parks. Then it is durably blocked in the sense
// of testing/synctest; in LockContext, if the context is of the bubble.
//
// A waiter has a place in the queue, which takes a cache line and what it sleeps on. All FIFOs
// share a million places, in memory that never shrinks. A waiter that aborts leaves its place to
// f until f is unlocked, and for good if f never is. If no place is left, a goroutine yields
// instead of waiting in the queue, and others may enter before it.
//
// In the terminology of the Go memory model, a call of Unlock is synchronized before the
// return of every later call of Lock, and of every later call of TryLock or LockContext that
// succeeds. A call that fails establishes no happens-before edge.
//
// A FIFO can be used in synctest bubbles and outside of them, but not in two bubbles at once,
// nor in a bubble and outside: the program ends if a goroutine unlocks it for a waiter of
// another bubble.
//
// The lock is that of K42, a variant of the MCS lock. Package [example.org/doorway/mcs] has the
// algorithm, its source and its properties. They are checked on this code in every interleaving
// of a few goroutines.
type FIFO struct{ queue mcs.Queue }

// Lock locks f. If f is locked already, Lock blocks until it is unlocked, and until all
// goroutines that began to wait before have entered and left, or aborted.
func (f *FIFO) Lock() { f.unless(f.queue.Enter(), (*FIFO).wait) }

// TryLock tries to lock f without waiting, and reports whether it succeeded. It fails if f
// is locked, if a goroutine waits, or while the places of aborted waiters are taken from f; see
// LockContext.
func (f *FIFO) TryLock() bool { return f.queue.Enter() }

// LockContext is Lock that aborts when ctx is done, and then returns ctx.Err(). If it returns
// nil, f is locked. That may be so even though ctx is done, if both happen at once. If ctx is
// done before the call, LockContext returns ctx.Err() at once. It panics if ctx is nil.
//
// On average an abort takes the same time however many wait. Some aborts look through the
// queue. If Unlock is called meanwhile, the next goroutine enters only after that. While f stays
// locked, aborted waiters hold about as many places in the queue as the others did when it was
// last looked through, or a hundred.
func (f *FIFO) LockContext(ctx context.Context) error {
	return f.unlessEnded(ctx, ended, (*FIFO).waitContext)
}

func ended(ctx context.Context) bool { return ctx == nil || ctx.Err() != nil }

// waitContext is what follows if ctx is nil or done, or if f is locked.
func (f *FIFO) waitContext(ctx context.Context) error {
	if ctx == nil {
		panic("mutex: LockContext of a FIFO with a nil Context")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if f.queue.Wait(ctx.Done()) {
		return nil
	}
	return ctx.Err()
}

// Unlock unlocks f, and hands it to the goroutine that has waited longest, if one waits. It
// blocks only for a step of a goroutine that is about to wait. It panics if f is not locked.
func (f *FIFO) Unlock() { f.unless(f.queue.Leave(), (*FIFO).hand) }

func (f *FIFO) wait() { f.queue.Wait(nil) }

func (f *FIFO) hand() {
	if !f.queue.Hand() {
		panic("mutex: unlock of a FIFO that is not locked")
	}
}

// unless calls rest unless done is true. It is a function so that the compiler inlines Lock and
// Unlock: a call of a parameter, which inlining turns into one of a known function, takes less
// of their budget.
func (f *FIFO) unless(done bool, rest func(*FIFO)) {
	if !done {
		rest(f)
	}
}

// unlessEnded enters or calls rest, as unless does, for LockContext.
func (f *FIFO) unlessEnded(ctx context.Context, ended func(context.Context) bool, rest func(*FIFO, context.Context) error) error {
	if ended(ctx) || !f.queue.Enter() {
		return rest(f, ctx)
	}
	return nil
}
