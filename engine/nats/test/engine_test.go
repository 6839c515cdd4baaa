package test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/engine"
	"example.org/doorway/messaging"
)

// joined returns so many members of a lock, each with a connection of its own.
func joined(t *testing.T, s *server.Server, n int, lock string) (all []*engine.Lock) {
	t.Helper()
	for i := range n {
		c := config(t, connect(t, s), lock)
		c.Process = fmt.Sprint("p", i)
		l, err := engine.Join(t.Context(), lock, c)
		require.NoError(t, err)
		t.Cleanup(func() { _ = l.Leave(context.Background()) })
		all = append(all, l)
	}
	return all
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
	s := serve(t, server.Options{JetStream: true, StoreDir: t.TempDir()})
	all := joined(t, s, 3, "orders")
	contend(t, all, 50)
	for _, l := range all {
		require.NoError(t, l.Leave(t.Context()))
	}
}
