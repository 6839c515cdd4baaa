// Package register provides the shared memory of mutual-exclusion algorithms:
// atomic registers, and the processes that read, write and await them. An
// algorithm accesses shared memory only through this package, and annotates what
// it does: where its doorway ends, which loop is a retry, which store no process
// awaits. So the same source runs on the hardware and, in builds with the tag
// doorway_explore, in the model checker of package explore.
//
// # Registers
//
// A [Word] is an atomic register that any process may read and write. [Word.Set] is a
// store that no process awaits. [Word.Swap], [Word.FetchAdd] and [Word.CompareAndSwap]
// read and write in one step, as queue locks do. Algorithms from reads and writes need none
// of them.
//
// Accesses are sequentially consistent, as those of [sync/atomic] are and as the
// papers assume, so their proofs carry over. A comment in an algorithm mentions
// the order of two accesses only where the algorithm itself depends on it. In the
// terminology of the Go memory model, a store is synchronized before every load,
// and before the return of every await, that observes it.
//
// # Processes
//
// A goroutine has no identity, so a lock keeps a handle for each of its processes
// ([MakeProcesses]): its number, its places in waiting lines, and whether it is in
// its critical section. The entry protocol is a function of the handle, and one
// function serves Lock, TryLock ([Processes.Try]) and LockContext
// ([Processes.Context]). An await returns false if the process must abort. The
// protocol then withdraws what it wrote and returns false; where it cannot, it
// leaves the rest to a goroutine ([Process.Absorb]).
//
// # Waiting
//
// The fast path of an await is a load and the condition. A waiter yields once, as the value
// may be about to be stored, and then parks: it blocks on a channel of its own, uses no
// processor, and is durably blocked in the sense of testing/synctest. A lock allocates
// nothing after its construction, except when it absorbs an entry.
//
// A store wakes those in line at that register. Nearly always these are the processes that
// await it, and a spurious wake-up is harmless. If no process is in line, a store costs one
// extra load. How processes wait decides which of them wake: all of them as a rule, the first
// if only one can go on ([Word.AwaitExclusive]), or one after the other ([AwaitEitherInTurn]).
//
// The comments in line.go explain why no wake-up is lost, and tests of module anylock
// check that code in every interleaving of its steps.
//
// # Retrying
//
// [Repeat] is the loop of an algorithm that starts over, and [Pure] a computation
// over registers of which only the result is used afterwards. An algorithm must
// not loop over plain loads; it must await the condition.
package register
