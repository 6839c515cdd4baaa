package mcs

import (
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/memory/renaming"
)

var over = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// However many abort while the lock is held, the queue is not longer than twice those that wait,
// or than so few nodes that it does not matter. All that wait enter.
func TestAbortsAreSwept(t *testing.T) {
	for _, waiting := range []int{0, 1, 10, 1000} {
		synctest.Test(t, func(t *testing.T) {
			var q Queue
			assert.True(t, q.Enter())
			entered := 0 // guarded by q
			for range waiting {
				for range 10 {
					assert.False(t, q.Wait(over))
				}
				go func() {
					assert.True(t, q.Wait(nil))
					entered++
					assert.True(t, q.Hand())
				}()
				synctest.Wait()
			}
			for range 10_000 {
				assert.False(t, q.Wait(over))
			}
			length := q.length(places)
			assert.LessOrEqual(t, length, 2*waiting+2*places.many)
			assert.GreaterOrEqual(t, length, waiting)
			assert.True(t, q.Hand())
			synctest.Wait()
			assert.Equal(t, waiting, entered)
			assert.True(t, q.Enter(), "the lock is free")
		})
	}
}

// If all that wait abort, even during a sweep, few nodes are left.
func TestAllAbort(t *testing.T) {
	for _, waiting := range []int{100, 1000} {
		synctest.Test(t, func(t *testing.T) {
			var (
				q           Queue
				early, late = make(chan struct{}), make(chan struct{})
				all         sync.WaitGroup
				during      sync.Once
				in          = &pool{Table: renaming.New(64, func(*place) {}), many: places.many}
			)
			in.put = func(l *lease) { in.Give(l.place) }
			in.giveBack = func(place int) {
				during.Do(func() {
					close(late)
					synctest.Wait()
				})
				in.Give(place)
			}
			assert.True(t, q.Enter())
			for k := range waiting {
				done := late
				if k >= waiting-in.many {
					done = early
				}
				all.Go(func() { assert.False(t, q.wait(in, in.lease(), done)) })
			}
			synctest.Wait()
			close(early)
			all.Wait()
			assert.LessOrEqual(t, q.length(in), 2*in.many+2)
			assert.True(t, q.handOn(in))
			assert.True(t, q.Enter(), "the lock is free")
		})
	}
}

// A sweep ends, though others join and abort as fast as it takes nodes out.
func TestSweepEnds(t *testing.T) {
	var q Queue
	in := &pool{Table: renaming.New(64, func(*place) {}), many: renaming.Most}
	taken := 0
	in.giveBack = func(place int) {
		in.Give(place)
		if taken++; taken < 1000 {
			q.wait(in, in.lease(), over)
		}
	}
	assert.True(t, q.Enter())
	for range 10 {
		assert.False(t, q.wait(in, in.lease(), over))
	}
	assert.Equal(t, 1, q.takeAborted(in))
	assert.Equal(t, 8, taken)
}

// The first exit that comes during a sweep is carried out after it.
func TestExitDuringSweep(t *testing.T) {
	var q Queue
	in := &pool{Table: renaming.New(64, func(*place) {}), many: 3}
	in.giveBack = func(place int) {
		in.Give(place)
		if q.taking.Load() == sweeping {
			assert.True(t, q.handOn(in))
			assert.False(t, q.handOn(in), "another exit")
			assert.False(t, q.Enter())
		}
	}
	assert.True(t, q.Enter())
	for range in.many {
		assert.False(t, q.wait(in, in.lease(), over))
	}
	assert.True(t, q.Enter(), "the lock is free")
}

// A place whose lease is dropped is given back, but not while its node is in a queue.
func TestDroppedLease(t *testing.T) {
	var q Queue
	assert.True(t, q.Wait(nil), "the lock is free")
	place := int(q.queue.head.Load() - first)
	givenBack := func() bool {
		for range 30 {
			runtime.GC()
			k := places.Take()
			defer places.Give(k)
			if k == place {
				return true
			}
		}
		return false
	}
	assert.False(t, givenBack())
	assert.True(t, q.Hand())
	assert.True(t, givenBack())
}

// Where no place is left, a goroutine waits nevertheless, and aborts.
func TestNoPlaceIsLeft(t *testing.T) {
	var all []int
	for place := places.Take(); place >= 0; place = places.Take() {
		all = append(all, place)
	}
	defer func() {
		for _, place := range all {
			places.Give(place)
		}
	}()
	for leases.Get() != nil {
		continue // until the rest is dropped
	}
	var q Queue
	assert.True(t, q.Enter())
	assert.False(t, q.Wait(over))
	var waiting sync.WaitGroup
	waiting.Go(func() { assert.True(t, q.Wait(nil)) })
	runtime.Gosched()
	assert.True(t, q.Leave() || q.Hand())
	waiting.Wait()
	assert.False(t, q.Enter())
}

func (q *Queue) length(in *pool) (n int) {
	for name := q.queue.head.Load(); name != 0; name = in.node(name).next.Load() {
		n++
	}
	return n
}
