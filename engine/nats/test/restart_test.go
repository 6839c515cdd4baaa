package test

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/engine"
	natsengine "example.org/doorway/engine/nats"
)

// locked enters, and returns the guard.
func locked(t *testing.T, l *engine.Lock) *engine.Guard {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	g, err := l.Lock(ctx)
	require.NoError(t, err)
	return g
}

// A server that is back with its files within half a lease takes no guard from its holder, and no member from the lock.
func TestServerRestarts(t *testing.T) {
	o := files(t)
	s := serve(t, o)
	all := joinedFor(t, s, 3, "orders", 5*time.Second)
	g := locked(t, all[0])
	before := all[2].Members()
	for range 3 {
		s.restart(t, o)
		require.True(t, g.Valid())
	}
	port := s.Addr().(*net.TCPAddr).Port
	s.stop()
	<-time.After(2 * time.Second) // of a lease of 5 s, of which a third may have gone by
	o.Port = port
	s.start(t, o)
	select {
	case <-g.Context().Done():
	case <-time.After(4 * time.Second): // it would have ended by now
	}
	require.NoError(t, g.Unlock())
	for _, l := range all {
		next := locked(t, l)
		assert.True(t, g.Token().Before(next.Token()))
		require.NoError(t, next.Unlock())
		g = next
	}
	assert.Equal(t, before, all[2].Members())
}

// A server that is away for longer than a lease ends guards in time; with its files, members go on when it is
// back.
func TestServerIsAway(t *testing.T) {
	o := files(t)
	s := serve(t, o)
	all := joined(t, s, 2, "orders")
	g := locked(t, all[0])
	port := s.Addr().(*net.TCPAddr).Port
	s.stop()
	<-g.Context().Done()
	require.ErrorIs(t, g.Unlock(), engine.ErrLost)
	o.Port = port
	s.start(t, o)
	next := locked(t, all[1])
	assert.True(t, g.Token().Before(next.Token()))
	require.NoError(t, next.Unlock())
	assert.Zero(t, contend(t, all, 5))
}

// A server that has lost its files admits no process until the bucket is made again. Then members go on, with
// larger tokens.
func TestServerLosesItsFiles(t *testing.T) {
	s := serve(t, files(t))
	all := joined(t, s, 2, "orders")
	for range 20 {
		require.NoError(t, locked(t, all[0]).Unlock())
	}
	g := locked(t, all[0])
	s.restart(t, files(t))
	<-g.Context().Done()
	require.ErrorIs(t, g.Unlock(), engine.ErrLost)
	for { // as long as the lease of another lasts
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		next, err := all[1].Lock(ctx)
		cancel()
		if err != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			break
		}
		require.NoError(t, next.Unlock())
		g = next
	}

	streams(t, connect(t, s))
	for _, l := range all {
		next := locked(t, l)
		assert.True(t, g.Token().Before(next.Token()), "%v after %v", next.Token(), g.Token())
		require.NoError(t, next.Unlock())
		g = next
	}
}

// A record that an operator deletes ends all guards at once, and the members join again.
func TestRecordIsDeleted(t *testing.T) {
	s := serve(t, files(t))
	all := joinedFor(t, s, 2, "orders", 10*time.Second)
	g := locked(t, all[0])
	kv, err := streams(t, connect(t, s)).KeyValue(t.Context(), "locks")
	require.NoError(t, err)
	began := time.Now()
	require.NoError(t, kv.Delete(t.Context(), "orders"))
	<-g.Context().Done()
	assert.Less(t, time.Since(began), 2*time.Second, "though the lease is 10 s")
	next := locked(t, all[1])
	assert.True(t, g.Token().Before(next.Token()))
	require.NoError(t, next.Unlock())
	assert.Zero(t, contend(t, all, 5))
}

// A connection that is closed does not come back: the lock is closed.
func TestConnectionIsClosed(t *testing.T) {
	s := serve(t, files(t))
	nc := connect(t, s)
	l, err := engine.Join(t.Context(), "orders", config(t, nc, "orders"))
	require.NoError(t, err)
	g := locked(t, l)
	nc.Close()
	<-g.Context().Done()
	require.ErrorIs(t, context.Cause(g.Context()), engine.ErrLost)
	_, err = l.Lock(t.Context())
	require.ErrorIs(t, err, engine.ErrClosed)
	err = l.Leave(t.Context())
	require.ErrorIs(t, err, engine.ErrClosed, "it could not leave, and the others wait for its lease")
	require.ErrorIs(t, err, nats.ErrConnectionClosed)

	_, err = engine.Join(t.Context(), "orders", engine.Config{
		Links: config(t, connect(t, s), "orders").Links, Store: closedStore(t, s), Protocol: config(t, connect(t, s), "orders").Protocol, Lease: time.Second,
	})
	require.ErrorIs(t, err, nats.ErrConnectionClosed)
}

func closedStore(t *testing.T, s *broker) engine.Store {
	t.Helper()
	nc := connect(t, s)
	defer nc.Close()
	return config(t, nc, "orders").Store
}

// While there is no server, calls take no longer than their contexts, and say why they fail.
func TestNoServer(t *testing.T) {
	s := serve(t, files(t))
	nc := connect(t, s)
	c := config(t, nc, "orders")
	s.stop()
	require.Eventually(t, func() bool { return !nc.IsConnected() }, 10*time.Second, time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := engine.Join(ctx, "orders", c)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = natsengine.Store(ctx, js, "locks", "orders")
	require.EqualError(t, err, `natsengine: the bucket "locks" of the lock "orders": no server is connected: context deadline exceeded`)
	assert.Less(t, time.Since(began), 4*time.Second)
}
