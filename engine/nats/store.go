package natsengine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.org/doorway/engine"
)

// Store returns the store of one lock: one key of a bucket, which may have those of any number of locks, and other
// keys. All members use the same bucket and the same name, best that which they join.
//
// It tries all that the members need, and waits for at most 5 s. It returns an error if the server has no
// JetStream, there is no such bucket, its keys expire, the account may not use it, or the name is too long.
func Store(ctx context.Context, js jetstream.JetStream, bucket, lock string) (engine.Store, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	s := &store{nc: js.Conn(), key: escaped(lock)}
	if err := short(lock, s.key); err != nil {
		return nil, err
	}
	if err := s.open(ctx, js, bucket); err != nil {
		denied := s.nc.LastError()
		switch late := errors.Is(err, context.DeadlineExceeded); {
		case late && errors.Is(denied, nats.ErrPermissionViolation):
			err = fmt.Errorf("%w; the server has said: %w", err, denied) // it does not answer what it does not permit
		case late && !s.nc.IsConnected():
			err = fmt.Errorf("no server is connected: %w", err)
		}
		return nil, fmt.Errorf("natsengine: the bucket %q of the lock %q: %w", bucket, lock, err)
	}
	return s, nil
}

type store struct {
	nc  *nats.Conn
	kv  jetstream.KeyValue
	key string
}

// open tries all that is needed of a bucket.
func (s *store) open(ctx context.Context, js jetstream.JetStream, bucket string) (err error) {
	s.kv, err = js.KeyValue(ctx, bucket)
	switch {
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return fmt.Errorf("the server has no JetStream, or not for this account: %w", err)
	case err != nil:
		return err
	}
	status, err := s.kv.Status(ctx)
	if err != nil {
		return err
	}
	if ttl := status.TTL(); ttl != 0 {
		return fmt.Errorf("its keys expire after %v: those of a lock must not", ttl)
	}
	if _, _, err = s.Load(ctx); err != nil {
		return err
	}
	if _, err = s.last(ctx); err != nil {
		return err
	}
	if _, err = s.Swap(ctx, math.MaxUint64, nil); errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
		return nil // there is no such revision
	}
	return err
}

// closed says to the engine that no answer will ever come over a connection that is closed.
func closed(err error) error {
	if errors.Is(err, nats.ErrConnectionClosed) {
		return fmt.Errorf("%w: %w", engine.ErrClosed, err)
	}
	return err
}

// answered returns what f returns, or ctx's error if that comes first. Requests take a ctx, but while the connection
// is blocked they do not look at it.
func answered[T any](ctx context.Context, f func() (T, error)) (got T, err error) {
	type answer struct {
		got T
		err error
	}
	answers := make(chan answer, 1)
	go func() {
		got, err := f()
		answers <- answer{got, err}
	}()
	select {
	case a := <-answers:
		return a.got, closed(a.err)
	case <-ctx.Done():
		return got, ctx.Err()
	}
}

func (s *store) Load(ctx context.Context) (data []byte, version uint64, err error) {
	e, err := answered(ctx, func() (jetstream.KeyValueEntry, error) {
		e, err := s.kv.Get(ctx, s.key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return s.last(ctx)
		}
		return e, err
	})
	if err != nil || e == nil {
		return nil, 0, err
	}
	return e.Value(), e.Revision(), nil
}

// last returns what the bucket has of a key that Get does not find: nil if there is nothing. A key that was deleted has a marker,
// whose revision is larger than those before: so members see at once that the record is gone.
func (s *store) last(ctx context.Context) (jetstream.KeyValueEntry, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // which ends the watch
	w, err := s.kv.Watch(ctx, s.key)
	if err != nil {
		return nil, err
	}
	select {
	case e, is := <-w.Updates():
		if !is {
			return nil, errEnded
		}
		return e, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *store) Swap(ctx context.Context, old uint64, data []byte) (version uint64, err error) {
	return answered(ctx, func() (uint64, error) {
		return s.kv.Update(ctx, s.key, data, old) // 0: if there is no revision
	})
}

var errEnded = errors.New("natsengine: the watch has ended")

func (s *store) Watch(ctx context.Context, changed func()) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // which ends the watch
	connected := s.nc.StatusChanged(nats.CONNECTED)
	defer s.nc.RemoveStatusListener(connected)
	unanswered := time.AfterFunc(patience, cancel) // requests of a watch have no limit of their own
	w, err := s.kv.Watch(ctx, s.key, jetstream.UpdatesOnly(), jetstream.MetaOnly())
	if err != nil {
		return err
	}
	if !unanswered.Stop() {
		return ctx.Err()
	}
	changed() // what was changed until now
	for {
		select {
		case _, is := <-w.Updates():
			if !is {
				return errEnded
			}
			changed()
		case <-connected:
			return errEnded // a server that has restarted has no watches, and perhaps another bucket
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
