package main

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"
)

// A bareClient asks a lock server over NATS that does nothing else: no lease, no token, no view, and a frame that is
// lost is the end. An entry is a request of NATS, to which the server replies when the lock is free; an exit is one message.
type bareClient struct {
	nc     *nats.Conn // nil: this is a server only
	name   string
	server *nats.Conn // nil: another has it
}

// openBare opens a client. The server is in the process of the clients if there is one, and otherwise in a process of
// its own, of rank -1.
func openBare(_ context.Context, j job, rank int) (client, error) { return newBare(j, rank) }

func newBare(j job, rank int) (c *bareClient, err error) {
	c = &bareClient{name: j.Name}
	if rank == -1 || rank == 0 && j.Shape.Processes == 1 {
		if c.server, err = serveBare(j.URL, j.Name); err != nil {
			return nil, err
		}
	}
	if rank >= 0 {
		c.nc, err = nats.Connect(j.URL)
	}
	return c, err
}

func (c *bareClient) lock(ctx context.Context) error {
	_, err := c.nc.RequestWithContext(ctx, c.name+".request", nil)
	return err
}

func (c *bareClient) unlock(context.Context) error { return c.nc.Publish(c.name+".release", nil) }

func (c *bareClient) close(context.Context) error {
	for _, nc := range []*nats.Conn{c.nc, c.server} {
		if nc != nil {
			nc.Close()
		}
	}
	return nil
}

// A tunedClient gets replies in a channel of its own: the fewest switches of goroutines.
type tunedClient struct {
	*bareClient
	inbox   string
	replies chan *nats.Msg
}

func openTuned(_ context.Context, j job, rank int) (client, error) {
	bare, err := newBare(j, rank)
	if err != nil || bare.nc == nil {
		return bare, err
	}
	c := &tunedClient{bare, fmt.Sprintf("%s.%d", j.Name, rank), make(chan *nats.Msg, 1)}
	if _, err := c.nc.ChanSubscribe(c.inbox, c.replies); err != nil {
		return nil, err
	}
	return c, c.nc.Flush()
}

func (c *tunedClient) lock(ctx context.Context) error {
	if err := c.nc.PublishRequest(c.name+".request", c.inbox, nil); err != nil {
		return err
	}
	select {
	case <-c.replies:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// serveBare serves a lock in FIFO order, until its connection is closed.
func serveBare(url, name string) (*nats.Conn, error) {
	nc, err := nats.Connect(url)
	if err != nil {
		return nil, err
	}
	messages := make(chan *nats.Msg, 1024)
	for _, subject := range []string{name + ".request", name + ".release"} {
		if _, err := nc.ChanSubscribe(subject, messages); err != nil {
			return nil, err
		}
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
	return nc, nc.Flush()
}
