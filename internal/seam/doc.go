// Package seam separates the library from what runs it: a checker can take the
// place of the hardware behind the registers, and a scheduler that of the
// atomics, mutexes and channels by which processes wait and are woken. Only
// packages register and messaging are written on it.
//
//   - A [Host] receives every operation of an entry or exit protocol ([Attach]).
//     Package explore has one.
//   - A [Scheduler] decides on every operation of [Number], [Flag], [Pointer],
//     [Guarded], [Mutex], [Token], [Slot], [Mailbox] and [Closing] ([Schedule]).
//     Package interleave has one, for the wake-up protocols.
//   - An interceptor is called before every access to a register, to count or to
//     delay it ([Intercept]).
//
// All of it exists only in builds with the tag doorway_explore, interceptors also
// under the race detector. In any other build the types are those of sync and
// sync/atomic, and the functions do nothing and are inlined away.
package seam
