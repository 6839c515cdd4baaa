package graunkethakkar

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/register"
)

// No goroutine gets a process whose acquisition is still being absorbed: it would wait for
// it. Afterwards the process is used again.
func TestAbsorbedProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l Locker
		q := l.made()
		i, over := q.cells.Take(), make(chan struct{})
		assert.False(t, q.cells.At(i).procs.Try(0, func(p *register.Process) bool {
			return p.Absorb(func() { <-over }) == register.Entered
		}))
		q.give(i)
		synctest.Wait()
		for range 3 * atFirst {
			if k := q.cells.Take(); assert.NotEqual(t, i, k) {
				defer q.cells.Give(k)
			}
		}
		close(over)
		synctest.Wait()
		assert.Equal(t, i, q.cells.Take())
	})
}
