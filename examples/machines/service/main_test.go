package main

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/engine"
)

// services returns some that share a server of this process.
func services(t *testing.T, n int) (all []*service) {
	t.Helper()
	on, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true})
	require.NoError(t, err)
	on.Start()
	t.Cleanup(func() {
		on.Shutdown()
		on.WaitForShutdown()
	})
	require.True(t, on.ReadyForConnections(10*time.Second))
	for range n {
		nc, err := nats.Connect(on.ClientURL())
		require.NoError(t, err)
		t.Cleanup(nc.Close)
		s, err := start(t.Context(), nc)
		require.NoError(t, err)
		all = append(all, s)
	}
	return all
}

func TestOneBuilds(t *testing.T) {
	t.Parallel()
	var wg sync.WaitGroup
	built := 0 // the lock protects it
	all := services(t, 3)
	for _, s := range all {
		s.build = func(context.Context) ([]byte, error) {
			built++
			return strconv.AppendInt(nil, int64(built), 10), nil
		}
		wg.Go(func() { assert.NoError(t, s.refresh(t.Context())) })
	}
	wg.Wait()
	assert.Equal(t, 1, built)
	all[0].every = 0
	require.NoError(t, all[0].refresh(t.Context()))
	assert.Equal(t, 2, built, "it is old now")
}

// A process that has lost the lock without knowing it does not overwrite what another has written since.
func TestStaleWriteIsRefused(t *testing.T) {
	t.Parallel()
	s := services(t, 1)[0]
	s.build = func(ctx context.Context) ([]byte, error) {
		_, err := s.bucket.Put(ctx, key, []byte("of another"))
		return []byte("stale"), err
	}
	require.ErrorIs(t, s.refresh(t.Context()), jetstream.ErrKeyExists)
	e, err := s.bucket.Get(t.Context(), key)
	require.NoError(t, err)
	assert.Equal(t, "of another", string(e.Value()))
}

// A service that was asked to leave ends, rather than go on without the lock.
func TestEvicted(t *testing.T) {
	t.Parallel()
	all := services(t, 2)
	all[0].every = 0
	ended := make(chan error, 1)
	go func() { ended <- all[0].work(t.Context()) }()
	require.NoError(t, all[1].lock.Evict(t.Context(), all[0].lock.ID()))
	require.ErrorIs(t, <-ended, engine.ErrClosed)
	require.NoError(t, all[1].lock.Leave(t.Context()))
}
