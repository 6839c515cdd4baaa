package seam

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A Scheduler performs the operations of a goroutine instead of the hardware. Builds with the
// tag doorway_explore can have one; in any other Hosted is false, and it is compiled away. It may
// abandon the goroutine by a panic, which no function of register or messaging
// recovers.
type Scheduler interface {
	Load(x Variable) any
	Store(x Variable, v any)
	CompareAndSwap(x Variable, old, v any) bool
	Swap(x Variable, v any) any
	Add(x Variable, delta uint64) uint64 // to a Number; returns the sum
	Lock(x Variable)
	Unlock(x Variable)
	Send(x Variable)                         // to a channel of capacity one
	Receive(x Variable, or ...Variable) bool // false: from or, which is closed
}

// A Variable is the operand of an operation of a scheduler.
type Variable = interface{ Initial() any } // what it held when the scheduler was set

// A Guarded pointer is read and written only under a mutex.
type Guarded[T any] struct{ p *T }

// Initial is what a scheduler takes x to hold at first.
func (x *Guarded[T]) Initial() any { return x.p }

// Load reads x.
func (x *Guarded[T]) Load() *T {
	if s := Scheduled(); Hosted && s != nil {
		return s.Load(x).(*T)
	}
	return x.p
}

// Store writes x.
func (x *Guarded[T]) Store(p *T) {
	if s := Scheduled(); Hosted && s != nil {
		s.Store(x, p)
	} else {
		x.p = p
	}
}

// A Token is a channel of capacity one, on which a process sleeps.
type Token chan struct{}

// Initial is what a scheduler takes c to hold at first.
func (c Token) Initial() any { return len(c) > 0 }

// Send blocks while the channel is full.
func (c Token) Send() {
	if s := Scheduled(); Hosted && s != nil {
		s.Send(c)
	} else {
		c <- struct{}{}
	}
}

// Receive blocks until there is something to receive.
func (c Token) Receive() {
	if s := Scheduled(); Hosted && s != nil {
		s.Receive(c)
	} else {
		<-c
	}
}

// ReceiveOr returns true when it has received, and false if done is closed.
func (c Token) ReceiveOr(done <-chan struct{}) bool {
	if s := Scheduled(); Hosted && s != nil {
		return s.Receive(c, Closing(done))
	}
	select {
	case <-c:
		return true
	case <-done:
		return false
	}
}

// A Sleeper is where one goroutine at a time sleeps. It may be of any synctest bubble, or none:
// nothing of a Sleeper that is used again belongs to a bubble, as a channel would. Its zero
// value is ready for use.
type Sleeper struct{ bed atomic.Pointer[bed] }

// Initial is what a scheduler takes s to hold at first.
func (s *Sleeper) Initial() any { return false }

// Sleep writes next to x if x holds old, in one atomic step, and then blocks until Send is
// called, which must be once. It returns false if done is closed first; nil: never.
func (s *Sleeper) Sleep(done <-chan struct{}, x *Number, old, next uint64) bool {
	switch by := Scheduled(); {
	case Hosted && by != nil && done == nil:
		return !x.CompareAndSwap(old, next) || by.Receive(s)
	case Hosted && by != nil:
		return !x.CompareAndSwap(old, next) || by.Receive(s, Closing(done))
	case done != nil:
		b := &bed{token: make(Token, 1)}
		s.bed.Store(b)
		return !x.CompareAndSwap(old, next) || b.token.ReceiveOr(done)
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

// Send wakes the one that sleeps, or is about to.
func (s *Sleeper) Send() {
	if by := Scheduled(); Hosted && by != nil {
		by.Send(s)
	} else if b := s.bed.Load(); b.token != nil {
		b.token.Send()
	} else {
		b.cond.Signal()
	}
}

// Receive blocks until Send is called: it has been, or is about to be, after Sleep has
// returned false.
func (s *Sleeper) Receive() {
	if by := Scheduled(); Hosted && by != nil {
		by.Receive(s)
	} else {
		s.bed.Load().token.Receive()
	}
}

// A bed of a sleep that may be aborted has a token, and is made for it. Any other is used again:
// it is the Locker of its own Cond, whose Wait draws a ticket first, then calls Unlock, and then
// blocks until the ticket is called. So whoever sees next calls this ticket; if nobody will,
// Unlock does. There is no other ticket, and a call is never late: it cannot wake the next that
// sleeps, which may be of another bubble.
type bed struct {
	token     Token
	cond      sync.Cond
	x         *Number // this and the following are of the one that sleeps
	old, next uint64
}

func (b *bed) Lock() {}

func (b *bed) Unlock() {
	if !b.x.CompareAndSwap(b.old, b.next) {
		b.cond.Signal()
	}
}

// A Closing is a channel on which nothing is sent, and which may be closed.
type Closing <-chan struct{}

// Initial is what a scheduler takes c to hold at first.
func (c Closing) Initial() any {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// A Slot is a channel of capacity one, in which one goroutine leaves a value for
// another. It must be empty when a scheduler is set.
//
// To a scheduler it is two variables: the content, and whether there may be one,
// on which a thread sleeps. That may be true of an empty slot, but is never false
// of a full one for good. A latch makes several operations one, as a channel's is.
type (
	Slot[T comparable]        chan T
	slotContent[T comparable] chan T
	slotLatch[T comparable]   chan T
)

// empty is the content of an empty slot.
type empty struct{}

// Initial is what a scheduler takes s to hold at first.
func (s Slot[T]) Initial() any { return false }

func (s slotContent[T]) Initial() any { return empty{} }
func (s slotLatch[T]) Initial() any   { return false }

// Offer puts v into the slot, unless it is full, and reports whether it did.
func (s Slot[T]) Offer(v T) bool {
	if by := Scheduled(); Hosted && by != nil {
		by.Lock(slotLatch[T](s))
		put := by.CompareAndSwap(slotContent[T](s), empty{}, v)
		if put {
			by.CompareAndSwap(s, false, true)
		}
		by.Unlock(slotLatch[T](s))
		return put
	}
	select {
	case s <- v:
		return true
	default:
		return false
	}
}

// Receive blocks until there is something to receive.
func (s Slot[T]) Receive() T {
	if !Hosted || Scheduled() == nil {
		return <-s
	}
	v, _ := s.ReceiveOr(nil)
	return v
}

// ReceiveOr returns true when it has received, and false if done is closed.
func (s Slot[T]) ReceiveOr(done <-chan struct{}) (v T, ok bool) {
	by := Scheduled()
	if !Hosted || by == nil {
		select {
		case v = <-s:
			return v, true
		case <-done:
			return v, false
		}
	}
	var or []Variable
	if done != nil {
		or = []Variable{Closing(done)}
	}
	for by.Receive(s, or...) {
		if v, ok = s.Poll(); ok {
			return v, true
		}
	}
	return v, false
}

// Poll returns false if there is nothing to receive.
func (s Slot[T]) Poll() (v T, ok bool) {
	if by := Scheduled(); Hosted && by != nil {
		by.Lock(slotLatch[T](s))
		v, ok = by.Load(slotContent[T](s)).(T)
		by.Store(slotContent[T](s), empty{})
		by.Unlock(slotLatch[T](s))
		return v, ok
	}
	select {
	case v = <-s:
		return v, true
	default:
		return v, false
	}
}

// A Mailbox is a list of values that is read and written only under a mutex.
type Mailbox[T comparable] struct{ values []T }

// mail is the content of a mailbox in a form for a scheduler: comparable, and so of
// a fixed size.
type mail[T comparable] struct {
	n      int
	values [8]T
}

// Initial is what a scheduler takes b to hold at first.
func (b *Mailbox[T]) Initial() any {
	m := mail[T]{n: len(b.values)}
	copy(m.values[:], b.values)
	return m
}

// Add adds v at the end.
func (b *Mailbox[T]) Add(v T) {
	if s := Scheduled(); Hosted && s != nil {
		m := s.Load(b).(mail[T])
		m.values[m.n] = v
		m.n++
		s.Store(b, m)
	} else {
		b.values = append(b.values, v)
	}
}

// Take empties the mailbox and returns what was in it, which is valid until the
// next call of Add.
func (b *Mailbox[T]) Take() []T {
	if s := Scheduled(); Hosted && s != nil {
		m := s.Load(b).(mail[T])
		s.Store(b, mail[T]{})
		return m.values[:m.n]
	}
	values := b.values
	b.values = values[:0]
	return values
}

// A Keeper is a Scheduler that keeps track of plain memory that passes from one
// thread to another. Other schedulers assume that all memory but the variables
// belongs to one thread.
type Keeper interface {
	Scheduler
	Acquired(x any) // the memory of x belongs to the calling thread from here on
	Released(x any) // and up to here
}

// Acquired is called when the plain memory that x represents has passed to the
// calling thread.
func Acquired(x any) {
	if s, ok := Scheduled().(Keeper); Hosted && ok {
		s.Acquired(x)
	}
}

// Released is called when the calling thread no longer uses that memory.
func Released(x any) {
	if s, ok := Scheduled().(Keeper); Hosted && ok {
		s.Released(x)
	}
}

// Close closes c, unless there is a scheduler: a scheduler runs the code again and
// again, which would close c each time. The code that it runs must not wait for c.
func Close(c chan struct{}) {
	if Scheduled() == nil {
		close(c)
	}
}

// Gosched is runtime.Gosched, unless there is a scheduler.
func Gosched() {
	if Scheduled() == nil {
		runtime.Gosched()
	}
}

// Now returns the time in nanoseconds since some moment, or what [Time] holds if
// there is a scheduler.
func Now() uint64 {
	if s := Scheduled(); Hosted && s != nil {
		return s.Load(Time).(uint64)
	}
	return uint64(time.Since(began))
}

var began = time.Now()

// Time is the time of a scheduler, a uint64.
var Time = new(clock)

type clock struct{ _ int }

// Initial is what a scheduler takes the time to be at first.
func (*clock) Initial() any { return uint64(1) }
