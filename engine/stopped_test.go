package engine

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging/permission/ricartagrawala"
)

// A tap keeps the frames that are sent.
type tap struct {
	Links
	mu   sync.Mutex
	sent [][]byte
}

func (s *tap) Send(inbox string, b []byte) error {
	s.mu.Lock()
	s.sent = append(s.sent, append([]byte{}, b...))
	s.mu.Unlock()
	return s.Links.Send(inbox, b)
}

// A process is stopped until its guard has ended and its user has had the time to stop, and learns of a new view before
// anything else. Its node of the view before says nothing any more: in the new epoch, each message
// of a node means that all members are ready.
func TestLearnsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		links, store := Memory()
		sent := &tap{Links: links}
		join := func(links Links) *Lock {
			l, err := Join(ctx, "lock", Config{
				Links: links, Store: store, Protocol: ricartagrawala.Protocol, Lease: 3 * time.Second, MaxHold: time.Second / 10,
			})
			require.NoError(t, err)
			return l
		}
		holder, other := join(sent), join(links)
		synctest.Wait()
		g, err := holder.Lock(ctx)
		require.NoError(t, err)
		waits, giveUp := context.WithCancel(ctx)
		go func() { _, _ = other.Lock(waits) }()
		synctest.Wait()
		<-g.Context().Done()
		synctest.Wait()

		holder.mu.Lock()
		holder.timer.Stop() // as if the process were stopped
		epoch := holder.m.Record.Epoch
		holder.mu.Unlock()
		time.Sleep(holder.terms.Grace)
		third := join(links)
		synctest.Wait()

		first := true
		for _, b := range sent.sent {
			if f, err := holder.decode(b); assert.NoError(t, err) && f.epoch > epoch && first {
				assert.Equal(t, string(ready), string(f.kind), "the first frame of the new epoch")
				first = false
			}
		}
		assert.False(t, first, "it has said something")
		giveUp()
		for _, l := range []*Lock{holder, other, third} {
			require.NoError(t, l.Leave(ctx))
		}
	})
}

// alone returns the only member of a lock, in a bubble.
func alone(t *testing.T) *Lock {
	t.Helper()
	links, store := Memory()
	l, err := Join(t.Context(), "lock", Config{Links: links, Store: store, Protocol: ricartagrawala.Protocol, Lease: 3 * time.Second})
	require.NoError(t, err)
	synctest.Wait()
	return l
}

// The lease ends while frames are sent, after it was seen that it lasts and before there is a guard, which has ended then.
func TestGuardBeginsTooLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := alone(t)

		l.mu.Lock()
		now := l.now()
		l.until.Store(int64(now))
		w := &waiter{ctx: t.Context(), since: now, granted: make(chan *Guard, 1)}
		l.queue = append(l.queue, w)
		l.want(now)
		g := <-w.granted
		require.ErrorIs(t, context.Cause(g.Context()), ErrLost)
		assert.False(t, g.Valid())
		l.mu.Unlock()

		require.ErrorIs(t, g.Unlock(), ErrLost)
		require.NoError(t, l.Leave(t.Context()))
	})
}

// A member finds what is overdue just when it looks at its clock again, and then something happens to it all the time, more
// often than it looks whether the store has answered. Nevertheless it renews its lease.
func TestRenewsWhenBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := alone(t)
		l.mu.Lock()
		l.timer.Stop()
		l.armed = 0
		overdue := l.m.Next() + time.Millisecond - l.now()
		l.mu.Unlock()
		time.Sleep(overdue)
		for range l.terms.Lease / time.Millisecond {
			l.mu.Lock()
			l.settle() // as each frame has it do
			l.mu.Unlock()
			time.Sleep(time.Millisecond)
		}
		assert.Less(t, l.now(), l.deadline())
		require.NoError(t, l.Leave(t.Context()))
	})
}
