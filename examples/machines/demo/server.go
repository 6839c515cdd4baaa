package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// bucket has the record of the lock, whose name is lock.
const bucket, lock = "locks", "counter"

// A broker is a NATS server in this process, and a connection to it.
type broker struct {
	server *server.Server
	dir    string
	nc     *nats.Conn
	token  string
}

// serve starts a server at an address.
func serve(ctx context.Context, address string) (*broker, error) {
	host, port, err := free(address)
	if err != nil {
		return nil, fmt.Errorf("-listen %s: %w", address, err)
	}
	dir, err := os.MkdirTemp("", "machines-nats")
	if err != nil {
		return nil, err
	}
	b := &broker{dir: dir, token: rand.Text()}
	b.server, err = server.NewServer(&server.Options{
		Host: host, Port: port, Authorization: b.token, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true,
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

// free returns host and port of an address where a server can listen, with a port of the system's choice if it is 0.
// The server itself does not say why it cannot.
func free(address string) (host string, port int, err error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return "", 0, err
	}
	defer func() { _ = l.Close() }()
	host, _, err = net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	_, text, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return "", 0, err
	}
	port, err = strconv.Atoi(text)
	return host, port, err
}

// reachable returns an address of this machine for others, of a server that listens at one.
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host, _ = os.Hostname()
		addresses, _ := net.InterfaceAddrs()
		for _, a := range addresses {
			if n, is := a.(*net.IPNet); is && n.IP.IsGlobalUnicast() && n.IP.To4() != nil {
				host = n.IP.String()
				break
			}
		}
	}
	return net.JoinHostPort(host, port)
}
