// Package register is the shared memory of the algorithms: atomic registers,
// and the processes that read, write and await them. An algorithm accesses shared
// memory through this package alone and declares here what it is doing (where its
// doorway ends, that a loop is a retry, which store no process awaits). So the
// same source runs on the hardware and, in builds with the tag doorway_explore,
// on a model checker, which package explore is.
//
// # Registers
//
// A [Word] is an atomic register that any process may read and write. A [Gate]
// is one on whose value only one of its waiters can act, and a [Relay] one whose
// waiters are woken one after the other; they differ in which processes a store
// wakes, and in nothing else. [Word.Set] is a store that no process awaits.
//
// Accesses are those of [sync/atomic]: sequentially consistent, as the papers
// assume. So their proofs carry over, and a comment in an algorithm speaks of
// the order of two accesses only where it matters for the algorithm itself. In
// terms of the Go memory model, a store is synchronized before every load, and
// the return of every await, that sees it.
//
// # Processes
//
// A goroutine has no identity, so a lock keeps a handle for each of its
// processes ([MakeProcesses]): the number, the place where it waits, and whether
// it is inside. Its entry protocol is a function of the handle, and one such
// function serves Lock, TryLock ([Processes.Try]) and LockContext
// ([Processes.Context]): an await returns false if the process is to abort, and
// then the protocol withdraws what it wrote and returns false, or, where that
// cannot be done, leaves the rest to a goroutine ([Process.Absorb]).
//
// # Waiting
//
// The fast path of an await is a load and the condition. Waiters yield once, for
// what they await may be about to be stored (at a gate they do not: their turn is
// further off), and then park: a waiter blocks on a channel of its own, uses no
// processor, and is durably blocked in the sense of testing/synctest. A store
// wakes specific waiters, those in line at that register; nearly always these are
// the processes that await it, and a spurious wake-up does no harm. A store to a
// register without a line costs one more load. Nothing is allocated once the lock
// has been made, except when an entry is absorbed.
//
// Why no wake-up is lost is explained in line.go, beside the code; the tests with
// the tag doorway_explore check that code in every interleaving of its steps.
//
// # Retrying
//
// [Repeat] is the loop of an algorithm that starts over, and [Pure] a
// computation over registers of which only the result survives. A loop of plain
// loads has no place in an algorithm: await what it waits for.
package register
