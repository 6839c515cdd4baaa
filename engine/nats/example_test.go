package natsengine_test

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.org/doorway/engine"
	natsengine "example.org/doorway/engine/nats"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// A process joins a lock, enters, and leaves. The operator has made the bucket: nats kv add locks --replicas=3.
func Example() {
	ctx := context.Background()
	nc, err := nats.Connect("tls://nats.example.org", nats.UserCredentials("orders.creds"), nats.MaxReconnects(-1))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		fmt.Println(err)
		return
	}
	store, err := natsengine.Store(ctx, js, "locks", "orders")
	if err != nil {
		fmt.Println(err)
		return
	}
	lock, err := engine.Join(ctx, "orders", engine.Config{
		Links: natsengine.Links(nc), Store: store, Protocol: ricartagrawala.Protocol, Lease: 10 * time.Second,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = lock.Leave(ctx) }()

	g, err := lock.Lock(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("inside, with the token", g.Token(), "which the resource checks")
	fmt.Println("unlocked:", g.Unlock())
}
