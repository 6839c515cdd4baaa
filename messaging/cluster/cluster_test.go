package cluster_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/mutex"
)

// script is a node whose behavior a test defines.
type script struct {
	request, release func(messaging.Out)
	receive          func(messaging.ID, messaging.Message, messaging.Out)
}

func (s script) Request(out messaging.Out) { call(s.request, out) }
func (s script) Release(out messaging.Out) { call(s.release, out) }
func (s script) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	s.receive(from, m, out)
}

func call(f func(messaging.Out), out messaging.Out) {
	if f != nil {
		f(out)
	}
}

var (
	_ mutex.Abortable = (*cluster.Cluster)(nil)
	_ sync.Locker     = cluster.Locker(nil)
)

// deliveries are the delivery orders of a cluster.
var deliveries = map[string]func(seed uint64) []cluster.Option{
	"at once":   func(uint64) []cluster.Option { return nil },
	"scrambled": func(seed uint64) []cluster.Option { return []cluster.Option{cluster.Scramble(seed)} },
	"unordered": func(seed uint64) []cluster.Option { return []cluster.Option{cluster.Unordered(seed)} },
}

// absorbing is an algorithm whose requests cannot be withdrawn.
func absorbing(start messaging.Start) messaging.Node {
	return struct{ messaging.Exclusion }{ricartagrawala.New(start).(messaging.Exclusion)}
}

// canceled returns a context that is.
func canceled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cluster.New(5, ricartagrawala.New)
		c.Node(0).Lock()
		c.Crash(4)
		errs := make(chan error, 6)
		go func() { errs <- c.LockContext(context.Background(), 1) }()
		for _, i := range []int{0, 0, 2, 2, 2} { // at node 0 behind one that is inside, at node 2 behind one that waits
			go func() { errs <- c.Node(i).LockContext(context.Background()) }()
		}
		said := make(chan any)
		go func() {
			defer func() { said <- recover() }()
			c.Lock(3)
		}()
		synctest.Wait()
		assert.NoError(t, c.Err())
		assert.Equal(t, context.Canceled, c.LockContext(canceled(), 4), "one that retries while the node is down ends")
		assert.Equal(t, context.Canceled, c.Node(4).LockContext(canceled()))
		assert.Equal(t, context.Canceled, c.Stop(canceled(), 4))
		assert.Equal(t, cluster.ErrDown, c.LockContext(t.Context(), 4))
		assert.Equal(t, cluster.ErrDown, c.Node(4).LockContext(t.Context()))
		c.Close()
		<-c.Done()
		assert.Equal(t, cluster.ErrClosed, c.Err())
		for range cap(errs) {
			assert.ErrorIs(t, <-errs, cluster.ErrClosed, "what one gets that waits")
		}
		assert.Equal(t, "cluster: lock of node 3 of a cluster that is closed", <-said, "what Lock panics with")

		c.Unlock(0)
		assert.PanicsWithValue(t, "cluster: unlock of node 0, which is not inside", func() { c.Unlock(0) })
		assert.PanicsWithValue(t, "cluster: lock of node 0 of a cluster that is closed", func() { c.Lock(0) })
		assert.PanicsWithValue(t, "cluster: lock of node 0 of a cluster that is closed", func() { c.Node(0).Lock() })
		assert.False(t, c.TryLock(0), "TryLock enters a closed cluster")
		assert.False(t, c.Node(1).TryLock(), "TryLock of a Locker enters a closed cluster")
		for range 2 {
			assert.ErrorIs(t, c.LockContext(t.Context(), 0), cluster.ErrClosed)
			assert.ErrorIs(t, c.Node(2).LockContext(t.Context()), cluster.ErrClosed)
		}
		for _, ctx := range []context.Context{t.Context(), canceled()} { // of a node that is down, too
			assert.Equal(t, cluster.ErrClosed, c.LockContext(ctx, 4))
			assert.Equal(t, cluster.ErrClosed, c.Node(4).LockContext(ctx))
			assert.Equal(t, cluster.ErrClosed, c.Stop(ctx, 4))
			assert.Equal(t, cluster.ErrClosed, c.Input(4, 1))
		}
		assert.PanicsWithValue(t, "cluster: lock of node 4 of a cluster that is closed", func() { c.Node(4).Lock() })
		assert.NotPanics(t, func() { c.Restart(4) }, "which has no effect")
		c.Close()
	})
}

func TestObserver(t *testing.T) {
	var seen []string
	c := cluster.New(2, ricartagrawala.New, cluster.Observe(func(e messaging.Event) {
		assert.GreaterOrEqual(t, e.At, time.Duration(0))
		seen = append(seen, fmt.Sprint(e.Number, " of ", e.Cause, ": ", e.From, " ", e.Action, " ", e.To, " ", e.Message))
	}))
	defer c.Close()
	c.Lock(0)
	c.Unlock(0)
	want := []string{
		"1 of 0: 0 requested 0 <nil>", "2 of 1: 0 sent 1 {{1 0}}", "3 of 2: 0 delivered 1 {{1 0}}",
		"4 of 3: 1 sent 0 {{1 0}}", "5 of 4: 1 delivered 0 {{1 0}}", "6 of 5: 0 entered 0 <nil>",
		"7 of 6: 0 left 0 <nil>",
	}
	assert.Equal(t, want, seen)
}

// An uncontended entry allocates only the messages: one request, shared by all
// receivers, and a reply of each.
func TestAllocations(t *testing.T) {
	for _, n := range []int{1, 2, 5, 32} {
		c := cluster.New(n, ricartagrawala.New)
		got := testing.AllocsPerRun(100, func() {
			c.Lock(0)
			c.Unlock(0)
		})
		assert.LessOrEqual(t, got, float64(n), "%d nodes: allocations an entry", n)
		c.Close()
	}
}

type token struct{}

// fragile panics when it gets a message.
type fragile struct{ messaging.Exclusion }

func (fragile) Receive(messaging.ID, messaging.Message, messaging.Out) { panic("fragile: it broke") }

// chatty is a node with a coordinator; it sends hello when it has entered.
type chatty struct{ messaging.Exclusion }

type hello struct{}

func (c chatty) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if m == any(hello{}) {
		return
	}
	c.Exclusion.Receive(from, m, out)
	if messaging.Kind(m) == "REPLY" {
		out.Send(0, hello{})
	}
}

// An absorbed entry is not reported, even if the node sends a message before it
// leaves: the next caller must not take it for its own.
func TestAbsorbedEntryIsNotTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		entries := 0
		c := cluster.New(3, func(s messaging.Start) messaging.Node { return chatty{central.New(s).(messaging.Exclusion)} },
			cluster.Observe(func(e messaging.Event) {
				if e.Action == "entered" {
					entries++
				}
			}))
		defer c.Close()
		c.Lock(2)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, c.LockContext(ctx, 1), context.DeadlineExceeded)
		c.Unlock(2) // 1 enters, and leaves at once
		c.Lock(2)
		inside := false
		var wg sync.WaitGroup
		wg.Go(func() {
			c.Lock(1)
			inside = true
			c.Unlock(1)
		})
		synctest.Wait()
		assert.False(t, inside, "1 and 2 are inside")
		c.Unlock(2)
		wg.Wait()
		assert.Equal(t, 3, entries, "entries that were told")
	})
}

// Each node has its own random source, determined by the seed.
func TestNodesDrawEachForItself(t *testing.T) {
	draws := func(seed uint64) (drawn [2][]int) {
		c := cluster.New(2, func(s messaging.Start) messaging.Node {
			return script{request: func(out messaging.Out) {
				drawn[s.Self] = append(drawn[s.Self], out.Choose(1000))
				out.Enter()
			}}
		}, cluster.Scramble(seed))
		defer c.Close()
		for k := range 20 {
			c.Lock(k % 2)
			c.Unlock(k % 2)
		}
		return drawn
	}
	a, again, other := draws(1), draws(1), draws(2)
	assert.Equal(t, a, again, "with the same seed")
	assert.NotEqual(t, a[0], a[1], "by two nodes")
	assert.NotEqual(t, a[0], other[0], "with another seed")
}
