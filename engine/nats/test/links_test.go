package test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/engine"
	natsengine "example.org/doorway/engine/nats"
)

// Names of any bytes have subjects of their own, and frames arrive unchanged and in order.
func TestNames(t *testing.T) {
	nc := connect(t, serve(t, server.Options{}))
	links := natsengine.Links(nc)
	names := []string{
		"", ".", "..", "a", "A", "a.", ".a", "a..b", "a.b", "a b", "a=20b", "=", "=3D", "*", ">", "a.*", "a.>", "$SYS.x", "ä", "\xff",
		"a\r\nPUB x 0\r\n", "x\x00y", "host.example.com-0123456789ab", strings.Repeat("n", 1000),
	}
	got := map[string][]string{}
	var mu sync.Mutex
	var arrived sync.WaitGroup
	for _, name := range names {
		stop, err := links.Listen(name, func(frame []byte) {
			mu.Lock()
			defer mu.Unlock()
			got[name] = append(got[name], string(frame))
			arrived.Done()
		})
		require.NoError(t, err, "%q", name)
		defer stop()
	}
	for k := range 10 {
		for _, name := range names {
			arrived.Add(1)
			frame := fmt.Appendf(nil, "%d %q", k, name)
			require.NoError(t, links.Send(name, frame))
			clear(frame) // which is the caller's
		}
	}
	arrived.Wait()
	for _, name := range names {
		for k, frame := range got[name] {
			assert.Equal(t, fmt.Sprintf("%d %q", k, name), frame)
		}
	}
}

// The subjects are those that the documentation names.
func TestSubjects(t *testing.T) {
	nc := connect(t, serve(t, server.Options{}))
	sub, err := nc.SubscribeSync("doorway.>")
	require.NoError(t, err)
	links := natsengine.Links(nc)
	for inbox, subject := range map[string]string{
		"orders.host-1a": "doorway.orders.host-1a", "my orders.host.example.org-1a": "doorway.my=20orders.host.example.org-1a",
		"a..b": "doorway.a.=2Eb", ".": "doorway.=2E", "": "doorway.=", "Größe_1": "doorway.Gr=C3=B6=C3=9Fe_1",
	} {
		require.NoError(t, links.Send(inbox, []byte("x")))
		m, err := sub.NextMsg(time.Second)
		require.NoError(t, err)
		assert.Equal(t, subject, m.Subject)
	}
}

// Listen refuses what cannot work, and Send tells of it later.
func TestLinksFail(t *testing.T) {
	nc := connect(t, serve(t, server.Options{MaxPayload: 1000}))
	links := natsengine.Links(nc)
	const tooLong = `natsengine: the name "name name name name name name na"... has 1408 bytes in a subject: it must have at most 1024`
	_, err := links.Listen(strings.Repeat("name ", 200), nil)
	require.EqualError(t, err, tooLong)
	require.EqualError(t, links.Send(strings.Repeat("name ", 200), nil), tooLong)

	arrived := make(chan string, 10)
	stop, err := links.Listen("inbox", func(frame []byte) { arrived <- string(frame) })
	require.NoError(t, err)
	defer stop()
	require.NoError(t, links.Send("inbox", make([]byte, 2000)))
	err = links.Send("inbox", []byte("small"))
	require.Equal(t, "small", <-arrived, "so the large one has been tried")
	require.ErrorIs(t, errors.Join(err, links.Send("inbox", []byte("next"))), nats.ErrMaxPayload)
	nc.Close()
	require.Eventually(t, func() bool { return errors.Is(links.Send("inbox", []byte("x")), nats.ErrConnectionClosed) }, 10*time.Second, time.Millisecond)
	_, err = links.Listen("inbox", nil)
	require.ErrorIs(t, err, nats.ErrConnectionClosed)
	_, err = natsengine.Links(nil).Listen("inbox", nil)
	require.ErrorIs(t, err, nats.ErrInvalidConnection)
}

// What is no frame is dropped, however much comes.
func TestGarbage(t *testing.T) {
	s := serve(t, files(t))
	all := joined(t, s, 3, "orders")
	nc := connect(t, s)
	var sends sync.WaitGroup
	sends.Go(func() {
		for k := range 20_000 {
			frame := bytes.Repeat([]byte{byte(k), 'M', 0, 1}, k%50)
			_ = nc.Publish("doorway.orders."+all[k%3].ID(), frame)
		}
	})
	assert.Zero(t, contend(t, all, 5))
	sends.Wait()
	require.NoError(t, nc.Flush())
	assert.Zero(t, contend(t, all, 1))
	assert.NotZero(t, all[0].Stats().Dropped)
}

// A valve is a connection to a server that reads nothing while it is shut.
type valve struct {
	net.Conn
	mu   sync.Mutex
	open sync.Cond
	shut bool
}

func (v *valve) Dial(network, address string) (net.Conn, error) {
	c, err := net.Dial(network, address)
	v.Conn, v.open.L = c, &v.mu
	return v, err
}

func (v *valve) set(shut bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.shut = shut
	v.open.Broadcast()
}

func (v *valve) Write(b []byte) (int, error) {
	v.mu.Lock()
	for v.shut {
		v.open.Wait()
	}
	v.mu.Unlock()
	return v.Conn.Write(b)
}

// A connection that takes nothing more blocks neither the end of a guard, nor its user, nor Leave.
func TestBlockedConnection(t *testing.T) {
	s := serve(t, files(t))
	var v valve
	here, err := engine.Join(t.Context(), "orders", config(t, connect(t, s, nats.SetCustomDialer(&v)), "orders"))
	require.NoError(t, err)
	there := joined(t, s, 1, "orders")[0]
	g, err := here.Lock(t.Context())
	require.NoError(t, err)

	v.set(true)
	defer v.set(false)
	began := time.Now()
	next, err := there.Lock(t.Context())
	require.NoError(t, err)
	assert.Less(t, time.Since(began), 1300*time.Millisecond, "a lease and a bit")
	require.ErrorIs(t, context.Cause(g.Context()), engine.ErrLost)
	require.ErrorIs(t, g.Unlock(), engine.ErrLost)
	require.NoError(t, next.Unlock())

	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, here.Leave(short), context.DeadlineExceeded)
	assert.Less(t, time.Since(began), 2*time.Second)
}
