package natsengine

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"example.org/doorway/engine"
)

// Store returns the store of one lock: a key of a bucket, which may have those of any number of locks, and other
// keys. All members use the same bucket and the same name, best that which they join.
//
// It returns an error if the bucket cannot be reached, or if its keys expire.
func Store(ctx context.Context, kv jetstream.KeyValue, lock string) (engine.Store, error) {
	status, err := kv.Status(ctx)
	if err != nil {
		return nil, fmt.Errorf("natsengine: the bucket %q cannot be used: %w", kv.Bucket(), err)
	}
	if ttl := status.TTL(); ttl != 0 {
		return nil, fmt.Errorf("natsengine: the keys of the bucket %q expire after %v: a lock needs one whose keys do not", kv.Bucket(), ttl)
	}
	return &store{kv, escaped(lock)}, nil
}

type store struct {
	kv  jetstream.KeyValue
	key string
}

func (s *store) Load(ctx context.Context) (data []byte, version uint64, err error) {
	e, err := s.kv.Get(ctx, s.key)
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return nil, 0, nil
	case err != nil:
		return nil, 0, err
	}
	return e.Value(), e.Revision(), nil
}

func (s *store) Swap(ctx context.Context, old uint64, data []byte) (version uint64, err error) {
	if old == 0 {
		return s.kv.Create(ctx, s.key, data)
	}
	return s.kv.Update(ctx, s.key, data, old)
}

func (s *store) Watch(ctx context.Context, changed func()) error {
	w, err := s.kv.Watch(ctx, s.key, jetstream.UpdatesOnly(), jetstream.MetaOnly())
	if err != nil {
		return err
	}
	defer func() { _ = w.Stop() }()
	changed() // what was changed until now
	for {
		select {
		case _, is := <-w.Updates():
			if !is {
				return errors.New("natsengine: the watch has ended")
			}
			changed()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
