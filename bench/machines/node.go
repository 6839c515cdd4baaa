package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/wire"
)

// A nodeClient is a node on NATS without the engine: no lease, no view, no guard. With it the link is measured, which
// the engine always has.
type nodeClient struct {
	nc      *nats.Conn
	codec   *wire.Codec
	inbox   string // of all nodes, without the number
	rank    messaging.ID
	entered chan struct{}

	mu   sync.Mutex
	site *messaging.Site
}

func openNode(p messaging.Protocol) func(context.Context, job, int) (client, error) {
	return func(_ context.Context, j job, rank int) (client, error) {
		nodes := j.Shape.Processes * j.Shape.Clients
		a, err := p.New(nodes)
		if err != nil {
			return nil, err
		}
		c := &nodeClient{rank: messaging.ID(rank), inbox: j.Name + ".", entered: make(chan struct{}, 1)}
		c.site = messaging.NewSite(a, messaging.Start{Self: messaging.ID(rank), Nodes: nodes}, nil)
		if c.codec, err = wire.New(p); err != nil {
			return nil, err
		}
		if c.nc, err = nats.Connect(j.URL); err != nil {
			return nil, err
		}
		if _, err := c.nc.Subscribe(fmt.Sprint(c.inbox, rank), func(m *nats.Msg) { c.receive(m.Data) }); err != nil {
			return nil, err
		}
		c.do(func() { c.site.Start() })
		return c, c.nc.Flush()
	}
}

// do has the node handle an event, and carries out what it does.
func (c *nodeClient) do(event func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.site.Phase()
	event()
	for _, s := range c.site.Sends {
		_ = c.nc.Publish(fmt.Sprint(c.inbox, s.To), c.codec.Append([]byte{byte(c.rank)}, s.Message))
	}
	for _, t := range c.site.Timers {
		time.AfterFunc(t.After, func() { c.do(func() { c.site.Receive(c.rank, t.Message) }) })
	}
	c.site.Done()
	if before != messaging.Inside && c.site.Phase() == messaging.Inside {
		c.entered <- struct{}{}
	}
}

func (c *nodeClient) receive(b []byte) {
	m, err := c.codec.Decode(b[1:])
	if err != nil {
		panic(err)
	}
	c.do(func() { c.site.Receive(messaging.ID(b[0]), m) })
}

func (c *nodeClient) lock(context.Context) error {
	c.do(func() { c.site.Request() })
	<-c.entered
	return nil
}

func (c *nodeClient) unlock(context.Context) error {
	c.do(func() { c.site.Release() })
	return nil
}

func (c *nodeClient) close(context.Context) error {
	c.nc.Close()
	return nil
}
