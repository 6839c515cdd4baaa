package test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/engine"
	"example.org/doorway/messaging"
)

// joined returns so many members of a lock, each with a connection of its own.
func joined(t *testing.T, s *broker, n int, lock string) []*engine.Lock {
	t.Helper()
	return joinedFor(t, s, n, lock, time.Second)
}

func joinedFor(t *testing.T, s *broker, n int, lock string, lease time.Duration) (all []*engine.Lock) {
	t.Helper()
	for i := range n {
		c := config(t, connect(t, s), lock)
		c.Process, c.Lease = fmt.Sprint("p", i), lease
		l, err := engine.Join(t.Context(), lock, c)
		require.NoError(t, err)
		t.Cleanup(func() { quits(t, l) })
		all = append(all, l)
	}
	return all
}

// quits leaves, unless that takes too long.
func quits(t *testing.T, l *engine.Lock) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	assert.NoError(t, l.Leave(ctx))
}

// A section is what a lock is for. A user whose guard has not ended is alone in it.
type section struct {
	mu   sync.Mutex
	user *engine.Guard
	last messaging.Token
	lost int
}

func (s *section) enter(t *testing.T, g *engine.Guard) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	assert.False(t, s.user != nil && s.user.Valid(), "there is a user inside")
	assert.True(t, s.last.Before(g.Token()), "%v after %v", g.Token(), s.last)
	s.user, s.last = g, g.Token()
}

func (s *section) exit(t *testing.T, g *engine.Guard) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.user == g {
		s.user = nil
	}
	if err := g.Unlock(); err != nil {
		assert.ErrorIs(t, err, engine.ErrLost)
		s.lost++
	}
}

// contend has two goroutines of each member enter a few times. It returns how many guards were lost.
func contend(t *testing.T, all []*engine.Lock, times int) (lost int) {
	t.Helper()
	var s section
	var users sync.WaitGroup
	for k := range 2 * len(all) {
		users.Go(func() {
			for range times {
				g, err := all[k%len(all)].Lock(t.Context())
				if !assert.NoError(t, err) {
					return
				}
				s.enter(t, g)
				s.exit(t, g)
			}
		})
	}
	users.Wait()
	return s.lost
}

// Members exclude each other, and each entry has a larger token.
func TestMembersExcludeEachOther(t *testing.T) {
	s := serve(t, files(t))
	assert.Zero(t, contend(t, joined(t, s, 3, "orders"), 50))
}

// Two locks in one bucket know nothing of each other, whatever their names have in common.
func TestTwoLocks(t *testing.T) {
	s := serve(t, files(t))
	one, other := joined(t, s, 2, "orders"), joined(t, s, 2, "orders.p0 *>")
	g := locked(t, one[0])
	assert.Zero(t, contend(t, other, 10))
	require.True(t, g.Valid())
	require.NoError(t, g.Unlock())
	assert.Len(t, one[1].Members(), 2)
}
