//go:build doorway_explore

package explore

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/register"
)

// An entry that is let in by an abort, whose result it forgets, is an entry: it
// bypasses, and must happen after the last exit.
func TestLetInByAnAbort(t *testing.T) {
	never := func(uint64) bool { return false }
	r, err := explored(t, Config{GiveUp: true}, func(l *custom, p *register.Process) bool {
		swapIn(l, p)
		l.r[1].Await(p, never)
		return true
	}, open)
	require.NoError(t, err)
	assert.Equal(t, Holds, r.MutualExclusion.Status, "%v", r)
	assert.Equal(t, Fails, r.FIFO.Status, "%v", r)
	assert.Equal(t, unbounded, r.Bypasses)

	r, err = explored(t, Config{GiveUp: true, Only: Properties{RaceFree: true}}, func(l *custom, p *register.Process) bool {
		l.r[1].Await(p, never)
		return true
	}, open)
	require.NoError(t, err)
	assert.Equal(t, Fails, r.RaceFree.Status, "%v", r)
}

// A doorway that ends with the entry, by a call of Doorway, leaves no wait in which the
// process could be bypassed.
func TestDoorwayLast(t *testing.T) {
	r, err := explored(t, Config{}, func(l *custom, p *register.Process) bool {
		swapIn(l, p)
		p.Doorway()
		return true
	}, open)
	require.NoError(t, err)
	assert.Equal(t, Holds, r.FIFO.Status, "%v%v", r, r.Failures())
	assert.Zero(t, r.Bypasses)
}

// An entry that begins by waiting is in its doorway until the wait is over, however it
// waits and wherever it calls Doorway.
func TestWaitingFirst(t *testing.T) {
	is := func(p *register.Process) func(uint64) bool { return func(v uint64) bool { return v == uint64(p.ID()) } }
	await := func(l *custom, p *register.Process) bool { return l.r[0].Await(p, is(p)) }
	for name, entry := range map[string]protocols{
		"await": await,
		"doorway before": func(l *custom, p *register.Process) bool {
			p.Doorway()
			return await(l, p)
		},
		"either": func(l *custom, p *register.Process) bool {
			return register.AwaitEither(p, &l.r[0], is(p), &l.r[1], func(v uint64) bool { return v == 7 })
		},
		"retry": func(l *custom, p *register.Process) bool {
			return register.Repeat(func() register.Outcome {
				if !await(l, p) {
					return register.GaveUp
				}
				if l.r[0].Load() == uint64(p.ID()) {
					return register.Entered
				}
				return register.Again
			})
		},
	} {
		for _, giveUp := range []bool{false, true} {
			r, err := explored(t, Config{GiveUp: giveUp}, entry, func(l *custom, p *register.Process) bool {
				l.r[0].Store(uint64(1 - p.ID()))
				return true
			})
			require.NoError(t, err, name)
			assert.Equal(t, Holds, r.FIFO.Status, "%s: %v%v", name, r, r.FIFO.Trace)
			assert.Zero(t, r.Bypasses, name)
		}
	}
}

// The shortest run that is not FIFO may pass through an earlier wait of the process that
// is overtaken, which ended well.
func TestOvertakenLater(t *testing.T) {
	r, err := explored(t, Config{}, func(l *custom, p *register.Process) bool {
		if p.ID() == 1 {
			l.r[2].Await(p, func(v uint64) bool { return v == 1 })
			return swapIn(l, p)
		}
		v := l.r[1].Load()
		p.Doorway()
		l.r[1+v].Store(1) // r[2] in its second entry
		return swapIn(l, p)
	}, open)
	require.NoError(t, err)
	assert.Equal(t, Fails, r.FIFO.Status, "%v", r)
	assert.Len(t, r.FIFO.Trace.Schedule, 9, "%v", r.FIFO.Trace)
}

// A wait for either of two conditions that begins an entry is in the doorway as a whole, even
// if the second always holds.
func TestWaitingFirstForEither(t *testing.T) {
	r, err := explored(t, Config{}, func(l *custom, p *register.Process) bool {
		one := func(v uint64) bool { return v == 1 }
		register.AwaitEither(p, &l.r[1], one, &l.r[2], func(v uint64) bool { return v == 0 })
		return swapIn(l, p)
	}, open)
	require.NoError(t, err)
	assert.Equal(t, Fails, r.FIFO.Status, "%v", r)
	assert.Len(t, r.FIFO.Trace.Schedule, 7, "%v", r.FIFO.Trace) // a request and two reads each, and a swap
}
