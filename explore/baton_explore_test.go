//go:build doorway_explore

package explore_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

// A baton says where Peterson's lock, in which processes wait in turn, passes the baton on.
type baton struct {
	early, exits, gives bool // calls of Pass: before the store of an exit, after it, and after an abort
	late                bool // an exit stores to another register after Pass
	begins              bool // an entry awaits a word first
}

// Of l.inTurn, 0 and 1 are want, and 2 is turn.
func (b baton) enter(l *lock, p *register.Process) bool {
	i := p.ID()
	if b.begins && !l.head.Await(p, zero) {
		return false
	}
	l.inTurn[i].Store(1)
	l.inTurn[2].Store(uint64(i))
	p.Doorway()
	if register.AwaitEitherInTurn(p, &l.inTurn[1-i], zero, &l.inTurn[2], func(v uint64) bool { return v != uint64(i) }) {
		return true
	}
	l.inTurn[i].Store(0)
	if b.gives {
		p.Pass()
	}
	return false
}

func (b baton) exit(l *lock, p *register.Process) {
	if b.early {
		p.Pass()
	}
	l.inTurn[p.ID()].Store(0)
	if b.exits {
		p.Pass()
	}
	if b.late {
		l.inTurn[3].Store(0)
	}
}

func passingOn(b baton) func(n int) mutex.Mutex { return aborting(b.enter, b.exit) }

// If processes wait in turn, exits and aborted entries end with a call of Process.Pass, or
// the lock is refused: waiters may sleep forever.
func TestBaton(t *testing.T) {
	for name, c := range map[string]struct {
		baton
		giveUp, mixed bool

		states int
		keeps  string // "": none
	}{
		"never":                    {keeps: "Unlock"},
		"before the last store":    {baton: baton{early: true}, keeps: "Unlock"},
		"at the end":               {baton: baton{exits: true}, states: 32},
		"before an idle store":     {baton: baton{exits: true, late: true}, keeps: "Unlock"},
		"at the end only":          {baton: baton{exits: true}, giveUp: true, keeps: "LockContext"},
		"always":                   {baton: baton{exits: true, gives: true}, giveUp: true, states: 64},
		"but before any store":     {baton: baton{exits: true, gives: true, begins: true}, giveUp: true, keeps: "LockContext"},
		"mixed":                    {baton: baton{exits: true, gives: true}, mixed: true, states: 230},
		"mixed, at the end only":   {baton: baton{exits: true}, mixed: true, keeps: "LockContext"},
		"mixed, after aborts only": {baton: baton{gives: true}, mixed: true, keeps: "Unlock"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := explore.Check(explore.Config{Processes: 2, GiveUp: c.giveUp, Mixed: c.mixed, New: passingOn(c.baton)})
			if c.keeps != "" {
				assert.ErrorContains(t, err, c.keeps+" of process 0 ends without calling Process.Pass after its last store: those that wait in AwaitEitherInTurn may sleep forever")
				return
			}
			require.NoError(t, err)
			require.NoError(t, r.Err())
			assert.Equal(t, c.states, r.States)
		})
	}
}
