// Package engine makes the algorithms of this library a lock for several machines.
//
//	lock, err := engine.Join(ctx, "orders", engine.Config{
//		Links: links, Store: store, Protocol: ricartagrawala.Protocol, Lease: 10 * time.Second,
//	})
//	defer lock.Leave(context.WithoutCancel(ctx)) // better with a timeout
//	g, err := lock.Lock(ctx)
//	defer g.Unlock()
//	err = write(g.Context(), g.Token())
//
// A process that joins becomes a member. Any number of its goroutines use its lock, in FIFO order, and
// the members pass the critical section among them as the algorithm has it. Members that crash, or stop, or cannot
// reach the store, are evicted when they have been silent for a lease; the others go on.
//
// # What is promised
//
// At most one guard at a time has a context that has not ended, if clocks run at rates that differ by less than
// 1/20, and the store forgets no record. Code that runs on when its context has ended has a 20th of the
// lease to stop. More cannot be promised by a lock: a process that is stopped, by the system or the
// collector of a virtual machine, does not see that its context has ended. So a resource
// must refuse a smaller token than the largest that it has seen, before the first read. Then it
// obeys one guard after the other, whatever the store, clocks and networks do. Package sqlfence has an SQL
// database do so.
//
// Clocks of different machines are not compared. On Linux the clock of a process stands still while its
// machine is suspended: such a process is late to see that its lease is over.
//
// A lock that is waited for is entered eventually, if the members reach the store and each other, and
// holders unlock or have a MaxHold. The order is that of the algorithm, anew in each view: when a member
// comes or goes, those that wait ask again.
package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"
	"unicode/utf8"

	"example.org/doorway/engine/internal/view"
	"example.org/doorway/internal/node/wire"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/link"
)

// Errors of a lock, and causes why the context of a guard has ended.
var (
	ErrClosed  = errors.New("engine: the lock is closed") // its process has left, was asked to, or had to
	ErrHeld    = errors.New("engine: the lock is held")   // or its holder did not answer in time
	ErrLost    = errors.New("engine: the lock may be lost")
	ErrMaxHold = fmt.Errorf("%w: it was held for longer than MaxHold", ErrLost)
)

// Links carry frames between processes. They may lose, duplicate, delay and reorder them, but not alter them.
type Links interface {
	// Listen has f called with each frame that is sent to an inbox, one at a time, until stop is
	// called. Frames are not changed, nor kept by f.
	Listen(inbox string, f func(frame []byte)) (stop func(), err error)

	// Send sends a frame to an inbox, which may not exist. It does not wait for the receiver, and
	// does not keep the frame. While it blocks, so do the methods of the lock; guards end in time nevertheless.
	Send(inbox string, frame []byte) error
}

// A Store has the record of one lock: some hundred bytes that are replaced by compare-and-swap.
type Store interface {
	// Load returns the record and its version. The version of one that was never written is 0; it
	// grows with each Swap. An older record may be returned. An error that is ErrClosed says that the
	// store will never answer again, and closes the lock.
	Load(ctx context.Context) (data []byte, version uint64, err error)

	// Swap replaces the record if its version is old, and returns the new one. After an error it may
	// have been replaced or not.
	Swap(ctx context.Context, old uint64, data []byte) (version uint64, err error)

	// Watch calls changed whenever the record may have changed, until ctx is done or an error
	// occurs. It is a hint: without it, a member notices changes when it renews its lease.
	Watch(ctx context.Context, changed func()) error
}

// A Config describes a lock. All its members have the same Protocol and Lease.
type Config struct {
	Links    Links
	Store    Store
	Protocol messaging.Protocol

	// Lease is how long a member may be silent before it is evicted: that is how long the others wait when a
	// holder crashes. From 100 ms to 24 h.
	Lease time.Duration

	// MaxHold ends the context of a guard that is older, and a 20th of a lease later the lock is
	// another's. 0: a guard may be held forever.
	MaxHold time.Duration

	// Logger warns of guards that are lost, members that are evicted, and a store that does not answer. At
	// Info, it has the views that begin, and those that wait for a member. It must not use the lock. nil: there is none.
	Logger *slog.Logger

	Process string // names this process in Members and logs; default: the name of the machine
}

const shortest, longest = 100 * time.Millisecond, 24 * time.Hour

// check returns the first error in a config of a lock, and sets what it leaves out.
func (c *Config) check(name string) error {
	if c.Process == "" {
		c.Process, _ = os.Hostname()
	}
	switch {
	case !utf8.ValidString(name):
		return fmt.Errorf("engine: the name of the lock %q: it must be UTF-8", name)
	case !utf8.ValidString(c.Process):
		return fmt.Errorf("engine: the name of the process %q: it must be UTF-8", c.Process)
	case c.Links == nil:
		return errors.New("engine: Config.Links is nil")
	case c.Store == nil:
		return errors.New("engine: Config.Store is nil")
	case c.Protocol.New == nil:
		return errors.New("engine: Config.Protocol has no New")
	case c.Lease < shortest:
		return fmt.Errorf("engine: a lease of %v: it must be at least %v", c.Lease, shortest)
	case c.Lease > longest:
		return fmt.Errorf("engine: a lease of %v: it must be at most %v", c.Lease, longest)
	case c.MaxHold < 0:
		return fmt.Errorf("engine: a MaxHold of %v: it must not be negative", c.MaxHold)
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return checkProtocol(c.Protocol)
}

// checkProtocol returns an error unless nodes of p exclude each other, also in a view of one member.
func checkProtocol(p messaging.Protocol) error {
	a, err := p.New(1)
	if err != nil {
		return fmt.Errorf("engine: the protocol %q has no algorithm for 1 member: %w", p.Name, err)
	}
	node := a(messaging.Start{Nodes: 1})
	if _, is := messaging.As[messaging.Exclusion](node); !is {
		return fmt.Errorf("engine: the protocol %q is no lock", p.Name)
	}
	if _, is := messaging.As[messaging.Sharer](node); is {
		return fmt.Errorf("engine: the nodes of the protocol %q may be inside together: it is no lock of one resource", p.Name)
	}
	if _, is := messaging.As[messaging.Epocher](node); is {
		return fmt.Errorf("engine: nodes of the protocol %q detect crashes themselves: here the lease decides", p.Name)
	}
	_, err = wire.New(p)
	return err
}

// Join makes this process a member of a lock, and returns when it is one. Members of a lock have the same
// name. It returns an error if the config is invalid, if the members have another protocol or
// lease, if the store has a record that is no lock's, or when ctx is done: then it says why the store does
// not answer, if it does not. It may have become a member at that moment: then the others wait until its lease is over.
//
// Members that have crashed are evicted by the others. If all have, they are by the next that joins with the same
// protocol and lease; to join with others, delete the record.
func Join(ctx context.Context, name string, c Config) (*Lock, error) {
	if err := c.check(name); err != nil {
		return nil, err
	}
	// A frame is sent again after the round trip that was measured, and at first after this time.
	p := link.Of(c.Protocol, link.Config{Timeout: 60 * time.Millisecond, Tick: time.Millisecond, Delay: 5 * time.Millisecond})
	codec, err := wire.New(p)
	if err != nil {
		return nil, err
	}
	l := &Lock{
		name: name, config: c, protocol: p, codec: codec, log: c.Logger.With("lock", name, "process", c.Process),
		terms: view.Terms{Protocol: codec.Fingerprint(), Lease: c.Lease, Drift: c.Lease / 20, Grace: c.Lease / 20},
		began: time.Now(), wake: make(chan struct{}, 1), joined: make(chan struct{}), done: make(chan struct{}),
	}
	background, stop := context.WithCancel(context.Background())
	l.stop = stop
	if err := l.incarnate(); err != nil {
		stop()
		return nil, err
	}
	go l.run(background)
	go l.watch(background)
	select {
	case <-l.joined:
		return l, nil
	case <-l.done:
		return nil, l.err
	case <-ctx.Done():
		_ = l.Leave(ctx) // which does not wait, as ctx is done
		if l.fails != nil {
			return nil, fmt.Errorf("engine: the store does not answer: %w (%w)", l.fails, ctx.Err())
		}
		return nil, ctx.Err()
	}
}

// incarnate begins a life as a member, with an ID of its own.
func (l *Lock) incarnate() error {
	var random [6]byte
	_, _ = rand.Read(random[:])
	m := view.New(fmt.Sprintf("%s-%x", l.config.Process, random), l.terms)
	stop, err := l.config.Links.Listen(l.inbox(m.ID), func(frame []byte) { l.receive(m, frame) })
	if err != nil {
		return fmt.Errorf("engine: cannot listen: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	m.Leaving = l.closed != nil
	l.m, l.deaf = m, stop
	if l.timer == nil {
		l.fuse = time.AfterFunc(l.terms.Lease, l.lapse)
		l.timer = time.AfterFunc(l.terms.Lease, l.due)
	}
	return nil
}

func (l *Lock) inbox(id string) string { return l.name + "." + id }
