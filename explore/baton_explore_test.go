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
	first               register.Word  // that is awaited first, and always 0
	early, exits, gives bool           // calls of Pass: before the store of an exit, after it, and after an abort
	late                bool           // an exit stores last, after Pass
	begins              bool           // an entry awaits first
	turned              bool           // an entry awaits turn and then want
}

// relaying returns the constructor of locks that pass the baton on after the store of an
// exit, and after an abort, or not.
func relaying(exits, gives bool) func(n int) mutex.Mutex {
	return func(n int) mutex.Mutex {
		return &relayed{procs: register.MakeProcesses("relayed", n), exits: exits, gives: gives}
	}
}

func (l *relayed) Processes() int { return l.procs.Len() }

func (l *relayed) enter(p *register.Process) bool {
	i := p.ID()
	if l.begins && !l.first.Await(p, zero) {
		return false
	}
	l.want[i].Store(1)
	l.turn.Store(uint64(i))
	p.Doorway()
	others := func(v uint64) bool { return v != uint64(i) }
	passed := false
	if l.turned {
		passed = register.AwaitEitherRelay(p, &l.turn, others, &l.want[1-i], zero)
	} else {
		passed = register.AwaitEitherRelay(p, &l.want[1-i], zero, &l.turn, others)
	}
	if passed {
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
		early, exits, gives, late, begins, turned, giveUp, mixed bool

		states int
		steps  int // to a deadlock; 0: none
		does   string
	}{
		"never":                    {states: 1272, steps: 11, does: "make due"},
		"never, turn first":        {states: 1186, turned: true, steps: 11, does: "make due"},
		"before the last store":    {states: 3408, early: true, steps: 12, does: "make due"},
		"at the end":               {states: 32, exits: true},
		"before an idle store":     {states: 3928, exits: true, late: true},
		"at the end only":          {states: 7542, exits: true, giveUp: true, steps: 11, does: "give up"},
		"always":                   {states: 64, exits: true, gives: true, giveUp: true},
		"always after a relay":     {states: 120, exits: true, gives: true, begins: true, giveUp: true},
		"always but an idle one":   {states: 6886, exits: true, gives: true, late: true, giveUp: true},
		"mixed, at the end only":   {states: 22372, exits: true, mixed: true, steps: 13, does: "give up"},
		"mixed, but an idle one":   {states: 17816, exits: true, gives: true, late: true, mixed: true},
		"mixed, after aborts only": {states: 26448, gives: true, mixed: true, steps: 13, does: "make due"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := explore.Config{Processes: 2, GiveUp: c.giveUp, Mixed: c.mixed, New: func(n int) mutex.Mutex {
				return &relayed{
					procs: register.MakeProcesses("relayed", n),
					early: c.early, exits: c.exits, gives: c.gives, late: c.late, begins: c.begins, turned: c.turned,
				}
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

// A closed lock is a test-and-set of which process 0 keeps the others away while it is
// inside. The others use relays in tries that have others after them, and their exits pass
// the baton on, or not.
type closed struct {
	procs  register.Processes
	taken  register.Word
	open   register.Relay
	passes bool
}

func (l *closed) Processes() int { return l.procs.Len() }

func (l *closed) Lock(i int) {
	p := l.procs.Entry(i)
	one := func(v uint64) bool { return v == 1 }
	register.Repeat(func() register.Outcome {
		if i > 0 && l.open.Load() == 0 {
			register.AwaitEitherRelay(p, &l.open, one, &l.open, one)
			return register.Again
		}
		if l.taken.CompareAndSwap(0, 1) {
			return register.Entered
		}
		return register.AgainIf(l.taken.Await(p, zero))
	})
	if i == 0 {
		l.open.Set(0)
	}
	p.Inside()
}

func (l *closed) Unlock(i int) {
	p := l.procs.Exit(i)
	l.taken.Store(0)
	if i == 0 {
		l.open.Store(1)
	}
	if i == 0 || l.passes {
		p.Pass()
	}
}

// An exit must pass the baton on even if only a try before the last has used a relay.
func TestBatonOfATry(t *testing.T) {
	for passes, want := range map[bool]string{true: explore.Holds, false: explore.Fails} {
		r, err := explore.Check(explore.Config{Processes: 3, Only: explore.Properties{DeadlockFree: true}, New: func(n int) mutex.Mutex {
			l := &closed{procs: register.MakeProcesses("closed", n), passes: passes}
			l.open.Set(1)
			return l
		}})
		require.NoError(t, err)
		assert.Equal(t, want, r.DeadlockFree.Status, "passes: %v\n%v", passes, r.DeadlockFree.Trace)
	}
}

// An idle lock is a test-and-set whose exit stores to a relay, or to a word. Its entry
// awaits what always holds, or not.
type idle struct {
	procs          register.Processes
	taken, word    register.Word
	relay          register.Relay
	relays, awaits bool
}

func (l *idle) Processes() int { return l.procs.Len() }

func (l *idle) Lock(i int) {
	p := l.procs.Entry(i)
	register.Repeat(func() register.Outcome {
		if l.taken.CompareAndSwap(0, 1) {
			return register.Entered
		}
		return register.AgainIf(l.taken.Await(p, zero))
	})
	if l.awaits {
		register.AwaitEitherRelay(p, &l.relay, zero, &l.relay, zero)
	}
	p.Inside()
}

func (l *idle) Unlock(i int) {
	l.procs.Exit(i)
	l.taken.Store(0)
	if l.relays {
		l.relay.Store(0)
	} else {
		l.word.Store(0)
	}
}

// A relay that no process awaits is a word, and where no process ever waits, there is
// none to wake.
func TestNoBaton(t *testing.T) {
	check := func(relays, awaits bool) *explore.Report {
		r, err := explore.Check(explore.Config{Processes: 2, New: func(n int) mutex.Mutex {
			return &idle{procs: register.MakeProcesses("idle", n), relays: relays, awaits: awaits}
		}})
		require.NoError(t, err)
		assert.Equal(t, explore.Holds, r.DeadlockFree.Status, "%v", r.DeadlockFree.Trace)
		return r
	}
	assert.Equal(t, check(false, false).States, check(true, false).States)
	check(true, true)
}

// If the states of a lock take too much memory because of the baton, the error says so.
func TestBatonTakesMemory(t *testing.T) {
	const because = "; the lines at the relays are part of it, because Unlock of process 0 ends without calling Process.Pass after its last use of a register.Relay"
	_, err := explore.Check(explore.Config{Processes: 2, Mixed: true, Memory: 64 << 10, New: relaying(false, true)})
	require.ErrorIs(t, err, explore.ErrMemory)
	assert.ErrorContains(t, err, because)
	_, err = explore.Check(explore.Config{Processes: 4, Memory: 64 << 10, New: func(n int) mutex.Mutex { return tournament.New(n) }})
	require.ErrorIs(t, err, explore.ErrMemory)
	assert.NotContains(t, err.Error(), "relays")
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
