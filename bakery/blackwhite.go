package bakery

import (
	"context"

	"example.org/doorway/register"
)

// A BlackWhite is a bakery whose numbers never exceed n: a ticket has one of two
// colours, and while tickets of one colour are handed out, those of the other
// colour are served first.
//
// Source: G. Taubenfeld, "The Black-White Bakery algorithm and related
// bounded-space, adaptive, local-spinning and FIFO algorithms", DISC 2004,
// LNCS 3274, 56-70.
//
// Shared variables:
//
//	color        written by all on exit: the colour of the tickets to be taken
//	choosing[i]  written by process i: 1 while it is in the doorway; 0 at first
//	ticket[i]    written by process i: (mycolor[i], number[i]) in one register;
//	             number 0 while it has none
//
// Process i:
//
//	 1  choosing[i] := true
//	 2  mycolor[i] := color
//	 3  number[i] := 1 + max{number[j] | mycolor[j] = mycolor[i]}
//	 4  choosing[i] := false
//	 a  if the maximum was not 0, and was number[k], then await that k's ticket changes
//	 5  for j := 1 to n do
//	 6    await not choosing[j]
//	 b    if number[j] = 0 then continue
//	 7    if mycolor[j] = mycolor[i] then
//	 8      await number[j] = 0 or (number[j], j) ≥ (number[i], i) or mycolor[j] ≠ mycolor[i]
//	 9    else
//	10      await number[j] = 0 or mycolor[i] ≠ color or mycolor[j] = mycolor[i]
//	11  critical section
//	12  color := the opposite of mycolor[i]
//	13  number[i] := 0
//
// Properties: mutual exclusion, deadlock-free, starvation-free, FIFO, and numbers
// from 0 to n. Uncontended, an entry and exit make five writes and 3n+3 reads; 2n+1
// registers.
//
// This departs from the paper in three points.
//
// Colour and number are one register, and line 3 writes both: without a number, a
// colour means nothing. With two registers, read one after the other at line 3,
// mutual exclusion still holds, but process j may change its colour in between, and
// numbers exceed n.
//
// Line a awaits the immediate predecessor of the same colour, which line 8 would
// await in any case; see [Classic].
//
// Line b is what both line 8 and line 10 await, tested by the read of line 7.
//
// A process that aborts cannot reset its number, as the next number of that colour
// could then exceed n; nor can it also flip the colour, which violates mutual
// exclusion. So its entry is absorbed ([register.Process.Absorb]): a goroutine
// waits on its behalf, and leaves as soon as it has entered.
type BlackWhite struct {
	procs            register.Processes
	color            register.Word
	choosing, ticket []register.Word
}

// NewBlackWhite returns a free lock for n processes. It panics unless 1 <= n <= 1<<20.
func NewBlackWhite(n int) *BlackWhite {
	return &BlackWhite{
		procs:    register.MakeProcesses("bakery", n),
		choosing: make([]register.Word, n),
		ticket:   make([]register.Word, n),
	}
}

// Processes returns n.
func (l *BlackWhite) Processes() int { return l.procs.Len() }

// FIFO reports that processes enter first come, first served.
func (l *BlackWhite) FIFO() bool { return true }

// Lock runs the entry protocol of process i, 0 <= i < n.
func (l *BlackWhite) Lock(i int) {
	p := l.procs.Entry(i)
	l.entry(p)
	p.Inside()
}

// TryLock runs the entry protocol of process i without waiting, and reports whether it succeeded.
func (l *BlackWhite) TryLock(i int) bool { return l.procs.Try(i, l.entry) }

// LockContext runs the entry protocol of process i, and returns ctx.Err() if ctx is done first.
func (l *BlackWhite) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, l.entry)
}

// Unlock runs the exit protocol of process i.
func (l *BlackWhite) Unlock(i int) { l.exit(l.procs.Exit(i)) }

func (l *BlackWhite) entry(p *register.Process) bool {
	i := p.ID()
	l.choosing[i].Set(1)       // 1: no process awaits that another is choosing
	mycolor := l.color.Load()  // 2
	last := l.maximum(mycolor) // 3
	mine := pair(mycolor, 1+last.number)
	l.ticket[i].Set(mine)  // no process awaits that another has one
	l.choosing[i].Store(0) // 4
	p.Doorway()
	if !l.left(p, last, mycolor) || !l.served(p, mine) {
		p.Absorb(func() {
			l.served(p, mine)
			l.exit(p)
		})
		return false
	}
	return true
}

// left is line a.
func (l *BlackWhite) left(p *register.Process, last ticket, mycolor uint64) bool {
	return last.number == 0 || l.ticket[last.k].Await(p, func(ticketk uint64) bool { return ticketk != pair(mycolor, last.number) })
}

// served is lines 5 to 10.
func (l *BlackWhite) served(p *register.Process, mine uint64) bool {
	i, mycolor := p.ID(), colorOf(mine)
	for j := range l.ticket { // 5
		if !l.choosing[j].Await(p, zero) { // 6
			return false
		}
		var awaited bool
		switch register.Pure(func() uint64 { return seen(l.ticket[j].Load()) }) {
		case noNumber: // b
			continue
		case mycolor: // 7
			awaited = l.ticket[j].Await(p, func(ticketj uint64) bool { // 8
				return numberOf(ticketj) == 0 || colorOf(ticketj) != mycolor ||
					!precedes(numberOf(ticketj), j, numberOf(mine), i)
			})
		default:
			awaited = register.AwaitEither(p, // 10
				&l.ticket[j], func(ticketj uint64) bool { return numberOf(ticketj) == 0 || colorOf(ticketj) == mycolor },
				&l.color, func(color uint64) bool { return color != mycolor },
			)
		}
		if !awaited {
			return false
		}
	}
	return true
}

func (l *BlackWhite) exit(p *register.Process) {
	ticket := &l.ticket[p.ID()]
	mycolor := colorOf(ticket.Load())
	l.color.Store(1 - mycolor)     // 12
	ticket.Store(pair(mycolor, 0)) // 13
}

// maximum reads each ticket once and returns the largest number of colour c, or number 0 if
// there is none.
func (l *BlackWhite) maximum(c uint64) ticket {
	return register.Pure(func() (largest ticket) {
		for k := range l.ticket {
			if t := l.ticket[k].Load(); numberOf(t) > largest.number && colorOf(t) == c {
				largest = ticket{numberOf(t), k}
			}
		}
		return largest
	})
}

// seen returns the colour of a ticket, or noNumber.
func seen(ticket uint64) uint64 {
	if numberOf(ticket) == 0 {
		return noNumber
	}
	return colorOf(ticket)
}

// noNumber stands for the colour of a ticket without a number.
const noNumber = 2

// A register of tickets has a number and, in the lowest bit, a colour.
func pair(color, number uint64) uint64 { return number<<1 | color }
func colorOf(ticket uint64) uint64     { return ticket & 1 }
func numberOf(ticket uint64) uint64    { return ticket >> 1 }
