// Package mcs implements the queue lock of Mellor-Crummey and Scott in the variant of
// the K42 operating system, with aborts: a process needs a node of the queue only while it
// waits, and awaits a register of its own.
//
// Sources: J. M. Mellor-Crummey, M. L. Scott, "Algorithms for scalable synchronization
// on shared-memory multiprocessors", ACM Transactions on Computer Systems 9(1):21-65,
// 1991; M. A. Auslander, D. J. Edelsohn, O. Y. Krieger, B. S. Rosenburg, R. W.
// Wisniewski, "Enhancement to the MCS lock for increased functionality and improved
// programmability", U.S. patent application 20030200457, 2003, as M. L. Scott has it,
// Shared-Memory Synchronization, Morgan & Claypool 2013, 4.3.2.
//
// # Shared variables
//
//	tail      0 if the lock is free, 1 if a process is inside and none waits, otherwise
//	          the last node of the queue; written by all
//	head      the first node of the queue, or 0; written by the process that is inside,
//	          and, while the queue is empty, by the one that joins it
//	next[k]   the node behind node k, or 0; written by the process of that node, and in a
//	          [Queue] by one that takes out nodes of others that have aborted
//	state[k]  0 if the process of node k waits; 1 once the lock has been handed to it,
//	          and node k is out of the queue; 2 if the process does not wait
//
// # Algorithm
//
// Process i, which has a node i:
//
//	1  if tail = 0 then tail := 1, in one step, and goto 6
//	2  next[i] := 0; state[i] := 0
//	3  k := swap(tail, i)
//	4  if k = 0 then state[i] := 2; head := i; goto 6
//	   if k = 1 then head := i else next[k] := i
//	5  await state[i] = 1
//	6  critical section
//	7  if head = 0 then if tail = 1 then tail := 0, in one step, and return
//	8  await head ≠ 0; k := head
//	9  if next[k] = 0 then head := 0; if tail = k then tail := 1, in one step, and goto 11
//	10 await next[k] ≠ 0; head := next[k]
//	11 if swap(state[k], 1) = 2 then goto 7
//
// A process inside has no node in the queue: tail = 1 stands for it. So a process alone needs
// no node. Lines 8 and 10 wait for one step of another process, which has joined the queue at
// line 3 and comes to line 4.
//
// This departs from the source in two points.
//
// In the source, line 3 is a compare-and-swap that starts over if tail has changed. Here it is a
// swap, which is one step, so the doorway is bounded. If the swap finds the lock free, the node
// stays in the queue as if its process had aborted.
//
// In the source, a process takes its own node out of the queue, after line 5. Here the process
// before it does, at lines 8 to 10. So an entry awaits nothing that it cannot abort, and the node
// of an aborted process is taken out like any other.
//
// # Aborting
//
// At line 5:
//
//	a  if state[i] = 0 then state[i] := 2, in one step, and return
//	b  goto 6, as the lock has been handed over
//
// An aborted process leaves its node in the queue, which line 11 finds and skips. Until
// then the node cannot be used again: the next entry of the process waits for it
// ([register.Process.Absorb]). An abort of a [Lock] is one step, however many abort. It costs
// one exit a round of lines 7 to 11. TryLock is line 1, and joins no queue.
//
// # Properties
//
// Mutual exclusion, deadlock-free, starvation-free, and FIFO: the doorway is lines 1 to 3. If
// processes abort forever, an exit can skip them forever. Uncontended, an entry and exit make
// two compare-and-swaps and a load of head; 2n+2 registers. An exit wakes one process, which
// then is inside.
//
// A node can be used again as soon as state[k] = 1. No process that may still write to it
// or compare it with tail knows it then: the exit that took it out of the queue either found
// tail = k, or awaited the only process that swapped it out of tail.
package mcs

import (
	"context"

	"example.org/doorway/internal/memory/cell"
	"example.org/doorway/register"
)

// A Lock provides mutual exclusion for n processes, 0 to n-1. It must not be
// copied after first use. [example.org/doorway/mutex.Abortable] specifies its
// methods.
type Lock struct {
	procs register.Processes
	_     [64]byte
	queue queue
	_     [64]byte
	row   []padded
}

// A queue is the lock without nodes.
type queue struct {
	tail cell.Plain
	head cell.Local
}

// A node is a place in a queue.
type node struct{ next, state cell.Local }

// A padded node has a cache line of its own: one process writes it, and another awaits it.
type padded struct {
	node
	_ [32]byte
}

// The values of tail that are not nodes; nodes are named from first on.
const (
	free = iota
	held
	first
)

// The values of state.
const (
	waiting = iota
	granted
	absent
)

// New returns a free lock for n processes. It panics unless 1 <= n <= 1<<20.
func New(n int) *Lock {
	return &Lock{procs: register.MakeProcesses("mcs", n), row: make([]padded, n)}
}

// Processes returns n.
func (l *Lock) Processes() int { return l.procs.Len() }

// FIFO reports that processes enter first come, first served.
func (l *Lock) FIFO() bool { return true }

// Lock runs the entry protocol of process i, 0 <= i < n.
func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.entry(p)
	p.Inside()
}

// TryLock runs the entry protocol of process i without waiting, and reports whether it succeeded.
func (l *Lock) TryLock(i int) bool { return l.procs.Try(i, l.try) }

// LockContext runs the entry protocol of process i, and returns ctx.Err() if ctx is done first.
func (l *Lock) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, l.attempt)
}

// Unlock runs the exit protocol of process i.
func (l *Lock) Unlock(i int) { l.exit(l.procs.Exit(i)) }

func (l *Lock) try(*register.Process) bool { return l.queue.enter() }

// entry is an entry that does not abort.
func (l *Lock) entry(p *register.Process) bool {
	i := l.node(l.name(p))
	return l.queue.enter() || l.queue.join(l, l.name(p), i) || i.await(p)
}

// attempt is an entry that may abort.
func (l *Lock) attempt(p *register.Process) bool {
	if l.entry(p) {
		return true
	}
	i := l.node(l.name(p))
	if !i.leave() { // a
		return true
	}
	p.Absorb(func() { i.state.Await(p, isGranted) })
	return false
}

func (l *Lock) exit(p *register.Process) {
	register.Repeat(func() register.Outcome {
		if l.queue.leave() || l.node(l.queue.take(p, l)).grant() {
			return register.Entered
		}
		return register.Again
	})
}

// name returns the name of the node of p.
func (l *Lock) name(p *register.Process) uint64 { return p.Name() - 1 + first }

func (l *Lock) node(name uint64) *node { return &l.row[name-first].node }

// nodes finds the node with a name.
type nodes interface{ node(name uint64) *node }

// enter is line 1. It reports whether the caller is in the critical section.
func (q *queue) enter() bool { return q.tail.CompareAndSwap(free, held) }

// join is lines 2 to 4, for node i, which has a name. It reports whether the caller is in the
// critical section; otherwise await must follow.
func (q *queue) join(of nodes, name uint64, i *node) bool {
	i.next.Store(0) // 2
	i.state.Store(waiting)
	switch k := q.tail.Swap(name); k { // 3, 4
	case free:
		i.state.Store(absent)
		q.head.Store(name)
		return true
	case held:
		q.head.Store(name)
	default:
		of.node(k).next.Store(name)
	}
	return false
}

// await is line 5.
func (i *node) await(p *register.Process) bool {
	p.Doorway()
	return i.state.Await(p, isGranted)
}

// leave is line a. It returns false if the lock has been handed to node i.
func (i *node) leave() bool { return i.state.CompareAndSwap(waiting, absent) }

// leave is line 7. It reports whether the lock is free now; otherwise take must follow.
func (q *queue) leave() bool { return q.head.Load() == 0 && q.tail.CompareAndSwap(held, free) }

// take is lines 8 to 10. It takes the first node out of the queue.
func (q *queue) take(p cell.Waiter, of nodes) (name uint64) {
	q.head.Await(p, isNode) // 8
	name = q.head.Load()
	k := of.node(name)
	if !q.empty(name, k) { // 9
		k.next.Await(p, isNode) // 10
		q.head.Store(k.next.Load())
	}
	return name
}

// grant is line 11. It returns false if the process of the node does not wait.
func (i *node) grant() bool { return i.state.Swap(granted) != absent }

// empty is line 9. It reports whether the queue is empty now, as node k was the last.
func (q *queue) empty(name uint64, k *node) bool {
	if k.next.Load() != 0 {
		return false
	}
	q.head.Store(0)
	return q.tail.CompareAndSwap(name, held)
}

func isNode(v uint64) bool    { return v != 0 }
func isGranted(v uint64) bool { return v == granted }
