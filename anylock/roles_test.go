package anylock

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
)

// Roles need not be those of users of a lock, nor all alike.
func TestRoles(t *testing.T) {
	for _, c := range []struct {
		name  string
		roles func() []func()
		want  string // what fails, and how; "": nothing
	}{
		{"readers beside a writer", func() []func() {
			var mu sync.RWMutex
			x := 0
			read := func() { mu.RLock(); _ = x; mu.RUnlock() }
			return []func(){func() { mu.Lock(); x++; mu.Unlock() }, read, read}
		}, ""},
		{"a reader that writes", func() []func() {
			var mu sync.RWMutex
			x := 0
			return []func(){func() { mu.RLock(); x++; mu.RUnlock() }, func() { mu.RLock(); _ = x; mu.RUnlock() }}
		}, "free of data races"},
		{"one gives up", func() []func() {
			lock, x := make(chan struct{}, 1), 0
			ctx, cancel := context.WithCancel(context.Background())
			enter := func(ctx context.Context) func() {
				return func() {
					select {
					case lock <- struct{}{}:
						x++
						<-lock
					case <-ctx.Done():
					}
				}
			}
			return []func(){enter(context.Background()), enter(ctx), cancel}
		}, ""},
		{"one that tries", func() []func() {
			var mu sync.Mutex
			x := 0
			return []func(){func() { mu.Lock(); x++; mu.Unlock() }, func() {
				if mu.TryLock() {
					x++
					mu.Unlock()
				}
			}}
		}, ""},
		{"a map without its mutex", func() []func() {
			m, n := map[string]int{}, 0
			return []func(){func() { m["a"] = 1 }, func() { n = m["b"] }, func() { _ = n }}
		}, "free of data races"},
		{"a map", func() []func() {
			var mu sync.Mutex
			m := map[[2]int]string{{1, 2}: "x"}
			add := func(k int) func() {
				return func() {
					mu.Lock()
					m[[2]int{k, k}] = "y"
					mu.Unlock()
				}
			}
			return []func(){add(3), add(4), func() {
				mu.Lock()
				defer mu.Unlock()
				seen := 0
				for k, v := range m {
					if v == "y" {
						delete(m, k)
					}
					seen++
				}
				if _, ok := m[[2]int{1, 2}]; !ok || len(m) != 1 || seen > 3 {
					panic("not what was there")
				}
				clear(m)
			}}
		}, ""},
		{"a panic with a text", func() []func() {
			n := 3
			return []func(){func() { panic(fmt.Sprintf("%d of %v", n, []int{1})) }}
		}, "free of panics"},
		{"each waits for the other", func() []func() {
			var a, b sync.Mutex
			both := func(a, b *sync.Mutex) func() { return func() { a.Lock(); b.Lock(); b.Unlock(); a.Unlock() } }
			return []func(){both(&a, &b), both(&b, &a)}
		}, "deadlock-free"},
		{"one that waits for none", func() []func() {
			var done atomic.Bool
			return []func(){func() {
				for !done.Load() {
					runtime.Gosched()
				}
			}}
		}, "deadlock-free"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Explore(Config{Roles: c.roles})
			require.NoError(t, err)
			fails := ""
			for _, p := range r.properties() {
				if p.verdict.Status == explore.Fails {
					fails = p.name
				}
			}
			assert.Equal(t, c.want, fails, "%v\n%v", r, r.Err())
		})
	}
}
