package cluster_test

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/causality"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// on runs a test with each of these numbers of processors in turn.
func on(t *testing.T, processors ...int) iter.Seq[int] {
	t.Helper()
	return func(yield func(int) bool) {
		was := runtime.GOMAXPROCS(0)
		t.Cleanup(func() { runtime.GOMAXPROCS(was) })
		for _, n := range processors {
			runtime.GOMAXPROCS(n)
			if !yield(n) {
				return
			}
		}
	}
}

// All operations of a cluster run concurrently, and then it is closed, twice: no
// caller waits forever, and mutual exclusion holds.
func TestEverything(t *testing.T) {
	rounds, reordered := tier.Pick(3, 20), 0
	for processors := range on(t, 1, 2, 8) {
		for seed := range uint64(rounds) {
			for _, a := range []messaging.Algorithm{ricartagrawala.New, absorbing, central.New, absorbingCentral} {
				reordered += everything(t, a, seed)
			}
		}
		t.Logf("%d processors", processors)
	}
	assert.Positive(t, reordered, "links of an unordered cluster")
}

func absorbingCentral(start messaging.Start) messaging.Node {
	return struct{ messaging.Exclusion }{central.New(start).(messaging.Exclusion)}
}

// everything returns how many messages were delivered after a later one of their link.
func everything(t *testing.T, a messaging.Algorithm, seed uint64) (overtaken int) {
	t.Helper()
	options := []cluster.Option{[]cluster.Option{cluster.Observe(nil), cluster.Scramble(seed), cluster.Unordered(seed)}[seed%3]}
	var mu sync.Mutex
	var events []messaging.Event
	if seed%2 == 0 { // an observer slows the cluster
		options = append(options, cluster.Observe(func(e messaging.Event) {
			mu.Lock()
			events = append(events, e)
			mu.Unlock()
			runtime.Gosched() // so that others run in between
		}))
	}
	c := cluster.New(4, a, options...)
	var inside, entries atomic.Int32
	guarded := 0
	var wg sync.WaitGroup
	for k := range 6 {
		l := c.Node(k % 4)
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil && p != fmt.Sprintf("cluster: lock of node %d of a cluster that is closed", k%4) {
					panic(p)
				}
			}()
			chance := rand.New(rand.NewPCG(seed, uint64(k)))
			for {
				if !enter(l, chance) {
					continue
				}
				if n := inside.Add(1); n != 1 {
					t.Errorf("seed %d: %d are inside", seed, n)
				}
				guarded++
				inside.Add(-1)
				entries.Add(1)
				l.Unlock()
			}
		})
	}
	for entries.Load() < 40 {
		runtime.Gosched()
	}
	for range 2 {
		wg.Go(c.Close)
	}
	ended := make(chan bool)
	go func() { wg.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		panic("a caller waits forever in a closed cluster")
	}
	assert.Equal(t, int(entries.Load()), guarded, "seed %d: entries that were counted", seed)
	// An observer sees an event before its consequences: an exit before the next entry, and a send before the delivery.
	seen, sent, within := map[uint64]bool{0: true}, map[[2]messaging.ID]uint64{}, 0
	for _, e := range events {
		require.True(t, seen[e.Cause], "seed %d: %+v is seen before its cause", seed, e)
		seen[e.Number] = true
		switch link := [2]messaging.ID{e.From, e.To}; e.Action {
		case "entered":
			within++
		case "left":
			within--
		case "delivered":
			if e.Cause < sent[link] {
				overtaken++
			}
			sent[link] = max(sent[link], e.Cause)
		}
		require.LessOrEqual(t, within, 1, "seed %d: %+v", seed, e)
	}
	if seed%3 != 2 {
		require.Zero(t, overtaken, "seed %d: links are FIFO", seed)
	}
	slices.SortFunc(events, func(a, b messaging.Event) int { return cmp.Compare(a.Number, b.Number) })
	assert.NoError(t, causality.Check(events, false), "seed %d", seed)
	return overtaken
}

// enter tries to enter in a random way. It panics when the cluster is closed.
func enter(l cluster.Locker, chance *rand.Rand) bool {
	switch chance.IntN(4) {
	case 0:
		return l.TryLock()
	case 1:
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		go cancel()
		return l.LockContext(ctx) == nil
	case 2:
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(chance.IntN(20))*time.Microsecond)
		defer cancel()
		return l.LockContext(ctx) == nil
	default:
		l.Lock()
		return true
	}
}

// bomb is an algorithm in which a handler eventually panics.
type bomb struct {
	messaging.Exclusion
	left *atomic.Int32
}

func (b bomb) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	if b.left.Add(-1) == 0 {
		panic("boom")
	}
	b.Exclusion.Receive(from, m, out)
}

// A handler panics in the goroutine of any one caller. All other callers learn that
// the cluster is closed, and so does that one in its next call.
func TestPanicAmongMany(t *testing.T) {
	for range on(t, 1, 2, 8) {
		for seed := range tier.Pick[int32](20, 100) {
			var left atomic.Int32
			left.Store(100 + seed)
			c := cluster.New(4, func(s messaging.Start) messaging.Node {
				return bomb{ricartagrawala.New(s).(messaging.Exclusion), &left}
			})
			var booms atomic.Int32
			var wg sync.WaitGroup
			for i := range 4 {
				wg.Go(func() {
					defer func() {
						if p := recover(); p != nil {
							if p != "boom" {
								panic(p)
							}
							booms.Add(1)
						}
						assert.ErrorIs(t, c.LockContext(t.Context(), i), cluster.ErrClosed, "LockContext of node %d afterwards", i)
					}()
					for c.LockContext(t.Context(), i) == nil {
						c.Unlock(i)
					}
				})
			}
			wg.Wait()
			c.Close()
			assert.Equal(t, int32(1), booms.Load(), "goroutines that panicked")
		}
	}
}

// After a handler has panicked in a call, the node of that call is not left entering,
// and no caller waits for it forever.
func TestPanicOfCaller(t *testing.T) {
	for name, call := range map[string]func(*cluster.Cluster){
		"Lock":    func(c *cluster.Cluster) { c.Lock(0) },
		"TryLock": func(c *cluster.Cluster) { c.TryLock(0) },
	} {
		c := cluster.New(3, func(s messaging.Start) messaging.Node { return fragile{ricartagrawala.New(s).(messaging.Exclusion)} })
		assert.PanicsWithValue(t, "fragile: it broke", func() { call(c) })
		for i := range 2 {
			assert.ErrorIs(t, c.LockContext(t.Context(), i), cluster.ErrClosed, "node %d after a panic in %s", i, name)
		}
		assert.False(t, c.TryLock(0), "after a panic in %s TryLock enters", name)
		assert.PanicsWithValue(t, "cluster: lock of node 0 of a cluster that is closed", func() { c.Lock(0) })
	}
}

// ticker is an algorithm in which every node keeps setting timers.
type ticker struct {
	messaging.Start
	beats *atomic.Int64
	wants bool
}

func (k *ticker) Request(out messaging.Out) { k.wants = true; out.After(0, token{}) }
func (k *ticker) Release(messaging.Out)     {}
func (k *ticker) Receive(_ messaging.ID, _ messaging.Message, out messaging.Out) {
	k.beats.Add(1)
	if k.wants {
		k.wants = false
		out.Enter()
	}
	out.After(time.Microsecond, token{})
}

// Clusters are closed while timers expire: no handler runs afterwards.
func TestCloseWithTimers(t *testing.T) {
	for range on(t, 1, 2, 8) {
		for range tier.Pick(20, 100) {
			var beats atomic.Int64
			c := cluster.New(4, func(s messaging.Start) messaging.Node { return &ticker{Start: s, beats: &beats} })
			for i := range 4 {
				if c.Lock(i); i%2 == 0 {
					c.Unlock(i)
				}
			}
			c.Close()
			n := beats.Load()
			for range 10 {
				runtime.Gosched()
			}
			require.Equal(t, n, beats.Load(), "a handler ran after Close")
		}
	}
}

// Any caller in the queue of a node may abort just when its turn comes: the turn is
// passed on.
func TestTurnIsPassedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for seed := range uint64(200) {
			c := cluster.New(2, ricartagrawala.New)
			l := c.Node(0)
			l.Lock()
			var wg sync.WaitGroup
			var cancels []func()
			for k := range 5 {
				ctx, cancel := context.WithCancel(t.Context())
				cancels = append(cancels, cancel)
				wg.Go(func() {
					switch err := l.LockContext(ctx); {
					case err == nil:
						l.Unlock()
					case k%2 == 1:
						t.Errorf("caller %d gets %v, and has not given up", k, err)
					}
				})
				synctest.Wait()
			}
			chance := rand.New(rand.NewPCG(seed, 0))
			acts := []func(){cancels[0], cancels[2], cancels[4], l.Unlock}
			chance.Shuffle(len(acts), func(i, j int) { acts[i], acts[j] = acts[j], acts[i] })
			for _, act := range acts {
				wg.Go(act)
			}
			wg.Wait()
			for _, cancel := range cancels {
				cancel()
			}
			if !l.TryLock() {
				t.Error("TryLock fails, but no caller is inside")
			} else {
				l.Unlock()
			}
			c.Close()
		}
	})
}

// TryLock does not wait for another goroutine that is running the node, and what it has
// requested is withdrawn or left once that one is done.
func TestTryLockDoesNotWait(t *testing.T) {
	running, held := make(chan struct{}), make(chan struct{})
	var once sync.Once
	c := cluster.New(2, ricartagrawala.New, cluster.Observe(func(e messaging.Event) {
		if e.To == 1 && e.Action == "delivered" {
			once.Do(func() {
				close(running)
				<-held
			})
		}
	}))
	defer c.Close()
	var user sync.WaitGroup
	user.Go(func() { c.Lock(0) })
	<-running
	for range 3 {
		assert.False(t, c.TryLock(1), "while another goroutine runs node 1")
		assert.False(t, c.Node(1).TryLock(), "while another goroutine runs node 1")
	}
	close(held)
	user.Wait()
	c.Unlock(0)
	c.Lock(1)
	assert.False(t, c.TryLock(0), "while node 1 is inside")
	c.Unlock(1)
	assert.True(t, c.TryLock(0), "no node is inside")
}
