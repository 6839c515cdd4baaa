package test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/engine"
	natsengine "example.org/doorway/engine/nats"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// A late bucket does not say what it has done, does it when no caller waits any more, or returns what it had before.
type late struct {
	jetstream.KeyValue
	mu     sync.Mutex
	rnd    *rand.Rand
	before jetstream.KeyValueEntry
	faults int
	works  sync.WaitGroup
}

// lateStream has late buckets.
type lateStream struct {
	jetstream.JetStream
	bucket *late
}

func (s *lateStream) KeyValue(ctx context.Context, bucket string) (jetstream.KeyValue, error) {
	kv, err := s.JetStream.KeyValue(ctx, bucket)
	s.bucket.KeyValue = kv
	return s.bucket, err
}

var errUnknown = errors.New("the bucket does not say")

// fault draws what goes wrong: one of three things in every other call.
func (l *late) fault() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	k := l.rnd.IntN(6)
	if k < 3 {
		l.faults++
	}
	return k
}

func (l *late) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	switch l.fault() {
	case 0: // done, and not told
		_, err := l.KeyValue.Update(ctx, key, value, revision)
		return 0, errors.Join(err, errUnknown)
	case 1: // done when no caller waits
		l.works.Go(func() {
			<-ctx.Done()
			_, _ = l.KeyValue.Update(context.WithoutCancel(ctx), key, value, revision)
		})
		<-ctx.Done()
		return 0, ctx.Err()
	case 2: // not done
		return 0, errUnknown
	}
	return l.KeyValue.Update(ctx, key, value, revision)
}

func (l *late) Get(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	k := l.fault()
	if k == 0 {
		return nil, errUnknown
	}
	e, err := l.KeyValue.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e, l.before = older(k, e, l.before)
	return e, nil
}

// older returns the entry of the call before, if that is what goes wrong, and what is the entry before from now on.
func older(fault int, e, before jetstream.KeyValueEntry) (now, next jetstream.KeyValueEntry) {
	if fault == 1 && before != nil {
		return before, e
	}
	return e, e
}

// A bucket that answers late, with an old record, or not at all costs time, and neither exclusion nor tokens.
func TestLateBucket(t *testing.T) {
	s := serve(t, files(t))
	var all []*engine.Lock
	var buckets []*late
	for k := range 3 {
		nc := connect(t, s)
		b := &late{rnd: rand.New(rand.NewPCG(uint64(k), 0))}
		js := &lateStream{streams(t, nc), b}
		store, err := natsengine.Store(t.Context(), js, "locks", "orders")
		for err != nil {
			store, err = natsengine.Store(t.Context(), js, "locks", "orders")
		}
		l, err := engine.Join(t.Context(), "orders", engine.Config{Links: natsengine.Links(nc), Store: store, Protocol: ricartagrawala.Protocol, Lease: time.Second})
		require.NoError(t, err)
		t.Cleanup(func() {
			quits(t, l)
			b.works.Wait()
		})
		all, buckets = append(all, l), append(buckets, b)
	}
	began := time.Now()
	for time.Since(began) < 4*time.Second {
		contend(t, all, 10) // guards may be lost
	}
	for _, b := range buckets {
		b.mu.Lock()
		assert.Greater(t, b.faults, 5)
		b.mu.Unlock()
	}
}
