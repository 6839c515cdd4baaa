// Package tournament implements mutual exclusion for n processes by a tournament
// tree of Peterson's algorithm: the winner at the root enters.
//
// Source: G. L. Peterson and M. J. Fischer, "Economical solutions for the
// critical section problem in a distributed system", STOC 1977, 91-97; in the
// form of G. Taubenfeld, Synchronization Algorithms and Concurrent
// Programming, 2006, 2.1, and of D. Sabel, "Das Mutual-Exclusion-Problem bei n
// Prozessen", LMU München 2020.
//
// # Shared variables
//
// The tree has w = 2^h leaves, h = ⌈log2 n⌉; its nodes are numbered as in a
// heap: the root is 1, the children of node v are 2v and 2v+1, and process i
// begins at leaf w+i.
//
//	want[c]  1 while a process that has reached node c > 1 wants to pass, or
//	         has passed, the parent of c; 0 at first. At most one process
//	         writes it at any time.
//	turn[v]  written by the processes that reach inner node v: the side (0 left,
//	         1 right) that wrote it last, which is the one to wait
//
// # Algorithm
//
// Process i:
//
//	1  for c := leaf of i up to a child of the root do
//	2    want[c] := true
//	3    turn[c/2] := side of c
//	4    await not want[sibling of c] or turn[c/2] != side of c
//	5  critical section
//	6  for c := that child of the root down to the leaf of i do
//	7    want[c] := false
//
// # Properties
//
// Mutual exclusion, deadlock-free, and starvation-free, as the two-process
// algorithm is. No bypass bound: on its way up, a process can be bypassed any
// number of times by processes on the other side of the tree; but not for long, since
// those give way then ([register.Process.Pass]). Uncontended, an entry and exit make
// 4h accesses. 3(w-1) registers, or, for an n that is not a power of two, three for
// each inner node below which a process begins.
//
// The flags are lowered from the root to the leaf. From the leaf up, a sibling
// could win at the leaves, climb, and raise a flag above, which the process on its
// way out then lowers: that violates mutual exclusion with as few as n = 3.
package tournament

import (
	"context"
	"math/bits"

	"example.org/doorway/register"
)

// A Lock provides mutual exclusion for n processes, 0 to n-1. It must not be
// copied after first use. [example.org/doorway/mutex.Abortable] specifies its
// methods.
type Lock struct {
	procs  register.Processes
	height int
	want   []register.Word // by node; 0 and 1 are not used
	turn   []register.Word // by inner node; 0 is not used
}

// New returns a free lock for n processes. It panics unless 1 <= n <= 1<<20.
func New(n int) *Lock {
	l := &Lock{procs: register.MakeProcesses("tournament", n), height: bits.Len(uint(n - 1))}
	l.want = make([]register.Word, 2<<l.height)
	l.turn = make([]register.Word, 1<<l.height)
	return l
}

// Processes returns n.
func (l *Lock) Processes() int { return l.procs.Len() }

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
	for c := l.leaf(p); c > 1; c /= 2 { // 1
		side, sibling, turn := uint64(c&1), &l.want[c^1], &l.turn[c/2]
		l.want[c].Set(1)         // 2: no process awaits that another wants
		turn.Store(side)         // 3
		if sibling.Load() == 0 { // 4, uncontended: without building closures
			continue
		}
		if !register.AwaitEitherInTurn(p, // 4
			sibling, func(want uint64) bool { return want == 0 },
			turn, func(turn uint64) bool { return turn != side },
		) {
			l.lower(p, c) // aborted: leaves no trace
			return false
		}
	}
	return true
}

func (l *Lock) exit(p *register.Process) {
	if l.height > 0 {
		l.lower(p, l.leaf(p)>>(l.height-1)) // 6
	}
}

// lower lowers the flags of p from node c down to its leaf.
func (l *Lock) lower(p *register.Process, c int) {
	leaf := l.leaf(p)
	for k := bits.Len(uint(leaf)) - bits.Len(uint(c)); k >= 0; k-- {
		l.want[leaf>>k].Store(0) // 7
	}
	p.Pass()
}

func (l *Lock) leaf(p *register.Process) int { return 1<<l.height + p.ID() }
