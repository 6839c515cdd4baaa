//go:build !doorway_explore

package main

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/messaging"
	"example.org/doorway/mutex"
)

// Whatever doorway does, an interrupt before it ends it.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{
		{"compare"},
		{"compare", "bakery", "-time", "1h"},
		{"stress", "bakery", "-time", "10ms"},
		{"costs"},
		{"costs", "maekawa", "-n", "64", "-json"},
		{"page", "-o", "nowhere"},
	} {
		interrupted(ctx, t, args...)
	}
	assert.NoDirExists(t, "nowhere")
}

// interrupted asserts that a command line says no more than that it was interrupted.
func interrupted(ctx context.Context, t *testing.T, args ...string) (stdout string) {
	t.Helper()
	var out, stderr bytes.Buffer
	assert.Equal(t, 130, status(dispatch(ctx, args, streams{out: &output{Writer: &out}, err: &stderr}), &stderr), "the exit status of %q", args)
	assert.Equal(t, "doorway: interrupted\n", stderr.String(), "on stderr of %q", args)
	return out.String()
}

// An interrupt is seen while messages are counted, however long one algorithm
// takes: here forever.
func TestInterruptWhileCounting(t *testing.T) {
	for _, args := range [][]string{{"costs"}, {"costs", "-n", "64", "central"}, {"compare"}, {"-json"}} {
		ctx, cancel := context.WithCancel(t.Context())
		endless := catalog.Protocols[slices.IndexFunc(catalog.Protocols, func(p catalog.Protocol) bool { return p.Name == "central" })]
		endless.New = func(int) messaging.Algorithm {
			cancel()
			select {}
		}
		func() {
			all := catalog.Protocols
			defer func() { catalog.Protocols = all }()
			catalog.Protocols = []catalog.Protocol{endless}
			assert.Empty(t, interrupted(ctx, t, args...), "%q", args)
		}()
	}
}

// Nor is a window of a comparison waited for, which lasts minutes with -time 1h;
// what was measured before is kept.
func TestInterruptWhileComparing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	peer := subjects(peer)[0]
	lock := subject{Entry: catalog.Entry{Name: "endless"}, new: func(int) mutex.Mutex {
		cancel()
		select {}
	}}
	x := newComparison([]subject{peer, lock}, 0, 0)
	x.measure(ctx, &progress{})
	assert.True(t, x.Interrupted)
	assert.Len(t, x.Locks[0].Uncontended, 1, "of the lock before")
	assert.Empty(t, x.Locks[1].Uncontended, "of the lock that was interrupted")
}
