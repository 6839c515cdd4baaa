//go:build doorway_explore

package extract

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/register"
)

// blocking blocks outside of registers.
type blocking struct{ procs register.Processes }

func (l *blocking) Processes() int { return l.procs.Len() }
func (l *blocking) Unlock(i int)   { l.procs.Exit(i) }

func (l *blocking) Lock(i int) {
	l.procs.Entry(i)
	<-make(chan int)
}

// A protocol that stops accessing registers is abandoned.
func TestBlocking(t *testing.T) {
	defer func(before int) { patience = before }(patience)
	patience = 1
	_, err := From(Subject{Lock: &blocking{register.MakeProcesses("blocking", 2)}, Processes: 2, Memory: 1 << 30})
	assert.ErrorContains(t, err, "a protocol of *extract.blocking blocks or loops outside of registers: it has made no operation for 1 s")
}
