// Package bakery is Lamport's bakery: a process takes a number larger than all
// others, and enters when its number is the smallest. So it is FIFO (first come,
// first served), in four forms that programs use alike:
//
//   - [New] makes the one for use;
//   - [NewClassic] makes the extended bakery of the paper, line by line;
//   - [NewSimple] makes the one without choosing, which assumes an atomic step;
//   - [NewBlackWhite] makes Taubenfeld's, whose numbers never exceed n.
package bakery

import (
	"context"
	"math/bits"

	"example.org/doorway/register"
)

// A Lock is the bakery for use: the algorithm of [Classic] with its registers
// packed, looking first where it will have to wait.
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
// Choosing and number are one register, and line 4 writes both at once. At line
// 7 a process that is choosing again is as good as one without a number: it was
// seen not to be choosing at line 6, so its next number is larger than ours.
//
// Line a awaits the immediate predecessor, whom line 7 would await in any case:
// the order in which the j are looked at is free, for the proof argues each j
// alone. But looked at in this order all others have left by then, as a rule,
// so that an exit wakes one process and each process wakes once. To enter
// straight after line a, as FIFO order seems to allow, breaks
// mutual exclusion with n = 3.
//
// A process that sees no other takes number 1 without looking for a maximum,
// and if it sees none again, enters: lines 3 and 5 to 7 in a form that is
// faster to test, and that leaves out its own register, whose value it knows.
// So that four can be tested at a time, there are up to three registers more,
// of processes that never come.
//
// Properties: mutual exclusion, FIFO (a process that has completed line 4 enters
// before one that comes to line 2 later), freedom from deadlock and starvation.
// Uncontended, an entry and exit make three writes and 2(m-1) reads, where m is n
// rounded up to a multiple of four; m registers.
//
// Numbers grow by one an entry while some process always holds one, and begin
// anew after any moment in which none does. The last is 2^(64-b)-1, where
// b is the smallest with n < 2^b. So a lock for 8 processes (b = 4) that is never
// free lasts for 2^60 entries, which take 3600 years at 100 ns each, and one for
// 1000 (b = 10) for 2^54, 570 years at 1 µs. After that it stops: the next ticket
// would be the smallest, and its process and its predecessor wait for each other.
//
// An aborted acquisition lays its ticket down; nothing else is to be undone.
type Lock struct {
	procs  register.Processes
	ticket []register.Word
	shift  int // a ticket is number<<shift | process, which is named from 1
}

// choosing is a ticket yet to be written, below every other but none at all.
const choosing = 1

// What others returns.
const nobody, somebody = 0, 1

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
	ticket.Set(choosing) // 2: nobody awaits that another is choosing
	last := register.Pure(func() uint64 {
		if register.Pure(func() uint64 { return others(t, i) }) == nobody {
			return choosing
		}
		return largest(t) // 3
	})
	mine := (last>>l.shift+1)<<l.shift | p.Name()
	ticket.Store(mine) // 4
	p.Doorway()
	if last == choosing && register.Pure(func() uint64 { return others(t, i) }) == nobody {
		return true // 5 to 7
	}
	if !l.left(p, last) || !l.served(p, mine) {
		l.exit(p) // given up: as if it had never come
		return false
	}
	return true
}

// others returns nobody if none but process i has a ticket or is choosing, each
// register having been read once, and otherwise somebody. That nobody is there
// makes line 3 a choice of 1 and both conditions of lines 5 to 7 true of every
// j, and is faster to find out.
//
// It must not read ticket[i]: what has just been written by an atomic store
// takes longer to read (4 ns on amd64) than the registers of all others.
func others(t []register.Word, i int) uint64 {
	for ; i >= 4; t, i = t[4:], i-4 {
		if t[0].Load()|t[1].Load()|t[2].Load()|t[3].Load() != 0 {
			return somebody
		}
	}
	own := (*[4]register.Word)(t)
	if own[(i+1)&3].Load()|own[(i+2)&3].Load()|own[(i+3)&3].Load() != 0 {
		return somebody
	}
	for t = t[4:]; len(t) >= 4; t = t[4:] {
		if t[0].Load()|t[1].Load()|t[2].Load()|t[3].Load() != 0 {
			return somebody
		}
	}
	return nobody
}

// left is line a.
func (l *Lock) left(p *register.Process, last uint64) bool {
	if last <= choosing {
		return true
	}
	k := last&(1<<l.shift-1) - 1
	return l.ticket[k].Await(p, func(ticketk uint64) bool { return ticketk != last })
}

// served is lines 5 to 7. It tests both conditions at once while they hold,
// and four processes at a time.
func (l *Lock) served(p *register.Process, mine uint64) bool {
	t := l.ticket
	for ; len(t) >= 4; t = t[4:] {
		if register.Pure(func() uint64 { return before(t, mine) }) == somebody && !awaitEach(p, t[:4], mine) {
			return false
		}
	}
	return true
}

// before returns somebody if one of four is choosing or has a ticket before
// mine: ticket-1 is huge for no ticket, and 0 for choosing.
func before(t []register.Word, mine uint64) uint64 {
	if t[0].Load()-1 < mine-1 || t[1].Load()-1 < mine-1 || t[2].Load()-1 < mine-1 || t[3].Load()-1 < mine-1 {
		return somebody
	}
	return nobody
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

// largest returns the largest ticket, each being read once. Two running maxima
// are twice as fast as one: each comparison waits for the one before.
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
