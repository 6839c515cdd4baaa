package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// bucket has the record of the lock, whose name is lock. Members publish to the subject reports.
const bucket, lock, reports = "locks", "counter", "machines.reports"

// A broker is a NATS server in this process, and a connection to it.
type broker struct {
	server *server.Server
	dir    string
	nc     *nats.Conn
	token  string
}

// serve starts a server at an address, with a port of the system's choice if that is 0.
func serve(ctx context.Context, address string) (*broker, error) {
	l, err := net.Listen("tcp", address) // the server would not say why it cannot
	if err != nil {
		return nil, fmt.Errorf("-listen %s: %w", address, err)
	}
	at := l.Addr().(*net.TCPAddr)
	_ = l.Close()
	dir, err := os.MkdirTemp("", "machines-nats")
	if err != nil {
		return nil, err
	}
	b := &broker{dir: dir, token: rand.Text()}
	b.server, err = server.NewServer(&server.Options{
		Host: at.IP.String(), Port: at.Port, Authorization: b.token, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true,
	})
	if err == nil {
		err = b.connect(ctx)
	}
	if err != nil {
		b.close()
		return nil, fmt.Errorf("the embedded NATS server: %w", err)
	}
	return b, nil
}

// connect starts the server, and makes the bucket.
func (b *broker) connect(ctx context.Context) error {
	b.server.Start()
	if !b.server.ReadyForConnections(10 * time.Second) {
		return errors.New("it is not ready after 10 s")
	}
	var err error
	b.nc, err = nats.Connect("", nats.InProcessServer(b.server), nats.Token(b.token))
	if err != nil {
		return err
	}
	js, err := jetstream.New(b.nc)
	if err != nil {
		return err
	}
	_, err = js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bucket})
	return err
}

// address is that of the server for others: one of this machine, if it listens at all.
func (b *broker) address() string {
	at := *b.server.Addr().(*net.TCPAddr)
	if at.IP.IsUnspecified() {
		addresses, _ := net.InterfaceAddrs()
		for _, a := range addresses {
			if n, is := a.(*net.IPNet); is && n.IP.IsGlobalUnicast() && n.IP.To4() != nil {
				at.IP = n.IP
				break
			}
		}
	}
	return at.String()
}

func (b *broker) close() {
	if b.nc != nil {
		b.nc.Close()
	}
	if b.server != nil {
		b.server.Shutdown()
		b.server.WaitForShutdown()
	}
	_ = os.RemoveAll(b.dir)
}
