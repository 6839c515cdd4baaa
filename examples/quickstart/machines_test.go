package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.org/doorway/engine"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// What the README shows of machines. Here one process is the only member, in memory.
func Example_machines() {
	ctx := context.Background()
	links, store := engine.Memory()
	lock, err := engine.Join(ctx, "orders", engine.Config{
		Links: links, Store: store, Protocol: ricartagrawala.Protocol, Lease: 5 * time.Second,
	})
	if err != nil {
		panic(err)
	}
	fmt.Println(update(ctx, lock), lock.Leave(ctx))
	// Output:
	// written
	// <nil> <nil>
}

func update(ctx context.Context, lock *engine.Lock) error {
	g, err := lock.Lock(ctx) // lock comes from engine.Join
	if err != nil {
		return err
	}
	return errors.Join(write(g.Context(), g.Token()), g.Unlock())
}

// latest is the largest token that the resource has seen.
var latest messaging.Token

func write(ctx context.Context, token messaging.Token) error {
	if token.Before(latest) {
		return fmt.Errorf("token %v is older than %v", token, latest)
	}
	latest = token
	fmt.Println("written")
	return ctx.Err()
}
