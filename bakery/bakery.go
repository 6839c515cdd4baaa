// Package bakery implements Lamport's bakery algorithm, a FIFO (first come, first
// served) lock for n processes: a process takes a number larger than all others,
// and enters when its number is the smallest.
//
// There are four forms with the same methods. The first shows the algorithm, and the second
// is the one to use:
//
//   - [NewClassic] returns the extended bakery of the paper, line by line;
//   - [New] returns the form for production use;
//   - [NewSimple] returns the form without choosing, which assumes an atomic step;
//   - [NewBlackWhite] returns Taubenfeld's form, whose numbers never exceed n.
package bakery

import (
	"context"

	"example.org/doorway/register"
)

// A Classic is the bakery of the paper, line by line.
//
// Source: L. Lamport, "A new solution of Dijkstra's concurrent programming
// problem", Communications of the ACM 17(8):453-455, 1974; line numbers as in
// D. Sabel, "Das Mutual-Exclusion-Problem bei n Prozessen", LMU München 2020,
// where it is the extended bakery.
//
// Shared variables, written by process i alone:
//
//	choosing[i]  1 while process i is in the doorway; 0 at first
//	number[i]    its ticket; 0 while it has none
//
// Process i:
//
//	2  choosing[i] := true
//	3  number[i] := 1 + maximum(number)
//	4  choosing[i] := false
//	a  if the maximum was not 0, and was number[k], then await number[k] ≠ number[i] - 1
//	5  for j := 1 to n do
//	6    await not choosing[j]
//	7    await number[j] = 0 or (number[j], j) ≥ (number[i], i)
//	8  critical section
//	9  number[i] := 0
//
// Properties: mutual exclusion, deadlock-free, starvation-free, and FIFO (a process
// that has completed line 4 enters before one that reaches line 2 later).
// Uncontended, an entry and exit make four writes and 3n reads; 2n
// registers.
//
// It departs from the paper in one point. Line a awaits the immediate predecessor,
// which line 7 would await in any case. By then all others have usually left, so an
// exit wakes one process. Without line a, all waiters may wait for the same process,
// and again for the next.
//
// Numbers grow without bound while some process always holds one, and restart at 1
// after any moment in which none does. At 100 ns an entry, those of 64 bits last for
// 58,000 years without such a moment. Then mutual exclusion can be violated.
//
// The maximum must be computed from values that were each read once. Remembering
// where the largest was seen and reading it there again violates mutual exclusion
// with n = 3: it may have become 0.
//
// An aborted acquisition resets its number; nothing else need be undone.
type Classic struct {
	procs            register.Processes
	choosing, number []register.Word
}

// NewClassic returns a free lock for n processes. It panics unless 1 <= n <= 1<<20.
func NewClassic(n int) *Classic {
	return &Classic{register.MakeProcesses("bakery", n), make([]register.Word, n), make([]register.Word, n)}
}

// Processes returns n.
func (l *Classic) Processes() int { return l.procs.Len() }

// FIFO reports that processes enter first come, first served.
func (l *Classic) FIFO() bool { return true }

// Lock runs the entry protocol of process i, 0 <= i < n.
func (l *Classic) Lock(i int) {
	p := l.procs.Entry(i)
	l.entry(p)
	p.Inside()
}

// TryLock runs the entry protocol of process i without waiting, and reports whether it succeeded.
func (l *Classic) TryLock(i int) bool { return l.procs.Try(i, l.entry) }

// LockContext runs the entry protocol of process i, and returns ctx.Err() if ctx is done first.
func (l *Classic) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, l.entry)
}

// Unlock runs the exit protocol of process i.
func (l *Classic) Unlock(i int) { l.exit(l.procs.Exit(i)) }

func (l *Classic) entry(p *register.Process) bool {
	i := p.ID()
	l.choosing[i].Set(1)      // 2: no process awaits that another is choosing
	last := maximum(l.number) // 3
	number := 1 + last.number
	l.number[i].Set(number) // no process awaits that another has one
	l.choosing[i].Store(0)  // 4
	p.Doorway()
	if !left(p, l.number, last) || !l.served(p, number) {
		l.exit(p) // aborted: leaves no trace
		return false
	}
	return true
}

// served is lines 5 to 7.
func (l *Classic) served(p *register.Process, number uint64) bool {
	i := p.ID()
	for j := range l.number { // 5
		if !l.choosing[j].Await(p, zero) || // 6
			!l.number[j].Await(p, func(numberj uint64) bool { // 7
				return numberj == 0 || !precedes(numberj, j, number, i)
			}) {
			return false
		}
	}
	return true
}

func (l *Classic) exit(p *register.Process) {
	l.number[p.ID()].Store(0) // 9
}

// A ticket is a number, and the process k that has drawn it.
type ticket struct {
	number uint64
	k      int
}

// maximum reads each number once and returns the largest, or number 0 if there is none.
func maximum(number []register.Word) ticket {
	return register.Pure(func() (largest ticket) {
		for k := range number {
			if numberk := number[k].Load(); numberk > largest.number {
				largest = ticket{numberk, k}
			}
		}
		return largest
	})
}

// left is line a.
func left(p *register.Process, number []register.Word, last ticket) bool {
	return last.number == 0 || number[last.k].Await(p, func(numberk uint64) bool { return numberk != last.number })
}

// precedes reports whether the ticket (numberj, j) is served before (number, i).
func precedes(numberj uint64, j int, number uint64, i int) bool {
	return numberj < number || numberj == number && j < i
}

func zero(v uint64) bool { return v == 0 }
