// Package dekker is Dekker's mutual exclusion algorithm for two processes, the
// first that was published.
//
// Source: T. J. Dekker, 1959 or 1960; described by E. W. Dijkstra, "Over de
// sequentialiteit van procesbeschrijvingen", EWD 35, and "Cooperating sequential
// processes", EWD 123, 1965, 2.1.
//
// # Shared variables
//
//	want[i]  written by process i: 1 while it insists on entering or is inside; initially 0
//	turn     written by the process that leaves: the process that may insist while both
//	         want to enter; initially process 0
//
// # Algorithm
//
// Process i, where j is the other one:
//
//	1  want[i] := true
//	2  while want[j] do
//	3    if turn = j then
//	4      want[i] := false
//	5      await turn = i
//	6      want[i] := true
//	7  critical section
//	8  turn := j
//	9  want[i] := false
//
// # Properties
//
// Mutual exclusion, deadlock-free, and starvation-free under weak fairness. Not FIFO:
// between lines 4 and 6, process j does not see that process i waits, and bypasses
// it any number of times. Peterson's algorithm has as many registers, and at most one
// bypass. An uncontended entry and exit make four accesses: three writes and a read.
// Mutual exclusion depends only on want, and tolerates safe registers.
//
// # Aborting
//
// An aborted acquisition lowers its flag. Then line 5 as printed deadlocks: process j,
// which has the turn, aborts at line 2, and process i awaits a turn that it never gets.
// An abort that hands on the turn, by line 8, does not help: process j may abort
// between lines 8 and 9 of process i, request again, find want[i] still true, and
// await a turn that has passed. So line 5 awaits turn = i or not want[j]; without
// aborts, all properties are the same.
//
// A process that waits at line 2 can starve if the other one requests and aborts
// forever: it may look only while that flag is up.
package dekker

import (
	"context"

	"example.org/doorway/register"
)

// A Lock provides mutual exclusion for two processes, 0 and 1. It must not be
// copied after first use. See [example.org/doorway/mutex.Abortable] for what
// its methods promise.
type Lock struct {
	procs register.Processes
	want  [2]register.Word
	turn  register.Word
}

// New returns a free lock for two processes.
func New() *Lock { return &Lock{procs: register.MakeProcesses("dekker", 2)} }

// Processes returns 2.
func (l *Lock) Processes() int { return 2 }

// Lock runs the entry protocol of process i, 0 or 1.
func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.entry(p)
	p.Inside()
}

// TryLock runs the entry protocol of process i without waiting, and reports whether it succeeded.
func (l *Lock) TryLock(i int) bool { return l.procs.Try(i, l.entry) }

// LockContext runs the entry protocol of process i, and returns ctx.Err() if ctx is done first.
func (l *Lock) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, l.entry)
}

// Unlock runs the exit protocol of process i.
func (l *Lock) Unlock(i int) { l.exit(l.procs.Exit(i)) }

func (l *Lock) entry(p *register.Process) bool {
	i := p.ID()
	j := 1 - i
	l.want[i].Set(1) // 1: no process awaits a raised flag
	p.Doorway()
	return register.Repeat(func() register.Outcome {
		if l.want[j].Load() == 0 { // 2
			return register.Entered
		}
		if l.turn.Load() != uint64(j) { // 3: the turn stays with i until i leaves
			if !l.want[j].Await(p, lowered) { // 2
				l.want[i].Store(0) // aborted
				return register.GaveUp
			}
			return register.Entered
		}
		l.want[i].Store(0)          // 4
		if !register.AwaitEither(p, // 5, and not want[j]: see Aborting
			&l.turn, func(turn uint64) bool { return turn == uint64(i) },
			&l.want[j], lowered,
		) {
			return register.GaveUp // aborted, with its flag down
		}
		l.want[i].Set(1) // 6
		return register.Again
	})
}

func (l *Lock) exit(p *register.Process) {
	i := p.ID()
	l.turn.Store(uint64(1 - i)) // 8
	l.want[i].Store(0)          // 9
}

func lowered(want uint64) bool { return want == 0 }
