package engine_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/engine"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/election/bully"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/intervals"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/token/naimitrehel"
)

// What cannot be a lock is refused, and nothing is joined.
func TestBadConfig(t *testing.T) {
	links, store := engine.Memory()
	good := engine.Config{Links: links, Store: store, Protocol: central.Protocol, Lease: time.Second}
	for want, change := range map[string]func(c *engine.Config){
		"engine: Config.Links is nil":                                        func(c *engine.Config) { c.Links = nil },
		"engine: Config.Store is nil":                                        func(c *engine.Config) { c.Store = nil },
		"engine: Config.Protocol has no New":                                 func(c *engine.Config) { c.Protocol = messaging.Protocol{} },
		"engine: a lease of 50ms: it must be at least 100ms":                 func(c *engine.Config) { c.Lease = 50 * time.Millisecond },
		"engine: a lease of 24h0m0.000000001s: it must be at most 24h0m0s":   func(c *engine.Config) { c.Lease = 24*time.Hour + 1 },
		`engine: the name of the process "\xff": it must be UTF-8`:           func(c *engine.Config) { c.Process = "\xff" },
		`wire: the protocol "central" has no Kinds`:                          func(c *engine.Config) { c.Protocol.Kinds = nil },
		"engine: a MaxHold of -1s: it must not be negative":                  func(c *engine.Config) { c.MaxHold = -time.Second },
		`engine: the protocol "bully" is no lock`:                            func(c *engine.Config) { c.Protocol = bully.Protocol },
		`engine: the nodes of the protocol "intervals" may be inside`:        func(c *engine.Config) { c.Protocol = intervals.Protocol },
		`engine: nodes of the protocol "ricartagrawala-acknowledged" detect`: func(c *engine.Config) { c.Protocol = ricartagrawala.Acknowledged },
	} {
		c := good
		change(&c)
		_, err := engine.Join(t.Context(), "lock", c)
		assert.ErrorContains(t, err, want)
	}
	_, err := engine.Join(t.Context(), "\xff", good)
	require.EqualError(t, err, `engine: the name of the lock "\xff": it must be UTF-8`)
	_, version, err := store.Load(t.Context())
	require.NoError(t, err)
	assert.Zero(t, version)
}

// A process that differs from the members is refused, and they go on.
func TestBadMember(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		links, store := engine.Memory()
		good := engine.Config{Links: links, Store: store, Protocol: central.Protocol, Lease: time.Second, Process: "p"}
		l, err := engine.Join(t.Context(), "lock", good)
		require.NoError(t, err)
		for want, change := range map[string]func(c *engine.Config) string{
			`engine: the lock "lock": its members run link-central-`: func(c *engine.Config) string { c.Protocol = ricartagrawala.Protocol; return "lock" },
			`, and this process runs link-central-`: func(c *engine.Config) string {
				c.Protocol.Kinds = slices.Clone(c.Protocol.Kinds)
				slices.Reverse(c.Protocol.Kinds)
				return "lock"
			},
			`engine: the lock "lock": its members have a lease of 1s, and this process has one of`: func(c *engine.Config) string { c.Lease = 2 * time.Second; return "lock" },
			`engine: the store has the record of the lock "lock"`:                                  func(*engine.Config) string { return "other" },
		} {
			c := good
			_, err := engine.Join(t.Context(), change(&c), c)
			require.ErrorContains(t, err, want)
		}
		require.NoError(t, locked(t, l).Unlock())
		assert.Len(t, l.Members(), 1)
		leave(t, l)
		good.Protocol = ricartagrawala.Protocol
		l, err = engine.Join(t.Context(), "lock", good)
		require.NoError(t, err, "when all have left")
		leave(t, l)
	})
}

// A faulty node panics when it is to request.
type faulty struct{ messaging.Exclusion }

func (*faulty) Request(messaging.Out) { panic("a fault of the protocol") }

// When a protocol panics, so does the call, and others do not wait for its goroutine forever.
func TestProtocolPanics(t *testing.T) {
	links, store := engine.Memory()
	c := engine.Config{Links: links, Store: store, Protocol: central.Protocol, Lease: time.Second}
	c.Protocol.New = func(n int) (messaging.Algorithm, error) {
		a, err := central.Protocol.New(n)
		return func(s messaging.Start) messaging.Node { return &faulty{a(s).(messaging.Exclusion)} }, err
	}
	l, err := engine.Join(t.Context(), "lock", c)
	require.NoError(t, err)
	assert.PanicsWithValue(t, "a fault of the protocol", func() { _, _ = l.Lock(t.Context()) })
	assert.Len(t, l.Members(), 1)
	leave(t, l)
}

// A process that would be one member too many for the algorithm is refused, and the others go on.
func TestTooManyMembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		links, store := engine.Memory()
		c := engine.Config{Links: links, Store: store, Protocol: central.Protocol, Lease: time.Second}
		c.Protocol.New = func(n int) (messaging.Algorithm, error) {
			if n > 2 {
				return nil, errors.New("at most 2 nodes")
			}
			return central.Protocol.New(n)
		}
		var all []*engine.Lock
		for range 2 {
			l, err := engine.Join(t.Context(), "lock", c)
			require.NoError(t, err)
			all = append(all, l)
		}
		_, err := engine.Join(t.Context(), "lock", c)
		require.EqualError(t, err, `engine: the lock "lock" has 2 members, and no algorithm for one more: at most 2 nodes`)
		contend(t, all, 2, 0)
		leave(t, all...)
	})
}

// A record that no lock has written is not changed.
func TestBadRecord(t *testing.T) {
	for data, want := range map[string]string{
		"hello":                        "engine: the store has a record that no lock has written",
		`{"a": 1}`:                     "engine: the store has a record that no lock has written",
		`{"Doorway": 2}`:               "engine: the record of the lock has format 2: this is format 1",
		`{"Doorway": 1, "Name": "b"}`:  `engine: the store has the record of the lock "b"`,
		`{"Doorway": 1, "Members": 1}`: "engine: the store has a record that no lock has written",
	} {
		links, store := engine.Memory()
		_, err := store.Swap(t.Context(), 0, []byte(data))
		require.NoError(t, err)
		_, err = engine.Join(t.Context(), "lock", engine.Config{Links: links, Store: store, Protocol: central.Protocol, Lease: time.Second})
		require.EqualError(t, err, want)
		again, _, err := store.Load(t.Context())
		require.NoError(t, err)
		assert.Equal(t, data, string(again))
	}
}

// A record that something else has overwritten closes the lock, and its calls say why.
func TestOverwritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		links, store := engine.Memory()
		l, err := engine.Join(t.Context(), "lock", engine.Config{Links: links, Store: store, Protocol: central.Protocol, Lease: time.Second})
		require.NoError(t, err)
		g := locked(t, l)
		_, err = store.Swap(t.Context(), 1, []byte("hello"))
		require.NoError(t, err)
		<-g.Context().Done()
		require.ErrorIs(t, g.Unlock(), engine.ErrLost)
		_, err = l.Lock(t.Context())
		require.ErrorIs(t, err, engine.ErrClosed)
		require.EqualError(t, err, "engine: the lock is closed: engine: the store has a record that no lock has written")
		require.EqualError(t, l.Leave(t.Context()), err.Error(), "it could not leave")
	})
}

// Join gives up when its context is done: the store does not answer.
func TestJoinInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		links, store := engine.Memory()
		s := &site{links: links, store: store, down: true}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := engine.Join(ctx, "lock", engine.Config{Links: s, Store: s, Protocol: central.Protocol, Lease: time.Second})
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// A broken store gives the same errors to all.
type broken struct {
	engine.Store
	swap, load error
}

func (b *broken) Swap(context.Context, uint64, []byte) (uint64, error) { return 0, b.swap }

func (b *broken) Load(ctx context.Context) ([]byte, uint64, error) {
	if b.load != nil {
		return nil, 0, b.load
	}
	return b.Store.Load(ctx)
}

// Join says why the store does not answer, and ends at once if it never will.
func TestJoinSaysWhy(t *testing.T) {
	errSwap, errLoad := errors.New("no rights to swap"), errors.New("no rights to load")
	for want, b := range map[string]*broken{
		"engine: the store does not answer: a swap failed: no rights to swap, and then a load: no rights to load (context deadline exceeded)": {swap: errSwap, load: errLoad},
		"engine: the store does not answer: a swap failed: no rights to swap (context deadline exceeded)":                                     {swap: errSwap},
		"engine: the lock is closed": {swap: errSwap, load: engine.ErrClosed},
	} {
		synctest.Test(t, func(t *testing.T) {
			links, store := engine.Memory()
			b.Store = store
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := engine.Join(ctx, "lock", engine.Config{Links: links, Store: b, Protocol: central.Protocol, Lease: time.Second})
			require.EqualError(t, err, want)
			assert.Equal(t, ctx.Err() == nil, errors.Is(err, engine.ErrClosed), "it has waited unless it is closed")
		})
	}
}

// Members go on when the store has forgotten them, and tokens grow.
func TestWipedStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(30 * 365 * 24 * time.Hour) // a bubble begins in 2000
		links, store := engine.Memory()
		w := &wiped{Store: store}
		c := engine.Config{Links: links, Store: w, Protocol: central.Protocol, Lease: time.Second}
		var all []*engine.Lock
		for range 2 {
			l, err := engine.Join(t.Context(), "lock", c)
			require.NoError(t, err)
			all = append(all, l)
		}
		g := locked(t, all[0])
		time.Sleep(time.Minute)
		_, fresh := engine.Memory()
		w.set(fresh)
		next := locked(t, all[1])
		require.ErrorIs(t, context.Cause(g.Context()), engine.ErrLost)
		assert.True(t, g.Token().Before(next.Token()), "%v after %v", next.Token(), g.Token())
		require.NoError(t, next.Unlock())
		require.ErrorIs(t, g.Unlock(), engine.ErrLost)
		require.NoError(t, locked(t, all[0]).Unlock())
		leave(t, all...)
	})
}

// Tokens grow also if the epochs that a store has forgotten were many in a short time.
func TestWipedStoreOfManyEpochs(t *testing.T) {
	wipes(t, func(t *testing.T, _ *wiped, join func() *engine.Lock) *engine.Lock {
		for range 20 {
			leave(t, join())
			time.Sleep(2 * time.Microsecond) // it begins two epochs
		}
		return join()
	}, func(t *testing.T, l *engine.Lock, join func() *engine.Lock) *engine.Lock {
		leave(t, l)
		return join()
	})
}

// So they do if the clock of another machine, which began an epoch, was an hour ahead: a member remembers the epoch.
func TestWipedStoreOfAClockAhead(t *testing.T) {
	wipes(t, func(t *testing.T, w *wiped, join func() *engine.Lock) *engine.Lock {
		leave(t, join())
		data, version, err := w.Load(t.Context())
		require.NoError(t, err)
		var record map[string]any
		require.NoError(t, json.Unmarshal(data, &record))
		record["Epoch"] = uint64(record["Epoch"].(float64)) + uint64(time.Hour.Microseconds())
		data, err = json.Marshal(record)
		require.NoError(t, err)
		_, err = w.Swap(t.Context(), version, data)
		require.NoError(t, err)
		return join()
	}, func(_ *testing.T, l *engine.Lock, _ func() *engine.Lock) *engine.Lock {
		time.Sleep(time.Minute) // in which it notices
		return l
	})
}

// wipes wipes the store of a lock, and checks that tokens grow. Before has the epochs that are forgotten, and after one that
// comes then.
func wipes(t *testing.T, before func(t *testing.T, w *wiped, join func() *engine.Lock) *engine.Lock, after func(t *testing.T, l *engine.Lock, join func() *engine.Lock) *engine.Lock) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(30 * 365 * 24 * time.Hour) // a bubble begins in 2000
		links, store := engine.Memory()
		w := &wiped{Store: store}
		join := func() *engine.Lock {
			l, err := engine.Join(t.Context(), "lock", engine.Config{Links: links, Store: w, Protocol: central.Protocol, Lease: time.Second})
			require.NoError(t, err)
			return l
		}
		l := before(t, w, join)
		g := locked(t, l)
		require.NoError(t, g.Unlock())
		_, fresh := engine.Memory()
		w.set(fresh)
		l = after(t, l, join)
		next := locked(t, l)
		assert.True(t, g.Token().Before(next.Token()), "%v after %v", next.Token(), g.Token())
		require.NoError(t, next.Unlock())
		leave(t, l)
	})
}

// A wiped store is another one from some time on.
type wiped struct {
	mu sync.Mutex
	engine.Store
}

func (w *wiped) set(s engine.Store) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.Store = s
}

func (w *wiped) now() engine.Store {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Store
}

func (w *wiped) Load(ctx context.Context) ([]byte, uint64, error) { return w.now().Load(ctx) }

func (w *wiped) Swap(ctx context.Context, old uint64, data []byte) (uint64, error) {
	return w.now().Swap(ctx, old, data)
}

func (w *wiped) Watch(ctx context.Context, _ func()) error {
	<-ctx.Done()
	return ctx.Err()
}

// Frames that are malformed, or were sent before, change nothing.
func TestBadFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		links, store := engine.Memory()
		recorded := &recorder{Links: links}
		var all []*engine.Lock
		for range 3 {
			l, err := engine.Join(t.Context(), "lock", engine.Config{Links: recorded, Store: store, Protocol: ricartagrawala.Protocol, Lease: time.Second})
			require.NoError(t, err)
			all = append(all, l)
			require.NoError(t, locked(t, all[0]).Unlock())
		}
		rnd := rand.New(rand.NewPCG(34, 0))
		for range 2000 {
			frame := recorded.any(rnd)
			switch rnd.IntN(3) {
			case 0:
				frame = frame[:rnd.IntN(len(frame))]
			case 1:
				frame[1+rnd.IntN(8)]++ // the epoch, or the nonce: a frame that names the present ones is taken for a member's
			}
			_ = links.Send("lock."+all[rnd.IntN(3)].ID(), frame)
		}
		synctest.Wait()
		contend(t, all, 5, time.Millisecond)
		leave(t, all...)
	})
}

// Frames that arrive at other members, too, change nothing.
func TestMisroutedFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		links, store := engine.Memory()
		to := &everywhere{Links: links}
		all := make([]*engine.Lock, 3)
		for i := range all {
			l, err := engine.Join(t.Context(), "lock", engine.Config{Links: to, Store: store, Protocol: naimitrehel.Protocol, Lease: time.Second})
			require.NoError(t, err)
			all[i] = l
		}
		contend(t, all, 20, time.Millisecond)
		for _, l := range all {
			assert.Zero(t, l.Stats().Resets)
		}
		leave(t, all...)
	})
}

// Links to everywhere deliver each frame to each inbox.
type everywhere struct {
	engine.Links
	mu      sync.Mutex
	inboxes []string
}

func (a *everywhere) Listen(inbox string, f func([]byte)) (func(), error) {
	a.mu.Lock()
	a.inboxes = append(a.inboxes, inbox)
	a.mu.Unlock()
	return a.Links.Listen(inbox, f)
}

func (a *everywhere) Send(_ string, frame []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, inbox := range a.inboxes {
		_ = a.Links.Send(inbox, frame)
	}
	return nil
}

// A recorder keeps what is sent.
type recorder struct {
	engine.Links
	mu     sync.Mutex
	frames []string
}

func (r *recorder) Send(inbox string, frame []byte) error {
	r.mu.Lock()
	r.frames = append(r.frames, strings.Clone(string(frame)))
	r.mu.Unlock()
	return r.Links.Send(inbox, frame)
}

func (r *recorder) any(rnd *rand.Rand) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return []byte(r.frames[rnd.IntN(len(r.frames))])
}
