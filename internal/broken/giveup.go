package broken

import (
	"context"

	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

// GivingUp are locks that are right as long as nobody gives up, and give up
// where their algorithm cannot: what would have to be absorbed is taken back, or just left.
var GivingUp = []Variant{
	{
		Name: "lamportfast/just-leave", Processes: 2,
		Why:       "who gives up at line 11 just leaves: with y = i, the gate is shut for ever",
		Abortable: func(n int) mutex.Abortable { return fast(n, func(*fastLock, *register.Process) {}) },
	},
	{
		Name: "lamportfast/reopen", Processes: 2,
		Why: "who gives up at line 11 opens the gate if y = i: another may have passed line 12 or be about to enter",
		Abortable: func(n int) mutex.Abortable {
			return fast(n, func(l *fastLock, p *register.Process) { l.y.CompareAndSwap(p.Name(), 0) })
		},
	},
	{
		Name: "bakery-blackwhite/withdraw", Processes: 2,
		Why: "who gives up lays its number down and leaves the colour: numbers exceed n",
		Abortable: func(n int) mutex.Abortable {
			return blackWhite(n, func(l *colours, p *register.Process) { l.ticket[p.ID()].Store(l.ticket[p.ID()].Load() & 1) })
		},
	},
	{
		Name: "bakery-blackwhite/flip", Processes: 3,
		Why: "who gives up leaves as from inside, flipping the colour: the order of those who wait is turned round",
		Abortable: func(n int) mutex.Abortable {
			return blackWhite(n, func(l *colours, p *register.Process) { l.leave(p) })
		},
	},
}

// abortable makes an entry protocol, which says whether it was not given up, a
// lock.
type abortable struct {
	procs  register.Processes
	shared any
	entry  func(p *register.Process) bool
	exit   func(p *register.Process)
}

func (l *abortable) Processes() int { return l.procs.Len() }

func (l *abortable) Lock(i int) {
	p := l.procs.Entry(i)
	l.entry(p)
	p.Inside()
}

func (l *abortable) TryLock(i int) bool { return l.procs.Try(i, l.entry) }

func (l *abortable) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, l.entry)
}

func (l *abortable) Unlock(i int) { l.exit(l.procs.Exit(i)) }

// fastLock is Lamport's fast mutex; y is a word, so that it can be swapped.
type fastLock struct {
	x, y register.Word
	want []register.Word
}

// entry is its entry protocol, which gives up at line 11 by calling leave.
func (l *fastLock) entry(p *register.Process, leave func(*fastLock, *register.Process)) bool {
	i, id := p.ID(), p.Name()
	return register.Repeat(func() register.Outcome {
		l.want[i].Set(1)
		l.x.Set(id)
		if l.y.Load() != 0 {
			l.want[i].Store(0)
			return register.AgainIf(l.y.Await(p, zero))
		}
		l.y.Set(id)
		if l.x.Load() == id {
			return register.Entered
		}
		l.want[i].Store(0)
		for j := range l.want {
			if !l.want[j].Await(p, zero) {
				leave(l, p) // wrong: absorb
				return register.GaveUp
			}
		}
		if l.y.Load() == id {
			return register.Entered
		}
		return register.AgainIf(l.y.Await(p, zero))
	})
}

// fast gives up at line 11 by calling leave.
func fast(n int, leave func(*fastLock, *register.Process)) mutex.Abortable {
	l := &fastLock{want: make([]register.Word, n)}
	return &abortable{
		procs: register.MakeProcesses("broken", n), shared: l,
		entry: func(p *register.Process) bool { return l.entry(p, leave) },
		exit: func(p *register.Process) {
			l.y.Store(0)
			l.want[p.ID()].Store(0)
		},
	}
}

// colours are the registers of the black-white bakery; a ticket is number<<1 | colour.
type colours struct {
	color            register.Word
	choosing, ticket []register.Word
}

// blackWhite gives up by calling leave.
func blackWhite(n int, leave func(*colours, *register.Process)) mutex.Abortable {
	l := &colours{choosing: make([]register.Word, n), ticket: make([]register.Word, n)}
	return &abortable{
		procs: register.MakeProcesses("broken", n), shared: l,
		entry: func(p *register.Process) bool {
			i := p.ID()
			l.choosing[i].Set(1)
			mine := l.color.Load()
			l.ticket[i].Set(mine)
			number := 1 + register.Pure(func() uint64 {
				var largest uint64
				for j := range l.ticket {
					if t := l.ticket[j].Load(); t&1 == mine {
						largest = max(largest, t>>1)
					}
				}
				return largest
			})
			l.ticket[i].Set(number<<1 | mine)
			l.choosing[i].Store(0)
			p.Doorway()
			for j := range l.ticket {
				if !l.choosing[j].Await(p, zero) || !l.awaitTicket(p, j, number, mine) {
					leave(l, p) // wrong: absorb
					return false
				}
			}
			return true
		},
		exit: l.leave,
	}
}

func (l *colours) awaitTicket(p *register.Process, j int, number, mine uint64) bool {
	if register.Pure(func() uint64 { return l.ticket[j].Load() & 1 }) == mine {
		return l.ticket[j].Await(p, func(t uint64) bool {
			return t>>1 == 0 || t&1 != mine || t>>1 > number || t>>1 == number && j >= p.ID()
		})
	}
	return register.AwaitEither(p,
		&l.ticket[j], func(t uint64) bool { return t>>1 == 0 || t&1 == mine },
		&l.color, func(color uint64) bool { return color != mine },
	)
}

func (l *colours) leave(p *register.Process) {
	ticket := &l.ticket[p.ID()]
	mine := ticket.Load() & 1
	l.color.Store(1 - mine)
	ticket.Store(mine)
}
