package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.org/doorway/engine"
	natsengine "example.org/doorway/engine/nats"
	"example.org/doorway/messaging"
)

const bucket = "locks"

// lease is that of all locks that have one.
const lease = 10 * time.Second

// An engineClient is a member, with a connection of its own.
type engineClient struct {
	nc    *nats.Conn
	l     *engine.Lock
	guard *engine.Guard
}

// openEngine opens members whose links lose a part of the frames, from 0 to 1.
func openEngine(p messaging.Protocol, loss float64) func(context.Context, job, int) (client, error) {
	return func(ctx context.Context, j job, _ int) (client, error) {
		c, err := join(ctx, j.URL, j.Name, p, loss)
		if err != nil {
			return nil, err
		}
		return c, nil
	}
}

func join(ctx context.Context, url, name string, p messaging.Protocol, loss float64) (*engineClient, error) {
	nc, err := nats.Connect(url)
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	if _, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bucket}); err != nil {
		return nil, err
	}
	store, err := natsengine.Store(ctx, js, bucket, name)
	if err != nil {
		return nil, err
	}
	l, err := engine.Join(ctx, name, engine.Config{Links: lossy{natsengine.Links(nc), loss}, Store: store, Protocol: p, Lease: lease})
	if err != nil {
		return nil, err
	}
	return &engineClient{nc: nc, l: l}, nil
}

func (c *engineClient) lock(ctx context.Context) (err error) {
	c.guard, err = c.l.Lock(ctx)
	return err
}

func (c *engineClient) unlock(context.Context) error { return c.guard.Unlock() }

func (c *engineClient) close(ctx context.Context) error {
	defer c.nc.Close()
	return c.l.Leave(ctx)
}

// A memberClient is one of several goroutines that share a member.
type memberClient struct {
	*engineClient
	guard *engine.Guard
}

// openMember opens clients that share one member in each process.
func openMember(p messaging.Protocol) func(context.Context, job, int) (client, error) {
	var shared *engineClient
	return func(ctx context.Context, j job, _ int) (client, error) {
		if shared == nil {
			var err error
			if shared, err = join(ctx, j.URL, j.Name, p, 0); err != nil {
				return nil, err
			}
		}
		return &memberClient{engineClient: shared}, nil
	}
}

func (c *memberClient) lock(ctx context.Context) (err error) {
	c.guard, err = c.l.Lock(ctx)
	return err
}

func (c *memberClient) unlock(context.Context) error { return c.guard.Unlock() }

// lossy are links that lose a part of the frames.
type lossy struct {
	engine.Links
	loss float64
}

var errLost = errors.New("lost")

func (l lossy) Send(inbox string, frame []byte) error {
	if l.loss > 0 && rand.Float64() < l.loss {
		return errLost
	}
	return l.Links.Send(inbox, frame)
}
