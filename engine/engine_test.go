package engine_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.org/doorway/engine"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// joined returns so many members of a lock, each on a machine of its own.
func joined(t *testing.T, n int, c engine.Config) (all []*engine.Lock, sites []*site) {
	t.Helper()
	links, store := engine.Memory()
	for i := range n {
		s := &site{links: links, store: store}
		c.Links, c.Store, c.Process = s, s, fmt.Sprint("p", i)
		l, err := engine.Join(t.Context(), "lock", c)
		require.NoError(t, err)
		all, sites = append(all, l), append(sites, s)
	}
	return all, sites
}

func leave(t *testing.T, all ...*engine.Lock) {
	t.Helper()
	for _, l := range all {
		require.NoError(t, l.Leave(t.Context()))
	}
}

func locked(t *testing.T, l *engine.Lock) *engine.Guard {
	t.Helper()
	g, err := l.Lock(t.Context())
	require.NoError(t, err)
	return g
}

// inBubble runs f where time passes only when all goroutines wait, with three members of a lock.
func inBubble(t *testing.T, c engine.Config, f func(t *testing.T, all []*engine.Lock, sites []*site)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c.Protocol, c.Lease = ricartagrawala.Protocol, 3*time.Second
		all, sites := joined(t, 3, c)
		f(t, all, sites)
	})
}

// With each algorithm of the catalog that is a lock of one resource, goroutines of members exclude each other, and each
// entry has a larger token.
func TestEveryProtocol(t *testing.T) {
	for _, p := range catalog.Protocols {
		if _, epochs := messaging.As[messaging.Epocher](p.New(1)(messaging.Start{Nodes: 1})); epochs || p.Excludes(1) != nil {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				all, _ := joined(t, 3, engine.Config{Protocol: p.Declared, Lease: 10 * time.Second})
				contend(t, all, 3, time.Millisecond)
				leave(t, all...)
			})
		})
	}
}

// contend has two goroutines of each member enter a few times.
func contend(t *testing.T, all []*engine.Lock, times int, hold time.Duration) {
	t.Helper()
	var last messaging.Token
	inside := 0
	var users sync.WaitGroup
	for k := range 2 * len(all) {
		users.Go(func() {
			for range times {
				g, err := all[k%len(all)].Lock(t.Context())
				if !assert.NoError(t, err) {
					return
				}
				inside++
				assert.Equal(t, 1, inside)
				assert.True(t, last.Before(g.Token()), "%v after %v", g.Token(), last)
				last = g.Token()
				time.Sleep(hold)
				assert.True(t, g.Valid())
				inside--
				assert.NoError(t, g.Unlock())
			}
		})
	}
	users.Wait()
}

// The same in real time, where the race detector sees what members share.
func TestRealTime(t *testing.T) {
	all, _ := joined(t, 3, engine.Config{Protocol: central.Protocol, Lease: 5 * time.Second})
	contend(t, all, 50, 0)
	leave(t, all...)
}

// When the machine of the holder is cut off, its guard ends, and the next enters, within a lease and a bit.
func TestHolderIsCutOff(t *testing.T) {
	inBubble(t, engine.Config{}, func(t *testing.T, all []*engine.Lock, sites []*site) {
		g := locked(t, all[0])
		time.Sleep(10 * time.Second)
		require.True(t, g.Valid(), "it is renewed")
		sites[0].set(true)
		cut := time.Now()
		next := locked(t, all[1])
		assert.Less(t, time.Since(cut), 3300*time.Millisecond)
		require.ErrorIs(t, context.Cause(g.Context()), engine.ErrLost)
		assert.True(t, g.Token().Before(next.Token()))
		assert.False(t, g.Valid())
		require.ErrorIs(t, g.Unlock(), engine.ErrLost)
		require.NoError(t, next.Unlock())
		assert.Len(t, all[1].Members(), 2)

		id := all[0].ID()
		sites[0].set(false)
		require.NoError(t, locked(t, all[0]).Unlock(), "it comes back")
		assert.NotEqual(t, id, all[0].ID(), "as another")
		assert.Equal(t, uint64(1), all[0].Stats().Lost)
		leave(t, all...)
	})
}

// When all have crashed, the next that joins evicts them, if it has their protocol and lease.
func TestAllCrash(t *testing.T) {
	inBubble(t, engine.Config{}, func(t *testing.T, all []*engine.Lock, sites []*site) {
		locked(t, all[0])
		for _, s := range sites {
			s.set(true)
		}
		at := time.Now()
		c := engine.Config{Links: sites[0].links, Store: sites[0].store, Protocol: ricartagrawala.Protocol, Lease: time.Second}
		_, err := engine.Join(t.Context(), "lock", c)
		require.EqualError(t, err, `engine: the lock "lock": its members have a lease of 3s, and this process has one of 1s `+
			"(if all of them have crashed, delete the record)")
		c.Lease = 3 * time.Second
		l, err := engine.Join(t.Context(), "lock", c)
		require.NoError(t, err)
		require.NoError(t, locked(t, l).Unlock())
		assert.Less(t, time.Since(at), 3300*time.Millisecond)
		assert.Equal(t, []string{l.ID()}, l.Members())
		for _, s := range sites {
			s.set(false)
		}
		leave(t, append(all, l)...)
	})
}

// A process that was evicted, and then cannot listen for some time, comes back.
func TestCannotListen(t *testing.T) {
	inBubble(t, engine.Config{}, func(t *testing.T, all []*engine.Lock, sites []*site) {
		id := all[0].ID()
		sites[0].set(true)
		require.NoError(t, locked(t, all[1]).Unlock())
		require.Len(t, all[1].Members(), 2)
		sites[0].refuse(3)
		sites[0].set(false)
		require.NoError(t, locked(t, all[0]).Unlock())
		assert.NotEqual(t, id, all[0].ID())
		leave(t, all...)
	})
}

// To stop listening may take as long as a frame that is being received.
func TestFrameWhileLeaving(t *testing.T) {
	links, store := engine.Memory()
	l, err := engine.Join(t.Context(), "lock", engine.Config{Links: late{links}, Store: store, Protocol: central.Protocol, Lease: time.Second})
	require.NoError(t, err)
	leave(t, l)
}

// A guard that is held for too long ends, and the lock is another's, though its user does not look.
func TestMaxHold(t *testing.T) {
	inBubble(t, engine.Config{MaxHold: time.Minute}, func(t *testing.T, all []*engine.Lock, _ []*site) {
		g := locked(t, all[0])
		begun := time.Now()
		next := locked(t, all[1])
		assert.Equal(t, time.Minute+3*time.Second/20, time.Since(begun).Round(10*time.Millisecond))
		require.ErrorIs(t, context.Cause(g.Context()), engine.ErrMaxHold)
		require.NoError(t, next.Unlock())
		require.ErrorIs(t, g.Unlock(), engine.ErrMaxHold)
		require.NoError(t, locked(t, all[0]).Unlock())
		leave(t, all...)
	})
}

// A member that leaves hands over at once; its own calls that wait are told.
func TestLeave(t *testing.T) {
	inBubble(t, engine.Config{}, func(t *testing.T, all []*engine.Lock, _ []*site) {
		g := locked(t, all[0])
		waits := make(chan error, 1)
		go func() {
			_, err := all[0].Lock(t.Context())
			waits <- err
		}()
		synctest.Wait()
		gone := make(chan error, 1)
		go func() { gone <- all[0].Leave(t.Context()) }()
		require.ErrorIs(t, <-waits, engine.ErrClosed)
		_, err := all[0].TryLock(t.Context())
		require.ErrorIs(t, err, engine.ErrClosed, "though it is held")
		synctest.Wait()
		require.Empty(t, gone, "its user is inside")
		require.True(t, g.Valid())
		at := time.Now()
		require.NoError(t, g.Unlock())
		require.NoError(t, <-gone)
		require.NoError(t, locked(t, all[1]).Unlock())
		assert.Less(t, time.Since(at), 50*time.Millisecond)
		_, err = all[0].Lock(t.Context())
		require.ErrorIs(t, err, engine.ErrClosed)
		leave(t, all...)
	})
}

// A member that cannot leave in time is evicted.
func TestLeaveInVain(t *testing.T) {
	inBubble(t, engine.Config{}, func(t *testing.T, all []*engine.Lock, _ []*site) {
		g := locked(t, all[0])
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, all[0].Leave(ctx), context.DeadlineExceeded)
		require.ErrorIs(t, context.Cause(g.Context()), engine.ErrLost)
		require.NoError(t, locked(t, all[1]).Unlock())
		leave(t, all[1:]...)
	})
}

func TestEvict(t *testing.T) {
	inBubble(t, engine.Config{}, func(t *testing.T, all []*engine.Lock, _ []*site) {
		g := locked(t, all[0])
		at := time.Now()
		require.NoError(t, all[1].Evict(t.Context(), all[0].ID()))
		assert.Less(t, time.Since(at), 500*time.Millisecond, "it lives, and leaves")
		require.ErrorIs(t, g.Unlock(), engine.ErrLost)
		_, err := all[0].Lock(t.Context())
		require.ErrorIs(t, err, engine.ErrClosed)
		require.EqualError(t, err, "engine: the lock is closed: a call of Evict has asked it to leave")
		assert.Len(t, all[1].Members(), 2)
		require.NoError(t, all[1].Evict(t.Context(), "unknown"))
		leave(t, all...)
	})
}

// Of two stores that know nothing of each other, guards may have equal tokens. They are two nevertheless.
func TestID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one, _ := joined(t, 1, engine.Config{Protocol: central.Protocol, Lease: time.Second})
		two, _ := joined(t, 1, engine.Config{Protocol: central.Protocol, Lease: time.Second})
		g, other := locked(t, one[0]), locked(t, two[0])
		assert.Equal(t, g.Token(), other.Token())
		assert.NotEqual(t, g.ID(), other.ID())
		require.NoError(t, g.Unlock())
		require.NoError(t, other.Unlock())
		next := locked(t, one[0])
		assert.NotEqual(t, g.ID(), next.ID())
		require.NoError(t, next.Unlock())
		leave(t, one[0], two[0])
	})
}

// The context of a guard has the values of that of Lock, and does not end with it.
func TestContext(t *testing.T) {
	inBubble(t, engine.Config{}, func(t *testing.T, all []*engine.Lock, _ []*site) {
		type key struct{}
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
		g, err := all[0].Lock(ctx)
		require.NoError(t, err)
		cancel()
		assert.Equal(t, "value", g.Context().Value(key{}))
		require.NoError(t, g.Context().Err())
		assert.True(t, g.Valid())
		require.NoError(t, g.Unlock())
		require.ErrorIs(t, context.Cause(g.Context()), context.Canceled)
		assert.False(t, g.Valid())
		leave(t, all...)
	})
}

// A call that gives up leaves no trace.
func TestGivesUp(t *testing.T) {
	inBubble(t, engine.Config{}, func(t *testing.T, all []*engine.Lock, _ []*site) {
		g := locked(t, all[0])
		for _, l := range all {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, err := l.Lock(ctx)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			_, err = l.Lock(ctx)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			_, err = l.TryLock(ctx)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			cancel()
			_, err = l.TryLock(t.Context())
			require.ErrorIs(t, err, engine.ErrHeld)
		}
		require.NoError(t, g.Unlock())
		for _, l := range all {
			g, err := l.TryLock(t.Context())
			require.NoError(t, err)
			require.NoError(t, g.Unlock())
			require.NoError(t, g.Unlock(), "a second time")
		}
		assert.Equal(t, uint64(5), all[0].Stats().Aborted+all[1].Stats().Aborted+all[2].Stats().Aborted, "with two of TryLock")
		leave(t, all...)
	})
}
