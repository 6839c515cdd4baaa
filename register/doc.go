// Package register is the shared memory of the algorithms: atomic registers,
// and the processes that read, write and await them. It is the one seam between
// an algorithm and what runs it. An algorithm touches shared memory through this
// package alone and says here what it is doing (where its doorway ends, that a
// loop is a retry, which store nobody awaits), so that another host than the
// hardware can stand behind the same source: a [Host], in builds with the tag
// doorway_explore, as package explore has one.
//
// # Registers
//
// A [Word] is an atomic register that any process may read and write. A [Gate]
// is one on whose value only one of those who await it can act, and a [Relay]
// one whose awaiters are woken one after the other; they differ in whom a store
// wakes, and in nothing else. [Word.Set] is a store that nobody awaits.
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
// ([Processes.Context]): an await returns false if the process is to give up,
// and then the protocol takes back what it wrote and returns false, or, where
// that cannot be done, leaves the rest to a goroutine ([Process.Absorb]).
//
// # Waiting
//
// The fast path of an await is a load and the condition. A process that must wait
// yields once, for what it awaits may be about to be stored (at a gate it does
// not: its turn is further off), and then parks: it blocks on a channel of its
// own, uses no processor, and is durably blocked in the sense of
// testing/synctest. Stores wake by name, those who stand in line at that
// register; nearly always that is who awaits it, and who does not takes no harm.
// A store to a register where nobody stands in line costs one more load.
// Nothing is allocated once the lock has been made, except when an entry is
// absorbed.
//
// How no wake-up is lost is told in line.go, beside the code, and checked from
// that code, over every order of its steps, by the tests with the tag doorway_explore.
//
// # Retrying
//
// [Repeat] is the loop of an algorithm that begins anew, and [Pure] a
// computation over registers of which only the result survives. A loop of plain
// loads has no place in an algorithm: await what it waits for.
package register
