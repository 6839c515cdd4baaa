// Package interleave runs a few threads in every order of what they do to the
// variables that they synchronise by, from their source: the code under test is
// the code that ships, and only its atomics, mutexes and channels are replaced
// by ones that ask a [Run]. A failure comes with a shortest run that shows it.
//
// # How
//
// Threads never run side by side, and not even in turns. What a thread does next
// follows from what it has read, so one run of it alone, in which every
// operation is answered as this or that order would have it, tells what it would
// do there; then the run is abandoned. Thus each thread becomes an automaton:
// its states are what it has read, its steps the operations, and a step that has
// been made once needs no run again. The variables are numbers that the explorer
// keeps. So a state of the whole scenario is a state of each thread and a value
// of each variable, a few dozen bytes, and to visit all takes about a microsecond
// each. They are visited breadth first.
//
// Memory that is not a variable must belong to one thread: it is put back before
// each run of a thread, and is part of the thread's state.
//
// # How states become few
//
// What a function read that returns nothing, the thread has forgotten when the
// function has returned; see memory.go. And operations that no other thread can
// tell from earlier or later ones are made together with the one before or
// after; see step.go. Both can be switched off ([Scenario].Fine), and a test
// draws programs by lot and compares.
//
// # What counts as a failure
//
// A thread that can never go on, and has neither finished nor is allowed to wait
// ([Thread].Asleep): where everyone must finish, that is what a lost wake-up looks
// like. Two threads in their critical sections ([Run.Critical]). A send to a
// channel that is full. A panic.
//
// # Where it stops
//
// Operations are sequentially consistent, as those of sync/atomic are. That
// plain memory is free from data races, the race detector has to say.
// A scenario has a fixed and small number of threads and of rounds, and nothing
// follows for more. Threads that poll for ever and get nowhere are not found:
// only such as sleep. Goroutines that a thread starts are not followed.
package interleave
