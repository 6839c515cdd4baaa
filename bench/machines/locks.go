package main

import (
	"context"
	"errors"
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
	"example.org/doorway/messaging/token/suzukikasami"
)

// A client is one of those that contend.
type client interface {
	lock(ctx context.Context) error
	unlock(ctx context.Context) error
	close(ctx context.Context) error
}

// A lock is a row of the tables.
type lock struct {
	name   string
	server string // which it needs
	served bool   // it has a server of its own: with more than one process, another one
	shapes []shape
	open   func(ctx context.Context, j job, rank int) (client, error)
}

func (l lock) in(s shape) bool { return l.shapes == nil || slices.Contains(l.shapes, s) }

// The names of locks that figures compare.
const (
	bare      = "bare: request and reply"
	tuned     = "bare: channels"
	byCentral = "engine, central"
	byRA      = "engine, ricartagrawala"
	lost      = ", 1 % of frames lost"
	nodes     = "nodes of ricartagrawala"
	linked    = nodes + " over link"
)

var locks = []lock{
	{name: bare, server: "nats", served: true, open: openBare},
	{name: tuned, server: "nats", served: true, open: openTuned},
	{name: byCentral, server: "nats", open: openEngine(central.Protocol, 0)},
	{name: byRA, server: "nats", open: openEngine(ricartagrawala.Protocol, 0)},
	{name: "engine, raymond", server: "nats", open: openEngine(raymond.Protocol, 0)},
	{name: "engine, naimitrehel", server: "nats", open: openEngine(naimitrehel.Protocol, 0)},
	{name: "engine, suzukikasami", server: "nats", open: openEngine(suzukikasami.Protocol, 0)},
	{name: "engine, one member", server: "nats", shapes: []shape{three, eight}, open: openMember(central.Protocol)},
	{name: byCentral + lost, server: "nats", shapes: []shape{eight}, open: openEngine(central.Protocol, .01)},
	{name: byRA + lost, server: "nats", shapes: []shape{eight}, open: openEngine(ricartagrawala.Protocol, .01)},
	{name: nodes, server: "nats", shapes: []shape{three}, open: openNode(ricartagrawala.Protocol)},
	{name: linked, server: "nats", shapes: []shape{three}, open: openNode(link.Of(ricartagrawala.Protocol, link.Config{Timeout: 60 * time.Millisecond, Tick: time.Millisecond, Delay: 5 * time.Millisecond}))},
	{name: "etcd", server: "etcd", open: openEtcd},
	{name: "redsync", server: "redis", open: openRedsync},
	{name: "redislock", server: "redis", open: openRedislock},
}

type etcdClient struct {
	c *etcd.Client
	s *concurrency.Session
	m *concurrency.Mutex
}

func openEtcd(ctx context.Context, j job, _ int) (client, error) {
	c, err := etcd.New(etcd.Config{Endpoints: []string{j.URL}, Context: ctx})
	if err != nil {
		return nil, err
	}
	s, err := concurrency.NewSession(c, concurrency.WithTTL(int(lease/time.Second)))
	if err != nil {
		return nil, err
	}
	return &etcdClient{c, s, concurrency.NewMutex(s, "/"+j.Name)}, nil
}

func (c *etcdClient) lock(ctx context.Context) error   { return c.m.Lock(ctx) }
func (c *etcdClient) unlock(ctx context.Context) error { return c.m.Unlock(ctx) }

func (c *etcdClient) close(context.Context) error { return errors.Join(c.s.Close(), c.c.Close()) }

type redsyncClient struct {
	c *redis.Client
	m *redsync.Mutex
}

func openRedsync(_ context.Context, j job, _ int) (client, error) {
	c := redis.NewClient(&redis.Options{Addr: j.URL})
	m := redsync.New(pool.NewPool(c)).NewMutex(j.Name, redsync.WithExpiry(lease), redsync.WithTries(1<<30))
	return &redsyncClient{c, m}, nil
}

func (c *redsyncClient) lock(ctx context.Context) error { return c.m.LockContext(ctx) }

func (c *redsyncClient) unlock(ctx context.Context) error {
	_, err := c.m.UnlockContext(ctx)
	return err
}

func (c *redsyncClient) close(context.Context) error { return c.c.Close() }

type redislockClient struct {
	c    *redis.Client
	l    *redislock.Client
	name string
	held *redislock.Lock
}

func openRedislock(_ context.Context, j job, _ int) (client, error) {
	c := redis.NewClient(&redis.Options{Addr: j.URL})
	return &redislockClient{c: c, l: redislock.New(c), name: j.Name}, nil
}

func (c *redislockClient) lock(ctx context.Context) (err error) {
	c.held, err = c.l.Obtain(ctx, c.name, lease, &redislock.Options{RetryStrategy: redislock.LinearBackoff(time.Millisecond)})
	return err
}

func (c *redislockClient) unlock(ctx context.Context) error { return c.held.Release(ctx) }

func (c *redislockClient) close(context.Context) error { return c.c.Close() }
