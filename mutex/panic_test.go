package mutex_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/bakery"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
)

// A faulty lock does something other than enter, or something after it has left.
type faulty struct {
	mutex.Abortable
	instead, after func() // nil: it works
}

func (f *faulty) Lock(i int) {
	call(f.instead)
	f.Abortable.Lock(i)
}

func (f *faulty) TryLock(i int) bool {
	call(f.instead)
	return f.Abortable.TryLock(i)
}

func (f *faulty) LockContext(ctx context.Context, i int) error {
	call(f.instead)
	return f.Abortable.LockContext(ctx, i)
}

func (f *faulty) Unlock(i int) {
	f.Abortable.Unlock(i)
	call(f.after)
}

func call(f func()) {
	if f != nil {
		f()
	}
}

// ended calls f in a goroutine of its own, and returns the value with which f
// panicked and whether f returned.
func ended(f func()) (panicked any, returned bool) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		defer func() { panicked = recover() }()
		f()
		returned = true
	}()
	<-over
	return panicked, returned
}

// However a call of the lock fails, its process is free for the next caller.
func TestSharedGivesBackTheProcessOfACallThatFailed(t *testing.T) {
	calls := []struct {
		name string
		f    func(s *mutex.Shared)
	}{
		{"Lock", (*mutex.Shared).Lock},
		{"TryLock", func(s *mutex.Shared) { s.TryLock() }},
		{"LockContext", func(s *mutex.Shared) { _ = s.LockContext(context.Background()) }},
		{"LockContext that ctx can end", func(s *mutex.Shared) {
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			_ = s.LockContext(ctx)
		}},
		{"Unlock", func(s *mutex.Shared) { s.Lock(); s.Unlock() }},
	}
	for _, c := range calls {
		for _, abortable := range []bool{true, false} {
			for name, fail := range map[string]func(){"panic": func() { panic("no") }, "Goexit": runtime.Goexit} {
				if !abortable && c.name != "Lock" && c.name != "Unlock" {
					continue
				}
				t.Run(c.name+"/"+name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { // which fails if a goroutine waits forever
						f := &faulty{Abortable: bakery.New(2)}
						var m mutex.Mutex = f
						if !abortable {
							m = bare{f}
						}
						s := mutex.Share(m)
						if c.name == "Unlock" {
							f.after = fail
						} else {
							f.instead = fail
						}
						for range 3 { // more than there are processes
							panicked, returned := ended(func() { c.f(s) })
							assert.False(t, returned)
							if name == "panic" {
								assert.Equal(t, "no", panicked)
							}
						}
						f.instead, f.after = nil, nil
						s.Lock()
						s.Unlock()
					})
				})
			}
		}
	}
}

// noProcesses is a lock that was not made by its constructor.
type noProcesses struct{ mutex.Mutex }

func (noProcesses) Processes() int { return 0 }

type tooMany struct{ mutex.Mutex }

func (tooMany) Processes() int { return math.MaxInt }

func TestNilAndZero(t *testing.T) {
	var shared mutex.Shared
	s := mutex.Share(bare{bakery.New(1)})
	var none context.Context
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		want   string
		misuse func()
	}{
		{"mutex: share of a nil Mutex", func() { mutex.Share(nil) }},
		{"mutex: locker of a nil Mutex", func() { mutex.Locker(nil, 0) }},
		{"mutex: share of a Mutex of 0 processes: there must be 1 to 1048576", func() { mutex.Share(new(peterson.Lock)) }},
		{"mutex: share of a Mutex of 0 processes: there must be 1 to 1048576", func() { mutex.Share(noProcesses{}) }},
		{fmt.Sprintf("mutex: share of a Mutex of %d processes: there must be 1 to 1048576", math.MaxInt), func() { mutex.Share(tooMany{}) }},
		{"mutex: share of a Mutex of 0 processes: there must be 1 to 1048576", func() { mutex.Share(new(bakery.Lock)) }},
		{"mutex: locker of process 0 of a Mutex that has no processes", func() { mutex.Locker(new(bakery.Lock), 0) }},
		{"mutex: lock of a Shared that was not made by Share", shared.Lock},
		{"mutex: lock of a Shared that was not made by Share", func() { shared.TryLock() }},
		{"mutex: lock of a Shared that was not made by Share", func() { _ = shared.LockContext(t.Context()) }},
		{"mutex: lock of a Shared that was not made by Share", func() { _ = shared.LockContext(over) }},
		{"mutex: unlock of a Shared that was not made by Share", shared.Unlock},
		{"mutex: locker of process 2: the processes are 0 to 1", func() { mutex.Locker(bakery.New(2), 2) }},
		{"mutex: locker of process -1: the processes are 0 to 1", func() { mutex.Locker(bakery.New(2), -1) }},
		{"mutex: unlock of a Shared that is not locked", func() { s.Unlock() }},
		{"mutex: unlock of a Shared that is not locked", func() { s.Lock(); s.Unlock(); s.Unlock() }},
		{"mutex: TryLock over a Mutex that is not Abortable", func() { s.TryLock() }},
		{"mutex: LockContext over a Mutex that is not Abortable", func() { _ = s.LockContext(over) }},
		{"mutex: LockContext of a Shared with a nil Context", func() { _ = s.LockContext(none) }},
	} {
		assert.PanicsWithValue(t, c.want, c.misuse)
	}
	s.Lock() // nothing was lost
}
