//go:build doorway_explore

package explore

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/graunkethakkar"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/tier"
	"example.org/doorway/mutex"
)

// The queue lock is what it is without aborts if one of its processes may abort, wherever
// it is. Four processes that all may abort have more than 400 million states.
func TestOneProcessGivesUp(t *testing.T) {
	for n, states := range map[int]int{2: 1288, 3: 78_416, 4: 4_937_280} {
		if n > tier.Pick(3, 4) {
			continue
		}
		few := n < 4
		r, err := Check(Config{
			Processes: n, GiveUp: true, aborters: 1, New: func(n int) mutex.Mutex { return graunkethakkar.New(n) },
			Only: Properties{MutualExclusion: true, DeadlockFree: true, StarvationFree: few, FIFO: few},
		})
		require.NoError(t, err)
		verdicts := []Verdict{r.MutualExclusion, r.DeadlockFree}
		if few {
			verdicts = append(verdicts, r.StarvationFree, r.StarvationFreeDespiteAborts, r.FIFO)
		}
		for _, v := range verdicts {
			assert.Equal(t, Holds, v.Status)
		}
		assert.Equal(t, states, r.States, "%d processes", n)
	}
	leavequeue, _ := catalog.Find("graunkethakkar/just-leave")
	r, err := Check(Config{
		Processes: 3, GiveUp: true, aborters: 1, New: func(n int) mutex.Mutex { return leavequeue.New(n) },
		Only: Properties{MutualExclusion: true},
	})
	require.NoError(t, err)
	assert.Equal(t, Fails, r.MutualExclusion.Status)
}
