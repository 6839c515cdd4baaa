package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.org/doorway/engine/internal/view"
	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/wire"
	"example.org/doorway/messaging"
)

// A Lock is the membership of this process. It is safe for concurrent use.
type Lock struct {
	name     string
	config   Config
	terms    view.Terms
	protocol messaging.Protocol // over links
	codec    *wire.Codec
	log      *slog.Logger
	began    time.Time

	wake   chan struct{} // there may be something to do at the store
	once   sync.Once
	joined chan struct{} // closed when the process is a member for the first time
	done   chan struct{} // closed when the lock is closed
	err    error         // why, before done is closed
	broken error         // why it could not leave; nil: it has, or was told not to wait
	stop   context.CancelFunc

	guard atomic.Pointer[Guard] // of the user that is inside; changes with mu held
	until atomic.Int64          // m.Deadline, for those that do not wait for mu
	fuse  *time.Timer           // expires then

	mu        sync.Mutex
	m         *view.Member
	deaf      func() // ends listening
	site      *host.Site
	of        uint64    // the nonce of the view of site
	said      view.Time // when this member has said last that it is ready,
	saidOf    uint64    // and of which view: its nonce,
	saidFirst view.Time // and when first;
	patient   bool      // it was not logged that this view does not begin
	timer     *time.Timer
	armed     view.Time // when it expires; 0: it has expired
	buffer    []byte    // of the frame that was sent last
	queue     []*waiter
	closed    error    // why calls are not admitted any more; nil: they are
	asks      []string // members to be asked to leave
	newest    uint64   // the largest epoch that this process has seen, in all its lives
	fails     error    // why the store does not answer; nil: it does
	told      string   // what was logged of that; empty: nothing,
	toldAt    view.Time
	stats     Stats
}

// A waiter is a call of Lock.
type waiter struct {
	ctx     context.Context
	since   view.Time
	granted chan *Guard // with room for one
}

// now reads the clock of this process.
func (l *Lock) now() view.Time { return time.Since(l.began) }

// deadline returns when the guard must have ended.
func (l *Lock) deadline() view.Time { return view.Time(l.until.Load()) }

// Lock waits until this process, and this call in it, is inside, and returns a guard. It returns
// ctx's error, or one that is ErrClosed and says why.
func (l *Lock) Lock(ctx context.Context) (*Guard, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w := &waiter{ctx: ctx, since: l.now(), granted: make(chan *Guard, 1)}
	if err := l.enqueue(w); err != nil {
		return nil, err
	}
	select {
	case g := <-w.granted:
		if g == nil {
			return nil, l.closed
		}
		return g, nil
	case <-ctx.Done():
		l.giveUp(w)
		return nil, ctx.Err()
	}
}

// enqueue adds a call, unless the lock is closed.
func (l *Lock) enqueue(w *waiter) error {
	l.mu.Lock()
	defer l.mu.Unlock() // also if the protocol panics
	if l.closed == nil {
		l.queue = append(l.queue, w)
		l.settle()
	}
	return l.closed
}

// giveUp withdraws a call, and unlocks for one that has been let in meanwhile.
func (l *Lock) giveUp(w *waiter) {
	l.dequeue(w)
	select {
	case g := <-w.granted:
		if g != nil {
			_ = g.Unlock()
		}
	default:
	}
}

func (l *Lock) dequeue(w *waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = slices.DeleteFunc(l.queue, func(v *waiter) bool { return v == w })
	l.stats.Aborted++
	l.settle()
}

// TryLock is Lock that waits no longer than an uncontended entry takes, at most a 20th of a lease. It returns
// ErrHeld if the lock is held or the members do not answer in that time.
func (l *Lock) TryLock(ctx context.Context) (*Guard, error) {
	l.mu.Lock()
	busy := l.closed == nil && (l.guard.Load() != nil || len(l.queue) > 0)
	l.mu.Unlock()
	if busy && ctx.Err() == nil {
		return nil, ErrHeld
	}
	short, cancel := context.WithTimeout(ctx, l.terms.Grace)
	defer cancel()
	g, err := l.Lock(short)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil, ErrHeld
	}
	return g, err
}

// Leave ends the membership: it admits no further calls, waits until the user of a guard has unlocked and the store
// has answered, and hands over at once. Calls of Lock that wait return ErrClosed. If ctx is done before, it returns
// ctx's error, and the others wait until the lease of this process is over: so ctx should have a timeout, and not be
// one that ends when the process is to. They do, too, if the lock was closed since its store will never answer, or
// its record is no lock's any more: then Leave returns an error that is ErrClosed and says why.
func (l *Lock) Leave(ctx context.Context) error {
	l.shut()
	l.poke()
	select {
	case <-l.done:
		return l.broken
	case <-ctx.Done():
		l.stop()
		<-l.done
		return ctx.Err()
	}
}

func (l *Lock) shut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.close(ErrClosed)
	l.settle()
}

var errAsked = fmt.Errorf("%w: a call of Evict has asked it to leave", ErrClosed)

// because returns an error that is ErrClosed, and says why.
func because(err error) error {
	if errors.Is(err, ErrClosed) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrClosed, err)
}

// close admits no further calls, and ends those that wait. The first that closes says why.
func (l *Lock) close(why error) {
	if l.closed == nil {
		l.closed = why
	}
	l.m.Leaving = true
	for _, w := range l.queue {
		w.granted <- nil
	}
	l.queue = nil
}

// Members returns the members of the present view, in the order in which they have joined.
func (l *Lock) Members() (ids []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.m.Record.Members {
		ids = append(ids, e.ID)
	}
	return ids
}

// ID returns the name of this process among the members. A process that was evicted comes back under
// another.
func (l *Lock) ID() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.m.ID
}

// Evict asks a member to leave, and returns when it is no member any more. A member that lives ends the context of its
// guard, and leaves a 20th of a lease later. One that does not is evicted when its lease is over, as it would be
// without. It returns ctx's error, or ErrClosed.
func (l *Lock) Evict(ctx context.Context, id string) error {
	for {
		l.mu.Lock()
		gone := l.m.Rank >= 0 && l.m.Record.Rank(id) < 0
		if !gone && !slices.Contains(l.asks, id) {
			l.asks = append(l.asks, id)
		}
		l.mu.Unlock()
		if gone {
			return nil
		}
		l.poke()
		select {
		case <-time.After(l.terms.Lease / 50):
		case <-l.done:
			return l.closed
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// A Guard is an entry to the critical section.
type Guard struct {
	l      *Lock
	site   *host.Site
	token  messaging.Token
	member string // the ID of this process among the members of its view,
	nonce  uint64 // and the nonce of that
	ctx    context.Context
	cancel context.CancelCauseFunc
	since  view.Time
	limit  *time.Timer // nil: no MaxHold
	lost   bool        // this was counted
}

// Context returns a context with the values of that of Lock. It ends before the lock can be another's, with the
// cause ErrLost, and when the guard is unlocked. It does not end with the context of Lock.
func (g *Guard) Context() context.Context { return g.ctx }

// Token returns the fencing token of this entry: it is larger than those of all earlier ones.
func (g *Guard) Token() messaging.Token { return g.token }

// ID identifies this guard, as its token does unless the store has forgotten a view: then a guard of
// another view may have an equal token.
func (g *Guard) ID() string { return fmt.Sprintf("%s/%016x/%d", g.member, g.nonce, g.token.Count) }

// Valid reports whether the lock is still held: for a check that does not wait until the context
// has ended.
func (g *Guard) Valid() bool {
	l := g.l
	return l.guard.Load() == g && g.ctx.Err() == nil && l.now() < l.deadline()
}

// Unlock leaves the critical section. It returns an error that is ErrLost if the guard was lost before.
// Further calls return the same.
func (g *Guard) Unlock() error {
	l := g.l
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.guard.Load() == g {
		if !g.Valid() {
			l.lose(g, ErrLost)
		}
		l.leave(g)
		l.settle()
	}
	if err := context.Cause(g.ctx); errors.Is(err, ErrLost) {
		return err
	}
	return nil
}
