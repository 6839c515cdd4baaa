package cluster_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// Each misuse panics, and leaves no trace.
func TestMisuse(t *testing.T) {
	c := cluster.New(2, ricartagrawala.New)
	defer c.Close()
	c.Lock(0)
	var zero cluster.Cluster
	var none context.Context
	const inUse = "cluster: lock of node 0, which waits, is inside or is leaving"
	const outside = "cluster: unlock of node 1, which is not inside"
	const noContext = "cluster: lock of node 1 with a nil context: context.Background() is never canceled"
	some := func(s messaging.Start) messaging.Node {
		if s.Self == 1 {
			return nil
		}
		return ricartagrawala.New(s)
	}
	for _, m := range []struct {
		want string
		call func()
	}{
		{"cluster: a cluster of 0 nodes: there must be at least 1", func() { cluster.New(0, ricartagrawala.New) }},
		{fmt.Sprintf("cluster: a cluster of %d nodes: there must be at least 1", math.MinInt), func() { cluster.New(math.MinInt, ricartagrawala.New) }},
		{fmt.Sprintf("cluster: a cluster of %d nodes: there can be at most 1048576", math.MaxInt), func() { cluster.New(math.MaxInt, ricartagrawala.New) }},
		{"cluster: a cluster of 1048577 nodes: there can be at most 1048576", func() { cluster.New(1<<20+1, ricartagrawala.New) }},
		{"messaging: node 0 of 3 has no algorithm: it is nil", func() { cluster.New(3, nil) }},
		{"messaging: the algorithm returned nil for node 1 of 3: it must return a new node each time", func() { cluster.New(3, some) }},
		{"cluster: option 2 of a cluster is nil", func() { cluster.New(3, ricartagrawala.New, cluster.Scramble(1), nil) }},
		{"messaging: node 1 of 3 wraps nil: its method Unwrap must return a node", func() {
			host.NewSite(func(messaging.Start) messaging.Node { return hollow{} }, messaging.Start{Self: 1, Nodes: 3}, nil)
		}},

		{"cluster: lock of node 2: the nodes are 0 to 1", func() { c.Lock(2) }},
		{"cluster: lock of node -1: the nodes are 0 to 1", func() { c.TryLock(-1) }},
		{"cluster: locker of node 2: the nodes are 0 to 1", func() { c.Node(2) }},
		{"cluster: crash of node 2: the nodes are 0 to 1", func() { c.Crash(2) }},
		{"cluster: restart of node -1: the nodes are 0 to 1", func() { c.Restart(-1) }},
		{"cluster: stop of node 2: the nodes are 0 to 1", func() { _ = c.Stop(t.Context(), 2) }},
		{"cluster: token of node 2: the nodes are 0 to 1", func() { c.Token(2) }},
		{inUse, func() { c.Lock(0) }},
		{inUse, func() { c.TryLock(0) }},
		{inUse, func() { _ = c.LockContext(t.Context(), 0) }},
		{inUse, func() { _ = c.LockContext(canceled(), 0) }},
		{"cluster: lock of node 2: the nodes are 0 to 1", func() { _ = c.LockContext(canceled(), 2) }},
		{outside, func() { c.Unlock(1) }},
		{outside, func() { c.Node(1).Unlock() }},
		{"cluster: restart of node 0, which is up", func() { c.Restart(0) }},
		{"cluster: token of node 1, which is not inside", func() { c.Node(1).Token() }},
		{noContext, func() { _ = c.LockContext(none, 1) }},
		{noContext, func() { _ = c.Node(1).LockContext(none) }},
		{"cluster: stop of node 0 with a nil context: context.Background() is never canceled", func() { _ = c.Stop(none, 0) }},

		{"cluster: lock of a zero Cluster: only New returns a Cluster", func() { zero.Lock(0) }},
		{"cluster: lock of a zero Cluster: only New returns a Cluster", func() { zero.TryLock(0) }},
		{"cluster: lock of a zero Cluster: only New returns a Cluster", func() { _ = zero.LockContext(canceled(), 0) }},
		{"cluster: unlock of a zero Cluster: only New returns a Cluster", func() { zero.Unlock(0) }},
		{"cluster: locker of a zero Cluster: only New returns a Cluster", func() { zero.Node(0) }},
		{"cluster: close of a zero Cluster: only New returns a Cluster", zero.Close},
		{"cluster: crash of a zero Cluster: only New returns a Cluster", func() { zero.Crash(0) }},
		{"cluster: restart of a zero Cluster: only New returns a Cluster", func() { zero.Restart(0) }},
		{"cluster: stop of a zero Cluster: only New returns a Cluster", func() { _ = zero.Stop(t.Context(), 0) }},
		{"cluster: done of a zero Cluster: only New returns a Cluster", func() { zero.Done() }},
		{"cluster: err of a zero Cluster: only New returns a Cluster", func() { _ = zero.Err() }},
		{"cluster: token of a zero Cluster: only New returns a Cluster", func() { zero.Token(0) }},
	} {
		assert.PanicsWithValue(t, m.want, m.call)
	}
	c.Unlock(0)
	assert.True(t, c.Node(1).TryLock(), "a call that panics has left a trace")
	assert.Zero(t, zero.Processes())
	assert.NotPanics(t, func() { cluster.New(3, ricartagrawala.New, cluster.Observe(nil)).Lock(0) })
}

// A node that was locked by its Locker may be unlocked by its number, and vice
// versa: a caller in the queue of the Locker enters, and one that finds the node in
// use and panics leaves no trace.
func TestLockerAndNumber(t *testing.T) {
	c := cluster.New(2, ricartagrawala.New)
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
	const inUse = "cluster: lock of node 1, which waits, is inside or is leaving"
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
			const outside = "cluster: unlock of node 1, which is not inside"
			assert.PanicsWithValue(t, outside, l.Unlock, "%s, %s", how, end)
			assert.PanicsWithValue(t, outside, func() { c.Unlock(1) }, "%s, %s", how, end)
			require.True(t, l.TryLock(), "%s, %s: the Locker is still taken", how, end)
			l.Unlock()
		}
	}
}

// hollow wraps no node.
type hollow struct{ script }

func (hollow) Unwrap() messaging.Node { return nil }
