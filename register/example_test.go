package register_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"example.org/doorway/register"
)

// A testAndSet is taken by the process that changes its word from 0.
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

// One entry protocol serves Lock and TryLock. It starts over if the word was 0 and
// another process took it first.
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

// A ticket lock serves its tickets in order.
type ticketLock struct {
	procs         register.Processes
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
	mine := l.next.FetchAdd(1)
	p.Doorway()
	served := func(v uint64) bool { return v == mine }
	if l.serving.Await(p, served) {
		return true
	}
	p.Absorb(func() { // runs on behalf of p, and does not abort
		l.serving.Await(p, served)
		l.exit(p)
	})
	return false
}

func (l *ticketLock) exit(*register.Process) { l.serving.Store(l.serving.Load() + 1) }

// The doorway of a queue lock: a process takes its place at the end of the queue, and
// learns who is before it.
func ExampleWord_Swap() {
	var tail register.Word // the name of the last in the queue; 0: none
	for name := uint64(1); name <= 3; name++ {
		fmt.Println("process", name, "is behind", tail.Swap(name))
	}
	// Output:
	// process 1 is behind 0
	// process 2 is behind 1
	// process 3 is behind 2
}

// Who comes next is read once, by the await itself.
func ExampleWord_AwaitValue() {
	procs := register.MakeProcesses("queue", 1)
	var next register.Word // the name of a process; 0: none yet
	go next.Store(3)
	name, ok := next.AwaitValue(procs.Entry(0), func(v uint64) bool { return v != 0 })
	fmt.Println("process", name-1, "comes next:", ok)
	// Output: process 2 comes next: true
}

// Process 1 aborts, but cannot withdraw its ticket: unless the ticket is served,
// process 2, which has the next one, would wait forever.
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

// When a gate opens, one of its waiters can pass. So one is woken, and the others
// stay parked.
func ExampleWord_AwaitExclusive() {
	procs := register.MakeProcesses("gate", 4)
	var gate register.Word // 0: open
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
			return register.AgainIf(gate.AwaitExclusive(p, func(v uint64) bool { return v == 0 }))
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
				atOnce.Do(func() { gate.Store(0) }) // not between the Load and the Set of another
				gate.GiveWay(p)                     // or the running process might always be back before the one that it woke
			}
		})
	}
	wg.Wait()
	fmt.Println(passed, "have passed")
	// Output: 400 have passed
}

// Peterson's algorithm, as at a node of a tournament. A process that an exit wakes
// has the baton, and wakes the next when it passes the baton on.
func ExampleAwaitEitherInTurn() {
	procs := register.MakeProcesses("peterson", 2)
	var want [2]register.Word
	var turn register.Word
	entries := 0
	var wg sync.WaitGroup
	for i := range procs.Len() {
		wg.Go(func() {
			for range 100 {
				p := procs.Entry(i)
				want[i].Set(1)
				turn.Store(uint64(i))
				register.AwaitEitherInTurn(p,
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

// Only the maximum matters, not the values of the single registers: a checker may
// forget them.
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

// A channel of capacity one is a lock, too. An entry that waits for it aborts as an await does.
func ExampleProcess_Done() {
	procs, lock := register.MakeProcesses("channel", 2), make(chan bool, 1)
	entry := func(p *register.Process) bool {
		select {
		case lock <- true:
			return true
		case <-p.Done():
			return false
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	fmt.Println("process 0:", procs.Context(ctx, 0, entry))
	fmt.Println("process 1:", procs.Context(ctx, 1, entry))
	// Output:
	// process 0: <nil>
	// process 1: context deadline exceeded
}
