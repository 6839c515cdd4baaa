// Package broken has plausible locks that are wrong, each a line away from one
// of the library, so that whatever checks locks can prove itself on them.
package broken

import (
	"math/bits"

	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

// A Variant is a lock that is wrong.
type Variant struct {
	Name      string // of the algorithm, a slash, and what is wrong
	Processes int    // the fewest with which mutual exclusion fails
	Why       string // how it fails
	Max       int    // for so many processes at most; 0: any number
	New       func(n int) *Lock
	Abortable func(n int) mutex.Abortable // instead of New, of those in GivingUp
}

// Variants are the broken locks that the lecture names, and their like.
var Variants = []Variant{
	{
		Name: "peterson/turn-first", Processes: 2, Max: 2,
		Why: "turn is written before want: the other passes while want is still false, then turn lets this one pass too",
		New: func(int) *Lock { return turnFirst() },
	},
	{
		Name: "tournament/leaf-first", Processes: 3,
		Why: "flags are lowered from the leaf up: a sibling climbs after and raises a flag that is lowered behind it",
		New: leafFirst,
	},
	{
		Name: "lamportfast/want-first", Processes: 2,
		Why: "want is lowered before y: a process enters past line 11, and y := 0 then opens the gate behind it",
		New: wantFirst,
	},
	{
		Name: "bakery/late-number", Processes: 2,
		Why: "the maximum is one atomic step, the assignment a later one: another takes the same number and enters before it is written",
		New: lateNumber,
	},
	{
		Name: "bakery/maxpos", Processes: 3,
		Why: "the largest number is read again where it was seen, and has become 0: a number too small is taken",
		New: maxpos,
	},
}

// A Lock is a mutex.Mutex that is not mutually exclusive.
type Lock struct {
	procs       register.Processes
	shared      any // a pointer to the registers, so that who explores the lock finds their names
	entry, exit func(p *register.Process)
}

// Processes returns n.
func (l *Lock) Processes() int { return l.procs.Len() }

// Lock runs the entry protocol of process i.
func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.entry(p)
	p.Inside()
}

// Unlock runs the exit protocol of process i.
func (l *Lock) Unlock(i int) { l.exit(l.procs.Exit(i)) }

func turnFirst() *Lock {
	var l struct {
		want [2]register.Word
		turn register.Word
	}
	return &Lock{
		procs: register.MakeProcesses("broken", 2), shared: &l,
		entry: func(p *register.Process) {
			i := p.ID()
			l.turn.Store(uint64(i)) // wrong: after the next line
			l.want[i].Set(1)
			p.Doorway()
			register.AwaitEither(p, &l.want[1-i], zero, &l.turn, func(turn uint64) bool { return turn != uint64(i) })
		},
		exit: func(p *register.Process) { l.want[p.ID()].Store(0) },
	}
}

func leafFirst(n int) *Lock {
	height := bits.Len(uint(n - 1))
	l := struct{ want, turn []register.Word }{make([]register.Word, 2<<height), make([]register.Word, 1<<height)}
	return &Lock{
		procs: register.MakeProcesses("broken", n), shared: &l,
		entry: func(p *register.Process) {
			for c := 1<<height + p.ID(); c > 1; c /= 2 {
				side := uint64(c & 1)
				l.want[c].Set(1)
				l.turn[c/2].Store(side)
				register.AwaitEither(p, &l.want[c^1], zero, &l.turn[c/2], func(turn uint64) bool { return turn != side })
			}
		},
		exit: func(p *register.Process) {
			for c := 1<<height + p.ID(); c > 1; c /= 2 { // wrong: from the root
				l.want[c].Store(0)
			}
		},
	}
}

func wantFirst(n int) *Lock {
	l := &fastLock{want: make([]register.Word, n)}
	return &Lock{
		procs: register.MakeProcesses("broken", n), shared: l,
		entry: func(p *register.Process) { l.entry(p, func(*fastLock, *register.Process) {}) },
		exit: func(p *register.Process) {
			l.want[p.ID()].Store(0) // wrong: after the next line
			l.y.Store(0)
		},
	}
}

func lateNumber(n int) *Lock {
	var step register.Step
	l := struct{ number []register.Word }{make([]register.Word, n)}
	return &Lock{
		procs: register.MakeProcesses("broken", n), shared: &l,
		entry: func(p *register.Process) {
			var mine uint64
			step.Do(func() {
				for j := range l.number {
					mine = max(mine, 1+l.number[j].Load())
				}
			})
			l.number[p.ID()].Store(mine) // wrong: in the same step
			p.Doorway()
			queue(p, l.number, mine)
		},
		exit: func(p *register.Process) { step.Do(func() { l.number[p.ID()].Store(0) }) },
	}
}

func maxpos(n int) *Lock {
	l := struct{ choosing, number []register.Word }{make([]register.Word, n), make([]register.Word, n)}
	return &Lock{
		procs: register.MakeProcesses("broken", n), shared: &l,
		entry: func(p *register.Process) {
			i := p.ID()
			l.choosing[i].Set(1)
			maxpos := i
			for j := range l.number {
				if l.number[maxpos].Load() < l.number[j].Load() {
					maxpos = j
				}
			}
			mine := 1 + l.number[maxpos].Load() // wrong: the value that was seen there
			l.number[i].Store(mine)
			l.choosing[i].Store(0)
			p.Doorway()
			for j := range l.choosing {
				l.choosing[j].Await(p, zero)
				awaitNumber(p, l.number, j, mine)
			}
		},
		exit: func(p *register.Process) { l.number[p.ID()].Store(0) },
	}
}

func queue(p *register.Process, number []register.Word, mine uint64) {
	for j := range number {
		awaitNumber(p, number, j, mine)
	}
}

func awaitNumber(p *register.Process, number []register.Word, j int, mine uint64) {
	number[j].Await(p, func(v uint64) bool {
		return v == 0 || v > mine || v == mine && j >= p.ID()
	})
}

func zero(v uint64) bool { return v == 0 }
