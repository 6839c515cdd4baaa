package register_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"example.org/doorway/register"
)

// A testAndSet is taken by whichever process changes its word from 0.
type testAndSet struct {
	procs register.Processes
	taken register.Word
}

func (l *testAndSet) Lock(i int) {
	p := l.procs.Entry(i)
	l.entry(p)
	p.Inside()
}

func (l *testAndSet) TryLock(i int) bool { return l.procs.Try(i, l.entry) }

func (l *testAndSet) Unlock(i int) {
	l.procs.Exit(i)
	l.taken.Store(0)
}

func (l *testAndSet) entry(p *register.Process) bool {
	return register.Repeat(func() register.Outcome {
		if l.taken.CompareAndSwap(0, p.Name()) {
			return register.Entered
		}
		return register.AgainIf(l.taken.Await(p, func(v uint64) bool { return v == 0 }))
	})
}

// One entry protocol serves Lock and TryLock. It begins anew whenever the word has been
// 0, and another process was quicker.
func ExampleRepeat() {
	l := testAndSet{procs: register.MakeProcesses("testandset", 3)}
	l.Lock(2)
	fmt.Println("taken by process", l.taken.Load()-1)
	fmt.Println("process 0 enters:", l.TryLock(0))
	l.Unlock(2)
	fmt.Println("process 0 enters:", l.TryLock(0))
	// Output:
	// taken by process 2
	// process 0 enters: false
	// process 0 enters: true
}

// A ticket lock hands out tickets, which are served in their order.
type ticketLock struct {
	procs         register.Processes
	draw          register.Step
	next, serving register.Word
}

func (l *ticketLock) Lock(i int) {
	p := l.procs.Entry(i)
	l.entry(p)
	p.Inside()
}

func (l *ticketLock) LockContext(ctx context.Context, i int) error {
	return l.procs.Context(ctx, i, l.entry)
}

func (l *ticketLock) Unlock(i int) { l.exit(l.procs.Exit(i)) }

func (l *ticketLock) entry(p *register.Process) bool {
	var mine uint64
	l.draw.Do(func() { // read and write in one atomic step
		mine = l.next.Load()
		l.next.Set(mine + 1)
	})
	p.Doorway()
	served := func(v uint64) bool { return v == mine }
	if l.serving.Await(p, served) {
		return true
	}
	p.Absorb(func() { // runs in the name of p, and does not give up
		l.serving.Await(p, served)
		l.exit(p)
	})
	return false
}

func (l *ticketLock) exit(*register.Process) { l.serving.Store(l.serving.Load() + 1) }

// Process 1 gives up, but its ticket cannot be taken back: somebody has to have it
// served, or process 2, which has the next one, would wait for ever.
func ExampleProcess_Absorb() {
	l := ticketLock{procs: register.MakeProcesses("ticket", 3)}
	l.Lock(0)
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	fmt.Println("process 1:", l.LockContext(ctx, 1))
	l.Unlock(0)
	l.Lock(2)
	fmt.Println("process 2 has ticket", l.serving.Load())
	l.Unlock(2)
	// Output:
	// process 1: context deadline exceeded
	// process 2 has ticket 2
}

// Of those who wait at a gate, one can pass when it opens. So one is woken, and the
// others sleep on.
func ExampleGate() {
	procs := register.MakeProcesses("gate", 4)
	var gate register.Gate // 0: open
	var atOnce register.Step
	entry := func(p *register.Process) bool {
		return register.Repeat(func() register.Outcome {
			found := uint64(0)
			atOnce.Do(func() {
				found = gate.Load()
				gate.Set(1)
			})
			if found == 0 {
				return register.Entered
			}
			return register.AgainIf(gate.Await(p, func(v uint64) bool { return v == 0 }))
		})
	}
	passed := 0
	var wg sync.WaitGroup
	for i := range procs.Len() {
		wg.Go(func() {
			for range 100 {
				p := procs.Entry(i)
				entry(p)
				p.Inside()
				passed++
				procs.Exit(i)
				gate.Store(0)
				gate.GiveWay(p) // or whoever runs might always be back before the one that was woken
			}
		})
	}
	wg.Wait()
	fmt.Println(passed, "have passed")
	// Output: 400 have passed
}

// Peterson's algorithm, as a node of a tournament has it. Whoever is woken by one store
// of an exit has the baton, and wakes the next when it passes.
func ExampleRelay() {
	procs := register.MakeProcesses("relay", 2)
	var want [2]register.Relay
	var turn register.Relay
	entries := 0
	var wg sync.WaitGroup
	for i := range procs.Len() {
		wg.Go(func() {
			for range 100 {
				p := procs.Entry(i)
				want[i].Set(1)
				turn.Store(uint64(i))
				register.AwaitEitherRelay(p,
					&want[1-i], func(want uint64) bool { return want == 0 },
					&turn, func(turn uint64) bool { return turn != uint64(i) },
				)
				p.Inside()
				entries++
				procs.Exit(i)
				want[i].Store(0)
				p.Pass()
			}
		})
	}
	wg.Wait()
	fmt.Println(entries, "entries")
	// Output: 200 entries
}

// Which register held what does not matter to those who want the maximum: a checker may
// forget it.
func ExamplePure() {
	number := make([]register.Word, 3)
	for j := range number {
		number[j].Store(uint64(10 * j))
	}
	fmt.Println(register.Pure(func() uint64 {
		largest := uint64(0)
		for j := range number {
			largest = max(largest, number[j].Load())
		}
		return largest
	}))
	// Output: 20
}
