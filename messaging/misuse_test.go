package messaging_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/ricartagrawala"
)

// What was locked by its Locker is not unlocked by its number, nor the other way
// round; and who tries has changed nothing.
func TestLockerAndNumber(t *testing.T) {
	c := messaging.NewCluster(2, ricartagrawala.New)
	l := c.Node(1)
	for name, lock := range map[string]func() bool{
		"Lock":        func() bool { l.Lock(); return true },
		"LockContext": func() bool { return l.LockContext(t.Context()) == nil },
		"TryLock":     l.TryLock,
	} {
		assert.True(t, lock(), name)
		assert.PanicsWithValue(t, "messaging: unlock of node 1, which was locked by its Locker, and is to be unlocked by it", func() { c.Unlock(1) }, name)
		assert.PanicsWithValue(t, "messaging: lock of node 1, which waits, is inside or is leaving", func() { c.Lock(1) }, name)
		assert.False(t, c.TryLock(0), "%s: two are inside", name)
		l.Unlock()
	}
	for name, lock := range map[string]func() bool{
		"Lock":        func() bool { c.Lock(1); return true },
		"LockContext": func() bool { return c.LockContext(t.Context(), 1) == nil },
		"TryLock":     func() bool { return c.TryLock(1) },
	} {
		assert.True(t, lock(), name)
		assert.PanicsWithValue(t, "messaging: unlock of node 1, which was locked by Lock of the Cluster, and is to be unlocked by its Unlock", l.Unlock, name)
		const locked = "messaging: lock of node 1, which waits, is inside or is leaving"
		assert.PanicsWithValue(t, locked, l.Lock, name)
		assert.PanicsWithValue(t, locked, func() { l.TryLock() }, name)
		assert.PanicsWithValue(t, locked, func() { _ = l.LockContext(t.Context()) }, name)
		assert.False(t, c.TryLock(0), "%s: two are inside", name)
		c.Unlock(1)
	}
	if assert.True(t, l.TryLock(), "the Locker is taken by one that has failed") {
		l.Unlock()
	}
}

func TestNil(t *testing.T) {
	assert.PanicsWithValue(t, "messaging: node 0 of 3 has no algorithm: it is nil", func() { messaging.NewCluster(3, nil) })
	assert.PanicsWithValue(t, "messaging: the algorithm returned nil for node 1 of 3: it returns a new node each time", func() {
		messaging.NewCluster(3, func(s messaging.Start) messaging.Exclusion {
			if s.Self == 1 {
				return nil
			}
			return ricartagrawala.New(s)
		})
	})
	assert.PanicsWithValue(t, "messaging: option 2 of a cluster is nil", func() {
		messaging.NewCluster(3, ricartagrawala.New, messaging.Seed(1), nil)
	})
	assert.NotPanics(t, func() { messaging.NewCluster(3, ricartagrawala.New, messaging.Observe(nil)).Lock(0) })

	var none context.Context
	c := messaging.NewCluster(2, ricartagrawala.New)
	const want = "messaging: lock of node 1 with a nil context: context.Background() never ends"
	assert.PanicsWithValue(t, want, func() { _ = c.LockContext(none, 1) })
	assert.PanicsWithValue(t, want, func() { _ = c.Node(1).LockContext(none) })
	assert.True(t, c.Node(1).TryLock(), "a call that panics has left a trace")
}

func TestNodesAreTooMany(t *testing.T) {
	for n, want := range map[int]string{
		math.MinInt: "messaging: a cluster of -",
		0:           "messaging: a cluster of 0 nodes: it needs at least 1",
		1<<20 + 1:   "messaging: a cluster of 1048577 nodes: it has at most 1048576",
		math.MaxInt: "nodes: it has at most 1048576",
	} {
		assert.Contains(t, panicOf(func() { messaging.NewCluster(n, ricartagrawala.New) }), want)
	}
}

// panicOf returns what f panics with.
func panicOf(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}

func TestZeroCluster(t *testing.T) {
	var c messaging.Cluster
	for what, call := range map[string]func(){
		"lock":   func() { c.Lock(0) },
		"unlock": func() { c.Unlock(0) },
		"locker": func() { c.Node(0) },
		"close":  c.Close,
	} {
		assert.PanicsWithValue(t, "messaging: "+what+" of a zero Cluster: only NewCluster returns a Cluster", call)
	}
	assert.PanicsWithValue(t, "messaging: lock of a zero Cluster: only NewCluster returns a Cluster", func() { c.TryLock(0) })
	assert.PanicsWithValue(t, "messaging: lock of a zero Cluster: only NewCluster returns a Cluster", func() { _ = c.LockContext(t.Context(), 0) })
	assert.Zero(t, c.Processes())
}

func TestZeroLocker(t *testing.T) {
	var l messaging.Locker
	const lock, unlock = "messaging: lock of a zero Locker: only Cluster.Node returns a Locker", "messaging: unlock of a zero Locker: only Cluster.Node returns a Locker"
	assert.PanicsWithValue(t, lock, l.Lock)
	assert.PanicsWithValue(t, lock, func() { l.TryLock() })
	assert.PanicsWithValue(t, lock, func() { _ = l.LockContext(t.Context()) })
	assert.PanicsWithValue(t, unlock, l.Unlock)
}
