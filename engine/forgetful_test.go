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
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// A forgetful store returns old records, does not say what it has done, and forgets what it has acknowledged. It counts
// its versions on from the record that is left.
type forgetful struct {
	links   engine.Links
	mu      sync.Mutex
	rnd     *rand.Rand
	records [][]byte      // the version of the first is 1
	rate    float64       // of faults
	changed chan struct{} // closed at the next swap
}

func newForgetful(seed uint64) *forgetful {
	links, _ := engine.Memory()
	return &forgetful{links: links, rnd: rand.New(rand.NewPCG(seed, 34)), changed: make(chan struct{})}
}

func (s *forgetful) join(t *testing.T, name string) *engine.Lock {
	t.Helper()
	l, err := engine.Join(t.Context(), "lock", engine.Config{Links: s.links, Store: s, Protocol: ricartagrawala.Protocol, Lease: lease, Process: name})
	require.NoError(t, err)
	return l
}

// happens draws a fault. mu is held.
func (s *forgetful) happens() bool { return s.rnd.Float64() < s.rate }

func (s *forgetful) Load(context.Context) (data []byte, version uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.records)
	switch {
	case s.happens():
		return nil, 0, errFault
	case n > 1 && s.happens():
		n--
	}
	if n == 0 {
		return nil, 0, nil
	}
	return s.records[n-1], uint64(n), nil
}

func (s *forgetful) Swap(_ context.Context, old uint64, data []byte) (version uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.records)
	if uint64(n) != old || s.happens() {
		return 0, errFault
	}
	s.records = append(s.records[:n:n], append([]byte{}, data...))
	close(s.changed)
	s.changed = make(chan struct{})
	if s.happens() {
		return 0, errFault
	}
	if s.happens() {
		s.records = s.records[:n]
	}
	return old + 1, nil
}

func (s *forgetful) Watch(ctx context.Context, changed func()) error {
	for {
		s.mu.Lock()
		next := s.changed
		s.mu.Unlock()
		changed()
		select {
		case <-next:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// forget forgets the last records, or all.
func (s *forgetful) forget(all bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	if !all {
		n = max(0, len(s.records)-1-s.rnd.IntN(3))
	}
	s.records = s.records[:n]
}

// A ledger has two counters to which users add 1 by a read and a write.
type ledger struct {
	mu           sync.Mutex
	guards       map[*engine.Guard]bool
	together     int // how often two guards were valid
	fenced, bare int
	added, tried int // what each would be if no update were lost
	largest      messaging.Token
	guard        string
	refused      int
}

// takes reports whether the fence takes an access. mu is held.
func (r *ledger) takes(g *engine.Guard) bool {
	if g.Token().Before(r.largest) || g.Token() == r.largest && g.ID() != r.guard {
		r.refused++
		return false
	}
	r.largest, r.guard = g.Token(), g.ID()
	return true
}

func (r *ledger) enters(g *engine.Guard) (fenced, bare int, is bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for other := range r.guards {
		if other.Valid() && g.Valid() {
			r.together++
		}
	}
	r.guards[g] = true
	return r.fenced, r.bare, r.takes(g)
}

// writes writes to both. Only the fenced counter is safe from a user whose guard has ended.
func (r *ledger) writes(g *engine.Guard, fenced, bare int, is bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.guards, g)
	if g.Valid() {
		r.bare = bare + 1
		r.tried++
	}
	if is && r.takes(g) {
		r.fenced = fenced + 1
		r.added++
	}
}

func (r *ledger) use(l *engine.Lock, rnd *rand.Rand, stop chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		ctx, cancel := context.WithTimeout(context.Background(), lease)
		g, err := l.Lock(ctx)
		cancel()
		switch {
		case errors.Is(err, engine.ErrClosed):
			return
		case err != nil:
			continue
		}
		fenced, bare, is := r.enters(g)
		time.Sleep(time.Duration(rnd.Int64N(int64(lease / 4))))
		r.writes(g, fenced, bare, is)
		_ = g.Unlock()
	}
}

// A store that is wiped lets another user in beside one that is inside, and an update is lost. A fence loses none.
func TestTwoAreInside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newForgetful(0)
		r := &ledger{guards: map[*engine.Guard]bool{}}
		var locks []*engine.Lock
		var ends []func()
		for _, name := range []string{"a", "b"} {
			l := s.join(t, name)
			g, err := l.Lock(t.Context())
			require.NoError(t, err)
			fenced, bare, is := r.enters(g)
			locks, ends = append(locks, l), append(ends, func() { r.writes(g, fenced, bare, is) })
			s.forget(true)
		}
		for _, end := range ends {
			end()
		}
		assert.Equal(t, 1, r.together, "two guards were valid")
		assert.Equal(t, 2, r.tried)
		assert.Equal(t, 1, r.bare, "without a fence, one of two updates was lost")
		assert.Equal(t, r.added, r.fenced)
		assert.Equal(t, 1, r.refused)
		for _, l := range locks {
			require.NoError(t, l.Leave(t.Context()))
		}
	})
}

// forgets runs three members on a store that forgets.
func forgets(t *testing.T, seed uint64, r *ledger) {
	t.Helper()
	if seed%2 == 0 { // epochs begin at the time
		time.Sleep(time.Until(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
	}
	s := newForgetful(seed)
	stop := make(chan struct{})
	var users sync.WaitGroup
	var locks []*engine.Lock
	for i := range 3 {
		locks = append(locks, s.join(t, fmt.Sprint("p", i)))
	}
	s.mu.Lock()
	s.rate = .1
	s.mu.Unlock()
	for i, l := range locks {
		users.Go(func() { r.use(l, rand.New(rand.NewPCG(seed, uint64(i))), stop) })
	}
	rnd := rand.New(rand.NewPCG(seed, 35))
	for k := range 10 {
		time.Sleep(time.Duration(rnd.Int64N(int64(2 * lease))))
		s.forget(k%5 == 4)
	}
	s.mu.Lock()
	s.rate = 0
	s.mu.Unlock()
	time.Sleep(3 * lease)
	close(stop)
	users.Wait()
	for _, l := range locks {
		ctx, cancel := context.WithTimeout(t.Context(), 20*lease)
		g, err := l.Lock(ctx)
		cancel()
		require.NoError(t, err, "the store does not forget any more")
		require.NoError(t, g.Unlock())
	}
	for _, l := range locks {
		require.NoError(t, l.Leave(t.Context()))
	}
}

// Whatever a store forgets, a fence loses no update, and when it forgets no more, every member enters.
func TestForgetfulStore(t *testing.T) {
	var all ledger
	for seed := range uint64(tier.Fewer(tier.Pick(10, 2000))) {
		r := &ledger{guards: map[*engine.Guard]bool{}}
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { forgets(t, seed, r) })
			assert.Equal(t, r.added, r.fenced, "updates behind the fence")
		})
		all.together += r.together
		all.bare += r.tried - r.bare
		all.added += r.added
		all.refused += r.refused
	}
	t.Logf("%d guards were valid beside another, and %d updates were lost; behind the fence none of %d, and %d accesses were refused",
		all.together, all.bare, all.added, all.refused)
}
