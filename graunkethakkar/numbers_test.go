package graunkethakkar

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// No goroutine gets a process that is leaving the queue, until one behind it has removed it.
func TestLeavingProcess(t *testing.T) {
	var l Locker
	l.Lock()
	q := l.made()
	tries := func() (i int) {
		i = q.cells.Take()
		assert.False(t, q.cells.At(i).procs.Try(0, q.entry), "process %d entered", i)
		return i
	}
	first, second := tries(), tries()
	q.giveUp(first)
	for range 3 * atFirst {
		if i := q.cells.Take(); assert.NotEqual(t, first, i) {
			defer q.cells.Give(i)
		}
	}
	q.giveUp(second)
	assert.Equal(t, second, q.cells.Take())
	assert.False(t, l.TryLock())
	l.Unlock()
	assert.True(t, l.TryLock(), "the queue is empty")
	l.Unlock()
	free := []int{q.cells.Take(), q.cells.Take(), q.cells.Take()}
	assert.Contains(t, free, first)
}
