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

// contend has two goroutines of each member enter a few times.
func contend(t *testing.T, all []*engine.Lock, times int) {
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
				inside--
				assert.NoError(t, g.Unlock())
			}
		})
	}
	users.Wait()
}

// Members exclude each other, and each entry has a larger token.
func TestMembersExcludeEachOther(t *testing.T) {
	s := serve(t, files(t))
	all := joined(t, s, 3, "orders")
	contend(t, all, 50)
}
