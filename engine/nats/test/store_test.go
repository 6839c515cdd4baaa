package test

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/engine"
	natsengine "example.org/doorway/engine/nats"
)

// stored returns the store of a lock in a bucket that has these settings.
func stored(t *testing.T, js jetstream.JetStream, c jetstream.KeyValueConfig) (engine.Store, jetstream.KeyValue) {
	t.Helper()
	kv, err := js.CreateKeyValue(t.Context(), c)
	require.NoError(t, err)
	s, err := natsengine.Store(t.Context(), js, c.Bucket, "orders")
	require.NoError(t, err)
	return s, kv
}

// stream returns JetStream on a server of its own.
func stream(t *testing.T) (jetstream.JetStream, *nats.Conn) {
	t.Helper()
	nc := connect(t, serve(t, files(t)))
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	return js, nc
}

func swapped(t *testing.T, s engine.Store, old uint64, data string) (version uint64) {
	t.Helper()
	version, err := s.Swap(t.Context(), old, []byte(data))
	require.NoError(t, err)
	assert.Greater(t, version, old)
	loads(t, s, data, version)
	return version
}

func loads(t *testing.T, s engine.Store, data string, version uint64) {
	t.Helper()
	got, v, err := s.Load(t.Context())
	require.NoError(t, err)
	assert.Equal(t, data, string(got))
	assert.Equal(t, version, v)
}

// The contract of engine.Store, also when the key was deleted: versions go on growing.
func TestStore(t *testing.T) {
	js, _ := stream(t)
	for bucket, c := range map[string]jetstream.KeyValueConfig{
		"default": {}, "history": {History: 64}, "memory": {Storage: jetstream.MemoryStorage},
		"markers": {LimitMarkerTTL: time.Second}, "compressed": {Compression: true},
	} {
		c.Bucket = bucket
		t.Run(bucket, func(t *testing.T) {
			s, kv := stored(t, js, c)
			loads(t, s, "", 0)
			first := swapped(t, s, 0, "one")
			for _, old := range []uint64{0, first + 1, first + 100} {
				_, err := s.Swap(t.Context(), old, []byte("never"))
				require.ErrorIs(t, err, jetstream.ErrKeyRevisionMismatch)
				loads(t, s, "one", first)
			}
			second := swapped(t, s, first, "two")
			for _, remove := range []func(ctx context.Context, key string, o ...jetstream.KVDeleteOpt) error{kv.Delete, kv.Purge} {
				require.NoError(t, remove(t.Context(), "orders"))
				_, marker, err := s.Load(t.Context())
				require.NoError(t, err)
				assert.Greater(t, marker, second)
				loads(t, s, "", marker)
				for _, old := range []uint64{0, second} {
					_, err = s.Swap(t.Context(), old, []byte("never"))
					require.ErrorIs(t, err, jetstream.ErrKeyRevisionMismatch)
				}
				second = swapped(t, s, marker, "three")
			}
			require.NoError(t, kv.Delete(t.Context(), "orders"))
			require.NoError(t, kv.PurgeDeletes(t.Context(), jetstream.DeleteMarkersOlderThan(-1)))
			loads(t, s, "", 0)
			assert.Greater(t, swapped(t, s, 0, "four"), second)
		})
	}
}

// A bucket, a name or a server that are of no use are refused with one sentence.
func TestStoreIsRefused(t *testing.T) {
	js, nc := stream(t)
	_, err := js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "expires", TTL: time.Hour})
	require.NoError(t, err)
	without, err := jetstream.New(connect(t, serve(t, server.Options{})))
	require.NoError(t, err)
	for _, of := range []struct {
		want, bucket, lock string
		js                 jetstream.JetStream
	}{
		{`the bucket "expires" of the lock "orders": its keys expire after 1h0m0s: those of a lock must not`, "expires", "orders", js},
		{`the bucket "gone" of the lock "orders": nats: bucket not found`, "gone", "orders", js},
		{`the bucket "a b" of the lock "orders": nats: invalid bucket name`, "a b", "orders", js},
		{`has 1200 bytes in a subject: it must have at most 1024`, "expires", string(make([]byte, 400)), js},
		{`the bucket "locks" of the lock "orders": the server has no JetStream, or not for this account: nats: no responders`, "locks", "orders", without},
	} {
		_, err := natsengine.Store(t.Context(), of.js, of.bucket, of.lock)
		require.ErrorContains(t, err, "natsengine: the ")
		require.ErrorContains(t, err, of.want)
	}
	nc.Close()
	_, err = natsengine.Store(t.Context(), js, "locks", "orders")
	require.ErrorIs(t, err, nats.ErrConnectionClosed)
}

// watched starts a watch, which sends when it is told of a change.
func watched(ctx context.Context, t *testing.T, s engine.Store) (told <-chan struct{}, ended <-chan error) {
	t.Helper()
	changes, end := make(chan struct{}, 100), make(chan error, 1)
	go func() { end <- s.Watch(ctx, func() { changes <- struct{}{} }) }()
	<-changes // what was changed until now
	return changes, end
}

// Watch tells of changes by others until its context is done, or the connection is closed.
func TestWatch(t *testing.T) {
	js, nc := stream(t)
	s, kv := stored(t, js, jetstream.KeyValueConfig{Bucket: "locks"})
	ctx, cancel := context.WithCancel(t.Context())
	told, ended := watched(ctx, t, s)
	version := swapped(t, s, 0, "one")
	<-told
	_, err := kv.PutString(t.Context(), "other", "key")
	require.NoError(t, err)
	swapped(t, s, version, "two")
	<-told
	require.NoError(t, kv.Delete(t.Context(), "orders"))
	<-told
	assert.Empty(t, told, "other keys do not count")
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)

	_, ended = watched(t.Context(), t, s)
	nc.Close()
	require.EqualError(t, <-ended, "natsengine: the watch has ended")
	require.ErrorIs(t, s.Watch(t.Context(), nil), nats.ErrConnectionClosed)
	_, _, err = s.Load(t.Context())
	require.ErrorIs(t, err, engine.ErrClosed)
	_, err = s.Swap(t.Context(), 0, nil)
	require.ErrorIs(t, err, engine.ErrClosed)
}

// A watch ends when the connection comes back: the server may have forgotten it.
func TestWatchEnds(t *testing.T) {
	o := files(t)
	b := serve(t, o)
	s := config(t, connect(t, b), "orders").Store
	_, ended := watched(t.Context(), t, s)
	b.restart(t, o)
	require.EqualError(t, <-ended, "natsengine: the watch has ended")
	told, _ := watched(t.Context(), t, s)
	swapped(t, s, 0, "one")
	<-told
}
