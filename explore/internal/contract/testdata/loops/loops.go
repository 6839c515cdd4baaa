// Package loops has processes that wait by loading, and loops that do not wait.
package loops

import "example.org/doorway/register"

type Lock struct {
	procs register.Processes
	x, y  register.Word
	want  []register.Word
	step  register.Step
}

func (l *Lock) spins(p *register.Process) {
	for l.x.Load() != 0 { // want "spins: loops over plain loads: await the condition, or use register.Repeat"
	}
	for !l.x.CompareAndSwap(0, 1) { // want "spins: loops over plain loads: .*"
	}
	for { // want "spins: loops over plain loads: .*"
		if l.x.Load() == 0 {
			break
		}
	}
	for v := l.x.Load(); v != 0; { // want "spins: loops over plain loads: .*"
		v = l.x.Load()
	}
	for done := false; !done; { // want "spins: loops over plain loads: .*"
		if l.x.Load() == 0 {
			done = true
		}
	}
	for l.taken() { // want "spins: loops over plain loads: .*"
		l.y.Store(1)
	}
	for register.Pure(func() uint64 { return l.x.Load() }) != 0 { // want "spins: loops over plain loads: .*"
	}
	var mine uint64
	for mine == 0 { // want "spins: loops over plain loads: .*"
		l.step.Do(func() { mine = l.x.Load() })
	}
	for { // want "spins: loops over plain loads: .*"
		if l.x.Load() != 0 {
			continue
		}
		break
	}
	for i := 0; i < len(l.want); i++ { // want "spins: loops over plain loads: .*"
		if l.want[i].Load() != 0 {
			i = -1
		}
	}
	for n := 0; n < 3; { // want "spins: loops over plain loads: .*"
		if l.x.Load() != 0 {
			n++
		}
	}
outer:
	for { // want "spins: loops over plain loads: .*"
		for i := range l.want {
			switch {
			case l.want[i].Load() == 0:
				break outer
			}
		}
	}
again:
	if l.x.Load() != 0 {
		goto again // want "spins: loops over plain loads: .*"
	}
	for { // want "spins: loops over plain loads: .*"
		if l.taken() {
			return
		}
	}
}

func (l *Lock) taken() bool { return l.x.Load() != 0 }

func (l *Lock) bounded(p *register.Process) uint64 {
	var sum uint64
	for i := 0; i < len(l.want); i++ {
		sum += l.want[i].Load()
	}
	for t := l.want; len(t) >= 4; t = t[4:] {
		sum = max(sum, t[0].Load())
	}
	for c := p.ID(); c > 1; c /= 2 {
		if l.want[c].Load() != 0 {
			continue
		}
		sum++
	}
	for v := l.x.Load(); v > 0; v /= 2 {
		sum += l.want[v].Load()
	}
	for c := p.ID(); ; c = c / 2 {
		if c <= 1 {
			break
		}
		if l.want[c].Load() != 0 {
			return 1
		}
	}
	for tries := 0; l.x.Load() != 0; tries++ {
		if tries == 3 {
			return sum
		}
	}
	for i := 0; i < len(l.want); i++ {
		if l.want[i].Load() != 0 {
			i++
		}
	}
	for i := range l.want {
		for j := i; j > 0; j-- {
			if l.want[j].Load() > sum {
				break
			}
		}
	}
	for l.x.Load() != 0 {
		if !l.x.Await(p, func(v uint64) bool { return v == 0 }) {
			return 0
		}
	}
	register.Repeat(func() register.Outcome { return register.AgainIf(l.x.Load() != 0) })
	return sum
}
