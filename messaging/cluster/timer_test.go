package cluster_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// Node 1 is inside, and gets no processor to answer node 0. However long that
// takes, node 0 does not suspect it: its timer waits for the answer.
func TestTimersWaitForAnswers(t *testing.T) {
	for name, options := range deliveries {
		synctest.Test(t, func(t *testing.T) {
			slow := make(chan bool)
			var entered, emitted atomic.Int32
			c := cluster.New(3, ricartagrawala.NewAcknowledged(time.Millisecond, 2*time.Millisecond),
				append(options(1), cluster.Observe(func(e messaging.Event) {
					switch _, asked := e.Message.(ricartagrawala.Request); {
					case e.Action == "delivered" && e.To == 1 && asked:
						<-slow
					case e.Action == "entered":
						entered.Add(1)
					case e.Action == "emitted":
						emitted.Add(1)
					}
				}))...)
			c.Lock(1)
			second := make(chan bool)
			go func() { c.Lock(0); close(second) }()
			elapse(time.Minute)
			assert.Equal(t, int32(1), entered.Load(), "%s: two are inside", name)
			close(slow)
			c.Unlock(1)
			<-second
			c.Unlock(0)
			c.Close()
			assert.Zero(t, emitted.Load(), "%s: a live node was removed", name)
		})
	}
}

// An algorithm that removes a live node nevertheless is wrong: no node enters by that removal, and every caller learns of it.
func TestRemovedClosesTheCluster(t *testing.T) {
	hasty := func(s messaging.Start) messaging.Node {
		return script{request: func(out messaging.Out) {
			if s.Self == 0 {
				out.Emit(messaging.Removed{Node: 1})
			}
			if s.Self < 2 {
				out.Enter()
			}
		}}
	}
	synctest.Test(t, func(t *testing.T) {
		var entered []messaging.ID
		c := cluster.New(3, hasty, cluster.Observe(func(e messaging.Event) {
			if e.Action == "entered" {
				entered = append(entered, e.From)
			}
		}))
		defer c.Close()
		const why = "node 0 removed node 1 as crashed, but it is live"
		const closed = "cluster: the cluster is closed: " + why
		c.Lock(1)
		waits := make(chan error)
		go func() { waits <- c.LockContext(context.Background(), 2) }()
		synctest.Wait()
		err := c.LockContext(t.Context(), 0)
		require.ErrorIs(t, err, cluster.ErrClosed)
		assert.EqualError(t, err, closed)
		assert.EqualError(t, <-waits, closed)
		c.Unlock(1) // a node inside may continue, and leave
		for i := range 3 {
			err := c.LockContext(t.Context(), i)
			require.ErrorIs(t, err, cluster.ErrClosed)
			assert.EqualError(t, err, closed)
			assert.EqualError(t, c.Node(i).LockContext(t.Context()), closed)
			lock := "cluster: lock of node " + string(rune('0'+i)) + " of a cluster that is closed: " + why
			assert.PanicsWithValue(t, lock, func() { c.Lock(i) })
			assert.PanicsWithValue(t, lock, func() { c.TryLock(i) })
			assert.PanicsWithValue(t, lock, c.Node(i).Lock)
			assert.PanicsWithValue(t, lock, func() { c.Node(i).TryLock() })
		}
		assert.Equal(t, []messaging.ID{1}, entered)
	})
}

// A call that aborts does not read why the cluster has closed itself, which another call may be writing: the race
// detector reports it.
func TestAbortBesideRemoval(t *testing.T) {
	c := cluster.New(3, func(messaging.Start) messaging.Node {
		return script{receive: func(_ messaging.ID, _ messaging.Message, out messaging.Out) { out.Emit(messaging.Removed{Node: 1}) }}
	})
	defer c.Close()
	ctx, cancel := context.WithCancel(t.Context())
	aborted := make(chan error)
	go func() { aborted <- c.LockContext(ctx, 2) }()
	time.Sleep(10 * time.Millisecond) // nothing else may order the three, or the race would not be seen
	cancel()
	time.Sleep(10 * time.Millisecond)
	require.ErrorIs(t, c.Input(0, "removes"), cluster.ErrClosed)
	assert.ErrorIs(t, <-aborted, context.Canceled)
}

// A chimes node sets two timers at each turn, and emits which of them expires.
type chimes struct{ start messaging.Start }

type chime struct{ Turn, Of int }

func (n *chimes) Start(out messaging.Out) { n.set(1, out) }

func (n *chimes) set(turn int, out messaging.Out) {
	out.After(2*time.Nanosecond, chime{turn, 2})
	out.After(time.Nanosecond, chime{turn, 0})
	out.After(time.Nanosecond, chime{turn, 1})
}

func (n *chimes) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	t := m.(chime)
	out.Emit(t)
	if t.Of == 2 {
		n.set(t.Turn+1, out)
	}
}

// The timers of a node expire in the order in which they are due, and those that are due at
// the same time in the order of setting, as in the simulator and the checkers.
func TestTimersInOrder(t *testing.T) {
	for name, options := range deliveries {
		turns := tier.Pick(300, 2000)
		emitted := make(chan chime, 10*turns)
		c := cluster.New(2, func(start messaging.Start) messaging.Node { return &chimes{start} },
			append(options(1), cluster.Observe(func(e messaging.Event) {
				if e.Action == "emitted" && e.From == 0 {
					select {
					case emitted <- e.Message.(chime):
					default:
					}
				}
			}))...)
		for turn := range turns {
			for of := range 3 {
				require.Equal(t, chime{turn + 1, of}, <-emitted, name)
			}
		}
		c.Close()
	}
}
