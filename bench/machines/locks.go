package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	pool "github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
	etcd "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/token/naimitrehel"
	"example.org/doorway/messaging/token/raymond"
)

// A shape is how many processes there are, of how many clients each.
type shape struct{ Processes, Clients int }

func (s shape) String() string {
	switch {
	case s.Processes > 1:
		return fmt.Sprintf("%d processes", s.Processes)
	case s.Clients > 1:
		return fmt.Sprintf("%d clients", s.Clients)
	}
	return "1 client"
}

// Clients are in one process, or each in one of its own.
var (
	alone     = shape{1, 1}
	three     = shape{1, 3}
	eight     = shape{1, 8}
	processes = shape{3, 1}

	shapes = []shape{alone, three, eight, processes}
)

// A client is one of those that contend. It has a connection of its own.
type client struct {
	lock, unlock func(ctx context.Context) error
}

// A lock is a row of the tables.
type lock struct {
	name   string
	server string // which it needs
	served bool   // it has a server of its own: with more than one process, in another one
	shapes []shape
	open   func(ctx context.Context, j job, rank int) (client, error)
}

func (l lock) in(s shape) bool { return l.shapes == nil || slices.Contains(l.shapes, s) }

// The names of locks that figures compare.
const (
	bare      = "bare: request and reply"
	byCentral = "engine, central"
	byRA      = "engine, ricartagrawala"
	lost      = ", 1 % of frames lost"
	nodes     = "nodes of ricartagrawala"
	linked    = nodes + " over link"
)

// lease is that of all locks that have one.
const lease = 10 * time.Second

// links are as those of the engine.
var links = link.Config{Timeout: 60 * time.Millisecond, Tick: time.Millisecond, Delay: 5 * time.Millisecond}

var locks = []lock{
	{name: bare, server: "nats", served: true, open: openBare},
	{name: byCentral, server: "nats", open: openEngine(central.Protocol, 0)},
	{name: byRA, server: "nats", open: openEngine(ricartagrawala.Protocol, 0)},
	{name: "engine, raymond", server: "nats", open: openEngine(raymond.Protocol, 0)},
	{name: "engine, naimitrehel", server: "nats", open: openEngine(naimitrehel.Protocol, 0)},
	{name: "engine, one member", server: "nats", shapes: []shape{three, eight}, open: openMember(central.Protocol)},
	{name: byCentral + lost, server: "nats", shapes: []shape{eight}, open: openEngine(central.Protocol, .01)},
	{name: byRA + lost, server: "nats", shapes: []shape{eight}, open: openEngine(ricartagrawala.Protocol, .01)},
	{name: nodes, server: "nats", shapes: []shape{three}, open: openNode(ricartagrawala.Protocol)},
	{name: linked, server: "nats", shapes: []shape{three}, open: openNode(link.Of(ricartagrawala.Protocol, links))},
	{name: "etcd", server: "etcd", open: openEtcd},
	{name: "redsync", server: "redis", open: openRedsync},
	{name: "redislock", server: "redis", open: openRedislock},
}

func openEtcd(ctx context.Context, j job, _ int) (client, error) {
	c, err := etcd.New(etcd.Config{Endpoints: []string{j.URL}, Context: ctx})
	if err != nil {
		return client{}, err
	}
	s, err := concurrency.NewSession(c, concurrency.WithTTL(int(lease/time.Second)))
	if err != nil {
		return client{}, err
	}
	m := concurrency.NewMutex(s, "/"+j.Name)
	return client{m.Lock, m.Unlock}, nil
}

func openRedsync(_ context.Context, j job, _ int) (client, error) {
	c := redis.NewClient(&redis.Options{Addr: j.URL})
	m := redsync.New(pool.NewPool(c)).NewMutex(j.Name, redsync.WithExpiry(lease), redsync.WithTries(1<<30))
	unlock := func(ctx context.Context) error {
		_, err := m.UnlockContext(ctx)
		return err
	}
	return client{m.LockContext, unlock}, nil
}

func openRedislock(_ context.Context, j job, _ int) (client, error) {
	c := redislock.New(redis.NewClient(&redis.Options{Addr: j.URL}))
	var held *redislock.Lock
	lock := func(ctx context.Context) (err error) {
		held, err = c.Obtain(ctx, j.Name, lease, &redislock.Options{RetryStrategy: redislock.LinearBackoff(time.Millisecond)})
		return err
	}
	return client{lock, func(ctx context.Context) error { return held.Release(ctx) }}, nil
}
