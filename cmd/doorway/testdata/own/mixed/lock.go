// Package mixed has a lock that fails only if one process enters by Lock and another
// by TryLock.
package mixed

import (
	"context"

	"example.org/doorway/register"
)

type Lock struct {
	procs         register.Processes
	locked, tried register.Word
}

func New() *Lock { return &Lock{procs: register.MakeProcesses("mixed", 2)} }

func (l *Lock) Processes() int { return l.procs.Len() }

func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	taken(p, &l.locked)
	p.Inside()
}

func (l *Lock) TryLock(i int) bool { return l.procs.Try(i, l.entry) }

func (l *Lock) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, l.entry)
}

func (l *Lock) Unlock(i int) {
	l.procs.Exit(i)
	l.locked.Store(0)
	l.tried.Store(0)
}

func (l *Lock) entry(p *register.Process) bool { return taken(p, &l.tried) }

func taken(p *register.Process, w *register.Word) bool {
	return register.Repeat(func() register.Outcome {
		if w.CompareAndSwap(0, 1) {
			return register.Entered
		}
		return register.AgainIf(w.Await(p, func(v uint64) bool { return v == 0 }))
	})
}
