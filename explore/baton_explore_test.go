//go:build doorway_explore

package explore_test

import (
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

// A baton says where Peterson's lock on relays passes the baton on.
type baton struct {
	early, exits, gives bool // calls of Pass: before the store of an exit, after it, and after an abort
	late                bool // an exit stores to a relay that no process awaits, after Pass
	begins              bool // an entry awaits a word first
	turned              bool // an entry awaits turn and then want
}

// In a relayed lock, relay[0] and relay[1] are want, and relay[2] is turn.
func (b baton) enter(l *lock, p *register.Process) bool {
	i := p.ID()
	if b.begins && !l.head.Await(p, zero) {
		return false
	}
	want, turn := &l.relay[1-i], &l.relay[2]
	l.relay[i].Store(1)
	turn.Store(uint64(i))
	p.Doorway()
	others := func(v uint64) bool { return v != uint64(i) }
	if b.turned && register.AwaitEitherRelay(p, turn, others, want, zero) || !b.turned && register.AwaitEitherRelay(p, want, zero, turn, others) {
		return true
	}
	l.relay[i].Store(0)
	if b.gives {
		p.Pass()
	}
	return false
}

func (b baton) exit(l *lock, p *register.Process) {
	if b.early {
		p.Pass()
	}
	l.relay[p.ID()].Store(0)
	if b.exits {
		p.Pass()
	}
	if b.late {
		l.relay[3].Store(0)
	}
}

func relaying(b baton) func(n int) mutex.Mutex { return aborting(b.enter, b.exit) }

// A lock that does not call Process.Pass where it must leaves waiters asleep.
func TestBaton(t *testing.T) {
	for name, c := range map[string]struct {
		baton
		giveUp, mixed bool

		states int
		steps  int // to a deadlock; 0: none
		does   string
	}{
		"never":                    {states: 1272, steps: 11, does: "make due"},
		"never, turn first":        {baton: baton{turned: true}, states: 1186, steps: 11, does: "make due"},
		"before the last store":    {baton: baton{early: true}, states: 3408, steps: 12, does: "make due"},
		"at the end":               {baton: baton{exits: true}, states: 32},
		"before an idle store":     {baton: baton{exits: true, late: true}, states: 3928},
		"at the end only":          {baton: baton{exits: true}, states: 7542, giveUp: true, steps: 11, does: "give up"},
		"always":                   {baton: baton{exits: true, gives: true}, states: 64, giveUp: true},
		"always after a relay":     {baton: baton{exits: true, gives: true, begins: true}, states: 120, giveUp: true},
		"always but an idle one":   {baton: baton{exits: true, gives: true, late: true}, states: 6886, giveUp: true},
		"mixed, at the end only":   {baton: baton{exits: true}, states: 22372, mixed: true, steps: 13, does: "give up"},
		"mixed, but an idle one":   {baton: baton{exits: true, gives: true, late: true}, states: 17816, mixed: true},
		"mixed, after aborts only": {baton: baton{gives: true}, states: 26448, mixed: true, steps: 13, does: "make due"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := explore.Config{Processes: 2, GiveUp: c.giveUp, Mixed: c.mixed, New: relaying(c.baton)}
			r, err := explore.Check(cfg)
			require.NoError(t, err)
			assert.Equal(t, c.states, r.States)
			if c.steps == 0 {
				assert.NoError(t, r.Err())
				return
			}
			assert.Equal(t, []string{explore.Holds, explore.Holds}, []string{r.MutualExclusion.Status, r.RaceFree.Status})
			require.Equal(t, explore.Fails, r.DeadlockFree.Status, "%v", r)
			trace := r.DeadlockFree.Trace
			assert.Contains(t, trace.Title, " sleeps although its condition on relay[")
			assert.Len(t, trace.Steps, c.steps, "%v", trace)
			assert.True(t, slices.ContainsFunc(trace.Steps, func(s explore.Step) bool { return s.Do == c.does }), "%v", trace)
			cfg.Schedule = trace.Schedule
			r, err = explore.Check(cfg)
			require.NoError(t, err)
			assert.Equal(t, trace, r.DeadlockFree.Trace, "of the run by its schedule")
		})
	}
}

// A process that parks at a word passes the baton on: an exit waits, at a word, until a
// process that it has made due has gone on.
func TestBatonAtAWord(t *testing.T) {
	enter := func(l *lock, p *register.Process) {
		l.reg[p.ID()].Store(1)
		baton{}.enter(l, p)
		l.reg[p.ID()].Store(0)
	}
	for name, await := range map[string]func(p *register.Process, w *register.Word){
		"await":  func(p *register.Process, w *register.Word) { w.Await(p, zero) },
		"value":  func(p *register.Process, w *register.Word) { w.AwaitValue(p, zero) },
		"either": func(p *register.Process, w *register.Word) { register.AwaitEither(p, w, zero, w, zero) },
	} {
		r := check(t, explore.Config{Processes: 2, Only: explore.Properties{DeadlockFree: true}, New: making(enter, func(l *lock, p *register.Process) {
			l.relay[p.ID()].Store(0)
			await(p, &l.reg[1-p.ID()])
		})})
		assert.Equal(t, explore.Holds, r.DeadlockFree.Status, "%s: %v%v", name, r, r.DeadlockFree.Trace)
	}
}

// An exit must pass the baton on even if only a try before the last has used a relay: process 0
// keeps the others away while it is inside, and they wait at a relay in tries that have others
// after them.
func TestBatonOfATry(t *testing.T) {
	enter := func(l *lock, p *register.Process) {
		register.Repeat(func() register.Outcome {
			if p.ID() > 0 && l.relay[0].Load() == 0 {
				register.AwaitEitherRelay(p, &l.relay[0], one, &l.relay[0], one)
				return register.Again
			}
			if l.turn.CompareAndSwap(0, 1) {
				return register.Entered
			}
			return register.AgainIf(l.turn.Await(p, zero))
		})
		if p.ID() == 0 {
			l.relay[0].Set(0)
		}
	}
	for passes, want := range map[bool]string{true: explore.Holds, false: explore.Fails} {
		exit := func(l *lock, p *register.Process) {
			l.turn.Store(0)
			if p.ID() == 0 {
				l.relay[0].Store(1)
			}
			if p.ID() == 0 || passes {
				p.Pass()
			}
		}
		newLock := beginning(func(l *lock) { l.relay[0].Set(1) }, enter, exit)
		r := check(t, explore.Config{Processes: 3, Only: explore.Properties{DeadlockFree: true}, New: newLock})
		assert.Equal(t, want, r.DeadlockFree.Status, "passes: %v\n%v", passes, r.DeadlockFree.Trace)
	}
}

// A relay that no process awaits is a word, and where no process ever waits, there is
// none to wake.
func TestNoBaton(t *testing.T) {
	states := func(relays, awaits bool) int {
		r := check(t, explore.Config{Processes: 2, New: making(func(l *lock, p *register.Process) {
			repeated(l, p)
			if awaits {
				register.AwaitEitherRelay(p, &l.relay[0], zero, &l.relay[0], zero)
			}
		}, func(l *lock, p *register.Process) {
			reset(l, p)
			if relays {
				l.relay[0].Store(0)
			} else {
				l.turn.Store(0)
			}
		})})
		assert.Equal(t, explore.Holds, r.DeadlockFree.Status, "%v", r.DeadlockFree.Trace)
		return r.States
	}
	assert.Equal(t, states(false, false), states(true, false))
	states(true, true)
}

// If the states of a lock take too much memory because of the baton, the error says so.
func TestBatonTakesMemory(t *testing.T) {
	const because = "; the lines at the relays are part of it, because Unlock of process 0 ends without calling Process.Pass after its last use of a register.Relay"
	_, err := explore.Check(explore.Config{Processes: 2, Mixed: true, Memory: 64 << 10, New: relaying(baton{gives: true})})
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
		plain := check(t, explore.Config{Processes: n, New: func(n int) mutex.Mutex { return tournament.New(n) }})
		modelled := check(t, explore.Config{Processes: n, New: func(n int) mutex.Mutex { return &trailing{climb: tournament.New(n)} }})
		assert.Greater(t, modelled.States, plain.States)
		assert.Equal(t, verdicts(plain), verdicts(modelled))
	}
}
