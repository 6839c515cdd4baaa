package bakery

import (
	"context"
	"math/bits"

	"example.org/doorway/register"
)

// A Lock is the bakery for production use: the algorithm of [Classic], with choosing and
// number packed into one register.
//
// Shared variables, written by process i alone:
//
//	ticket[i]  0: none; 1: choosing; otherwise the pair (number, i), packed so
//	           that the order of pairs is the order of integers
//
// Process i:
//
//	2  ticket[i] := choosing
//	3  last := maximum(ticket); number := 1 + the number of last
//	4  ticket[i] := (number, i)
//	a  if last is a ticket, of process k, then await ticket[k] ≠ last
//	5  for j := 1 to n do
//	6    await ticket[j] ≠ choosing
//	7    await ticket[j] = 0 or ticket[j] = choosing or ticket[j] ≥ ticket[i]
//	8  critical section
//	9  ticket[i] := 0
//
// It departs from the paper in three points.
//
// Choosing and number are one register, and line 4 writes both at once. At line 7
// a process that is choosing again counts as one without a number. It was not
// choosing at line 6, so its next number is larger than ours.
//
// Line a awaits the immediate predecessor, as that of Classic does. The order of the j is
// free, as the proof treats each j separately. Entering straight after line a, as FIFO order
// seems to allow, violates mutual exclusion with n = 3.
//
// A process that is alone takes number 1 without computing a maximum. If it is still alone
// after line 4, it enters. These are lines 3 and 5 to 7 in a form that is faster to test, and
// that leaves out the process's own register, whose value it knows. To test four at a time,
// the lock has up to three more registers, which are always 0.
//
// Properties: mutual exclusion, deadlock-free, starvation-free, and FIFO (a process
// that has completed line 4 enters before one that reaches line 2 later).
// Uncontended, an entry and exit make three writes and 2(m-1) reads, where m is n
// rounded up to a multiple of four; m registers.
//
// Numbers grow by one per entry while some process always holds one, and restart at
// 1 after any moment in which none does. The last is 2^(64-b)-1, where b is the
// smallest with n < 2^b. So a lock for 8 processes (b = 4) that is never free lasts
// for 2^60 entries, which take 3600 years at 100 ns each. One for 1000 (b = 10) lasts
// for 2^54, which take 570 years at 1 µs. Then it deadlocks: the next ticket would be
// the smallest, and its process and its predecessor wait for each other.
//
// An aborted acquisition resets its ticket; nothing else need be undone.
type Lock struct {
	procs  register.Processes
	ticket []register.Word
	shift  int // a ticket is number<<shift | process, which is named from 1
}

// choosing is a ticket yet to be written, smaller than every other but 0, none.
const choosing = 1

// New returns a free lock for n processes. It panics unless 1 <= n <= 1<<20.
func New(n int) *Lock {
	return &Lock{
		procs:  register.MakeProcesses("bakery", n),
		ticket: make([]register.Word, (n+3)&^3), // those past n are never written
		shift:  bits.Len(uint(n)),
	}
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
func (l *Lock) TryLock(i int) bool { return l.procs.Try(i, l.entry) }

// LockContext runs the entry protocol of process i, and returns ctx.Err() if ctx is done first.
func (l *Lock) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, l.entry)
}

// Unlock runs the exit protocol of process i.
func (l *Lock) Unlock(i int) { l.exit(l.procs.Exit(i)) }

func (l *Lock) entry(p *register.Process) bool {
	i, t := p.ID(), l.ticket
	ticket := &t[i]
	ticket.Set(choosing) // 2: no process awaits that another is choosing
	last := uint64(choosing)
	if !register.Pure(func() bool { return alone(t, i) }) {
		last = register.Pure(func() uint64 { return largest(t) }) // 3
	}
	mine := (last>>l.shift+1)<<l.shift | p.Name()
	ticket.Store(mine) // 4
	p.Doorway()
	if last == choosing && register.Pure(func() bool { return alone(t, i) }) {
		return true // 5 to 7
	}
	if !l.left(p, last) || !l.served(p, mine) {
		l.exit(p) // aborted: leaves no trace
		return false
	}
	return true
}

// alone reads each register but that of process i once, and reports whether no other
// process has a ticket or is choosing. Then line 3 chooses 1, and both conditions of
// lines 5 to 7 are true of every j; alone is faster to compute.
//
// It must not read ticket[i]: reading what an atomic store has just written takes
// longer (4 ns on amd64) than reading the registers of all others.
func alone(t []register.Word, i int) bool {
	for ; i >= 4; t, i = t[4:], i-4 {
		if t[0].Load()|t[1].Load()|t[2].Load()|t[3].Load() != 0 {
			return false
		}
	}
	own := (*[4]register.Word)(t)
	if own[(i+1)&3].Load()|own[(i+2)&3].Load()|own[(i+3)&3].Load() != 0 {
		return false
	}
	for t = t[4:]; len(t) >= 4; t = t[4:] {
		if t[0].Load()|t[1].Load()|t[2].Load()|t[3].Load() != 0 {
			return false
		}
	}
	return true
}

// left is line a.
func (l *Lock) left(p *register.Process, last uint64) bool {
	if last <= choosing {
		return true
	}
	k := last&(1<<l.shift-1) - 1
	return l.ticket[k].Await(p, func(ticketk uint64) bool { return ticketk != last })
}

// served is lines 5 to 7. It tests both conditions at once while they hold.
func (l *Lock) served(p *register.Process, mine uint64) bool {
	t := l.ticket
	for len(t) > 0 {
		k := register.Pure(func() int { return before(t, mine) })
		if t = t[k:]; len(t) > 0 {
			if !awaitEach(p, t[:4], mine) {
				return false
			}
			t = t[4:]
		}
	}
	return true
}

// before returns how many tickets stand before the first four of which one is choosing
// or has a ticket before mine: ticket-1 is huge for no ticket, and 0 for choosing.
func before(t []register.Word, mine uint64) int {
	n := len(t)
	for ; len(t) >= 4; t = t[4:] {
		if t[0].Load()-1 < mine-1 || t[1].Load()-1 < mine-1 || t[2].Load()-1 < mine-1 || t[3].Load()-1 < mine-1 {
			break
		}
	}
	return n - len(t)
}

func awaitEach(p *register.Process, ticket []register.Word, mine uint64) bool {
	for j := range ticket { // 5
		if !ticket[j].Await(p, func(ticketj uint64) bool { return ticketj != choosing }) || // 6
			!ticket[j].Await(p, func(ticketj uint64) bool { return ticketj <= choosing || ticketj >= mine }) { // 7
			return false
		}
	}
	return true
}

func (l *Lock) exit(p *register.Process) {
	l.ticket[p.ID()].Store(0) // 9
}

// largest reads each ticket once and returns the largest. Two running maxima are
// twice as fast as one: each comparison depends on the one before.
func largest(t []register.Word) uint64 {
	var a, b uint64
	for ; len(t) >= 4; t = t[4:] {
		a, b = max(a, t[0].Load()), max(b, t[1].Load())
		a, b = max(a, t[2].Load()), max(b, t[3].Load())
	}
	for j := range t {
		a = max(a, t[j].Load())
	}
	return max(a, b)
}
