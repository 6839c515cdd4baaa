// Package pure has computations and conditions that do more than they say.
package pure

import "example.org/doorway/register"

type Lock struct {
	procs register.Processes
	a, b  register.Word
	gate  register.Gate
	step  register.Step
	relay [2]register.Relay
}

func (l *Lock) entry(p *register.Process) bool {
	var last uint64
	sum := register.Pure(func() uint64 {
		last = l.a.Load()             // want "entry: assigns captured variable last inside the function given to register.Pure, which must have no effect but its result"
		l.a.Store(1)                  // want "entry: calls Word.Store inside the function given to register.Pure, which must have no effect but its result"
		l.b.Set(1)                    // want "entry: calls Word.Set .*"
		l.gate.GiveWay(p)             // want "entry: calls Gate.GiveWay .*"
		if l.a.CompareAndSwap(0, 1) { // want "entry: calls Word.CompareAndSwap .*"
			return l.lower()
		}
		if !l.a.Await(p, zero) { // want "entry: calls Word.Await .*"
			p.Doorway() // want "entry: calls Process.Doorway .*"
		}
		return l.b.Load() + register.Pure(l.read)
	})
	if !l.a.Await(p, func(v uint64) bool {
		last = v               // want "entry: assigns captured variable last inside the function given to Word.Await, which may only test the value that it is given"
		return v == l.b.Load() // want "entry: calls Word.Load inside the function given to Word.Await, .*"
	}) {
		return false
	}
	return register.AwaitEither(p,
		&l.a, func(v uint64) bool { return v == sum },
		&l.b, l.judges,
	) && register.AwaitEitherRelay(p, &l.relay[0], zero, &l.relay[1], func(v uint64) bool { last++; return v == last }) && // want "entry: assigns captured variable last inside the function given to register.AwaitEitherRelay, .*"
		l.gate.Await(p, zero)
}

func (l *Lock) lower() uint64 {
	l.b.Store(0) // want "lower: calls Word.Store in a call from the function given to register.Pure at pure.go:\\d+, .*"
	return 0
}

func (l *Lock) read() uint64 {
	return l.b.Load() // want "read: calls Word.Load in a call from the function given to register.AwaitEither at pure.go:\\d+, .*"
}

func (l *Lock) judges(v uint64) bool {
	return v == l.read()
}

func zero(v uint64) bool { return v == 0 }

// A step is a stretch of the protocol: it may assign, but not wait.
func (l *Lock) exit(p *register.Process) {
	var mine uint64
	l.step.Do(func() {
		mine = 1 + l.a.Load()
		l.a.Set(mine)
		l.b.Await(p, zero)   // want "exit: calls Word.Await inside the function given to Step.Do, which is one atomic step and must not wait"
		l.step.Do(func() {}) // want "exit: calls Step.Do inside .*"
	})
	l.b.Store(mine)
}
