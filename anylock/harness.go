package anylock

// harness is what the goroutines run, beside the lock.
const harness = `package harness

import (
	"context"
	"sync"
)

var (
	lock    sync.Locker
	guarded int
	ways    []string
)

func rest()
func choose(n int) int

// Uses returns goroutines that enter by Lock so often.
func Uses(l sync.Locker, goroutines, rounds int) (roles []func()) {
	lock = l
	for range goroutines {
		roles = append(roles, times(rounds).use)
	}
	return roles
}

type times int

func (rounds times) use() {
	for rounds != 0 {
		rest()
		lock.Lock()
		guarded = 1
		lock.Unlock()
		if rounds > 0 {
			rounds--
		}
	}
}

type (
	trier     interface{ TryLock() bool }
	reader    interface { RLock(); RUnlock() }
	triesRead interface { reader; TryRLock() bool }
	canceler  interface{ LockContext(context.Context) error }
)

// Mixed returns the ways in which a lock can be entered, and goroutines that take any of them so often.
func Mixed(l sync.Locker, goroutines, rounds int) (names []string, roles []func()) {
	lock, ways = l, append(ways, "Lock")
	if _, ok := l.(trier); ok {
		ways = append(ways, "TryLock")
	}
	if _, ok := l.(reader); ok {
		ways = append(ways, "RLock")
	}
	if _, ok := l.(triesRead); ok {
		ways = append(ways, "TryRLock")
	}
	for range goroutines {
		roles = append(roles, times(rounds).mix)
	}
	if _, ok := l.(canceler); ok {
		ways = append(ways, "LockContext")
		ctx = canceled{context.Background(), make(chan struct{})}
		roles = append(roles, ctx.cancel)
	}
	return ways, roles
}

func (rounds times) mix() {
	for range rounds {
		rest()
		switch ways[choose(len(ways))] {
		case "Lock":
			lock.Lock()
			write()
		case "TryLock":
			if lock.(trier).TryLock() {
				write()
			}
		case "RLock":
			lock.(reader).RLock()
			read()
		case "TryRLock":
			if lock.(triesRead).TryRLock() {
				read()
			}
		case "LockContext":
			if lock.(canceler).LockContext(ctx) == nil {
				write()
			}
		}
	}
}

func write() {
	guarded = 1
	lock.Unlock()
}

func read() {
	if guarded == 2 {
		panic("")
	}
	lock.(reader).RUnlock()
}

type canceled struct {
	context.Context
	done chan struct{}
}

var ctx canceled

func (c canceled) cancel() { close(c.done) }

func (c canceled) Done() <-chan struct{} { return c.done }

func (c canceled) Err() error {
	select {
	case <-c.done:
		return context.Canceled
	default:
		return nil
	}
}
`

// wrapping has the errors of fmt.Errorf.
const wrapping = `package wrapping

type Error struct { text string; err error }

func New(text string, err error) error { return &Error{text, err} }

func (e *Error) Error() string { return e.text }

func (e *Error) Unwrap() error { return e.err }
`
