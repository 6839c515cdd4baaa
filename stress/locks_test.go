package stress

import (
	"context"
	"sync"
)

// The locks on which the harness is tested.

// A free lock does not exclude.
type free int

func (f free) Processes() int { return int(f) }
func (free) Lock(int)         {}
func (free) Unlock(int)       {}

// A plain lock is a sync.Mutex for n processes.
type plain struct {
	mu sync.Mutex
	n  int
}

func (p *plain) Processes() int { return p.n }
func (p *plain) Lock(int)       { p.mu.Lock() }
func (p *plain) Unlock(int)     { p.mu.Unlock() }

// A turnstile is a correct lock whose waiters are durably blocked in the sense of
// synctest.
type turnstile struct {
	free chan struct{} // has an element if no process is inside
	n    int
}

func newTurnstile(n int) *turnstile {
	l := &turnstile{make(chan struct{}, 1), n}
	l.free <- struct{}{}
	return l
}

func (l *turnstile) Processes() int { return l.n }
func (l *turnstile) Lock(int)       { l.pass() }
func (l *turnstile) Unlock(int)     { l.free <- struct{}{} }
func (l *turnstile) pass()          { <-l.free }

// A forgetful lock deadlocks: Unlock does not unlock, until remind.
type forgetful struct {
	*turnstile
	reminded chan struct{}
}

func newForgetful(n int) forgetful { return forgetful{newTurnstile(n), make(chan struct{})} }

func (f forgetful) Unlock(i int) {
	select {
	case <-f.reminded:
		f.turnstile.Unlock(i)
	default:
	}
}

// remind makes f work as a turnstile, with no process inside.
func (f forgetful) remind() {
	close(f.reminded)
	f.turnstile.Unlock(0)
}

// A favouring lock admits process 0 always, and others on every tenth of their
// attempts, all of which must be abortable.
type favouring struct {
	plain
	tries []int
}

func (f *favouring) TryLock(i int) bool {
	f.tries[i]++
	if i != 0 && f.tries[i]%10 != 0 {
		return false
	}
	f.Lock(i)
	return true
}

func (f *favouring) LockContext(_ context.Context, i int) error {
	if f.TryLock(i) {
		return nil
	}
	return context.DeadlineExceeded
}

// meet returns a Section for a lock that admits two: it returns once both are
// inside. With a lock that excludes it blocks forever.
func meet() func() {
	there := make(chan struct{})
	return func() {
		select {
		case there <- struct{}{}:
		case <-there:
		}
	}
}
