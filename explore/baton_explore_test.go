//go:build doorway_explore

package explore_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/mutex"
	"example.org/doorway/register"
)

// A relayed lock is Peterson's on relays. Its exit and its aborts pass the baton on, or
// not.
type relayed struct {
	procs               register.Processes
	want                [2]register.Relay
	turn                register.Relay
	early, exits, gives bool // calls of Pass: before the store of an exit, after it, and after an abort
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
}

// Without Process.Pass, waiters at relays sleep forever.
func TestBaton(t *testing.T) {
	for name, c := range map[string]struct {
		early, exits, gives, giveUp bool
		want                        string
	}{
		"never":                 {want: "Unlock of process 0 ends without calling Process.Pass after its last use of a register.Relay"},
		"before the last store": {early: true, want: "Unlock of process 0 ends without"},
		"at the end":            {exits: true},
		"at the end only":       {exits: true, giveUp: true, want: "an aborted entry of process 0 ends without"},
		"always":                {exits: true, gives: true, giveUp: true},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := explore.Check(explore.Config{Processes: 2, GiveUp: c.giveUp, New: func(n int) mutex.Mutex {
				return &relayed{procs: register.MakeProcesses("relayed", n), early: c.early, exits: c.exits, gives: c.gives}
			}})
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, explore.Holds, r.DeadlockFree.Status, "%v", r)
		})
	}
}
