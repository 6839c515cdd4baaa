//go:build doorway_explore

package explore

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/bakery"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
	"example.org/doorway/register"
)

// Locks are used in earnest while others are checked, as in parallel tests, and several
// checks go on at once.
func TestOtherGoroutines(t *testing.T) {
	var users, checks sync.WaitGroup
	over := make(chan struct{})
	lock, entries := bakery.NewClassic(2), 0
	for i := range 2 {
		users.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
				}
				lock.Lock(i)
				entries++
				lock.Unlock(i)
			}
		})
	}
	for range 2 {
		checks.Go(func() {
			for range 5 {
				r, err := Check(Config{Processes: 2, New: func(int) mutex.Mutex { return peterson.New() }})
				if assert.NoError(t, err) {
					assert.Equal(t, Holds, r.StarvationFree.Status, "%v", r)
				}
			}
		})
	}
	checks.Wait()
	close(over)
	users.Wait()
	assert.NotZero(t, entries)
}

// A strange lock does in New, or in its protocols, what the contract does not foresee.
type strange struct {
	procs register.Processes
	taken register.Word
	enter func()
}

func (l *strange) Processes() int { return l.procs.Len() }

func (l *strange) Lock(i int) {
	p := l.procs.Entry(i)
	l.enter()
	register.Repeat(func() register.Outcome {
		l.taken.Await(p, func(v uint64) bool { return v == 0 })
		if l.taken.CompareAndSwap(0, p.Name()) {
			return register.Entered
		}
		return register.Again
	})
	p.Inside()
}

func (l *strange) Unlock(i int) {
	l.procs.Exit(i)
	l.taken.Store(0)
}

// A fewer counts its entries, and loads a register at the end of the first ones.
type fewer struct {
	*strange
	entries int
}

func (l *fewer) Lock(i int) {
	l.strange.Lock(i)
	if l.entries++; l.entries < 4 {
		l.taken.Load()
	}
}

// Whatever New and the protocols do, Check returns an error of one sentence.
func TestNeverPanics(t *testing.T) {
	var over atomic.Bool
	t.Cleanup(func() { over.Store(true) })
	for name, c := range map[string]struct {
		new  func(l *strange) mutex.Mutex
		want string
	}{
		"nil":           {func(*strange) mutex.Mutex { return nil }, "explore: New returned nil"},
		"nil pointer":   {func(*strange) mutex.Mutex { return (*strange)(nil) }, "explore: Processes of the lock that New(2) returned panics: runtime error: invalid memory address or nil pointer dereference"},
		"New panics":    {func(*strange) mutex.Mutex { panic("why") }, "explore: New(2) panics: why"},
		"no processes":  {func(*strange) mutex.Mutex { return &strange{} }, "explore: the lock has 0 processes, want 2"},
		"nil interface": {func(*strange) mutex.Mutex { return struct{ mutex.Mutex }{} }, "explore: Processes of the lock that New(2) returned panics: runtime error: invalid memory address or nil pointer dereference"},
		"New starts a goroutine": {func(l *strange) mutex.Mutex {
			var looks atomic.Int64
			go func() {
				for !over.Load() {
					l.taken.Load()
					looks.Add(1)
				}
			}()
			l.enter = func() {
				for seen := looks.Load(); looks.Load() < seen+2; {
					runtime.Gosched()
				}
			}
			return l
		}, "another goroutine uses register taken while the lock is explored: only the entry and exit protocols may use it"},
		"Lock starts a goroutine": {func(l *strange) mutex.Mutex {
			l.enter = func() {
				var other sync.WaitGroup
				other.Go(func() { l.taken.Load() })
				other.Wait()
			}
			return l
		}, "a protocol starts a goroutine that uses registers: a process is explored alone, without other goroutines"},
		"Lock uses a register of its own": {func(l *strange) mutex.Mutex {
			l.enter = func() { new(register.Word).Store(1) }
			return l
		}, "behaves differently on the same reads"},
		"Lock makes fewer accesses later": {func(l *strange) mutex.Mutex { return &fewer{strange: l} }, "goroutines_explore_test.go:89: process 0 behaves differently"},
		"Lock ends its goroutine": {func(l *strange) mutex.Mutex {
			l.enter = runtime.Goexit
			return l
		}, "explore: a protocol calls runtime.Goexit"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := begin(&Config{Processes: 2, New: func(n int) mutex.Mutex {
				return c.new(&strange{procs: register.MakeProcesses("wrong", n), enter: func() {}})
			}}, false)
			require.Error(t, err)
			assert.Contains(t, err.Error(), c.want)
			t.Log(err)
		})
	}
}
