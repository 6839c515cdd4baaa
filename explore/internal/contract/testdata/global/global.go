// Package global has protocols that meet in package-level variables.
package global

import (
	"io"

	"example.org/doorway/register"
)

var (
	entries   int
	verbose   bool
	late      uint64
	delays    = []uint64{1, 2, 3}
	table     [4]uint64
	named     = map[string]int{}
	turn      register.Word
	shared    = &struct{ want []register.Word }{}
	Spins     = 0 // other packages can write it
	predicate = func(v uint64) bool { return v == 0 }
)

func init() {
	for i := range table {
		table[i] = uint64(i)
	}
}

type Lock struct {
	procs register.Processes
	x     register.Word
}

func (l *Lock) init() { late = 1 }

func SetVerbose(v bool) { verbose = v }

func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	entries++    // want "Lock: writes package-level variable entries, which all locks share: .*"
	if verbose { // want "Lock: reads package-level variable verbose, written at global.go:\\d+: all locks share it, and a process may know only what it has read from registers"
		l.x.Set(delays[i] + table[i])
	}
	l.x.Set(uint64(Spins))  // want "Lock: reads package-level variable Spins, which other packages can write: all locks share it, and .*"
	named["x"] = 1          // want "Lock: writes package-level variable named, .*"
	turn.Store(1)           // want "Lock: uses package-level variable turn, whose registers all locks would share: make it a field"
	shared.want[0].Store(1) // want "Lock: uses package-level variable shared, whose registers .*"
	l.x.Set(late)           // want "Lock: reads package-level variable late, .*"
	l.x.Await(p, predicate)
	if io.EOF == nil {
		p.Inside()
	}
}
