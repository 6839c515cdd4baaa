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
// Alone it costs about what a sync.Mutex does, and allocates nothing. Where goroutines
// contend, it hands the lock to the first of them, as a channel does, and unlike a
// sync.Mutex, which lets a goroutine that runs enter before those that it has to wake: so a FIFO has
// less throughput, and a shorter tail. A waiter yields once, and then parks; it is
// durably blocked in the sense of testing/synctest, in LockContext if the context is of the bubble.
// Its place in the queue, a cache line and what it sleeps on, comes from memory that all FIFOs share and that
// never shrinks: a million places, of which one that aborts leaves its own to f until f is unlocked, and for good
// if f never is. If none is left, a goroutine yields instead of waiting in the queue, and others may enter before it.
//
// In the terminology of the Go memory model, a call of Unlock is synchronized before the
// return of every later call of Lock, and of every later call of TryLock or LockContext that
// succeeds. A call that fails establishes no happens-before edge.
//
// A FIFO can be used in synctest bubbles and outside of them, but not by goroutines of two
// bubbles at once, nor of one and none: the program ends if a goroutine unlocks it for one of
// another bubble that waits.
//
// The lock is that of K42, a variant of the MCS lock; see package
// [example.org/doorway/mcs] for the algorithm, its source and its properties, which are
// checked on this code in every interleaving of a few goroutines, but for how they sleep.
type FIFO struct{ queue mcs.Queue }

// Lock locks f. If f is locked already, Lock blocks until it is unlocked, and until all
// goroutines that began to wait before have entered and left, or aborted.
func (f *FIFO) Lock() { f.unless(f.queue.Enter(), (*FIFO).wait) }

// TryLock tries to lock f without waiting, and reports whether it succeeded. It fails if f
// is locked, if a goroutine waits, or while the places of those that have aborted are taken from f; see LockContext.
func (f *FIFO) TryLock() bool { return f.queue.Enter() }

// LockContext is Lock that aborts when ctx is done, and then returns ctx.Err(); nil means
// that f is locked, which it may be even though ctx is done: if both happen at once. If ctx
// is done before the call, it returns ctx.Err() at once. LockContext panics if ctx is nil.
//
// On average an abort takes the same time however many wait: some aborts look through the queue, and if Unlock
// is called meanwhile, the next goroutine enters only after that. While f stays locked, those that have aborted
// hold about as many places in the queue as the others did when it was last looked through, or a hundred.
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
// does not block, except for a step of a goroutine that is about to wait. It panics if f is
// not locked.
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
