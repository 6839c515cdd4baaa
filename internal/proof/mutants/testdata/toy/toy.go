// Package toy is a lock with something for every way of breaking one. It has
// never been right.
package toy

import "example.org/doorway/register"

type Lock struct {
	procs register.Processes
	step  register.Step
	flag  []register.Word
	turn  register.Word
}

func New(n int) *Lock {
	return &Lock{procs: register.MakeProcesses("toy", n), flag: make([]register.Word, n+1)}
}

func (l *Lock) Processes() int { return l.procs.Len() }

func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.entry(p)
	p.Inside()
}

func (l *Lock) Unlock(i int) { l.exit(l.procs.Exit(i)) }

func (l *Lock) entry(p *register.Process) bool {
	l.step.Do(func() {
		l.flag[p.ID()].Set(1 + highest(l.flag))
		l.turn.Store(p.Name())
	})
	p.Doorway()
	if l.free() {
		return true
	}
	if !l.passed(p) {
		l.exit(p)
		return false
	}
	return l.turn.Load()|l.flag[0].Load() < 9
}

func (l *Lock) passed(p *register.Process) bool {
	return l.turn.Await(p, zero) &&
		register.AwaitEither(p,
			&l.flag[0], func(flag uint64) bool { return flag == 0 },
			&l.turn, zero,
		)
}

func (l *Lock) free() bool { return l.turn.Load() == 0 }

func (l *Lock) exit(p *register.Process) {
	l.flag[p.ID()].Store(0)
}

// unused is part of no protocol.
func (l *Lock) unused() { l.turn.Store(0) }

// highest has a local variable called like a function, which is not called.
func highest(flag []register.Word) (zero uint64) {
	for j := range flag {
		zero = max(zero, flag[j].Load())
	}
	return zero
}

func zero(v uint64) bool { return v == 0 }

// last is never called.
func last(v uint64) bool { return v != 0 }
