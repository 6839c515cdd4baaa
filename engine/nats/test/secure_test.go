package test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/engine"
	natsengine "example.org/doorway/engine/nats"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// What the documentation says that an account needs for the lock "orders" in the bucket "locks".
var (
	publish = []string{
		"doorway.orders.>", "$KV.locks.orders", "$JS.API.STREAM.INFO.KV_locks", "$JS.API.DIRECT.GET.KV_locks.$KV.locks.orders",
		"$JS.API.CONSUMER.CREATE.KV_locks.*.$KV.locks.orders", "$JS.API.CONSUMER.DELETE.KV_locks.*", "$JS.FC.>",
	}
	subscribe = []string{"doorway.orders.>", "_INBOX.>"}
)

// authority makes a certificate for this machine, and the pool that trusts it.
func authority(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, key.Public(), key)
	require.NoError(t, err)
	c, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(c)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

// A secured server has a bucket "locks", and users that may do what the lists say.
func secured(t *testing.T, of map[string]server.Permissions) (*broker, *x509.CertPool) {
	t.Helper()
	certificate, pool := authority(t)
	users := []*server.User{{Username: "operator", Password: "secret"}}
	for name, p := range of {
		users = append(users, &server.User{Username: name, Password: "secret", Permissions: &p})
	}
	s := serve(t, server.Options{
		JetStream: true, StoreDir: t.TempDir(), Users: users,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS13},
	})
	streams(t, as(t, s, pool, "operator"))
	return s, pool
}

func as(t *testing.T, s *broker, pool *x509.CertPool, user string) *nats.Conn {
	t.Helper()
	quiet := nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})
	return connect(t, s, nats.UserInfo(user, "secret"), nats.Secure(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS13}), quiet)
}

func permits(publish, subscribe []string) server.Permissions {
	return server.Permissions{Publish: &server.SubjectPermission{Allow: publish}, Subscribe: &server.SubjectPermission{Allow: subscribe}}
}

func without(all []string, i int) []string {
	return append(append([]string{}, all[:i]...), all[i+1:]...)
}

// opened returns the store of the lock, as a user opens it.
func opened(ctx context.Context, t *testing.T, nc *nats.Conn) (engine.Store, error) {
	t.Helper()
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	return natsengine.Store(ctx, js, "locks", "orders")
}

// joins has a process join over a connection that its user has made.
func joins(ctx context.Context, t *testing.T, nc *nats.Conn) (*engine.Lock, error) {
	t.Helper()
	store, err := opened(ctx, t, nc)
	if err != nil {
		return nil, err
	}
	return engine.Join(ctx, "orders", engine.Config{Links: natsengine.Links(nc), Store: store, Protocol: ricartagrawala.Protocol, Lease: time.Second})
}

// Over TLS, with the permissions that the documentation lists, members exclude each other.
func TestPermissions(t *testing.T) {
	s, pool := secured(t, map[string]server.Permissions{"orders": permits(publish, subscribe)})
	var all []*engine.Lock
	for range 2 {
		nc := as(t, s, pool, "orders")
		l, err := joins(t.Context(), t, nc)
		require.NoError(t, err)
		all = append(all, l)
		assert.NotEmpty(t, nc.TLSRequired())
		defer func() {
			require.NoError(t, l.Leave(t.Context()))
			require.NoError(t, nc.LastError())
		}()
	}
	assert.Zero(t, contend(t, all, 20))
}

// A watch is told of changes, however many there are: the server asks it now and then whether it
// follows.
func TestPermissionsOfAWatch(t *testing.T) {
	s, pool := secured(t, map[string]server.Permissions{"orders": permits(publish, subscribe)})
	nc := as(t, s, pool, "orders")
	store, err := opened(t.Context(), t, nc)
	require.NoError(t, err)
	told, _ := watched(t.Context(), t, store)
	large := &nats.Msg{Subject: "$KV.locks.orders", Header: nats.Header{"Large": {strings.Repeat("x", 30_000)}}}
	for range 100 {
		require.NoError(t, nc.PublishMsg(large))
		<-told
	}
	require.NoError(t, nc.LastError())
}

// Without any one of them, one clear error says which, and nothing is joined.
func TestDenied(t *testing.T) {
	users := map[string]server.Permissions{}
	for i, subject := range publish[:len(publish)-2] { // of the others a server may have need later
		users["publish "+subject] = permits(without(publish, i), subscribe)
	}
	for i, subject := range subscribe {
		users["subscribe "+subject] = permits(publish, without(subscribe, i))
	}
	s, pool := secured(t, users)
	t.Run("users", func(t *testing.T) {
		for user := range users {
			t.Run(user, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				_, err := joins(ctx, t, as(t, s, pool, user))
				require.ErrorIs(t, err, nats.ErrPermissionViolation)
			})
		}
	})
	store, err := opened(t.Context(), t, as(t, s, pool, "operator"))
	require.NoError(t, err)
	loads(t, store, "", 0)
}
