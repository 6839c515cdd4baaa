//go:build doorway_explore

package explore_test

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"log"
	"strings"

	"example.org/doorway/explore"
	"example.org/doorway/lamportfast"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
	"example.org/doorway/register"
)

// A hasty lock tests whether it is free, and then takes it: two processes can test
// before either takes it.
type hasty struct {
	procs register.Processes
	taken register.Word
}

func newHasty(n int) mutex.Mutex { return &hasty{procs: register.MakeProcesses("hasty", n)} }

func (l *hasty) Processes() int { return l.procs.Len() }

func (l *hasty) Lock(i int) {
	p := l.procs.Entry(i)
	l.taken.Await(p, func(v uint64) bool { return v == 0 })
	l.taken.Store(1)
	p.Inside()
}

func (l *hasty) Unlock(i int) {
	l.procs.Exit(i)
	l.taken.Store(0)
}

// A correct lock: every property holds.
func ExampleCheck() {
	report, err := explore.Check(explore.Config{
		New:       func(int) mutex.Mutex { return peterson.New() },
		Processes: 2,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(report)
	// Output:
	// 2 processes, 48 states, 96 steps between them
	//   mutual exclusion                              holds
	//   deadlock-free                                 holds
	//   starvation-free                               holds
	//   FIFO                                          holds
	//   race-free                                     holds
	//   tolerates safe registers                      holds
	//   not explored                                  TryLock and LockContext
	//   bypasses after the doorway, at most           1
	//   uncontended entry and exit, at most           1 reads, 3 writes
}

// A check of some properties. The others are unknown.
func ExampleProperties() {
	report, err := explore.Check(explore.Config{
		New:       func(int) mutex.Mutex { return peterson.New() },
		Processes: 2,
		Only:      explore.Properties{MutualExclusion: true, DeadlockFree: true, StarvationFree: true, FIFO: true}, // and not RaceFree and SafeRegisters
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("exclusion", report.MutualExclusion.Status, report.MutualExclusion.Status == explore.Holds)
	fmt.Println("races", report.RaceFree.Status, report.RaceFree.Status == explore.Unknown)
	fmt.Println("bypass", report.Bypasses, report.Bypasses < 0)
	for _, r := range report.Registers {
		fmt.Printf("%s holds up to %d, written by %d\n", r.Name, r.Largest, r.Writers)
	}
	// Output:
	// exclusion holds true
	// races unknown true
	// bypass 1 false
	// turn holds up to 1, written by [0 1]
	// want[0] holds up to 1, written by [0]
	// want[1] holds up to 1, written by [1]
}

// A lock that fails, with the trace as data. fmt.Print(trace) writes it as text, and
// WriteSVG draws it.
func ExampleTrace() {
	report, err := explore.Check(explore.Config{New: newHasty, Processes: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	if report.MutualExclusion.Status != explore.Fails {
		return
	}
	for _, trace := range report.Failures() {
		fmt.Println(trace.Title)
		for _, s := range trace.Steps {
			if s.Register >= 0 {
				fmt.Printf("process %d: %s %s, %d; then %s: %s\n", s.Process, s.Do, trace.Registers[s.Register], s.Value, s.Becomes, s.Place.Source)
			}
		}
		for i, end := range trace.Ends {
			fmt.Printf("process %d is %s, next: %s\n", i, end.Phase, end.Next)
		}
		if err := trace.WriteSVG(io.Discard); err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// mutual exclusion fails: processes 0 and 1 are inside
	// process 0: await taken, 0; then waiting: l.taken.Await(p, func(v uint64) bool { return v == 0 })
	// process 1: await taken, 0; then waiting: l.taken.Await(p, func(v uint64) bool { return v == 0 })
	// process 1: write taken, 1; then inside: l.taken.Store(1)
	// process 0: write taken, 1; then inside: l.taken.Store(1)
	// process 0 is inside, next: taken := 0
	// process 1 is inside, next: taken := 0
}

// What a test needs of a check, to give it to t.Fatal. Lamport's fast lock is right, although a process
// can starve: it fails only where starvation freedom is wanted.
func ExampleReport_Err() {
	report, err := explore.Check(explore.Config{New: func(n int) mutex.Mutex { return lamportfast.New(n) }, Processes: 2})
	fmt.Println(cmp.Or(err, report.Err()))
	err = cmp.Or(err, report.Err(explore.Properties{StarvationFree: true}))
	lines := strings.Split(err.Error(), "\n")
	fmt.Printf("%s\n%s\n…\n%s\n", lines[0], lines[1], lines[len(lines)-1])
	// Output:
	// <nil>
	// explore: starvation-free fails, in 19 steps
	// process 0 starves
	// …
	// repeat it: doorway check example.org/doorway/explore.<constructor> -n 2
}

// If the memory limit does not suffice there is no verdict.
func Example_memory() {
	_, err := explore.Check(explore.Config{
		New:       func(n int) mutex.Mutex { return lamportfast.New(n) },
		Processes: 4,
		Memory:    4 << 20,
		Progress: func(doing string, states int, bytes int64) { // about once a second
			log.Printf("%d %s in %d MiB", states, doing, bytes>>20)
		},
	})
	fmt.Println(errors.Is(err, explore.ErrMemory))
	// Output: true
}

// A lock that waits in a loop over plain loads, which may not terminate.
type spinner struct{ hasty }

func (l *spinner) Lock(i int) {
	p := l.procs.Entry(i)
	for l.taken.Load() != 0 {
		continue
	}
	l.taken.Store(1)
	p.Inside()
}

// A lock that breaks the contract. If a run shows the breach, not the source, the
// error has the run in its Trace.
func ExampleLockError() {
	_, err := explore.Check(explore.Config{
		New:       func(n int) mutex.Mutex { return &spinner{hasty{procs: register.MakeProcesses("spinner", n)}} },
		Processes: 2,
	})
	var bad *explore.LockError
	if errors.As(err, &bad) {
		fmt.Println(bad.What)
		fmt.Println("shown by a run:", bad.Trace != nil)
	}
	// Output:
	// process 1 makes 1000 operations without a retry: a loop that only registers end must be a register.Repeat, or an await if it only waits
	// shown by a run: false
}

// An invariant of the author: the lock is taken if and only if a process is inside. It is
// checked if mutual exclusion holds, which takes a single process here.
func ExampleCheck_invariant() {
	report, err := explore.Check(explore.Config{
		New:       newHasty,
		Processes: 1,
		Invariant: func(lock mutex.Mutex, phases []string) error {
			if taken := lock.(*hasty).taken.Load(); (taken == 1) != (phases[0] == "inside") {
				return fmt.Errorf("process 0 is %s, and taken is %d", phases[0], taken)
			}
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("invariant", report.Invariant.Status)
	// Output: invariant holds
}
