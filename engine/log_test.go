package engine_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/engine"
	"example.org/doorway/messaging/permission/central"
)

// lines are what a logger has written, each with its level, message and attributes.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, string(line))
	return len(line), nil
}

// with returns the lines that contain a text.
func (l *lines) with(text string) (some []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.all {
		if strings.Contains(line, text) {
			some = append(some, line)
		}
	}
	return some
}

func (l *lines) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelInfo}))
}

// The log names the member that a line is of, and tells an eviction from a member that has left.
func TestLogOfMembers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		links, store := engine.Memory()
		logs := make([]lines, 3)
		var all []*engine.Lock
		var sites []*site
		for i := range logs {
			s := &site{links: links, store: store}
			l, err := engine.Join(t.Context(), "lock", engine.Config{Links: s, Store: s, Protocol: central.Protocol, Lease: time.Second, Logger: logs[i].logger()})
			require.NoError(t, err)
			all, sites = append(all, l), append(sites, s)
		}
		synctest.Wait()
		for i, l := range all {
			assert.NotEmpty(t, logs[i].with("member="+l.ID()))
		}
		left, silent := all[2].ID(), all[1].ID()
		leave(t, all[2])
		synctest.Wait()
		assert.Len(t, logs[0].with("a member has left, or another has evicted it"), 1)
		assert.Empty(t, logs[0].with("level=WARN"))
		assert.NotEmpty(t, logs[0].with(left))
		sites[1].set(true)
		time.Sleep(2 * time.Second)
		require.Len(t, logs[0].with("level=WARN"), 1)
		assert.Contains(t, logs[0].with("level=WARN")[0], `msg="a member was silent for a lease, and is evicted"`)
		assert.Contains(t, logs[0].with("level=WARN")[0], "member="+silent)
		sites[1].set(false)
		leave(t, all[:2]...)
	})
}

// A store that fails for another reason than before says so, once in a lease at most.
func TestLogOfReasons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		links, store := engine.Memory()
		var log lines
		b := &failing{Store: store}
		l, err := engine.Join(t.Context(), "lock", engine.Config{Links: links, Store: b, Protocol: central.Protocol, Lease: time.Second, Logger: log.logger()})
		require.NoError(t, err)
		b.set(errors.New("no server"))
		time.Sleep(5 * time.Second)
		b.set(errors.New("no bucket"))
		time.Sleep(5 * time.Second)
		b.set(nil)
		time.Sleep(time.Second)
		told := log.with("the store")
		require.Len(t, told, 3)
		assert.Contains(t, told[0], "no server")
		assert.Contains(t, told[1], "no bucket")
		assert.Contains(t, told[2], "the store answers again")
		leave(t, l)
	})
}

// A failing store has an error for all, if there is one.
type failing struct {
	engine.Store
	mu  sync.Mutex
	err error
}

func (f *failing) set(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *failing) fails() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

func (f *failing) Load(ctx context.Context) ([]byte, uint64, error) {
	if err := f.fails(); err != nil {
		return nil, 0, err
	}
	return f.Store.Load(ctx)
}

func (f *failing) Swap(ctx context.Context, old uint64, data []byte) (uint64, error) {
	if err := f.fails(); err != nil {
		return 0, err
	}
	return f.Store.Swap(ctx, old, data)
}

// A store whose record others change all the time answers: members that join at once are nothing to warn of.
func TestLogOfManyJoins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		links, store := engine.Memory()
		var log lines
		all := make([]*engine.Lock, 30)
		var joins sync.WaitGroup
		for i := range all {
			joins.Go(func() {
				var err error
				s := &slow{Store: store}
				all[i], err = engine.Join(t.Context(), "lock", engine.Config{Links: links, Store: s, Protocol: central.Protocol, Lease: 5 * time.Second, Logger: log.logger()})
				assert.NoError(t, err)
			})
		}
		joins.Wait()
		assert.Empty(t, log.with("level=WARN"))
		for _, l := range all {
			joins.Go(func() { assert.NoError(t, l.Leave(t.Context())) })
		}
		joins.Wait()
	})
}

// A slow store takes a millisecond for a swap.
type slow struct{ engine.Store }

func (s *slow) Swap(ctx context.Context, old uint64, data []byte) (uint64, error) {
	time.Sleep(time.Millisecond)
	return s.Store.Swap(ctx, old, data)
}

// When a view does not begin, the log names those for whom it waits: one is inside, or frames do not reach it.
func TestLogOfWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		links, store := engine.Memory()
		elsewhere, _ := engine.Memory()
		logs := make([]lines, 3)
		join := func(i int, on engine.Links) *engine.Lock {
			l, err := engine.Join(t.Context(), "lock", engine.Config{Links: on, Store: store, Protocol: central.Protocol, Lease: time.Second, Logger: logs[i].logger()})
			require.NoError(t, err)
			return l
		}
		inside := join(0, links)
		g := locked(t, inside)
		idle := join(1, links)
		const text = "a view waits for members that are inside, or cannot be reached"
		time.Sleep(10 * time.Second)
		assert.Empty(t, logs[0].with(text), "it is inside itself")
		require.Len(t, logs[1].with(text), 1)
		assert.Contains(t, logs[1].with(text)[0], "members=["+inside.ID()+"]")
		require.NoError(t, g.Unlock())
		time.Sleep(10 * time.Second)
		assert.Empty(t, logs[0].with(text), "the view has begun")

		far := join(2, elsewhere)
		time.Sleep(10 * time.Second)
		for _, i := range []int{0, 2} {
			require.Len(t, logs[i].with(text), 1)
		}
		assert.Contains(t, logs[0].with(text)[0], "members=["+far.ID()+"]")
		assert.Contains(t, logs[2].with(text)[0], inside.ID()+" "+idle.ID())
		leave(t, far, idle, inside)
	})
}
