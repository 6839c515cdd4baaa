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
		last = l.a.Load()             // want "entry: captured variable last is assigned inside the function given to register.Pure, of which only the result survives"
		l.a.Store(1)                  // want "entry: Word.Store is called inside the function given to register.Pure, of which only the result survives"
		l.b.Set(1)                    // want "entry: Word.Set is called .*"
		l.gate.GiveWay(p)             // want "entry: Gate.GiveWay is called .*"
		if l.a.CompareAndSwap(0, 1) { // want "entry: Word.CompareAndSwap is called .*"
			return l.lower()
		}
		if !l.a.Await(p, zero) { // want "entry: Word.Await is called .*"
			p.Doorway() // want "entry: Process.Doorway is called .*"
		}
		return l.b.Load() + register.Pure(l.read)
	})
	if !l.a.Await(p, func(v uint64) bool {
		last = v               // want "entry: captured variable last is assigned inside the function given to Word.Await, which judges the value it is handed and does nothing else"
		return v == l.b.Load() // want "entry: Word.Load is called inside the function given to Word.Await, .*"
	}) {
		return false
	}
	return register.AwaitEither(p,
		&l.a, func(v uint64) bool { return v == sum },
		&l.b, l.judges,
	) && register.AwaitEitherRelay(p, &l.relay[0], zero, &l.relay[1], func(v uint64) bool { last++; return v == last }) && // want "entry: captured variable last is assigned inside the function given to register.AwaitEitherRelay, .*"
		l.gate.Await(p, zero)
}

func (l *Lock) lower() uint64 {
	l.b.Store(0) // want "lower: Word.Store is called on behalf of the function given to register.Pure by pure.go:\\d+, .*"
	return 0
}

func (l *Lock) read() uint64 {
	return l.b.Load() // want "read: Word.Load is called on behalf of the function given to register.AwaitEither by pure.go:\\d+, .*"
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
		l.b.Await(p, zero)   // want "exit: Word.Await is called inside the function given to Step.Do, which is one step and cannot wait"
		l.step.Do(func() {}) // want "exit: Step.Do is called inside .*"
	})
	l.b.Store(mine)
}
