// Package wrong has a lock without mutual exclusion.
package wrong

import (
	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

type lock struct {
	procs  register.Processes
	inside register.Word
}

func New(n int) mutex.Mutex { return &lock{procs: register.MakeProcesses("wrong", n)} }

func (l *lock) Processes() int { return l.procs.Len() }

func (l *lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.inside.Await(p, func(v uint64) bool { return v == 0 })
	l.inside.Store(1)
	p.Inside()
}

func (l *lock) Unlock(i int) {
	l.procs.Exit(i)
	l.inside.Store(0)
}
