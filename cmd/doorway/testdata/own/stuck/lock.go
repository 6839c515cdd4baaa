// Package stuck has a lock that deadlocks if both processes want to enter.
package stuck

import "example.org/doorway/register"

type Lock struct {
	procs register.Processes
	want  [2]register.Word
}

func New() *Lock { return &Lock{procs: register.MakeProcesses("stuck", 2)} }

func (l *Lock) Processes() int { return l.procs.Len() }

func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.want[i].Store(1)
	l.want[1-i].Await(p, func(v uint64) bool { return v == 0 })
	p.Inside()
}

func (l *Lock) Unlock(i int) {
	l.procs.Exit(i)
	l.want[i].Store(0)
}
