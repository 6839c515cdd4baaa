package stress

import (
	"context"
	"sync"
)

// The locks on which the harness proves itself.

// A free lock lets everybody in.
type free int

func (f free) Processes() int { return int(f) }
func (free) Lock(int)         {}
func (free) Unlock(int)       {}

// A plain lock is a sync.Mutex of n processes, and as good.
type plain struct {
	mu sync.Mutex
	n  int
}

func (p *plain) Processes() int { return p.n }
func (p *plain) Lock(int)       { p.mu.Lock() }
func (p *plain) Unlock(int)     { p.mu.Unlock() }

// A turnstile is as good as a plain lock, and whoever waits at one is durably
// blocked, as synctest has it.
type turnstile struct {
	free chan struct{} // has an element if nobody is inside
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

// A forgetful lock excludes for ever: Unlock does not unlock, until reminded.
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

// remind makes f as good as a turnstile, with nobody inside.
func (f forgetful) remind() {
	close(f.reminded)
	f.turnstile.Unlock(0)
}

// A favouring lock gives way to process 0 always, and to others on every tenth
// of their attempts, all of which must be such as may give up.
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

// meet returns a Section for a lock that lets two in: it returns once both are
// there. In a lock that excludes it blocks for ever.
func meet() func() {
	there := make(chan struct{})
	return func() {
		select {
		case there <- struct{}{}:
		case <-there:
		}
	}
}
