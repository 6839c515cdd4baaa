// Package seam separates the library from the hardware: a checker can take the
// place of the registers, and a scheduler that of the atomics, mutexes and channels
// with which processes wait and are woken. Only packages register, messaging, mutex
// and internal/renaming import it for that.
//
//   - A [Host] receives every operation of an entry or exit protocol ([Attach]).
//     Package explore implements it.
//   - A [Scheduler] decides every operation of [Number], [Flag], [Pointer],
//     [Guarded], [Mutex], [Token], [Slot], [Mailbox] and [Closing] ([Schedule]).
//     Package interleave implements it, for the wake-up protocols.
//   - An interceptor is called before every access to a register, to count or to
//     delay it ([Intercept]).
//
// All of it exists only in builds with the tag doorway_explore, interceptors also
// under the race detector. In any other build the types are those of sync and
// sync/atomic, and the functions do nothing and are inlined away.
package seam
