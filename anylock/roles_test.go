package anylock

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
)

type aCase struct {
	name  string
	roles func() []func()
	want  string // what fails; "": nothing
}

// Case returns what goroutines run in a case.
func Case(k int) []func() { return cases()[k].roles() }

// Roles need not be those of users of a lock, nor all alike.
func TestRoles(t *testing.T) {
	s := scenariosOf(t, ".", nil)
	for k, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			code := &code{Source: s.Source, make: s.Main.Func("Case"), args: []uint64{uint64(k)}}
			r, err := Config{Memory: 1 << 30, doubt: true}.explore(t.Context(), code, 0)
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

// An error that fmt wraps is another, from which it comes back.
func TestWrapped(t *testing.T) {
	CheckRoles(t, func() []func() {
		return []func(){func() {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			err := fmt.Errorf("%d times: %w", 2, ctx.Err())
			if any(err) == any(ctx.Err()) || any(errors.Unwrap(err)) != any(context.Canceled) || errors.Unwrap(fmt.Errorf("no")) != nil {
				panic(err)
			}
		}}
	})
}

func TestReaders(t *testing.T) {
	CheckRoles(t, func() []func() {
		mu, x := new(sync.RWMutex), 0
		read := func() { mu.RLock(); _ = x; mu.RUnlock() }
		return []func(){func() { mu.Lock(); x++; mu.Unlock() }, read, read}
	})
}

func cases() []aCase {
	return []aCase{
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
		{"a whole array is read", func() []func() {
			var x [2]int
			return []func(){func() { x[0]++ }, func() { _ = x }}
		}, "free of data races"},
		{"the length of an array is not read", func() []func() {
			var x [2]int
			return []func(){func() { x[0]++ }, func() {
				for range x {
					runtime.Gosched()
				}
			}}
		}, ""},
		{"a loop that waits for plain memory", func() []func() {
			f := false
			return []func(){func() { f = true }, func() {
				for n := 0; !f; n++ {
					_ = n
				}
			}}
		}, "free of data races"},
		{"two append to a slice with room", func() []func() {
			s := append([]byte(nil), 1)
			return []func(){func() { _ = append(s, 2) }, func() { _ = append(s, 3) }}
		}, "free of data races"},
		{"two append to a slice without room", func() []func() {
			s := make([]byte, 1)
			return []func(){func() { _ = append(s, 2) }, func() { _ = append(s, 3) }}
		}, ""},
		{"a key without a hash", func() []func() {
			var m sync.Map
			return []func(){func() { m.Load([]int{1}) }}
		}, "free of panics"},
		{"a key without a hash, to delete", func() []func() {
			m := map[any]int{}
			return []func(){func() { delete(m, []int{1}) }}
		}, "free of panics"},
		{"what Go gives a slice that grows", func() []func() {
			return []func(){func() {
				bytes, pointers := append([]byte(nil), 1), append([]*int(nil), make([]*int, 65)...)
				if c := cap(pointers); cap(bytes) != 8 || c != 71 && c != 70 { // with 64 bits, or 32
					panic(cap(pointers))
				}
			}}
		}, ""},
		{"a pool that is not there", func() []func() {
			var p *sync.Pool
			return []func(){func() { p.Get() }}
		}, "free of panics"},
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
		{"what only two stacks reach", func() []func() {
			type node struct {
				next *node
				v    int
			}
			var slot atomic.Pointer[node]
			return []func(){func() {
				z := new(node)
				x := &node{next: z}
				y := &node{next: x}
				slot.Store(y)
				z.v = 1
				if x.next != y.next.next {
					panic("they are the same")
				}
			}, func() {
				if y := slot.Swap(nil); y != nil {
					y.next.next.v = 2
				}
			}}
		}, "free of data races"},
		{"what each makes for itself", func() []func() {
			var nodes [2]*int
			set := func(k int) func() { return func() { nodes[k] = new(int); *nodes[k] = k } }
			return []func(){set(0), set(1)}
		}, ""},
		{"a clock that goes on", func() []func() {
			return []func(){func() {
				if begin := time.Now(); time.Since(begin) > time.Hour {
					panic("late")
				}
			}}
		}, "free of panics"},
		{"a send that none receives", func() []func() {
			return []func(){func() { c := make(chan int); c <- 1 }, func() { runtime.Gosched() }}
		}, "deadlock-free"},
		{"an answer that comes too late", func() []func() {
			ctx, cancel := context.WithCancel(context.Background())
			return []func(){func() {
				c := make(chan int)
				go func() { c <- 1 }()
				select {
				case <-c:
				case <-ctx.Done():
				}
			}, cancel}
		}, ""},
		{"a constructor that goes on with memory of its own", func() []func() {
			type server struct{ c chan int }
			s := &server{make(chan int)}
			go func() { <-s.c }()
			return []func(){func() { s.c <- 1 }}
		}, ""},
		{"one that sleeps for ever, and none waits for it", func() []func() {
			return []func(){func() {
				go func() {
					for {
						time.Sleep(time.Second) // of no time: it is explored, and never run
					}
				}()
			}}
		}, ""},
		{"one that tries until it has it", func() []func() {
			var mu sync.Mutex
			x := 0
			enter := func() {
				for !mu.TryLock() {
					runtime.Gosched()
				}
				x++
				mu.Unlock()
			}
			return []func(){enter, enter}
		}, ""},
		{"two that one starts", func() []func() {
			var x atomic.Int32
			return []func(){func() {
				go func() { x.Store(1) }()
				go func() {
					if x.Load() == 0 && x.Load() == 1 {
						panic("hit")
					}
				}()
			}}
		}, "free of panics"},
		{"two that one starts, and waits for", func() []func() {
			var mu sync.Mutex
			n := 0
			return []func(){func() {
				var all sync.WaitGroup
				all.Add(2)
				for range 2 {
					go func() {
						mu.Lock()
						n++
						mu.Unlock()
						all.Done()
					}()
				}
				all.Wait()
				if n != 2 {
					panic("one is missing")
				}
			}}
		}, ""},
		{"one that one starts keeps a mutex", func() []func() {
			var x atomic.Int32
			var mu sync.Mutex
			return []func(){func() {
				go func() { x.Store(1) }()
				go func() {
					if x.Load() == 0 && x.Load() == 1 {
						mu.Lock()
					}
				}()
			}, func() { mu.Lock(); mu.Unlock() }}
		}, "deadlock-free"},
		{"one that one starts comes in time", func() []func() {
			var x, z atomic.Int32
			return []func(){func() {
				go func() { x.Store(1) }()
				go func() { z.Store(1) }()
				for z.Load() == 0 {
					runtime.Gosched()
				}
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
	}
}
