package register

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
)

// A waiter reads the register once more after it has yielded; in a crowd it does not
// yield. Whoever has been woken, or has aborted, is no longer counted.
func TestNoProcessYieldsInACrowd(t *testing.T) {
	const crowd = 128
	for parked, reads := range map[int64]int{0: 3, crowd - 1: 3, crowd: 2} {
		t.Run(fmt.Sprintf("%d parked", parked), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ps := MakeProcesses("test", 2)
				lot := ps.of[0].lot
				lot.crowd = crowd
				lot.parked.Store(parked)
				var w Word
				n := 0
				go w.Await(&ps.of[0], func(v uint64) bool { n++; return v == 1 })
				synctest.Wait()
				assert.Equal(t, reads, n)
				assert.Equal(t, parked+1, lot.parked.Load())

				done := make(chan struct{})
				aborts := &ps.of[1]
				aborts.done = done
				go w.Await(aborts, func(v uint64) bool { return v == 2 })
				synctest.Wait()
				assert.Equal(t, parked+2, lot.parked.Load())
				close(done)
				w.Store(1)
				synctest.Wait()
				assert.Equal(t, parked, lot.parked.Load())
			})
		})
	}
}
