package register_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/seam"
	"example.org/doorway/internal/tier"
	"example.org/doorway/register"
)

func is(want uint64) func(uint64) bool {
	return func(v uint64) bool { return v == want }
}

func never(uint64) bool { return false }

// upTo returns the processes 0 to i.
func upTo(i int) (all []int) {
	for k := range i + 1 {
		all = append(all, k)
	}
	return all
}

// each runs f with GOMAXPROCS 1, 2 and 8 and, if this build can, again with delays
// between the steps of the processes.
func each(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	for _, procs := range []int{1, 2, 8} {
		for _, delay := range []bool{false, true} {
			if delay && !seam.Intercept(func(seam.Access, *seam.Number) {
				if rand.IntN(4) == 0 {
					runtime.Gosched()
				}
			}) {
				continue
			}
			t.Run(fmt.Sprintf("procs=%d/delay=%t", procs, delay), func(t *testing.T) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				defer seam.Intercept(nil)
				f(t)
			})
		}
	}
}

// run calls f for every process concurrently, and waits for all.
func run(ps *register.Processes, f func(p *register.Process)) {
	var wg sync.WaitGroup
	for i := range ps.Len() {
		wg.Go(func() { f(ps.Entry(i)) })
	}
	wg.Wait()
}

// A turn goes round among n processes that all await one word, so every store must
// wake the right process. A lost wake-up hangs the test.
func TestTurnsOnOneWord(t *testing.T) {
	each(t, func(t *testing.T) {
		const n = 100
		rounds := tier.Pick(5, 20)
		ps := register.MakeProcesses("test", n)
		var turn register.Word
		run(&ps, func(p *register.Process) {
			for r := range uint64(rounds) {
				at := r*n + uint64(p.ID())
				turn.Await(p, is(at))
				turn.Store(at + 1)
			}
		})
		assert.Equal(t, n*uint64(rounds), turn.Load(), "the turn in the end")
	})
}

// The same where each process awaits the word of its predecessor, as in a bakery,
// with thousands in line; places are kept from round to round.
func TestTurnsOnManyWords(t *testing.T) {
	each(t, func(t *testing.T) {
		const n = 3000
		rounds := tier.Pick(5, 20)
		ps := register.MakeProcesses("test", n)
		word := make([]register.Word, n)
		word[n-1].Store(1)
		run(&ps, func(p *register.Process) {
			i := p.ID()
			for r := range uint64(rounds) {
				before := r + 1
				if i > 0 {
					before++
				}
				word[(i+n-1)%n].Await(p, func(v uint64) bool { return v >= before })
				word[i].Store(r + 2)
			}
		})
	})
}

// Two pairs of processes play ping-pong on a word of their own, and stand in line
// at a third that both pairs write as well: lines grow and shrink, and their heads
// leave them, all the time.
func TestEitherWord(t *testing.T) {
	each(t, func(t *testing.T) {
		rounds := tier.Pick(5000, 20000)
		ps := register.MakeProcesses("test", 4)
		var ours [2]register.Word
		var shared register.Word
		run(&ps, func(p *register.Process) {
			pair, player := p.ID()/2, uint64(p.ID()%2)
			for r := range uint64(rounds) {
				turn := 2*r + player
				register.AwaitEither(p, &shared, never, &ours[pair], is(turn))
				if r%3 == 0 {
					shared.Store(turn)
				}
				ours[pair].Store(turn + 1)
			}
		})
	})
}

// A relay that goes round: each process that is due is woken by the one before.
func TestTurnsOnRelays(t *testing.T) {
	each(t, func(t *testing.T) {
		const n = 60
		rounds := tier.Pick(25, 100)
		ps := register.MakeProcesses("test", n)
		var turn, other register.Relay
		run(&ps, func(p *register.Process) {
			for r := range uint64(rounds) {
				at := r*n + uint64(p.ID())
				register.AwaitEitherRelay(p, &other, never, &turn, is(at))
				if p.ID()%7 == 0 {
					other.Store(at)
				}
				turn.Store(at + 1)
				p.Pass()
			}
		})
	})
}

// In each round, each process waits until a process chosen at random has reached
// the same round: lines of all lengths, which their heads leave for other lines.
// The slowest never waits, so the test hangs if and only if a wake-up is lost.
func TestStrollingWaiters(t *testing.T) {
	each(t, func(t *testing.T) {
		const n = 6
		rounds := tier.Pick(2000, 5000)
		ps := register.MakeProcesses("test", n)
		round := make([]register.Word, n)
		run(&ps, func(p *register.Process) {
			for r := range uint64(rounds) {
				round[rand.IntN(n)].Await(p, func(v uint64) bool { return v >= r })
				round[p.ID()].Store(r + 1)
			}
		})
	})
}

// Many processes pass a gate again and again, one at a time, and thousands once.
func TestGateLetsEveryoneThrough(t *testing.T) {
	for _, c := range []struct{ n, rounds int }{{3000, 1}, {20, tier.Pick(100, 500)}} {
		each(t, func(t *testing.T) {
			ps := register.MakeProcesses("test", c.n)
			var taken register.Word
			var gate register.Gate
			inside, entries := 0, 0
			run(&ps, func(p *register.Process) {
				for range c.rounds {
					register.Repeat(func() register.Outcome {
						if !taken.CompareAndSwap(0, 1) {
							gate.Await(p, is(0))
							runtime.Gosched() // until the process that took it has closed the gate
							return register.Again
						}
						gate.Set(1)
						return register.Entered
					})
					inside++
					entries += inside
					runtime.Gosched()
					inside--
					taken.Store(0)
					gate.Store(0)
				}
			})
			assert.Equal(t, c.n*c.rounds, entries, "passes, one at a time")
		})
	}
}

// Swap and FetchAdd return the value before, and wake the processes that await the new
// one, whether it is larger or, as the sum wraps around, smaller.
func TestReadModifyWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ps := register.MakeProcesses("test", 1)
		var w register.Word
		for _, c := range []struct {
			do        func() uint64
			old, made uint64
		}{
			{func() uint64 { return w.Swap(7) }, 0, 7},
			{func() uint64 { return w.Swap(7) }, 7, 7},
			{func() uint64 { return w.FetchAdd(5) }, 7, 12},
			{func() uint64 { return w.FetchAdd(^uint64(9 - 1)) }, 12, 3},
			{func() uint64 { return w.FetchAdd(^uint64(0)) }, 3, 2},
			{func() uint64 { return w.FetchAdd(^uint64(0) - 1) }, 2, 0},
			{func() uint64 { return w.FetchAdd(^uint64(0)) }, 0, ^uint64(0)},
			{func() uint64 { return w.FetchAdd(3) }, ^uint64(0), 2},
		} {
			passed := c.old == c.made
			if !passed {
				go func() { passed = w.Await(ps.Entry(0), is(c.made)) }()
			}
			synctest.Wait()
			assert.Equal(t, c.old, c.do())
			synctest.Wait()
			assert.True(t, passed, "the process that awaits %d is still parked", c.made)
			assert.Equal(t, c.made, w.Load())
		}
	})
}

// AwaitValue returns the value for which the condition held, or 0 if it was aborted.
func TestAwaitValue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ps := register.MakeProcesses("test", 1)
		var w register.Word
		odd := func(v uint64) bool { return v%2 == 1 }
		type result struct {
			v  uint64
			ok bool
		}
		var got result
		entry := func(p *register.Process) bool {
			got.v, got.ok = w.AwaitValue(p, odd)
			return false
		}
		w.Store(2)
		ps.Try(0, entry)
		assert.Equal(t, result{0, false}, got, "under Try")
		ctx, cancel := context.WithCancel(t.Context())
		go func() { _ = ps.Context(ctx, 0, entry) }()
		synctest.Wait()
		w.Store(4)
		synctest.Wait()
		cancel()
		synctest.Wait()
		assert.Equal(t, result{0, false}, got, "aborted")
		go entry(ps.Entry(0))
		synctest.Wait()
		w.Store(5)
		synctest.Wait()
		assert.Equal(t, result{5, true}, got, "after a wait")
		w.Store(7)
		assert.Zero(t, testing.AllocsPerRun(10, func() { ps.Try(0, entry) }))
		assert.Equal(t, result{7, true}, got, "at once")
	})
}

func TestNothingIsAllocated(t *testing.T) {
	if seam.Hosted {
		t.Skip("a build that can have a host allocates operations for it")
	}
	ps := register.MakeProcesses("test", 2)
	var ping, pong register.Word
	var gate register.Gate
	gate.Set(1)
	go func() {
		p := ps.Entry(1)
		for k := uint64(1); ; k++ {
			if ping.Await(p, func(v uint64) bool { return v >= k }); ping.Load() == 1<<63 {
				return
			}
			pong.Store(k)
			gate.Store(1 + k)
		}
	}()
	p, k := ps.Entry(0), uint64(0)
	if n := testing.AllocsPerRun(1000, func() {
		k++
		ping.Store(k)
		gate.Await(p, func(v uint64) bool { return v == 1+k })
		pong.Await(p, func(v uint64) bool { return v == k })
	}); n != 0 {
		t.Errorf("%v allocations a hand-over, want 0", n)
	}
	ping.Store(1 << 63)
}

func TestZeroProcesses(t *testing.T) {
	assert.PanicsWithValue(t, "register: lock of a lock that was not made by its constructor", func() { new(register.Processes).Entry(0) })
}

func TestMisuse(t *testing.T) {
	ps := register.MakeProcesses("somelock", 3)
	ps.Entry(1).Inside()
	for want, misuse := range map[string]func(){
		"somelock: 0 processes: there must be at least one":       func() { register.MakeProcesses("somelock", 0) },
		"somelock: lock of process 3: the processes are 0 to 2":   func() { ps.Entry(3) },
		"somelock: lock of process -1: the processes are 0 to 2":  func() { ps.Try(-1, nil) },
		"somelock: unlock of process 3: the processes are 0 to 2": func() { ps.Exit(3) },
		"somelock: unlock of process 2, which is not inside":      func() { ps.Exit(2) },
		"somelock: lock of process 1, which is inside already":    func() { ps.Entry(1) },
		"somelock: lock of process 2 with a nil Context":          func() { var none context.Context; _ = ps.Context(none, 2, nil) },
	} {
		assert.PanicsWithValue(t, want, misuse)
	}
}

func Example() {
	// Two processes, each of which waits for a value from the other.
	ps := register.MakeProcesses("example", 2)
	var said [2]register.Word
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			p := ps.Entry(i)
			said[i].Store(p.Name())
			said[1-i].Await(p, func(v uint64) bool { return v != 0 })
		})
	}
	wg.Wait()
	fmt.Println(said[0].Load(), said[1].Load())
	// Output: 1 2
}
