// Package peterson implements Peterson's mutual-exclusion algorithm for 2 processes.
//
// Source: G. L. Peterson, "Myths about the mutual exclusion problem",
// Information Processing Letters 12(3):115-116, 1981.
//
// # Shared variables
//
//	want[i]  written by process i: 1 while it wants to be or is inside; 0 at first
//	turn     written by both: the last process to write it, which is the one to wait
//
// # Algorithm
//
// Process i, where j is the other one:
//
//	1  want[i] := true
//	2  turn := i
//	3  await not want[j] or turn != i
//	4  critical section
//	5  want[i] := false
//
// # Properties
//
// Mutual exclusion, deadlock-free, starvation-free, and FIFO: a process that has
// completed line 2 enters before one that reaches line 1 later. Uncontended, an
// entry and exit make four accesses: three writes and a read.
//
// The order of lines 1 and 2 matters. With turn written first, both can enter:
// process 0 writes turn; process 1 writes turn and want[1], and enters because
// want[0] is false; process 0 writes want[0], and enters because turn is 1.
package peterson

import (
	"context"

	"example.org/doorway/register"
)

// A Lock provides mutual exclusion for two processes, 0 and 1. It must not be
// copied after first use. [example.org/doorway/mutex.Abortable] specifies its
// methods.
type Lock struct {
	procs register.Processes
	want  [2]register.Word
	turn  register.Word
}

// New returns a free lock for two processes.
func New() *Lock { return &Lock{procs: register.MakeProcesses("peterson", 2)} }

// Processes returns 2.
func (l *Lock) Processes() int { return l.procs.Len() }

// FIFO reports that processes enter first come, first served.
func (l *Lock) FIFO() bool { return true }

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
	l.want[i].Set(1)        // 1: no process awaits that the other wants
	l.turn.Store(uint64(i)) // 2
	p.Doorway()
	if l.want[j].Load() == 0 { // 3, uncontended: without building closures
		return true
	}
	if !register.AwaitEither(p, // 3
		&l.want[j], func(wantj uint64) bool { return wantj == 0 },
		&l.turn, func(turn uint64) bool { return turn != uint64(i) },
	) {
		l.exit(p) // aborted: leaves no trace
		return false
	}
	return true
}

func (l *Lock) exit(p *register.Process) {
	l.want[p.ID()].Store(0) // 5
}
