package test

import (
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

// serve starts a server with JetStream, unless options say other. It is shut down at the end of the test.
func serve(t *testing.T, o server.Options) *server.Server {
	t.Helper()
	o.Host, o.NoSigs, o.NoLog = "127.0.0.1", true, true
	if o.Port == 0 {
		o.Port = server.RANDOM_PORT
	}
	s, err := server.NewServer(&o)
	require.NoError(t, err)
	s.Start()
	t.Cleanup(func() { shutDown(s) })
	require.True(t, s.ReadyForConnections(10*time.Second), "the server does not start")
	return s
}

func shutDown(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

// connect returns a connection which reconnects soon, and does so forever.
func connect(t *testing.T, s *server.Server, options ...nats.Option) *nats.Conn {
	t.Helper()
	options = append([]nats.Option{nats.MaxReconnects(-1), nats.ReconnectWait(10 * time.Millisecond)}, options...)
	nc, err := nats.Connect(s.ClientURL(), options...)
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
