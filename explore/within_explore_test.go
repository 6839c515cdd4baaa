//go:build doorway_explore

package explore_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
	"example.org/doorway/register"
)

// A crossed lock makes its processes those of another lock, which it holds by an interface.
type crossed struct{ in struct{ locks []mutex.Mutex } }

func (l *crossed) Processes() int { return 2 }
func (l *crossed) Lock(i int)     { l.in.locks[0].Lock(1 - i) }
func (l *crossed) Unlock(i int)   { l.in.locks[0].Unlock(1 - i) }

// A tallying lock keeps state outside of registers.
type tallying struct {
	procs register.Processes
	turn  register.Word
	calls int
}

func (l *tallying) Processes() int { return l.procs.Len() }

func (l *tallying) Lock(i int) {
	p := l.procs.Entry(i)
	l.calls++
	l.turn.Await(p, func(v uint64) bool { return v == uint64(i) })
	p.Inside()
}

func (l *tallying) Unlock(i int) {
	l.procs.Exit(i)
	l.turn.Store(uint64(1 - i))
}

// The source of a lock that a field holds by an interface is examined.
func TestLockWithin(t *testing.T) {
	check := func(newLock func() mutex.Mutex) (*explore.Report, error) {
		return explore.Check(explore.Config{
			New: func(int) mutex.Mutex {
				l := new(crossed)
				l.in.locks = []mutex.Mutex{newLock()}
				return l
			},
			Processes: 2,
		})
	}
	r, err := check(func() mutex.Mutex { return peterson.New() })
	require.NoError(t, err)
	assert.Equal(t, explore.Holds, r.FIFO.Status)

	_, err = check(func() mutex.Mutex { return &tallying{procs: register.MakeProcesses("tallying", 2)} })
	assert.ErrorContains(t, err, "within_explore_test.go:35: Lock: writes plain memory reached through l")
}
