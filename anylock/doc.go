// Package anylock checks a lock as it is written, over every order in which goroutines can use it: one of sync/atomic,
// sync and channels, your own or another's, in your module, in the module cache or in the standard library.
//
//	func TestSpin(t *testing.T) { anylock.Check(t, func() sync.Locker { return new(Spin) }) }
//
// If the lock has TryLock, RLock, TryRLock or LockContext, goroutines enter by these too, in any mixture. [CheckRoles]
// is for other mixtures of calls, and for code that is no lock.
//
// Locks that are written with package register are for package explore, which checks more: endless aborts, safe
// registers, more processes.
//
// # What is proved
//
// Three goroutines lock and unlock repeatedly, beside those that the lock starts, and all states that they can reach
// are visited. So if a property holds, it holds for these goroutines in every order of their operations, for any number
// of rounds if the report says "in every run". It says nothing of more goroutines. Then each enters once or twice more
// in any of the ways that the lock has, with a context that is cancelled at any moment. The properties are:
//
//   - mutual exclusion: no two have the lock at a time;
//   - freedom from data races: two accesses of plain memory, of which one is a write, are always ordered;
//   - freedom from panics and fatal errors of the runtime;
//   - freedom from deadlock: while goroutines wait, one of them eventually acquires the lock, in every fair run;
//   - freedom from starvation: every waiting goroutine eventually acquires the lock, in every fair run. Few locks promise that;
//   - FIFO: a goroutine that has completed its doorway when another calls Lock acquires the lock first ([Config.Doorway]);
//     and how often others bypass a goroutine that waits after its doorway. Few locks promise that, too. It says nothing of a
//     wait before, such as for a mutex that Lock begins with. A goroutine has entered with the last operation of Lock that
//     others can observe.
//
// A run is fair if a goroutine that can proceed again and again eventually does.
//
// A property that fails is shown by a run with the fewest steps: the goroutine, the line, the operation, and the memory
// before and after. [Report.Repeat] explores that run again, to test a repair. In an endless run, steps repeat, and
// there may be a shorter one.
//
// # How
//
// The source is read, not built: package ssa of golang.org/x/tools makes it instructions, which a machine runs whose whole
// state can be written down. A step is one operation that other goroutines can observe; plain memory is read and written
// between them, which no other can tell unless it is a data race, and then that is found. States are equal if they differ
// only in where memory lies, and in variables that are not read again. A step that was run once is looked up, by its goroutine and
// the memory that it reads.
//
// sync/atomic is sequentially consistent, as Go says. sync.Mutex stands for what it promises: any waiter may be the
// next owner, no waiter starves, and TryLock may fail; its own code is run if it is the lock that is checked, as that
// of sync.RWMutex is. sync.Cond wakes any waiter, sync.Pool returns any value that was put there or a new one, a select
// takes any case that is ready, a loop over a map has any order, a channel hands over in the order of arrival, and the
// clock goes on by nothing or by a long time. time.Sleep and runtime.Gosched take any time. There are four processors.
// Cleanups and finalizers never run.
//
// # What is not followed
//
// An error names the place of
//
//   - timers, times of a day, reflection (and so errors.Is and sort.Slice), Range of sync.Map, floats, pointers as numbers, or
//     compared to what has no size;
//   - conversions of strings and slices, indexes of strings and loops over them, and looks into texts that fmt makes of other values than
//     numbers, strings and booleans;
//   - a builtin after defer or go, defer in the body of a loop over a function, panics that are recovered;
//   - more than seven goroutines at a time, 200 calls within each other, or 2^24 instructions without an operation that others can see;
//   - functions of the standard library outside of sync, sync/atomic, context without WithValue, errors, container, cmp, slices, sort,
//     fmt.Sprint, Sprintf, Sprintln and Errorf, time.Now, Since, Sub and Sleep.
//
// # Limits
//
//   - A data race is missed if only len of a channel, a select that takes its default, or a TryRLock that fails prevents it.
//   - TryLock of a free sync.Mutex may fail, but not again and again.
//   - Where Go leaves the order of evaluation open, one order is run.
//   - What a constructor reads after it has started a goroutine is taken to be as it was.
//   - A copied sync.Cond is not noticed, which go vet reports.
//
// Only [Explore], [Check] and [CheckRoles] are safe for concurrent use. They run the go command, and write nothing.
package anylock
