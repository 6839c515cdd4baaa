package engine_test

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/engine"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// A valve lets through what is sent and logged, until it is shut: then it blocks.
type valve struct {
	engine.Links
	shut atomic.Bool
	open chan struct{}
}

func (v *valve) pass() {
	if v.shut.Load() {
		<-v.open
	}
}

func (v *valve) Send(inbox string, frame []byte) error {
	v.pass()
	return v.Links.Send(inbox, frame)
}

func (v *valve) Write(line []byte) (int, error) {
	v.pass()
	return len(line), nil
}

// A guard ends though its process is blocked, by a connection or by what reads its log. In real time: a bubble does not
// wait for a mutex.
func TestGuardOfBlockedProcessEnds(t *testing.T) {
	for _, cut := range []bool{false, true} {
		links, store := engine.Memory()
		c := engine.Config{Links: links, Store: store, Protocol: ricartagrawala.Protocol, Lease: 200 * time.Millisecond}
		other, err := engine.Join(t.Context(), "lock", c)
		require.NoError(t, err)

		v := &valve{Links: links, open: make(chan struct{})}
		s := &site{links: v, store: store}
		c.Links, c.Store, c.Logger = s, s, slog.New(slog.NewTextHandler(v, nil))
		l, err := engine.Join(t.Context(), "lock", c)
		require.NoError(t, err)
		g := locked(t, l)
		v.shut.Store(true)
		s.set(cut) // so that it logs that the store does not answer; otherwise it sends to the other
		next := locked(t, other)
		select {
		case <-g.Context().Done():
		case <-time.After(time.Minute):
		}
		require.ErrorIs(t, context.Cause(g.Context()), engine.ErrLost)
		assert.False(t, g.Valid())
		require.NoError(t, next.Unlock())

		s.set(false)
		v.shut.Store(false)
		close(v.open)
		require.ErrorIs(t, g.Unlock(), engine.ErrLost)
		assert.Equal(t, uint64(1), l.Stats().Lost)
		leave(t, l, other)
	}
}
