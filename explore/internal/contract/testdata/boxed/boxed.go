// Package boxed hands a reference that is in an interface to a function that is not examined: it may be one to
// anything.
package boxed

import (
	"fmt"

	"example.org/doorway/register"
)

type Lock struct {
	procs   register.Processes
	x       register.Word
	scanned uint64
	fixed   uint64
}

func (l *Lock) Scan(s string) {
	args := []any{&l.scanned}
	_, _ = fmt.Sscan(s, args...)
}

func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.x.Store(l.scanned + l.fixed) // want "Lock: reads field scanned, which is written at .*"
	p.Inside()
}
