package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"example.org/doorway/engine"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// Two machines share a lock. Here they are in one process, with links and a store in memory.
func Example() {
	ctx := context.Background()
	links, store := engine.Memory()
	join := func(process string) *engine.Lock {
		lock, err := engine.Join(ctx, "orders", engine.Config{
			Links: links, Store: store, Protocol: ricartagrawala.Protocol, Lease: 5 * time.Second, Process: process,
		})
		if err != nil {
			panic(err)
		}
		return lock
	}
	here, there := join("here"), join("there")

	first, err := here.Lock(ctx)
	fmt.Println("here is inside:", err == nil, first.Valid(), first.Context().Err())
	_, err = there.TryLock(ctx)
	fmt.Println("there:", err, errors.Is(err, engine.ErrHeld))
	fmt.Println("unlocked:", first.Unlock())

	second, err := there.Lock(ctx)
	fmt.Println("there is inside:", err == nil, "with a larger token:", first.Token().Before(second.Token()))
	fmt.Println("unlocked:", second.Unlock())

	fmt.Println("left:", here.Leave(ctx), there.Leave(ctx))
	_, err = here.Lock(ctx)
	fmt.Println(err, errors.Is(err, engine.ErrClosed))
	// Output:
	// here is inside: true true <nil>
	// there: engine: the lock is held true
	// unlocked: <nil>
	// there is inside: true with a larger token: true
	// unlocked: <nil>
	// left: <nil> <nil>
	// engine: the lock is closed true
}

// A user holds the lock for too long: the context of its guard ends, and the next enters. An operator lists
// the members, and asks one to leave.
func ExampleLock_Evict() {
	ctx := context.Background()
	links, store := engine.Memory()
	c := engine.Config{Links: links, Store: store, Protocol: ricartagrawala.Protocol, Lease: 5 * time.Second, MaxHold: 50 * time.Millisecond}
	one, err := engine.Join(ctx, "orders", c)
	if err != nil {
		panic(err)
	}
	two, err := engine.Join(ctx, "orders", c)
	if err != nil {
		panic(err)
	}
	guard, err := one.Lock(ctx)
	if err != nil {
		panic(err)
	}
	<-guard.Context().Done()
	cause := context.Cause(guard.Context())
	fmt.Println(cause, errors.Is(cause, engine.ErrMaxHold))
	next, err := two.Lock(ctx)
	fmt.Println("the next is inside:", err == nil)
	_ = next.Unlock()
	fmt.Println("the first was told:", errors.Is(guard.Unlock(), engine.ErrLost))

	fmt.Println(len(two.Members()), "members")
	fmt.Println(two.Evict(ctx, one.ID()), len(two.Members()))
	stats := one.Stats()
	fmt.Println(stats.Entries, "entry,", stats.Lost, "guard lost,", stats.Resets, "resets")
	fmt.Println("one was held for 32 ms or more:", slices.Max(stats.Hold[16:]) == 1)
	_ = two.Leave(ctx)
	// Output:
	// engine: the lock may be lost: it was held for longer than MaxHold true
	// the next is inside: true
	// the first was told: true
	// 2 members
	// <nil> 1
	// 1 entry, 1 guard lost, 0 resets
	// one was held for 32 ms or more: true
}
