// Package explore model-checks locks and protocols: [Check] a lock over every
// interleaving of its processes, for any number of rounds, and [CheckNodes] a
// message-passing algorithm over every schedule of its nodes. They check the code that
// programs import, not a model. [CheckSystem] checks a design before there is code: any
// transition system.
//
// The sections below are about locks. CheckNodes needs no build tag and no source; it also lets
// nodes crash and restart and messages get lost, as often as [NodesConfig] allows.
//
//	report, err := explore.Check(explore.Config{
//		New:       func(n int) mutex.Mutex { return mylock.New(n) },
//		Processes: 3,
//	})
//	if err := cmp.Or(err, report.Err()); err != nil { // it could not be checked, or breaks what locks promise
//		t.Fatal(err) // with a schedule that shows it, line by line
//	}
//
// It works in programs built with the tag doorway_explore, as by
// go test -tags doorway_explore; otherwise [Check] returns [ErrBuild]. The page
// docs/own-lock.md walks through an example. [Start] begins a run of a lock in which the caller
// takes each step, as a counterexample does, or as he likes.
//
// # The doorway
//
// FIFO (first come, first served) means: a process that completes its doorway
// before another begins its own enters first. The doorway begins with the first
// operation, since a request cannot be observed before, and ends at
// register.Process.Doorway, or with the whole entry if it is not called there. If no
// entry calls it, the doorway is the first operation only. An entry that begins by
// waiting is in its doorway until that wait is over, wherever it calls Doorway.
//
// # Giving up
//
// With [Config.GiveUp], a process enters by LockContext or TryLock, and may
// give up at any await, at any time: LockContext and TryLock do less, they give
// up only if the condition did not hold. DeadlockFree and StarvationFree then
// consider runs with finitely many aborts; [Report.StarvationFreeDespiteAborts]
// considers all runs. With [Config.Mixed], each process enters by any of Lock,
// LockContext and TryLock, another each time, and gives up only if not by Lock.
//
// # Safe registers
//
// The bakery is correct even if a read that overlaps a write returns any value.
// Properties.SafeRegisters checks this of a lock: a write takes two steps, and a
// read between them returns any value that the register can ever hold. It
// applies to registers with a single writer.
//
// # Limits
//
//   - The number of processes is fixed, and at most 8. No verdict covers more.
//   - Values that grow must be capped. A store above the cap is a cut: the run is
//     followed no further and counts for no verdict, so verdicts hold for runs
//     below the cap. A register can hold at most 64 values.
//   - A state takes 8 or 16 bytes, and four more per process if runs are checked.
//     An exploration that would exceed [Config.Memory] ends with [ErrMemory] and
//     no verdict.
//   - A lock that panics, blocks outside of registers or loops over plain loads
//     is rejected.
package explore

// How the checker works, and why its verdicts hold.
//
// # How it works
//
// With the tag, package register hands every operation of a protocol to a host
// (hook.Host) instead of the hardware, if one is attached. A check attaches a
// host and takes four steps.
//
// Extraction. The next operation of a process depends only on what it has read
// since it left its remainder section. So Lock and Unlock run for one process
// alone, on every sequence of values that its registers might hold: a run is
// abandoned at its first operation that may have several answers and was given none, and
// repeated with each. A store adds a value to those that the register might hold,
// until a fixed point is reached. The result is, for each process, a tree of all
// its local histories.
//
// Two kinds of back edges make the tree finite: after a try of register.Repeat
// that asks for another, the protocol continues as at the beginning of the first
// try; after a register.Pure, it continues as for any other reads with the same
// result. The contract of those functions guarantees both.
//
// Minimization. Equivalent local states are merged. So it does not matter that a
// protocol keeps a value that it will not use again.
//
// Exploration. A state of the lock is the local state of each process and the
// value of each register, packed into 64 or 128 bits. From the initial state on,
// every process takes its next step in every state, level by level. This works on
// tables; no goroutine runs the protocols any more.
//
// Verdicts. Mutual exclusion is a property of single states. The others concern
// infinite runs, which in a finite graph end up in a strongly connected component
// and stay there. A process starves if a fair run can stay in a component forever
// while the process is in its entry or its exit section. A run is fair if each
// process outside of its remainder section takes a step infinitely often, or is
// infinitely often unable to (weak fairness); so a process that has left its
// remainder section never halts, nor stays in the critical section. No process is
// obliged to request entry. Deadlock and livelock are one question: is there such
// a component in which some process is in its entry or exit section, and no
// process ever enters?
//
// # Why it is sound
//
// A state of the graph and a state of the running program correspond if the
// registers hold the same values and each process has a history that belongs to
// its local state. Each operation of the program then leads to corresponding
// states, and each edge of the graph is one that the program can take. This rests
// on the following assumptions.
//
// A protocol is a function of what it reads. It must touch no other state that
// outlives the call or that others can change: no plain field, no channel, no
// clock. Package [example.org/doorway/explore/internal/contract] has the small language
// of protocols that cannot, and refuses all others in the typed source; without it
// there is no verdict, unless [Config.Unexamined] allows one. Every repeated run must do the same as before. And the protocols run
// hundreds of rounds on random values beside their automata, and are compared
// with them.
//
// The contract of Repeat and Pure is kept. This too is checked in the source, and
// at each back edge the operation that follows is compared with the recorded one.
//
// Waiting. An await is a step that is enabled while its condition holds. In the
// program, a waiting process is parked and must be woken. The tests of package
// register check the wake-up protocol from its source: it has no lost wake-ups.
// What a lock can do wrong is checked here: a Set wakes no process, so no Set may
// make a condition true that a process awaits; and of the exclusive waiters of a register
// a store wakes only the first in line, so the line is part of the state. Waiters in
// AwaitEitherInTurn are woken one after the other, and none sleeps forever, because a
// lock is refused unless every exit and every aborted entry ends with Process.Pass. An
// await of either of two registers reads them alternately, as the program does.
//
// A register.Step excludes other steps of the same Step and nothing else: its
// accesses are made one by one. That every process waiting for a step to end gets
// a turn is taken from sync.Mutex.
//
// Memory is sequentially consistent, as Go's sync/atomic is.
//
// # Data races
//
// A monitor computes whether data accessed only in the critical section is free
// of races: a bit for each process and each register records whether the last
// entry and exit happen before its present state, through a chain of writes and
// reads that the Go memory model orders. A process that enters must have the bit.
// By an argument on prefixes of runs, this follows from mutual exclusion if all
// operations are sequentially consistent; the monitor does not rely on it.
//
// # Sources
//
// Checking the code itself: P. Godefroid, "Model checking for programming
// languages using VeriSoft", POPL 1997. Exploring states rather than runs: SPIN
// (G. J. Holzmann, The SPIN Model Checker, 2003), with which bench/spin compares
// this package. Weak fairness on
// components: O. Lichtenstein, A. Pnueli, "Checking that finite state
// concurrent programs satisfy their linear specification", POPL 1985.
