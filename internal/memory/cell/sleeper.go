package cell

import (
	"sync"
	"sync/atomic"
)

// A sleeper is where one goroutine at a time sleeps. It may be of any synctest bubble, or none:
// nothing of a sleeper that is used again belongs to a bubble, as a channel would. Its zero
// value is ready for use.
type sleeper struct{ bed atomic.Pointer[bed] }

// sleep writes next to x if x holds old, in one atomic step, and then blocks until send is
// called, which must be once. It returns false if done is closed first; nil: never.
func (s *sleeper) sleep(done <-chan struct{}, x *atomic.Uint64, old, next uint64) bool {
	if done != nil {
		b := &bed{token: make(chan struct{}, 1)}
		s.bed.Store(b)
		if !x.CompareAndSwap(old, next) {
			return true
		}
		select {
		case <-b.token:
			return true
		case <-done:
			return false
		}
	}
	b := s.bed.Load()
	if b == nil || b.token != nil {
		b = &bed{}
		b.cond.L = b
		s.bed.Store(b)
	}
	b.x, b.old, b.next = x, old, next
	b.cond.Wait()
	return true
}

// send wakes the one that sleeps, or is about to.
func (s *sleeper) send() {
	if b := s.bed.Load(); b.token != nil {
		b.token <- struct{}{}
	} else {
		b.cond.Signal()
	}
}

// receive blocks until send is called: it has been, or is about to be, after sleep has
// returned false.
func (s *sleeper) receive() { <-s.bed.Load().token }

// A bed of a sleep that may be aborted has a token, and is made for it. Any other is used again:
// it is the Locker of its own Cond, whose Wait draws a ticket first, then calls Unlock, and then
// blocks until the ticket is called. So whoever sees next calls this ticket; if none will,
// Unlock does. There is no other ticket, and a call is never late: it cannot wake the next that
// sleeps, which may be of another bubble.
type bed struct {
	token     chan struct{}
	cond      sync.Cond
	x         *atomic.Uint64 // this and the following are of the one that sleeps
	old, next uint64
}

func (b *bed) Lock() {}

func (b *bed) Unlock() {
	if !b.x.CompareAndSwap(b.old, b.next) {
		b.cond.Signal()
	}
}
