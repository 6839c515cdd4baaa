package cluster_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// Callers that wait when their node crashes learn of it, those in its queue too, as do those that
// come while it is down. When it has restarted, it is as before.
func TestCrashOfWaiters(t *testing.T) {
	for name, options := range deliveries {
		synctest.Test(t, func(t *testing.T) {
			c := cluster.New(3, ricartagrawala.NewFaultTolerant(), options(1)...)
			defer c.Close()
			c.Lock(0)
			lock := func() error { return c.LockContext(context.Background(), 2) }
			if name == "at once" {
				lock = func() (err error) {
					defer func() {
						if p := recover(); p != nil {
							assert.Equal(t, "cluster: lock of node 2, which is down", p)
							err = cluster.ErrDown
						}
					}()
					c.Lock(2)
					return nil
				}
			}
			waits, queued := make(chan error, 1), make(chan error, 3)
			go func() { waits <- lock() }()
			l := c.Node(1)
			for range 3 {
				go func() { queued <- l.LockContext(context.Background()) }()
				synctest.Wait()
			}
			c.Crash(2)
			require.ErrorIs(t, <-waits, cluster.ErrDown)
			assert.Empty(t, queued, "another node has crashed")
			c.Crash(1)
			for range 3 {
				require.ErrorIs(t, <-queued, cluster.ErrDown)
			}

			for _, i := range []int{1, 2} {
				assert.Equal(t, cluster.ErrDown, c.LockContext(t.Context(), i))
				assert.Equal(t, cluster.ErrDown, c.Node(i).LockContext(t.Context()))
				assert.False(t, c.TryLock(i))
				assert.False(t, c.Node(i).TryLock())
				assert.Equal(t, cluster.ErrDown, c.Input(i, "x"))
				down := "cluster: lock of node " + string(rune('0'+i)) + ", which is down"
				assert.PanicsWithValue(t, down, func() { c.Lock(i) })
				assert.PanicsWithValue(t, down, c.Node(i).Lock)
			}
			c.Crash(1) // no effect
			c.Unlock(0)
			c.Node(0).Lock()
			for range 2 { // behind one that is inside, and passes no turn on
				go func() { queued <- c.Node(0).LockContext(context.Background()) }()
			}
			synctest.Wait()
			c.Crash(0)
			for range 2 {
				require.ErrorIs(t, <-queued, cluster.ErrDown)
			}
			c.Unlock(0)
		})
	}
}

// Stop waits for the callers that came before it, and fails those that come later.
func TestStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cluster.New(2, ricartagrawala.NewFaultTolerant())
		defer c.Close()
		l := c.Node(0)
		l.Lock()
		var mu sync.Mutex
		var order []string // guarded by mu
		var callers sync.WaitGroup
		come := func(name string, f func() error) {
			callers.Go(func() {
				if err := f(); err != nil {
					name += ": " + err.Error()
				}
				mu.Lock()
				order = append(order, name)
				mu.Unlock()
			})
			synctest.Wait()
		}
		visit := func() error {
			err := l.LockContext(context.Background())
			if err == nil {
				l.Unlock()
			}
			return err
		}
		come("first", visit)
		ctx, cancel := context.WithCancel(t.Context())
		come("canceled", func() error { return c.Stop(ctx, 0) })
		come("stop", func() error { return c.Stop(context.Background(), 0) })
		come("late", visit)
		cancel()
		synctest.Wait()
		l.Unlock()
		callers.Wait()
		require.Len(t, order, 4)
		assert.Equal(t, []string{"canceled: context canceled", "first"}, order[:2])
		assert.ElementsMatch(t, []string{"stop", "late: " + cluster.ErrDown.Error()}, order[2:])
		assert.NoError(t, c.Stop(t.Context(), 0), "of a node that is down")
		c.Lock(1)
		c.Unlock(1)
	})
}

// Stop waits for a caller by number too, and gives up when its context ends.
func TestStopByNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cluster.New(2, ricartagrawala.New)
		c.Lock(0)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.Equal(t, context.DeadlineExceeded, c.Stop(ctx, 0))
		assert.Equal(t, context.DeadlineExceeded, c.Stop(ctx, 0))
		c.Unlock(0)
		synctest.Wait()
		c.Lock(0) // it is up
		stopped := make(chan error, 1)
		go func() { stopped <- c.Stop(context.Background(), 0) }()
		synctest.Wait()
		assert.Empty(t, stopped)
		c.Unlock(0)
		require.NoError(t, <-stopped)
		assert.Equal(t, cluster.ErrDown, c.LockContext(t.Context(), 0))

		c.Restart(0)
		c.Lock(0)
		c.Crash(0)
		c.Restart(0)
		go func() { stopped <- c.Stop(context.Background(), 0) }()
		synctest.Wait()
		assert.Empty(t, stopped, "a user is inside by an entry that is over")
		c.Unlock(0)
		require.NoError(t, <-stopped)

		c.Restart(0)
		c.Lock(1)
		go func() {
			c.Lock(0)
			c.Unlock(0)
		}()
		synctest.Wait()
		go func() { stopped <- c.Stop(context.Background(), 0) }()
		synctest.Wait()
		assert.Empty(t, stopped, "a user waits")
		c.Unlock(1)
		require.NoError(t, <-stopped)
		assert.PanicsWithValue(t, "cluster: lock of node 0, which is down", func() { c.Lock(0) })
		c.Restart(0)

		c.Lock(1)
		go func() { stopped <- c.Stop(context.Background(), 1) }()
		synctest.Wait()
		c.Crash(1)
		require.NoError(t, <-stopped, "it has crashed meanwhile")
		c.Unlock(1)
		c.Restart(1)
		c.Lock(1)
		go func() { stopped <- c.Stop(context.Background(), 1) }()
		synctest.Wait()
		c.Close()
		assert.Equal(t, cluster.ErrClosed, <-stopped)
		assert.Equal(t, cluster.ErrClosed, c.Stop(t.Context(), 1))
		c.Crash(1)
		c.Restart(0) // has no effect, as the cluster is closed
	})
}

// Stop does not wait for a request that its caller has aborted.
func TestStopOfAbsorbing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := cluster.New(2, absorbing)
		defer c.Close()
		c.Lock(0)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		assert.Equal(t, context.DeadlineExceeded, c.LockContext(ctx, 1))
		require.NoError(t, c.Stop(t.Context(), 1))
		c.Unlock(0)
	})
}

// An alarm sets two timers when it starts, and emits what it set them for.
type alarm struct{ start messaging.Start }

type ring struct {
	After     time.Duration
	Restarted bool
}

func (a *alarm) Start(out messaging.Out) {
	for _, d := range []time.Duration{time.Second, 3 * time.Second} {
		out.After(d, ring{d, a.start.Restarted})
	}
}

func (a *alarm) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) { out.Emit(m) }

// elapse has time pass in a synctest bubble, where it is virtual, and all that is due then happen.
func elapse(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// The timers of a node that has crashed do not expire, and those of its next life do when they are due.
func TestTimersOfCrashedNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		rings := make(chan string, 4)
		c := cluster.New(2, func(s messaging.Start) messaging.Node { return &alarm{s} }, cluster.Observe(func(e messaging.Event) {
			if e.Action == "emitted" && e.From == 1 {
				rings <- fmt.Sprintf("%v: %+v", time.Since(begun), e.Message)
			}
		}))
		defer c.Close()
		elapse(2 * time.Second)
		c.Crash(1)
		elapse(500 * time.Millisecond)
		c.Restart(1)
		elapse(time.Minute)
		require.Len(t, rings, 3)
		assert.Equal(t, "1s: {After:1s Restarted:false}", <-rings)
		assert.Equal(t, "3.5s: {After:1s Restarted:true}", <-rings)
		assert.Equal(t, "5.5s: {After:3s Restarted:true}", <-rings)
	})
}

// A timer that has expired when its node crashes, and waits for the answers of others, is not delivered.
func TestExpiredTimerOfCrashedNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := make(chan bool)
		var rings atomic.Int32
		c := cluster.New(2, func(s messaging.Start) messaging.Node { return &alarm{s} }, cluster.Observe(func(e messaging.Event) {
			switch {
			case e.Action == "input":
				<-busy
			case e.Action == "emitted" && e.From == 1:
				rings.Add(1)
			}
		}))
		defer c.Close()
		go func() { assert.NoError(t, c.Input(0, "x")) }()
		synctest.Wait() // node 0 is busy
		elapse(2 * time.Second)
		c.Crash(1)
		c.Restart(1)
		close(busy)
		synctest.Wait()
		assert.Zero(t, rings.Load())
		elapse(time.Minute)
		assert.Equal(t, int32(2), rings.Load())
	})
}

// A leaver removes the node of whose crash it is told, and any whose removal its user wants.
type leaver struct{ messaging.Node }

func (l leaver) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	out.Emit(messaging.Removed{Node: m.(messaging.ID)})
}

func (l leaver) Down(peer messaging.ID, out messaging.Out) { out.Emit(messaging.Removed{Node: peer}) }

// Each node that is up is told once of each that is down, also if it has restarted since.
func TestRestartedIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		told := map[[2]messaging.ID]int{} // by who is down, and who is told; guarded by mu
		c := cluster.New(3, func(messaging.Start) messaging.Node { return leaver{} }, cluster.Observe(func(e messaging.Event) {
			if e.Action == "told" {
				mu.Lock()
				told[[2]messaging.ID{e.From, e.To}]++
				mu.Unlock()
			}
		}))
		c.Crash(1)
		c.Crash(2)
		c.Restart(1)
		synctest.Wait()
		c.Close()
		assert.Equal(t, map[[2]messaging.ID]int{{1, 0}: 1, {1, 2}: 1, {2, 0}: 1, {2, 1}: 1}, told)
	})
}

// A node may be removed while it is down, and on the notice of its crash though it restarts at that
// moment; if it has restarted, that closes the cluster.
func TestRemovedIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		restart := make(chan bool)
		restarted := make(chan bool)
		c := cluster.New(3, func(messaging.Start) messaging.Node { return leaver{} }, cluster.Observe(func(e messaging.Event) {
			if e.Action == "told" && e.To == 0 && e.From == 2 {
				close(restart)
				<-restarted // before node 0 removes node 2
			}
		}))
		defer c.Close()
		c.Crash(1)
		require.NoError(t, c.Input(0, messaging.ID(1)))
		require.NoError(t, c.Input(2, messaging.ID(1)))
		go func() {
			<-restart
			c.Restart(2)
			close(restarted)
		}()
		c.Crash(2)
		<-restarted
		synctest.Wait()
		require.NoError(t, c.Input(0, messaging.ID(1)))
		assert.EqualError(t, c.Input(0, messaging.ID(2)), "cluster: the cluster is closed: node 0 removed node 2 as crashed, but it is live")
	})
}

// A node that was silent while it was down may be removed when it has restarted, if its crash was not told for
// that; but once only.
func TestRemovedWasDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		busy := make(chan bool)
		c := cluster.New(3, func(messaging.Start) messaging.Node { return leaver{} }, cluster.Observe(func(e messaging.Event) {
			if e.Action == "input" && e.Message == messaging.ID(2) {
				<-busy
			}
		}))
		defer c.Close()
		c.Crash(2)
		go func() { assert.NoError(t, c.Input(0, messaging.ID(2))) }()
		synctest.Wait() // node 0 is busy
		c.Crash(1)
		c.Restart(1)
		close(busy)
		synctest.Wait()
		require.NoError(t, c.Input(0, messaging.ID(1)))
		assert.EqualError(t, c.Input(0, messaging.ID(1)), "cluster: the cluster is closed: node 0 removed node 1 as crashed, but it is live")
	})
}

// A passer passes on to node 1 what its user wants.
type passer struct{ start messaging.Start }

func (p *passer) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	if p.start.Self == 0 {
		out.Send(1, m)
	}
}

// An input of a node that crashes during the call may be lost, also if the node is up again.
func TestInputAcrossRestart(t *testing.T) {
	passed, restarted := make(chan struct{}), make(chan struct{})
	c := cluster.New(2, func(s messaging.Start) messaging.Node { return &passer{s} }, cluster.Observe(func(e messaging.Event) {
		if e.Action == "delivered" {
			close(passed)
			<-restarted
		}
	}))
	defer c.Close()
	go func() {
		<-passed
		c.Crash(0)
		c.Restart(0)
		close(restarted)
	}()
	assert.Equal(t, cluster.ErrDown, c.Input(0, "x"))
	assert.NoError(t, c.Err())
}

// A lateContext is a context that ends when it is asked for its end, and something else happens at once.
type lateContext struct {
	context.Context
	end func()
}

func (c lateContext) Done() <-chan struct{} {
	c.end()
	return c.Context.Done()
}

// What comes at once with the end of a context does not count, but for the end of the cluster; and no turn is lost.
func TestTurnAtTheEnd(t *testing.T) {
	for name, c := range map[string]struct {
		at   func(*cluster.Cluster)
		want error
	}{
		"turn":            {func(c *cluster.Cluster) { c.Node(0).Unlock() }, context.Canceled},
		"crash":           {func(c *cluster.Cluster) { c.Crash(0) }, context.Canceled},
		"crash and close": {func(c *cluster.Cluster) { c.Crash(0); c.Close() }, cluster.ErrClosed},
	} {
		for range 50 { // select chooses at random
			for _, call := range []func(*cluster.Cluster, context.Context) error{
				func(c *cluster.Cluster, ctx context.Context) error { return c.Node(0).LockContext(ctx) },
				func(c *cluster.Cluster, ctx context.Context) error { return c.Stop(ctx, 0) },
			} {
				nodes := cluster.New(2, ricartagrawala.New)
				nodes.Node(0).Lock()
				ctx, cancel := context.WithCancel(t.Context())
				end := sync.OnceFunc(func() { cancel(); c.at(nodes) })
				require.ErrorIs(t, call(nodes, lateContext{ctx, end}), c.want, name)
				if name == "turn" {
					require.NoError(t, nodes.Node(0).LockContext(t.Context()))
				}
				nodes.Close()
			}
		}
	}
}
