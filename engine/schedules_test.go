package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/engine"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/token/naimitrehel"
)

// A run has machines that fail, and what their users have seen.
type run struct {
	t     *testing.T
	rnd   *rand.Rand
	sites []*site
	locks []*engine.Lock

	mu     sync.Mutex
	guards map[*engine.Guard]bool
	last   messaging.Token
	after  int // entries since the faults have ended
}

const lease = time.Second

func newRun(t *testing.T, seed uint64, p messaging.Protocol, n int) *run {
	t.Helper()
	r := &run{t: t, rnd: rand.New(rand.NewPCG(seed, 34)), guards: map[*engine.Guard]bool{}}
	links, store := engine.Memory()
	for i := range n {
		s := &site{links: links, store: store, rnd: rand.New(rand.NewPCG(seed, uint64(i)))}
		l, err := engine.Join(t.Context(), "lock", engine.Config{Links: s, Store: s, Protocol: p, Lease: lease, MaxHold: 3 * lease, Process: fmt.Sprint("p", i)})
		require.NoError(t, err)
		r.sites, r.locks = append(r.sites, s), append(r.locks, l)
	}
	return r
}

// enters notes a guard, of which no other may be valid.
func (r *run) enters(g *engine.Guard) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !g.Valid() {
		return
	}
	for other := range r.guards {
		assert.False(r.t, other.Valid(), "two guards: %v and %v", other.Token(), g.Token())
	}
	assert.True(r.t, r.last.Before(g.Token()), "%v after %v", g.Token(), r.last)
	r.last = g.Token()
	r.guards[g] = true
	r.after++
}

func (r *run) exits(g *engine.Guard) {
	r.mu.Lock()
	delete(r.guards, g)
	r.mu.Unlock()
	_ = g.Unlock()
}

// use locks and unlocks until stop is closed. Some calls give up, and some users go on for too long.
func (r *run) use(l *engine.Lock, rnd *rand.Rand, stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(rnd.Int64N(int64(4*lease))))
		g, err := l.Lock(ctx)
		cancel()
		switch {
		case errors.Is(err, engine.ErrClosed):
			return
		case err != nil:
			continue
		}
		r.enters(g)
		hold := time.Duration(rnd.Int64N(int64(20 * time.Millisecond)))
		if rnd.IntN(20) == 0 {
			hold = time.Duration(rnd.Int64N(int64(5 * lease)))
		}
		ends := g.Context().Done()
		if rnd.IntN(2) == 0 {
			ends = nil // it does not look at its context
		}
		select {
		case <-time.After(hold):
		case <-ends:
		}
		r.exits(g)
	}
}

// Machines fail, stop and come back at random: two guards are never valid at a time, tokens grow, and when faults have
// ended, every member enters.
func TestSchedules(t *testing.T) {
	protocols := []messaging.Protocol{central.Protocol, ricartagrawala.Protocol, naimitrehel.Protocol}
	for seed := range uint64(tier.Fewer(tier.Pick(30, 10_000))) {
		if !t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { schedule(t, seed, protocols[seed%3]) })
		}) {
			return
		}
	}
}

func schedule(t *testing.T, seed uint64, p messaging.Protocol) {
	t.Helper()
	r := newRun(t, seed, p, 2+int(seed/3%2))
	stop := make(chan struct{})
	var users sync.WaitGroup
	for i, l := range r.locks {
		for k := range 2 {
			users.Go(func() { r.use(l, rand.New(rand.NewPCG(seed, uint64(10*i+k))), stop) })
		}
	}
	for range 10 {
		s := r.sites[r.rnd.IntN(len(r.sites))]
		s.mu.Lock()
		s.rate = r.rnd.Float64() * .2
		s.down = r.rnd.IntN(2) == 0
		s.mu.Unlock()
		if r.rnd.IntN(4) == 0 {
			ids := r.locks[0].Members()
			ctx, cancel := context.WithTimeout(t.Context(), lease)
			if len(ids) > 0 && r.rnd.IntN(4) == 0 && ids[0] != r.locks[0].ID() {
				_ = r.locks[0].Evict(ctx, ids[0])
			}
			cancel()
		}
		time.Sleep(time.Duration(r.rnd.Int64N(int64(2 * lease))))
	}
	for _, s := range r.sites {
		s.mu.Lock()
		s.rate, s.down = 0, false
		s.mu.Unlock()
	}
	time.Sleep(3 * lease)
	close(stop)
	users.Wait()
	for _, l := range r.locks {
		ctx, cancel := context.WithTimeout(t.Context(), 20*lease)
		g, err := l.Lock(ctx)
		if !errors.Is(err, engine.ErrClosed) { // it was asked to leave
			require.NoError(t, err, "member %s of %v", l.ID(), l.Members())
			r.enters(g)
			r.exits(g)
		}
		cancel()
	}
	for _, l := range r.locks {
		require.NoError(t, l.Leave(t.Context()))
	}
}
