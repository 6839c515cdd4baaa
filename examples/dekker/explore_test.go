//go:build doorway_explore

package dekker

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

// check explores a lock in every interleaving of its two processes.
func check[L mutex.Mutex](t *testing.T, lock func() L, aborts bool) *explore.Report {
	t.Helper()
	r, err := explore.Check(explore.Config{New: func(int) mutex.Mutex { return lock() }, Processes: 2, GiveUp: aborts})
	require.NoError(t, err)
	require.True(t, r.Vetted, "the source was found")
	return r
}

// The package comment claims these properties.
func TestProperties(t *testing.T) {
	r := check(t, New, false)
	assert.NoError(t, r.Err(explore.Properties{StarvationFree: true, SafeRegisters: true}))
	assert.Equal(t, explore.Fails, r.FIFO.Status)
	assert.Equal(t, -1, r.Bypasses)
	assert.Equal(t, []int{3, 1, 3}, []int{r.Writes, r.Reads, len(r.Registers)}, "writes, reads, registers")
}

// It is not FIFO: process 1 has lowered its flag at line 4 and awaits its turn at line
// 5 when process 0, which arrived later, reads that flag at line 2.
func TestBypass(t *testing.T) {
	run := check(t, New, false).FIFO.Trace
	last := run.Steps[len(run.Steps)-1]
	assert.Len(t, run.Steps, 6)
	assert.Equal(t, 0, last.Process)
	assert.Contains(t, last.Place.Source, "// 2")
	assert.Contains(t, run.Ends[1].Source, "// 5")
	var picture strings.Builder
	require.NoError(t, run.WriteSVG(&picture))
	assert.Contains(t, picture.String(), "<svg")
}

// The package comment claims this under Aborting.
func TestAborting(t *testing.T) {
	r := check(t, New, true)
	assert.NoError(t, r.Err(explore.Properties{StarvationFree: true}), "if aborts end")
	assert.Equal(t, explore.Fails, r.StarvationFreeDespiteAborts.Status, "if aborts never end")
}

// With line 5 as printed, the properties are the same, until a process aborts.
func TestPrinted(t *testing.T) {
	handsOff := func() *printed { return &printed{ours: New()} }
	handsOn := func() *printed { return &printed{ours: New(), handsOn: true} }
	ours, theirs := check(t, New, false), check(t, handsOff, false)
	assert.Equal(t, ours.StarvationFree.Status, theirs.StarvationFree.Status)
	assert.Equal(t, ours.FIFO.Status, theirs.FIFO.Status)
	assert.Equal(t, ours.Bypasses, theirs.Bypasses)

	aborts := check(t, handsOff, true)
	assert.Equal(t, explore.Holds, aborts.MutualExclusion.Status)
	assert.Equal(t, explore.Fails, aborts.DeadlockFree.Status)

	aborts = check(t, handsOn, true)
	assert.Equal(t, explore.Holds, aborts.MutualExclusion.Status)
	assert.Equal(t, explore.Fails, aborts.DeadlockFree.Status)
}

type ours = Lock

// printed is the lock with line 5 as it is printed.
type printed struct {
	*ours
	handsOn bool // an abort at line 2 executes lines 8 and 9
}

func (l *printed) Lock(i int) {
	p := l.procs.Entry(i)
	l.entry(p)
	p.Inside()
}

func (l *printed) TryLock(i int) bool { return l.procs.Try(i, l.entry) }

func (l *printed) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, l.entry)
}

func (l *printed) entry(p *register.Process) bool {
	i := p.ID()
	j := 1 - i
	l.want[i].Set(1)
	p.Doorway()
	if l.want[j].Load() == 0 {
		return true
	}
	if l.turn.Load() == uint64(j) {
		l.want[i].Store(0)
		if !l.turn.Await(p, func(turn uint64) bool { return turn == uint64(i) }) { // 5
			return false
		}
		l.want[i].Set(1)
	}
	if l.want[j].Await(p, lowered) {
		return true
	}
	if l.handsOn {
		l.exit(p)
	} else {
		l.want[i].Store(0)
	}
	return false
}
