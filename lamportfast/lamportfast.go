// Package lamportfast implements Lamport's fast mutual-exclusion algorithm:
// uncontended, a process enters after a constant number of accesses, whatever the
// number of processes.
//
// Source: L. Lamport, "A fast mutual exclusion algorithm", ACM Transactions on
// Computer Systems 5(1):1-11, 1987; line numbers as in D. Sabel, "Das
// Mutual-Exclusion-Problem bei n Prozessen", LMU München 2020.
//
// # Shared variables
//
//	want[i]  written by process i: 1 while it tries to enter, and while it is
//	         inside on the fast path; 0 at first
//	x        written by all: the last process to begin a try
//	y        written by all: the last process to find the gate open; 0: it is open
//
// In x and y processes are named from 1.
//
// # Algorithm
//
// Process i:
//
//	 2  want[i] := true
//	 3  x := i
//	 4  if y ≠ 0 then
//	 5    want[i] := false
//	 6    await y = 0
//	 7    goto 2
//	 8  y := i
//	 9  if x ≠ i then
//	10    want[i] := false
//	11    for j := 1 to n do await not want[j]
//	12    if y ≠ i then
//	13      await y = 0
//	14      goto 2
//	15  critical section
//	16  y := 0
//	17  want[i] := false
//
// # Properties
//
// Mutual exclusion and deadlock-free, but not starvation-free: each time that a
// process reads y, another may have entered again. Uncontended, an entry and exit
// make seven accesses, five writes and two reads, whatever n is; n+2 registers.
//
// When y becomes 0, only one of its waiters can enter, so only the one that has
// waited longest is woken ([register.Word.AwaitExclusive]). It enters, or finds that another
// process closed the gate, which that process will open again. That permits
// barging: a running process can enter many times in a row, which makes this lock
// fast under contention. But waiting is bounded by the clock: once a process has been
// the first in line for 150 µs, those that exit enter again only behind it
// ([register.Word.GiveWay]). That policy is no part of the algorithm.
//
// Lines 16 and 17 cannot be swapped: with want[i] lowered first, a process j at
// line 11 may pass and enter with y = j. Then y := 0 opens the gate behind it, and
// process i itself can enter again.
//
// # Aborting
//
// At lines 6 and 13 a process just leaves. At line 11 it cannot: if y = i, it is
// the process that has to open the gate, and it must enter to do so. There the
// entry is absorbed ([register.Process.Absorb]): a goroutine continues on behalf of
// the process and, if it enters, leaves at once.
package lamportfast

import (
	"context"

	"example.org/doorway/register"
)

// A Lock provides mutual exclusion for n processes, 0 to n-1. It must not be
// copied after first use. [example.org/doorway/mutex.Abortable] specifies its
// methods.
type Lock struct {
	procs register.Processes
	x, y  register.Word
	want  []register.Word
}

// New returns a free lock for n processes. It panics unless 1 <= n <= 1<<20.
func New(n int) *Lock {
	return &Lock{procs: register.MakeProcesses("lamportfast", n), want: make([]register.Word, n)}
}

// Processes returns n.
func (l *Lock) Processes() int { return l.procs.Len() }

// FIFO reports that processes may barge: one that comes later may enter first.
func (l *Lock) FIFO() bool { return false }

// Lock runs the entry protocol of process i, 0 <= i < n.
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
	i, id := p.ID(), p.Name()
	return register.Repeat(func() register.Outcome {
		l.want[i].Set(1)     // 2
		l.x.Set(id)          // 3
		if l.y.Load() != 0 { // 4
			l.want[i].Store(0)                                   // 5
			return register.AgainIf(l.y.AwaitExclusive(p, zero)) // 6, 7
		}
		l.y.Set(id)           // 8
		if l.x.Load() != id { // 9
			l.want[i].Store(0)   // 10
			if !l.noneWants(p) { // 11
				return p.Absorb(func() { l.passThrough(p) })
			}
			if l.y.Load() != id { // 12
				return register.AgainIf(l.y.AwaitExclusive(p, zero)) // 13, 14
			}
		}
		return register.Entered
	})
}

// noneWants is line 11. It is not a snapshot: a want[j] that was false may be
// true again when the next is read.
func (l *Lock) noneWants(p *register.Process) bool {
	for j := range l.want {
		if !l.want[j].Await(p, zero) {
			return false
		}
	}
	return true
}

// passThrough finishes an entry of p from line 11 on.
func (l *Lock) passThrough(p *register.Process) {
	if l.noneWants(p) && l.y.Load() == p.Name() {
		l.exit(p)
	}
}

func (l *Lock) exit(p *register.Process) {
	l.y.Store(0)            // 16
	l.want[p.ID()].Store(0) // 17
	l.y.GiveWay(p)
}

func zero(v uint64) bool { return v == 0 }
