package test

import (
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"example.org/doorway/engine"
	natsengine "example.org/doorway/engine/nats"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A broker is a server, which may restart under the same address.
type broker struct{ *server.Server }

// serve starts a server, which is shut down at the end of the test.
func serve(t *testing.T, o server.Options) *broker {
	t.Helper()
	o.Port = server.RANDOM_PORT
	b := &broker{}
	b.start(t, o)
	t.Cleanup(b.stop)
	return b
}

// files returns options of a server with JetStream, and files of its own.
func files(t *testing.T) server.Options {
	t.Helper()
	return server.Options{JetStream: true, StoreDir: t.TempDir()}
}

func (b *broker) start(t *testing.T, o server.Options) {
	t.Helper()
	o.Host, o.NoSigs, o.NoLog = "127.0.0.1", true, true
	var err error
	b.Server, err = server.NewServer(&o)
	require.NoError(t, err)
	b.Start()
	require.True(t, b.ReadyForConnections(10*time.Second), "the server does not start")
}

func (b *broker) stop() {
	b.Shutdown()
	b.WaitForShutdown()
}

// restart stops the server, and starts one with other options at its address.
func (b *broker) restart(t *testing.T, o server.Options) {
	t.Helper()
	o.Port = b.Addr().(*net.TCPAddr).Port
	b.stop()
	b.start(t, o)
}

// connect returns a connection which reconnects soon, and does so forever.
func connect(t *testing.T, b *broker, options ...nats.Option) *nats.Conn {
	t.Helper()
	return connectTo(t, b.ClientURL(), options...)
}

func connectTo(t *testing.T, urls string, options ...nats.Option) *nats.Conn {
	t.Helper()
	options = append([]nats.Option{nats.MaxReconnects(-1), nats.ReconnectWait(10 * time.Millisecond)}, options...)
	nc, err := nats.Connect(urls, options...)
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	return nc
}

// streams returns JetStream over a connection, with a bucket "locks".
func streams(t *testing.T, nc *nats.Conn) jetstream.JetStream {
	t.Helper()
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	_, err = js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "locks"})
	require.NoError(t, err)
	return js
}

// config returns the config of a member over a connection.
func config(t *testing.T, nc *nats.Conn, lock string) engine.Config {
	t.Helper()
	store, err := natsengine.Store(t.Context(), streams(t, nc), "locks", lock)
	require.NoError(t, err)
	return engine.Config{Links: natsengine.Links(nc), Store: store, Protocol: ricartagrawala.Protocol, Lease: time.Second}
}
