// Package repeat has tries that know of the one before.
package repeat

import "example.org/doorway/register"

type Lock struct {
	procs register.Processes
	turn  register.Word
	want  []register.Word
}

func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.entry(p)
	l.closure(p)
	l.helper(p)
	l.allowed(p)
	l.valued(p)
}

func (l *Lock) entry(p *register.Process) {
	k, first := 0, true
	var j int
	var seen [2]uint64
	counts := make([]int, 3)
	register.Repeat(func() register.Outcome {
		k++                    // want "entry: assigns captured variable k inside the function given to register.Repeat, which must carry nothing from one try to the next"
		first = false          // want "entry: assigns captured variable first .*"
		k += 2                 // want "entry: assigns captured variable k .*"
		seen[0] = 1            // want "entry: assigns captured variable seen .*"
		counts[k]++            // want "entry: writes memory reached through counts, which it did not make, inside the function given to register.Repeat, .*"
		for j = range l.want { // want "entry: assigns captured variable j .*"
			l.want[j].Set(0)
		}
		func() {
			k = 3 // want "entry: assigns captured variable k .*"
		}()
		if first && l.turn.Load() == uint64(k) {
			return register.Entered
		}
		return register.AgainIf(l.turn.Await(p, func(v uint64) bool { return v == 0 }))
	})
}

func (l *Lock) closure(p *register.Process) {
	k := 0
	bump := func() {
		k++ // want "closure: assigns captured variable k in a call from the function given to register.Repeat at repeat.go:\\d+, which must carry nothing from one try to the next"
	}
	try := func() register.Outcome {
		bump()
		k = 2 // want "closure: assigns captured variable k inside .*"
		return register.Entered
	}
	register.Repeat(try)
}

// A pointer to a captured variable is as good as the variable.
func (l *Lock) helper(p *register.Process) {
	k := 0
	register.Repeat(func() register.Outcome {
		increment(&k)
		return register.Entered
	})
}

func increment(k *int) {
	*k++ // want "increment: writes memory reached through k, which it did not make, in a call from .*"
}

// A try may do as it likes with what it made itself.
func (l *Lock) allowed(p *register.Process) {
	id := p.Name()
	register.Repeat(func() register.Outcome {
		tries, values := 0, make([]uint64, len(l.want))
		for j := range l.want {
			values[j] = l.want[j].Load()
			tries++
		}
		addOne(&tries)
		fill(values, uint64(tries))
		l.turn.Store(id + values[0])
		return register.Entered
	})
}

func addOne(k *int) { *k++ }

func fill(values []uint64, v uint64) {
	for j := range values {
		values[j] = v
	}
}

// A try that is a method has its receiver from outside.
type attempt struct {
	l     *Lock
	tries int
}

func (a *attempt) try() register.Outcome {
	a.tries++ // want "try: writes memory reached through a, which it did not make, inside the function given to register.Repeat, .*"
	return register.Entered
}

func (l *Lock) valued(*register.Process) {
	a := attempt{l: l}
	a.tries = 1
	register.Repeat(a.try)
}
