package messaging_test

import (
	"context"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// A node that was locked by its Locker may be unlocked by its number, and vice
// versa: a caller in the queue of the Locker enters, and one that finds the node in
// use and panics leaves no trace.
func TestLockerAndNumber(t *testing.T) {
	c := messaging.NewCluster(2, ricartagrawala.New)
	l := c.Node(1)
	locks := map[string]func() bool{
		"Lock of the Locker":         func() bool { l.Lock(); return true },
		"LockContext of the Locker":  func() bool { return l.LockContext(t.Context()) == nil },
		"TryLock of the Locker":      l.TryLock,
		"Lock of the Cluster":        func() bool { c.Lock(1); return true },
		"LockContext of the Cluster": func() bool { return c.LockContext(t.Context(), 1) == nil },
		"TryLock of the Cluster":     func() bool { return c.TryLock(1) },
	}
	unlocks := map[string]func(){"Unlock of the Locker": l.Unlock, "Unlock of the Cluster": func() { c.Unlock(1) }}
	const inUse = "messaging: lock of node 1, which waits, is inside or is leaving"
	for how, lock := range locks {
		for end, unlock := range unlocks {
			require.True(t, lock(), how)
			assert.PanicsWithValue(t, inUse, func() { c.Lock(1) }, how)
			if strings.HasSuffix(how, "Cluster") {
				assert.PanicsWithValue(t, inUse, l.Lock, how)
				assert.PanicsWithValue(t, inUse, func() { l.TryLock() }, how)
				assert.PanicsWithValue(t, inUse, func() { _ = l.LockContext(t.Context()) }, how)
			} else {
				assert.False(t, l.TryLock(), how)
			}
			assert.False(t, c.TryLock(0), "%s: two are inside", how)
			unlock()
			const outside = "messaging: unlock of node 1, which is not inside"
			assert.PanicsWithValue(t, outside, l.Unlock, "%s, %s", how, end)
			assert.PanicsWithValue(t, outside, func() { c.Unlock(1) }, "%s, %s", how, end)
			require.True(t, l.TryLock(), "%s, %s: the Locker is still taken", how, end)
			l.Unlock()
		}
	}
}

// A caller in the queue of a Locker gets its turn when the node is unlocked by its
// number.
func TestUnlockByNumberPassesTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := messaging.NewCluster(2, ricartagrawala.New)
		defer c.Close()
		l := c.Node(1)
		l.Lock()
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				l.Lock()
				c.Unlock(1)
			})
		}
		synctest.Wait()
		c.Unlock(1)
		wg.Wait()
	})
}

func TestNil(t *testing.T) {
	assert.PanicsWithValue(t, "messaging: node 0 of 3 has no algorithm: it is nil", func() { messaging.NewCluster(3, nil) })
	assert.PanicsWithValue(t, "messaging: node 1 of 3 wraps nil: its method Unwrap must return a node", func() {
		messaging.NewSite(func(messaging.Start) messaging.Node { return hollow{} }, messaging.Start{Self: 1, Nodes: 3}, nil)
	})
	assert.PanicsWithValue(t, "messaging: the algorithm returned nil for node 1 of 3: it must return a new node each time", func() {
		messaging.NewCluster(3, func(s messaging.Start) messaging.Node {
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
	const want = "messaging: lock of node 1 with a nil context: context.Background() is never canceled"
	assert.PanicsWithValue(t, want, func() { _ = c.LockContext(none, 1) })
	assert.PanicsWithValue(t, want, func() { _ = c.Node(1).LockContext(none) })
	assert.True(t, c.Node(1).TryLock(), "a call that panics has left a trace")
}

func TestNodesAreTooMany(t *testing.T) {
	for n, want := range map[int]string{
		math.MinInt: "messaging: a cluster of -",
		0:           "messaging: a cluster of 0 nodes: there must be at least 1",
		1<<20 + 1:   "messaging: a cluster of 1048577 nodes: there can be at most 1048576",
		math.MaxInt: "nodes: there can be at most 1048576",
	} {
		assert.Contains(t, panicOf(func() { messaging.NewCluster(n, ricartagrawala.New) }), want)
	}
}

// panicOf returns the panic value of f.
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

// hollow wraps no node.
type hollow struct{ script }

func (hollow) Unwrap() messaging.Node { return nil }
