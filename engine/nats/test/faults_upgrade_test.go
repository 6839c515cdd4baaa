package test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/engine"
	"example.org/doorway/messaging/permission/central"
)

// In a rolling upgrade, a process whose messages are others is refused while the members work on, and admitted when
// they have left.
func TestUpgrade(t *testing.T) {
	s := serve(t, files(t))
	const lease = 5 * time.Second
	all := joinedFor(t, s, 3, "orders", lease)
	other := config(t, connect(t, s), "orders")
	other.Protocol = central.Protocol

	var work sync.WaitGroup
	work.Go(func() { assert.Zero(t, contend(t, all, 50), "guards lost") })
	for range 5 {
		_, err := engine.Join(t.Context(), "orders", other)
		require.ErrorContains(t, err, `engine: the lock "orders": its members run link-ricartagrawala-`)
	}
	work.Wait()
	assert.Len(t, all[0].Members(), 3)
	for _, l := range all {
		require.NoError(t, l.Leave(t.Context()))
	}
	l, err := engine.Join(t.Context(), "orders", other)
	require.NoError(t, err)
	began := time.Now()
	require.NoError(t, locked(t, l).Unlock())
	assert.Less(t, time.Since(began), lease, "no survivor waits for those that have left")
	quits(t, l)
}
