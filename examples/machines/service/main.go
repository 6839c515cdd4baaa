// Service keeps a report up to date, in a bucket of NATS. It may run on any number of machines: one of them builds
// the report, and when that has crashed, another does.
//
//	NATS_URL=nats://localhost:4222 go run -C examples/machines ./service
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.org/doorway/engine"
	natsengine "example.org/doorway/engine/nats"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// A service shares the lock of the report with all others.
type service struct {
	lock   *engine.Lock
	bucket jetstream.KeyValue
	every  time.Duration
	build  func(ctx context.Context) (report []byte, err error)
}

const key = "report.latest"

// refresh builds the report unless another has done so lately. The lock saves work: one builds, the others wait. The
// revision of what it replaces keeps the report right: if this process was stopped, and so lost the lock, and another
// has written since, it is refused.
func (s *service) refresh(ctx context.Context) (err error) {
	guard, err := s.lock.Lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, guard.Unlock()) }() // which says if the lock was lost
	old, err := s.bucket.Get(guard.Context(), key)
	if err != nil || len(old.Value()) > 0 && time.Since(old.Created()) < s.every {
		return err
	}
	report, err := s.build(guard.Context()) // which ends when the lock may be lost
	if err != nil {
		return err
	}
	_, err = s.bucket.Update(guard.Context(), key, report, old.Revision())
	return err
}

// start joins the others.
func start(ctx context.Context, nc *nats.Conn) (*service, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	bucket, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "service"})
	if err != nil {
		return nil, err
	}
	if _, err := bucket.Create(ctx, key, nil); err != nil && !errors.Is(err, jetstream.ErrKeyExists) {
		return nil, err
	}
	store, err := natsengine.Store(ctx, js, bucket.Bucket(), "report")
	if err != nil {
		return nil, err
	}
	lock, err := engine.Join(ctx, "report", engine.Config{
		Links: natsengine.Links(nc), Store: store, Protocol: ricartagrawala.Protocol, Lease: 10 * time.Second,
		Logger: slog.Default(),
	})
	return &service{lock: lock, bucket: bucket, every: time.Minute, build: build}, err
}

// build stands for what takes long.
func build(context.Context) ([]byte, error) {
	host, err := os.Hostname()
	return fmt.Appendf(nil, "built by process %d of %s", os.Getpid(), host), err
}

func run(ctx context.Context) error {
	nc, err := nats.Connect(cmp.Or(os.Getenv("NATS_URL"), nats.DefaultURL), nats.MaxReconnects(-1))
	if err != nil {
		return err
	}
	defer nc.Close()
	s, err := start(ctx, nc)
	if err != nil {
		return err
	}
	return s.work(ctx)
}

// work takes turns with the others until ctx is done, and leaves; or until the lock is closed, as an operator has asked
// this process to leave. What has started it may start it again.
func (s *service) work(ctx context.Context) error {
	for ctx.Err() == nil {
		switch err := s.refresh(ctx); {
		case errors.Is(err, engine.ErrClosed):
			return err
		case err != nil && ctx.Err() == nil:
			slog.Warn("the report was not refreshed", "error", err) // the next turn comes
		}
		select {
		case <-time.After(s.every):
		case <-ctx.Done():
		}
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	return s.lock.Leave(last)
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}
