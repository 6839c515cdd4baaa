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
		goto again // want "spins: uses goto: write a loop, or register.Repeat"
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
	for i := 0; i < len(l.want); i++ { // want "bounded: loops over plain loads: await the condition, or use register.Repeat"
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

// scans reads registers up to a bound, and stops before if it finds something.
func (l *Lock) scans(p *register.Process, n int) {
	i := p.ID()
	j := 0
	for j < n && l.want[j].Load() == 0 {
		j++
	}
	found := false
	for j := 0; j < n && !found; j++ {
		found = l.want[j].Load() != 0
	}
	for j := n - 1; j >= 0 && l.want[j].Load() == 0; j-- {
	}
	for j := n; j > 0 && l.want[j-1].Load() == 0; {
		j -= 1
	}
	for j := range n {
		if l.want[j].Load() != 0 {
			break
		}
	}
	for a := 0; a < n && !found; a++ {
		for b := 0; b < n && !found; b++ {
			found = l.want[a].Load() == l.want[b].Load()
		}
	}
	for k := (i + 1) % n; k != i && l.want[k].Load() == 0; k = (k + 1) % n {
	}
	for !(j >= n || l.want[j].Load() != 0) {
		j = j + 1
	}
	for n > j && (l.want[j].Load() == 0) {
		j = j + 2
	}
	for {
		if j == n || l.want[j].Load() != 0 {
			break
		}
		j++
	}
	for { // want "scans: loops over plain loads: await the condition, or use register.Repeat"
		j++
		if j+1 < n && l.want[j].Load() == 0 {
			l.y.Set(1)
		} else {
			break
		}
	}
	for t := l.want; len(t) > 0 && t[0].Load() == 0; t = t[1:] {
	}
	for a, b := 0, n-1; a < b && l.want[a].Load() != l.want[b].Load(); a, b = a+1, b-1 { // want "scans: loops over plain loads: await the condition, or use register.Repeat"
	}
	for c := n; c > 1 && l.want[c].Load() == 0; c /= 2 {
	}
	for c := uint64(1); c <= uint64(n) && l.x.Load() != c; c <<= 1 {
	}
	for a := 0; n-a > 0 && l.x.Load() == 0; a++ { // want "scans: loops over plain loads: await the condition, or use register.Repeat"
	}
	for !l.x.CompareAndSwap(0, 1) {
		if !l.y.Await(p, func(v uint64) bool { return v == 0 }) {
			return
		}
	}
}

// unbounded seems to have a bound.
func (l *Lock) unbounded(p *register.Process, n int) {
	j := 0
	for j < n && l.x.Load() == 0 { // want "unbounded: loops over plain loads: .*"
	}
	for p.ID() < n && l.x.Load() == 0 { // want "unbounded: loops over plain loads: .*"
	}
	for j < n && l.x.Load() == 0 { // want "unbounded: loops over plain loads: .*"
		j--
	}
	for j < n && l.x.Load() == 0 { // want "unbounded: loops over plain loads: .*"
		if l.y.Load() == 0 {
			j++
		}
	}
	for j < n && l.x.Load() == 0 { // want "unbounded: loops over plain loads: .*"
		if l.y.Load() == 0 {
			continue
		}
		j++
	}
	for j < n || l.x.Load() == 0 { // want "unbounded: loops over plain loads: .*"
		j++
	}
	for j < n && l.x.Load() == 0 { // want "unbounded: loops over plain loads: .*"
		j, n = j+1, n+1
	}
	for j < n && l.x.Load() == 0 { // want "unbounded: loops over plain loads: .*"
		j++
		j -= 2
	}
	for j < int(l.y.Load()) && l.x.Load() == 0 { // want "unbounded: loops over plain loads: .*"
		j++
	}
	for t := l.want; len(t) > 0 && t[0].Load() == 0; t = t[0:] { // want "unbounded: loops over plain loads: .*"
	}
	for { // want "unbounded: loops over plain loads: .*"
		j++
		if j < n && l.x.Load() == 0 {
			break
		}
	}
	for { // want "unbounded: loops over plain loads: .*"
		j++
		switch {
		case j >= n || l.x.Load() == 0:
		default:
			return
		}
	}
	for found := false; j >= n && !found; { // want "unbounded: loops over plain loads: .*"
		found = l.x.Load() == 0
		j++
	}
}
