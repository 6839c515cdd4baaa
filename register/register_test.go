package register_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/memory/hook"
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

// run calls f for every process concurrently, and waits for all.
func run(ps *register.Processes, f func(p *register.Process)) {
	var wg sync.WaitGroup
	for i := range ps.Len() {
		wg.Go(func() { f(ps.Entry(i)) })
	}
	wg.Wait()
}

// Many processes wake one another, with GOMAXPROCS 1, 2 and 8 and, if this build can, again
// with delays between their steps. A lost wake-up hangs the test.
func TestCrowds(t *testing.T) {
	for name, f := range map[string]func(t *testing.T){
		"turns on one word": turnsOnOneWord, "turns on many words": turnsOnManyWords, "either word": eitherWord,
		"turns in turn": turnsInTurn, "strolling": strolling,
		"gate once":  func(t *testing.T) { t.Helper(); gate(t, 3000, 1) },
		"gate often": func(t *testing.T) { t.Helper(); gate(t, 20, tier.Pick(100, 500)) },
	} {
		for _, procs := range []int{1, 2, 8} {
			for _, delay := range []bool{false, true} {
				if delay && !hook.Intercept(func(hook.Access, *atomic.Uint64) {
					if rand.IntN(4) == 0 {
						runtime.Gosched()
					}
				}) {
					continue
				}
				t.Run(fmt.Sprintf("%s/procs=%d/delay=%t", name, procs, delay), func(t *testing.T) {
					defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
					defer hook.Intercept(nil)
					f(t)
				})
			}
		}
	}
}

// A turn goes round among n processes that all await one word, so every store must
// wake the right process.
func turnsOnOneWord(t *testing.T) {
	t.Helper()
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
}

// The same where each process awaits the word of its predecessor, as in a bakery,
// with thousands in line; places are kept from round to round.
func turnsOnManyWords(t *testing.T) {
	t.Helper()
	n := tier.Pick(1000, 3000)
	ps := register.MakeProcesses("test", n)
	word := make([]register.Word, n)
	word[n-1].Store(1)
	run(&ps, func(p *register.Process) {
		i := p.ID()
		for r := range uint64(tier.Pick(5, 20)) {
			before := r + 1
			if i > 0 {
				before++
			}
			word[(i+n-1)%n].Await(p, func(v uint64) bool { return v >= before })
			word[i].Store(r + 2)
		}
	})
}

// Two pairs of processes play ping-pong on a word of their own, and stand in line
// at a third that both pairs write as well: lines grow and shrink, and their heads
// leave them, all the time.
func eitherWord(t *testing.T) {
	t.Helper()
	ps := register.MakeProcesses("test", 4)
	var ours [2]register.Word
	var shared register.Word
	run(&ps, func(p *register.Process) {
		pair, player := p.ID()/2, uint64(p.ID()%2)
		for r := range uint64(tier.Pick(2000, 20000)) {
			turn := 2*r + player
			register.AwaitEither(p, &shared, never, &ours[pair], is(turn))
			if r%3 == 0 {
				shared.Store(turn)
			}
			ours[pair].Store(turn + 1)
		}
	})
}

// A word that goes round: each process that is due is woken by the one before.
func turnsInTurn(t *testing.T) {
	t.Helper()
	const n = 60
	ps := register.MakeProcesses("test", n)
	var turn, other register.Word
	run(&ps, func(p *register.Process) {
		for r := range uint64(tier.Pick(25, 100)) {
			at := r*n + uint64(p.ID())
			register.AwaitEitherInTurn(p, &other, never, &turn, is(at))
			if p.ID()%7 == 0 {
				other.Store(at)
			}
			turn.Store(at + 1)
			p.Pass()
		}
	})
}

// In each round, each process waits until a process chosen at random has reached
// the same round: lines of all lengths, which their heads leave for other lines.
// The slowest never waits, so the test hangs if and only if a wake-up is lost.
func strolling(t *testing.T) {
	t.Helper()
	const n = 6
	ps := register.MakeProcesses("test", n)
	round := make([]register.Word, n)
	run(&ps, func(p *register.Process) {
		for r := range uint64(tier.Pick(1000, 5000)) {
			round[rand.IntN(n)].Await(p, func(v uint64) bool { return v >= r })
			round[p.ID()].Store(r + 1)
		}
	})
}

// Many processes pass a gate again and again, one at a time.
func gate(t *testing.T, n, rounds int) {
	t.Helper()
	ps := register.MakeProcesses("test", n)
	var taken register.Word
	var gate register.Word
	inside, entries := 0, 0
	run(&ps, func(p *register.Process) {
		for range rounds {
			register.Repeat(func() register.Outcome {
				if !taken.CompareAndSwap(0, 1) {
					gate.AwaitExclusive(p, is(0))
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
	assert.Equal(t, n*rounds, entries, "passes, one at a time")
}

// Other misuse is that of every lock: package stress has it.
func TestMisuse(t *testing.T) {
	ps := register.MakeProcesses("somelock", 3)
	assert.PanicsWithValue(t, "somelock: lock of process 2 with a nil Context", func() { var none context.Context; _ = ps.Context(none, 2, nil) })
	assert.PanicsWithValue(t, "register: lock of a lock that was not made by its constructor", func() { new(register.Processes).Entry(0) })
}

// A store wakes as the first waiter waits, so another that waited in another way might sleep forever. And
// the line at a register is guarded by the lock of the first.
func TestTwoWaysToAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w, other register.Word
		ps := register.MakeProcesses("test", 2)
		go w.AwaitExclusive(ps.Entry(0), is(1))
		synctest.Wait()
		for name, await := range map[string]func(p *register.Process){
			"Await":             func(p *register.Process) { w.Await(p, is(1)) },
			"AwaitEitherInTurn": func(p *register.Process) { register.AwaitEitherInTurn(p, &w, is(1), &other, never) },
		} {
			assert.PanicsWithValue(t, "register: processes await a Word in two ways, of which stores can serve one", func() { await(ps.Entry(1)) }, name)
		}
		others := register.MakeProcesses("other", 1)
		assert.PanicsWithValue(t, "register: processes of two locks await a Word", func() { w.AwaitExclusive(others.Entry(0), is(1)) })
		w.Store(1)
	})
}

// What FetchAdd makes of a value, past the largest too, wakes the process that awaits it.
func TestFetchAdd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w register.Word
		ps, passed := register.MakeProcesses("test", 1), false
		w.Set(^uint64(0))
		go func() { passed = w.Await(ps.Entry(0), is(2)) }()
		synctest.Wait()
		assert.Equal(t, ^uint64(0), w.FetchAdd(3))
		synctest.Wait()
		assert.True(t, passed)
	})
}
