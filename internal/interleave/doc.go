// Package interleave model-checks a few threads over every interleaving of their
// operations on synchronisation variables, from their source: the code under test
// is the code that ships, and only its atomics, mutexes and channels are replaced by
// variables that ask a [Run]. A failure comes with a shortest run that shows it.
//
// # Method
//
// Threads never run concurrently, nor even in turns. The next operation of a thread
// depends only on what it has read. So one run of the thread alone, in which every
// operation is answered as in some interleaving, yields its next operation there;
// then the run is abandoned. Thus each thread becomes an automaton: its states are
// what it has read, its transitions are the operations, and a transition that has
// been computed once needs no further run. The explorer keeps the variables as
// numbers. So a state of the whole scenario is a state of each thread and a value of
// each variable, a few dozen bytes, and visiting a state takes about a microsecond.
// States are visited breadth first.
//
// Memory that is not a variable must belong to one thread: it is restored before
// each run of a thread, and is part of the thread's state.
//
// # Reducing the states
//
// A thread forgets what a function without results has read when that function has
// returned; see memory.go. Operations that other threads cannot distinguish from
// earlier or later ones are combined with the operation before or after; see
// step.go. Both reductions can be switched off ([Scenario].Fine), and a test
// compares the two on random programs.
//
// # Failures
//
// A thread that can never continue, and has neither finished nor is allowed to wait
// ([Thread].Asleep); where every thread must finish, that is a lost wake-up. Two
// threads in their critical sections ([Run.Critical]). A send to a channel that is
// full. A panic.
//
// # Limits
//
// Operations are sequentially consistent, as those of sync/atomic are. The race
// detector has to check that plain memory is free from data races. A scenario has a
// fixed and small number of threads and of rounds, and nothing follows for more.
// Threads that poll forever without progress are not found, only those that sleep.
// Goroutines that a thread starts are not explored.
package interleave
