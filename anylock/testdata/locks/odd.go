package locks

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// NewStarted returns a lock whose goroutine is started before it is used.
func NewStarted() sync.Locker {
	l := &Served{make(chan struct{}), make(chan struct{})}
	go l.serve()
	return l
}

// Async is unlocked by another goroutine.
type Async struct{ mu sync.Mutex }

// Lock locks l.
func (l *Async) Lock() { l.mu.Lock() }

// Unlock unlocks l.
func (l *Async) Unlock() { go l.mu.Unlock() }

// Ranged is held if one of its flags is set, of which it needs only how many there are.
type Ranged struct{ flags [2]atomic.Bool }

// Lock locks l.
func (l *Ranged) Lock() {
	for i := range l.flags {
		for !l.flags[i].CompareAndSwap(false, true) {
			runtime.Gosched()
		}
	}
}

// Unlock unlocks l.
func (l *Ranged) Unlock() {
	for i := range l.flags {
		l.flags[i].Store(false)
	}
}

// Slow counts to ten thousand before it tries.
type Slow struct{ held atomic.Bool }

// Lock locks l.
func (l *Slow) Lock() {
	for range 10_000 {
		runtime.Gosched()
	}
	for !l.held.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
}

// Unlock unlocks l.
func (l *Slow) Unlock() { l.held.Store(false) }

// Own waits for memory that no other goroutine can reach.
type Own struct{ mu sync.Mutex }

// Lock locks l.
func (l *Own) Lock() {
	l.mu.Lock()
	var mine atomic.Bool
	for !mine.Load() {
		runtime.Gosched()
	}
}

// Unlock unlocks l.
func (l *Own) Unlock() { l.mu.Unlock() }

type note struct{ said atomic.Bool }

// Noted shows that another has noted something between two looks, at what only the two can reach.
type Noted struct {
	last atomic.Pointer[note]
	mu   sync.Mutex
}

// Lock locks l.
func (l *Noted) Lock() {
	n := new(note)
	if before := l.last.Swap(n); before != nil {
		first := before.said.Load()
		if before.said.Load() != first {
			panic("noted")
		}
	}
	n.said.Store(true)
	l.mu.Lock()
}

// Unlock unlocks l.
func (l *Noted) Unlock() { l.mu.Unlock() }

// CondOfChan waits for a sync.Cond whose lock is a channel.
type CondOfChan struct {
	free *sync.Cond
	held bool
}

// NewCondOfChan returns a lock.
func NewCondOfChan() sync.Locker { return &CondOfChan{free: sync.NewCond(make(Chan, 1))} }

// Lock locks l.
func (l *CondOfChan) Lock() {
	l.free.L.Lock()
	for l.held {
		l.free.Wait()
	}
	l.held = true
	l.free.L.Unlock()
}

// Unlock unlocks l.
func (l *CondOfChan) Unlock() {
	l.free.L.Lock()
	l.held = false
	l.free.Signal()
	l.free.L.Unlock()
}

// Large has more memory than is read at once.
type Large struct {
	held atomic.Bool
	more [5000]int
	last int
}

// Lock locks l.
func (l *Large) Lock() {
	for !l.held.CompareAndSwap(false, true) {
		runtime.Gosched()
	}
	l.more[4999] = 1 - l.more[4999]
	if l.last = 1 - l.last; l.last != l.more[4999] {
		panic("another's step")
	}
}

// Unlock unlocks l.
func (l *Large) Unlock() { l.held.Store(false) }

// Late is no lock until a goroutine of its constructor has run.
type Late struct {
	mu    sync.Mutex
	ready atomic.Bool
}

// NewLate returns a new one.
func NewLate() *Late {
	l := new(Late)
	go func() { l.ready.Store(true) }()
	return l
}

// Lock locks l.
func (l *Late) Lock() {
	if l.ready.Load() {
		l.mu.Lock()
	}
}

// Unlock unlocks l.
func (l *Late) Unlock() {
	l.mu.TryLock()
	l.mu.Unlock()
}

// Tries tries until it has the mutex.
type Tries struct{ mu sync.Mutex }

// Lock locks l.
func (l *Tries) Lock() {
	for !l.mu.TryLock() {
		runtime.Gosched()
	}
}

// Unlock unlocks l.
func (l *Tries) Unlock() { l.mu.Unlock() }

// Tried is a lock with other ways to enter.
type Tried struct {
	held  atomic.Bool
	freed chan struct{}
}

// NewTried returns a new one.
func NewTried() *Tried { return &Tried{freed: make(chan struct{}, 1)} }

// Lock locks l.
func (l *Tried) Lock() { _ = l.LockContext(context.Background()) }

// TryLock locks l, if it is free.
func (l *Tried) TryLock() bool { return l.held.CompareAndSwap(false, true) }

// LockContext locks l, unless ctx is done first.
func (l *Tried) LockContext(ctx context.Context) error {
	for !l.TryLock() {
		select {
		case <-l.freed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Unlock unlocks l.
func (l *Tried) Unlock() {
	l.held.Store(false)
	select {
	case l.freed <- struct{}{}:
	default:
	}
}

// Keyed has the mutex of a name in a map, and makes it when it is first used.
type Keyed struct{ locks sync.Map }

// Lock locks l.
func (l *Keyed) Lock() { l.of("name").Lock() }

// Unlock unlocks l.
func (l *Keyed) Unlock() { l.of("name").Unlock() }

func (l *Keyed) of(name string) sync.Locker {
	if lock, ok := l.locks.Load(name); ok {
		return lock.(sync.Locker)
	}
	lock, _ := l.locks.LoadOrStore(name, new(sync.Mutex))
	return lock.(sync.Locker)
}

// Pooled is the lock of Craig, with nodes of a pool that grows.
type Pooled struct {
	tail  atomic.Pointer[clhNode]
	nodes sync.Pool
	mine  *clhNode
	pred  *clhNode
}

// NewPooled returns a new one.
func NewPooled() *Pooled {
	l := new(Pooled)
	l.nodes.New = func() any { return new(clhNode) }
	l.tail.Store(new(clhNode))
	return l
}

// Lock locks l.
func (l *Pooled) Lock() {
	n := l.nodes.Get().(*clhNode)
	n.held.Store(true)
	pred := l.tail.Swap(n)
	for pred.held.Load() {
		runtime.Gosched()
	}
	l.mine, l.pred = n, pred
}

// Unlock unlocks l.
func (l *Pooled) Unlock() {
	n, pred := l.mine, l.pred
	n.held.Store(false)
	l.nodes.Put(pred)
}

// Viewed looks into its mutex.
type Viewed struct{ mu sync.Mutex }

// Lock locks l.
func (l *Viewed) Lock() { l.mu.Lock() }

// Unlock unlocks l, whoever waits.
func (l *Viewed) Unlock() { atomic.StoreInt32((*int32)(unsafe.Pointer(&l.mu)), 0) }
