package bakery

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The largest number works as any other; the one after it, centuries later, is
// taken for the smallest.
func TestLastNumber(t *testing.T) {
	l := New(4)
	const last = 1<<(64-3) - 1 // 4 < 2^3
	l.Lock(2)
	l.ticket[2].Set((last-1)<<l.shift | 3) // as if that many had come before
	entered := make(chan uint64)
	go func() {
		l.Lock(3)
		entered <- l.ticket[3].Load()
	}()
	for l.ticket[3].Load() <= choosing {
		runtime.Gosched()
	}
	require.Empty(t, entered, "process 2 is inside")
	l.Unlock(2)
	assert.Equal(t, uint64(last<<3|4), <-entered)
	l.Unlock(3)
	l.Lock(0)
	assert.Equal(t, uint64(1<<3|1), l.ticket[0].Load(), "after a quiet moment")
}
