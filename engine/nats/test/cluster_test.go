package test

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/engine"
	natsengine "example.org/doorway/engine/nats"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// cluster starts three servers that know one another, with a bucket "locks" on all of them.
func cluster(t *testing.T) (all []*broker) {
	t.Helper()
	routes := ""
	for k := range 3 {
		o := files(t)
		o.ServerName = fmt.Sprint("s", k)
		o.Cluster = server.ClusterOpts{Name: "c", Host: "127.0.0.1", Port: server.RANDOM_PORT}
		o.Routes = server.RoutesFromStr(routes)
		b := serve(t, o)
		if k == 0 {
			routes = (&url.URL{Scheme: "nats-route", Host: b.ClusterAddr().String()}).String()
		}
		all = append(all, b)
	}
	js, err := jetstream.New(connect(t, all[0]))
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		_, err := js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "locks", Replicas: 3})
		return err == nil
	}, 20*time.Second, 100*time.Millisecond)
	return all
}

// With the bucket on three servers, one of them may be lost: also the one that orders what is written.
func TestCluster(t *testing.T) {
	tier.NeedsFull(t, "servers elect a leader for seconds")
	brokers := cluster(t)
	urls := brokers[0].ClientURL() + "," + brokers[1].ClientURL() + "," + brokers[2].ClientURL()
	join := func() *engine.Lock {
		nc := connectTo(t, urls)
		store, err := opened(t.Context(), t, nc)
		require.NoError(t, err)
		l, err := engine.Join(t.Context(), "orders", engine.Config{Links: natsengine.Links(nc), Store: store, Protocol: ricartagrawala.Protocol, Lease: 30 * time.Second})
		require.NoError(t, err)
		t.Cleanup(func() { quits(t, l) })
		return l
	}
	all := []*engine.Lock{join(), join(), join()}
	assert.Zero(t, contend(t, all, 10))
	g := locked(t, all[0])

	js, err := jetstream.New(connectTo(t, urls))
	require.NoError(t, err)
	stream, err := js.Stream(t.Context(), "KV_locks")
	require.NoError(t, err)
	leader := stream.CachedInfo().Cluster.Leader
	brokers[slices.IndexFunc(brokers, func(b *broker) bool { return b.Name() == leader })].stop()

	require.Eventually(t, func() bool { // another leads
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := opened(ctx, t, connectTo(t, urls))
		return err == nil
	}, 20*time.Second, 100*time.Millisecond)
	all = append(all, join())
	require.NoError(t, g.Unlock(), "no guard is lost in less than a lease")
	for _, l := range all {
		next := locked(t, l)
		assert.True(t, g.Token().Before(next.Token()))
		require.NoError(t, next.Unlock())
		g = next
	}
}
