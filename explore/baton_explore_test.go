//go:build doorway_explore

package explore_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/mutex"
	"example.org/doorway/register"
	"example.org/doorway/tournament"
)

// A relayed lock is Peterson's on relays. Its exit and its aborts pass the baton on, or
// not.
type relayed struct {
	procs               register.Processes
	want                [2]register.Relay
	turn                register.Relay
	last                register.Relay // that no process awaits
	early, exits, gives bool           // calls of Pass: before the store of an exit, after it, and after an abort
	late                bool           // an exit stores last, after Pass
}

func (l *relayed) Processes() int { return l.procs.Len() }

func (l *relayed) enter(p *register.Process) bool {
	i := p.ID()
	l.want[i].Store(1)
	l.turn.Store(uint64(i))
	p.Doorway()
	if register.AwaitEitherRelay(p, &l.want[1-i], zero, &l.turn, func(v uint64) bool { return v != uint64(i) }) {
		return true
	}
	l.want[i].Store(0)
	if l.gives {
		p.Pass()
	}
	return false
}

func (l *relayed) Lock(i int) {
	p := l.procs.Entry(i)
	l.enter(p)
	p.Inside()
}

func (l *relayed) TryLock(i int) bool { return l.procs.Try(i, l.enter) }

func (l *relayed) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, l.enter)
}

func (l *relayed) Unlock(i int) {
	p := l.procs.Exit(i)
	if l.early {
		p.Pass()
	}
	l.want[i].Store(0)
	if l.exits {
		p.Pass()
	}
	if l.late {
		l.last.Store(0)
	}
}

// A lock that does not call Process.Pass where it must leaves waiters asleep.
func TestBaton(t *testing.T) {
	for name, c := range map[string]struct {
		early, exits, gives, late, giveUp, mixed bool

		states int
		steps  int // to a deadlock; 0: none
		does   string
	}{
		"never":                    {states: 1272, steps: 11, does: "make due"},
		"before the last store":    {states: 3408, early: true, steps: 12, does: "make due"},
		"at the end":               {states: 32, exits: true},
		"before an idle store":     {states: 3928, exits: true, late: true},
		"at the end only":          {states: 7542, exits: true, giveUp: true, steps: 11, does: "give up"},
		"always":                   {states: 64, exits: true, gives: true, giveUp: true},
		"always but an idle one":   {states: 6886, exits: true, gives: true, late: true, giveUp: true},
		"mixed, at the end only":   {states: 22372, exits: true, mixed: true, steps: 13, does: "give up"},
		"mixed, but an idle one":   {states: 17816, exits: true, gives: true, late: true, mixed: true},
		"mixed, after aborts only": {states: 26448, gives: true, mixed: true, steps: 13, does: "make due"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := explore.Config{Processes: 2, GiveUp: c.giveUp, Mixed: c.mixed, New: func(n int) mutex.Mutex {
				return &relayed{procs: register.MakeProcesses("relayed", n), early: c.early, exits: c.exits, gives: c.gives, late: c.late}
			}}
			r, err := explore.Check(cfg)
			require.NoError(t, err)
			assert.Equal(t, explore.Holds, r.MutualExclusion.Status)
			assert.Equal(t, explore.Holds, r.RaceFree.Status)
			assert.Equal(t, c.states, r.States)
			if c.steps == 0 {
				assert.Equal(t, explore.Holds, r.DeadlockFree.Status, "%v", r)
				return
			}
			require.Equal(t, explore.Fails, r.DeadlockFree.Status, "%v", r)
			trace := r.DeadlockFree.Trace
			assert.Contains(t, trace.Title, " sleeps although its condition on want[")
			assert.Len(t, trace.Steps, c.steps, "%v", trace)
			assert.True(t, slices.ContainsFunc(trace.Steps, func(s explore.Step) bool { return s.Do == c.does }), "%v", trace)
			cfg.Schedule = trace.Schedule
			r, err = explore.Check(cfg)
			require.NoError(t, err)
			assert.Equal(t, trace, r.DeadlockFree.Trace, "of the run by its schedule")
		})
	}
}

// An acknowledged lock is Peterson's on relays, without Process.Pass. An exit waits, at a
// word, until a process that it has made due has gone on.
type acknowledged struct {
	relayed
	waits [2]register.Word
	await func(p *register.Process, w *register.Word)
}

func (l *acknowledged) Lock(i int) {
	p := l.procs.Entry(i)
	l.waits[i].Store(1)
	l.enter(p)
	l.waits[i].Store(0)
	p.Inside()
}

func (l *acknowledged) Unlock(i int) {
	p := l.procs.Exit(i)
	l.want[i].Store(0)
	l.await(p, &l.waits[1-i])
}

// A process that parks at a word passes the baton on.
func TestBatonAtAWord(t *testing.T) {
	for name, await := range map[string]func(p *register.Process, w *register.Word){
		"await":  func(p *register.Process, w *register.Word) { w.Await(p, zero) },
		"value":  func(p *register.Process, w *register.Word) { w.AwaitValue(p, zero) },
		"either": func(p *register.Process, w *register.Word) { register.AwaitEither(p, w, zero, w, zero) },
	} {
		r, err := explore.Check(explore.Config{Processes: 2, Only: explore.Properties{DeadlockFree: true}, New: func(n int) mutex.Mutex {
			return &acknowledged{relayed: relayed{procs: register.MakeProcesses("acknowledged", n)}, await: await}
		}})
		require.NoError(t, err, name)
		assert.Equal(t, explore.Holds, r.DeadlockFree.Status, "%s: %v%v", name, r, r.DeadlockFree.Trace)
	}
}

// A climb is a tournament, under a name that is no method's.
type climb = tournament.Lock

// A trailing lock is a tournament whose exits store a relay that no process awaits,
// after they have passed the baton on.
type trailing struct {
	*climb
	last register.Relay
}

func (l *trailing) Unlock(i int) {
	l.climb.Unlock(i)
	l.last.Store(0)
}

// With the baton as part of the state, a lock that passes it on has the same verdicts
// as without.
func TestBatonOfTournament(t *testing.T) {
	for n := 2; n <= tier.Pick(2, 3); n++ {
		check := func(lock func(n int) mutex.Mutex) *explore.Report {
			r, err := explore.Check(explore.Config{Processes: n, New: lock})
			require.NoError(t, err)
			return r
		}
		plain := check(func(n int) mutex.Mutex { return tournament.New(n) })
		modelled := check(func(n int) mutex.Mutex { return &trailing{climb: tournament.New(n)} })
		assert.Greater(t, modelled.States, plain.States)
		assert.Equal(t, plain.DeadlockFree, modelled.DeadlockFree)
		assert.Equal(t, plain.StarvationFree, modelled.StarvationFree)
		assert.Equal(t, plain.RaceFree, modelled.RaceFree)
		assert.Equal(t, plain.SafeRegisters, modelled.SafeRegisters)
		assert.Equal(t, plain.Bypasses, modelled.Bypasses)
	}
}
