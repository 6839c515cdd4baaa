// Package explore checks a lock over every interleaving of its processes, for
// any number of rounds: the lock that programs import, and no model of it.
//
//	report, err := explore.Check(explore.Config{
//		New:       func(n int) mutex.Mutex { return mylock.New(n) },
//		Processes: 3,
//	})
//	if err != nil { ... }              // it could not be checked; says why
//	if report.MutualExclusion.Status == explore.Fails {
//		fmt.Print(report.MutualExclusion.Trace) // a shortest schedule, line by line
//	}
//
// It works in programs that are built with the tag doorway_explore, as by
// go test -tags doorway_explore; otherwise [Check] returns [ErrBuild]. The page
// docs/own-lock.md leads through an example.
//
// # The doorway
//
// First come, first served is about who ended the doorway before another began
// it. The doorway ends at register.Process.Doorway; where a protocol does not
// say, it is its first operation. It begins with the first operation, as a
// request cannot be observed before.
//
// # Giving up
//
// With [Config.GiveUp], a process enters by LockContext or TryLock, and may
// give up at any await, at any time: that is more than the two do, which give
// up only if the condition did not hold. Both then ask for
// runs in which giving up ends some time; [Report.StarvationFreeDespiteAborts] for all.
//
// # Registers that are safe
//
// The bakery is right even if a read that overlaps a write returns anything.
// Properties.SafeRegisters asks whether that is so: writes take two steps, and a read
// in between returns any value that the register can ever hold. It is asked of
// registers that one process writes.
//
// # Where it stops
//
//   - The number of processes is given, and at most 8; nothing is said of more.
//   - Values that grow must be capped. A store above the cap is a cut: the run is
//     followed no further and counts for no verdict, so verdicts hold for runs
//     that stay below. A register can hold 64 values at most.
//   - A state takes 8 or 16 bytes, and four more for each process where runs are
//     asked about. [Config.Memory] is kept: an exploration that would exceed it
//     is given up, with [ErrMemory] and no verdict.
//   - A lock that panics, blocks outside of registers or loops over plain loads
//     is refused.
package explore

// How the checker works, and why what it says holds.
//
// # How it works
//
// With the tag, package register hands every operation of a protocol to a host
// (seam.Host) instead of the hardware, if one is attached. A check
// attaches one, and goes on in four steps.
//
// Extraction. What a process does next is determined by what it has read since
// it left its remainder section, for that is all that its protocols depend on.
// So Lock and Unlock are run for one process alone, on every sequence of values
// that its registers might hold: a run is abandoned at its first operation that
// has no answer yet, and made again with each answer that there can be. A store
// adds a value to those that the register might hold, until nothing new comes.
// The result is a tree of all local histories of each process.
//
// Two kinds of edges lead back into the tree, and make it finite: after a try
// of register.Repeat that asks for another, the protocol goes on as it did at
// the beginning of the first; and after a register.Pure, as it did for any
// other reads with that result. That this is so is the contract of those
// functions.
//
// Minimisation. Local states that cannot be told apart, now or by anything that
// follows, are made one. So it does not matter where a protocol keeps something
// that it will not use again.
//
// Exploration. A state of the lock is the local state of each process and the
// value of each register, packed into 64 or 128 bits. From the first state on,
// every process makes its next operation in every state, level by level; there
// is no goroutine in this any more, only tables.
//
// Questions. Mutual exclusion is a question about single states. The others are
// about runs that never end, which come, for a finite graph, to be in a
// strongly connected component and stay there. A process starves if some
// component can be stayed in for ever, fairly, while it is in its entry
// protocol, or in its exit protocol. Fair is a run in which each process
// outside of its remainder section makes a step again and again, or again and
// again cannot (weak fairness); one that has left its remainder section does
// not stop for good, nor does one inside stay there. Nobody is obliged to want
// to enter. A deadlock and a livelock are one question: whether such a component
// exists in which somebody wants to enter, or to leave, and nobody ever enters.
//
// # Why it is sound
//
// A state of the graph and a state of the running program correspond if the
// registers hold the same and each process has a history that belongs to its
// local state. Each operation of the program then leads to corresponding
// states, and each edge of the graph is one that the program can take. That
// rests on the following.
//
// A protocol is a function of what it reads. It must touch no other state that
// others can change or that outlives the call: no plain field, no channel, no
// clock. Package [example.org/doorway/explore/internal/contract] examines the source for
// that, with types, where the source is at hand; [Report.Vetted] reports whether
// it was. Every run made again must do the same as before. And the protocols
// are run for hundreds of rounds beside their automata, on random values, and
// compared.
//
// The contract of Repeat and Pure is kept. That is examined in the source too,
// and at each edge that leads back, the operation that follows is compared with
// the one that is there.
//
// Waiting. An await is a step that can be made while the condition holds. In
// the program, a process that waits is parked and must be woken. That the
// wake-up protocol loses no wake-up is checked by itself, from its source, by
// the tests of package register; what a lock can do wrong is checked here: a
// Set wakes nobody, so no Set may make true what somebody awaits in that state;
// and a store to a register.Gate wakes only the first in line, so that the
// line is part of the state. An await of either of two registers looks at the
// one and at the other in turn, as the program does.
//
// A register.Step keeps out other steps of the same Step, and nothing else:
// its accesses are made one by one. That each who waits for one to end has a
// turn is taken from sync.Mutex.
//
// Memory is sequentially consistent, as Go's sync/atomic is.
//
// # Data races
//
// That data which is touched inside alone is free from races is computed by a
// monitor: for each process and each register a bit that reports whether it has
// heard of the last entry and exit, by a chain of writes and reads that the Go
// memory model makes an order. One who enters must have heard. By an argument
// on prefixes of runs, that follows from mutual exclusion where all operations
// are sequentially consistent; the monitor does not rely on it.
//
// # Sources
//
// The idea to check the code itself is that of P. Godefroid, "Model checking
// for programming languages using VeriSoft", POPL 1997; to do so by states
// rather than by runs, that of SPIN (G. J. Holzmann, The SPIN Model Checker,
// 2003), with which bench/spin compares this package. Weak fairness on
// components: O. Lichtenstein, A. Pnueli, "Checking that finite state
// concurrent programs satisfy their linear specification", POPL 1985.
