package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.org/doorway/engine"
	natsengine "example.org/doorway/engine/nats"
	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/wire"
	"example.org/doorway/messaging"
)

// openBare opens a client of a lock server over NATS that does nothing else: no lease, no token, no view, and a frame that
// is lost is the end. An entry is a request of NATS, to which the server replies when the lock is free; an exit is one
// message. The server is in the process of the clients if there is one, and otherwise in a process of its own.
func openBare(_ context.Context, j job, rank int) (client, error) {
	if rank == 0 && j.Shape.Processes == 1 {
		if err := serveBare(j.URL, j.Name); err != nil {
			return client{}, err
		}
	}
	nc, err := nats.Connect(j.URL)
	lock := func(ctx context.Context) error {
		_, err := nc.RequestWithContext(ctx, j.Name+".request", nil)
		return err
	}
	return client{lock, func(context.Context) error { return nc.Publish(j.Name+".release", nil) }}, err
}

// serveBare serves a lock in FIFO order.
func serveBare(url, name string) error {
	nc, err := nats.Connect(url)
	if err != nil {
		return err
	}
	messages := make(chan *nats.Msg, 1024)
	if _, err := nc.ChanSubscribe(name+".*", messages); err != nil {
		return err
	}
	go func() {
		var queue []string
		held := false
		for m := range messages {
			switch {
			case m.Reply != "" && held:
				queue = append(queue, m.Reply)
			case m.Reply != "":
				held = true
				_ = nc.Publish(m.Reply, nil)
			case len(queue) > 0:
				_ = nc.Publish(queue[0], nil)
				queue = queue[1:]
			default:
				held = false
			}
		}
	}()
	return nc.Flush()
}

// openEngine opens members whose links lose a part of the frames, from 0 to 1.
func openEngine(p messaging.Protocol, loss float64) func(context.Context, job, int) (client, error) {
	return func(ctx context.Context, j job, _ int) (client, error) {
		l, err := join(ctx, j.URL, j.Name, p, loss)
		return user(l), err
	}
}

// openMember opens clients that share one member in each process.
func openMember(p messaging.Protocol) func(context.Context, job, int) (client, error) {
	var l *engine.Lock
	return func(ctx context.Context, j job, _ int) (_ client, err error) {
		if l == nil {
			l, err = join(ctx, j.URL, j.Name, p, 0)
		}
		return user(l), err
	}
}

// user returns a client that has guards of l.
func user(l *engine.Lock) client {
	var g *engine.Guard
	lock := func(ctx context.Context) (err error) {
		g, err = l.Lock(ctx)
		return err
	}
	return client{lock, func(context.Context) error { return g.Unlock() }}
}

// join joins with a connection of its own, which ends with the process.
func join(ctx context.Context, url, name string, p messaging.Protocol, loss float64) (*engine.Lock, error) {
	nc, err := nats.Connect(url)
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	const bucket = "locks"
	if _, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bucket}); err != nil {
		return nil, err
	}
	store, err := natsengine.Store(ctx, js, bucket, name)
	if err != nil {
		return nil, err
	}
	return engine.Join(ctx, name, engine.Config{Links: lossy{natsengine.Links(nc), loss}, Store: store, Protocol: p, Lease: lease})
}

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

// A node is one on NATS without the engine: no lease, no view, no guard. With it the link is measured, which
// the engine always has.
type node struct {
	nc      *nats.Conn
	codec   *wire.Codec
	inbox   string // of all nodes, without the number
	rank    messaging.ID
	entered chan struct{}

	mu   sync.Mutex
	site *host.Site
}

func openNode(p messaging.Protocol) func(context.Context, job, int) (client, error) {
	return func(_ context.Context, j job, rank int) (client, error) {
		a, err := p.New(j.Shape.Clients)
		if err != nil {
			return client{}, err
		}
		n := &node{rank: messaging.ID(rank), inbox: j.Name + ".", entered: make(chan struct{}, 1)}
		n.site = host.NewSite(a, messaging.Start{Self: n.rank, Nodes: j.Shape.Clients}, nil)
		if n.codec, err = wire.New(p); err != nil {
			return client{}, err
		}
		if n.nc, err = nats.Connect(j.URL); err != nil {
			return client{}, err
		}
		if _, err := n.nc.Subscribe(fmt.Sprint(n.inbox, rank), n.receive); err != nil {
			return client{}, err
		}
		n.do(func() { n.site.Start() })
		return client{n.lock, n.unlock}, n.nc.Flush()
	}
}

// do has the node handle an event, and carries out what it does.
func (n *node) do(event func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	before := n.site.Phase()
	event()
	for _, s := range n.site.Sends {
		_ = n.nc.Publish(fmt.Sprint(n.inbox, s.To), n.codec.Append([]byte{byte(n.rank)}, s.Message))
	}
	for _, t := range n.site.Timers {
		time.AfterFunc(t.After, func() { n.do(func() { n.site.Receive(n.rank, t.Message) }) })
	}
	n.site.Done()
	if before != messaging.Inside && n.site.Phase() == messaging.Inside {
		n.entered <- struct{}{}
	}
}

func (n *node) receive(frame *nats.Msg) {
	m, err := n.codec.Decode(frame.Data[1:])
	if err != nil {
		panic(err)
	}
	n.do(func() { n.site.Receive(messaging.ID(frame.Data[0]), m) })
}

func (n *node) lock(context.Context) error {
	n.do(func() { n.site.Request() })
	<-n.entered
	return nil
}

func (n *node) unlock(context.Context) error {
	n.do(func() { n.site.Release() })
	return nil
}
