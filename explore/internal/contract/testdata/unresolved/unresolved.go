// Package unresolved writes, beside its lock, what is in a package that does not exist.
package unresolved

import (
	"example.org/doorway/nowhere"
	"example.org/doorway/register"
)

type Lock struct {
	procs register.Processes
	limit int
}

func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	if i < l.limit {
		p.Inside()
	}
}

func (l *Lock) Close() { nowhere.Of(l).limit = 0 }
