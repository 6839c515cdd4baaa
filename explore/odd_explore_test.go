//go:build doorway_explore

package explore_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/explore"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
	"example.org/doorway/register"
)

// An odd lock has the protocols of a row of a table, and in some rows does what a lock must
// not. Its source is not examined: running it shows what it does.
type odd struct {
	procs  register.Processes
	r      [3]register.Word
	gate   register.Word
	inTurn register.Word
	steps  [2]register.Step
	kept   []*register.Process // by the constructor
	others register.Processes
	does
}

type oddly func(l *odd, p *register.Process) bool

// does is what an odd lock does; what is nil is as in other locks.
type does struct {
	lock, try, unlock oddly // try: nil: lock
	begin, leave      func(l *odd, i int) *register.Process
	silent            bool // does not call Inside
	boasts            int  // 1: TryLock always returns true; 2: LockContext nil; 3: TryLock true if its entry did not run
	again             func(l *odd)
	is                func(l *odd) mutex.Mutex // what New returns
}

func (d does) make(n int) mutex.Mutex {
	if d.lock == nil {
		d.lock = swapIn
	}
	if d.unlock == nil {
		d.unlock = open
	}
	if d.begin == nil {
		d.begin = func(l *odd, i int) *register.Process { return l.procs.Entry(i) }
	}
	if d.leave == nil {
		d.leave = func(l *odd, i int) *register.Process { return l.procs.Exit(i) }
	}
	l := &odd{procs: register.MakeProcesses("odd", n), others: register.MakeProcesses("other", n), does: d}
	for i := range n {
		l.kept = append(l.kept, l.procs.Entry(i))
	}
	if d.is != nil {
		return d.is(l)
	}
	return l
}

func (l *odd) Processes() int { return l.procs.Len() }

func (l *odd) Lock(i int) {
	p := l.begin(l, i)
	l.lock(l, p)
	if !l.silent {
		p.Inside()
	}
	if l.again != nil {
		l.again(l)
	}
}

func (l *odd) TryLock(i int) bool {
	ran := false
	return l.procs.Try(i, func(p *register.Process) bool {
		ran = true
		if l.try != nil {
			return l.try(l, p)
		}
		return l.lock(l, p)
	}) || l.boasts == 1 || l.boasts == 3 && !ran
}

func (l *odd) LockContext(ctx context.Context, i int) error {
	err := l.procs.Context(ctx, i, func(p *register.Process) bool { return l.lock(l, p) })
	if l.boasts == 2 {
		return nil
	}
	return err
}

func (l *odd) Unlock(i int) { l.unlock(l, l.leave(l, i)) }

func swapIn(l *odd, p *register.Process) bool {
	return register.Repeat(func() register.Outcome {
		if l.r[0].CompareAndSwap(0, p.Name()) {
			return register.Entered
		}
		return register.Again
	})
}

// waitIn is swapIn that waits between tries.
func waitIn(l *odd, p *register.Process) bool {
	return register.Repeat(func() register.Outcome {
		if l.r[0].CompareAndSwap(0, p.Name()) {
			return register.Entered
		}
		return register.AgainIf(l.r[0].Await(p, zero))
	})
}

func open(l *odd, _ *register.Process) bool {
	l.r[0].Store(0)
	return true
}

func nothing(*odd, *register.Process) bool { return true }

// petersonIn is Peterson's algorithm, with the flags in r[0] and r[1], and the turn in r[2].
func petersonIn(l *odd, p *register.Process) bool {
	i := p.ID()
	l.r[i].Store(1)
	l.r[2].Store(uint64(i))
	if !register.AwaitEither(p, &l.r[1-i], zero, &l.r[2], func(v uint64) bool { return v != uint64(i) }) {
		l.r[i].Store(0)
		return false
	}
	return true
}

func petersonOut(l *odd, p *register.Process) bool {
	l.r[p.ID()].Store(0)
	return true
}

// as begins or ends a protocol as the process of another number.
func as(number func(i int) int) (begin, leave func(l *odd, i int) *register.Process) {
	return func(l *odd, i int) *register.Process { return l.procs.Entry(number(i)) },
		func(l *odd, i int) *register.Process { return l.procs.Exit(number(i)) }
}

// asOneOfTwo and leaveOneOfTwo give each process an own register.Processes.
func asOneOfTwo(l *odd, i int) *register.Process    { return l.oneOfTwo(i).Entry(i) }
func leaveOneOfTwo(l *odd, i int) *register.Process { return l.oneOfTwo(i).Exit(i) }

func (l *odd) oneOfTwo(i int) *register.Processes {
	return []*register.Processes{&l.procs, &l.others}[i]
}

func twice(second func(l *odd, i int) *register.Process) func(l *odd, i int) *register.Process {
	return func(l *odd, i int) *register.Process { l.procs.Exit(i); return second(l, i) }
}

// with is petersonIn that first uses the handle of process 0.
func with(use func(l *odd, first *register.Process)) does {
	return does{unlock: petersonOut, lock: func(l *odd, p *register.Process) bool {
		use(l, l.kept[0])
		return petersonIn(l, p)
	}}
}

// before is swapIn that first does something.
func before(do func(l *odd, p *register.Process)) does {
	return does{lock: func(l *odd, p *register.Process) bool {
		do(l, p)
		return swapIn(l, p)
	}}
}

const (
	wrongHandle = " with the handle of process 0: a protocol is run by the process that it was called for"
	wrongNumber = ", and was 1 before: a protocol is run by the process that it was called for"
)

var (
	asOther, leaveOther = as(func(i int) int { return 1 - i })
	asFirst, leaveFirst = as(func(int) int { return 0 })

	oddLocksOver atomic.Bool // what they have started ends
)

var oddLocks = []struct {
	name string
	explore.Config
	does
	want string // the verdicts, or a part of the error
}{
	{"an entry without an operation", explore.Config{}, does{lock: nothing}, "exclusion fails, deadlock unknown, starvation unknown, steadfast unknown, fifo unknown, races unknown, safe unknown, bypasses 0, 0 reads, 0 writes, runs of 2"},
	{"no operation at all", explore.Config{Only: explore.Properties{RaceFree: true}}, does{lock: nothing, unlock: nothing}, "exclusion unknown, deadlock unknown, starvation unknown, steadfast unknown, fifo unknown, races fails, safe unknown, bypasses 0, 0 reads, 0 writes, runs of 2"},
	{"alone, an exit without an operation", explore.Config{Processes: 1}, does{lock: nothing, unlock: nothing}, "exclusion holds, deadlock holds, starvation holds, steadfast unknown, fifo holds, races holds, safe holds, bypasses 0, 0 reads, 0 writes, runs of"},
	{"an exit without an operation, beside one that waits", explore.Config{Only: explore.Properties{FIFO: true, StarvationFree: true}}, does{
		unlock: nothing,
		lock: func(l *odd, p *register.Process) bool {
			if p.ID() == 1 {
				l.r[2].CompareAndSwap(0, 0)
				return true
			}
			return register.Repeat(func() register.Outcome {
				l.r[1].Load()
				return register.Again
			})
		},
	}, "exclusion holds, deadlock unknown, starvation fails, steadfast unknown, fifo fails, races unknown, safe unknown, bypasses -1, -1 reads, -1 writes, runs of 2 2"},
	{"an exit that begins with a retry", explore.Config{}, does{unlock: func(l *odd, p *register.Process) bool {
		return register.Repeat(func() register.Outcome {
			if l.r[0].CompareAndSwap(p.Name(), 0) {
				return register.Entered
			}
			return register.Again
		})
	}}, "exclusion holds, deadlock holds, starvation fails, steadfast unknown, fifo fails, races holds, safe holds, bypasses -1, 2 reads, 2 writes, runs of 5 4"},
	{"a rest that does not end", explore.Config{GiveUp: true}, does{lock: func(l *odd, p *register.Process) bool {
		if !l.r[0].Await(p, zero) {
			p.Absorb(func() { l.r[1].Await(p, one) })
			return false
		}
		return swapIn(l, p)
	}}, "exclusion holds, deadlock fails, starvation fails, steadfast fails, fifo fails, races holds, safe unknown, bypasses -1, 2 reads, 2 writes, runs of 2 7 7 5"},
	{"a Pure in another", explore.Config{}, before(func(l *odd, _ *register.Process) { // both begin at the same point, and can end with the same result
		if register.Pure(func() uint64 {
			if register.Pure(func() uint64 { return min(l.r[1].Load(), 1) }) == 1 {
				return 5 + l.r[0].Load()
			}
			return 1
		}) == 1 {
			l.r[1].Set(1)
		}
	}), "exclusion holds, deadlock holds, starvation fails, steadfast unknown, fifo fails, races holds, safe holds, bypasses -1, 3 reads, 3 writes, runs of 7 4"},
	{"a lock in another, each with processes of its own", explore.Config{}, does{is: func(*odd) mutex.Mutex { return &twoLocks{peterson.New(), peterson.New()} }}, "exclusion holds, deadlock holds, starvation holds, steadfast unknown, fifo holds, races holds, safe holds, bypasses 1, 2 reads, 6 writes, runs of"},
	{"always the other", explore.Config{}, does{begin: asOther, leave: leaveOther}, "exclusion holds, deadlock holds, starvation fails, steadfast unknown, fifo fails, races holds, safe holds, bypasses -1, 1 reads, 2 writes, runs of 5 4"},
	{"a set in New", explore.Config{}, does{is: func(l *odd) mutex.Mutex { l.r[1].Set(7); return l }}, "exclusion holds, deadlock holds, starvation fails, steadfast unknown, fifo fails, races holds, safe holds, bypasses -1, 1 reads, 2 writes, runs of 5 4"},

	{"a value above the cap", explore.Config{Cap: 5}, before(func(l *odd, _ *register.Process) { l.r[1].Store(100) }), "Config.Cap = 5 is too low for process 0 to enter: r[1] would hold 100"},
	{"a compare-and-swap above the cap", explore.Config{Cap: 5}, before(func(l *odd, _ *register.Process) { l.r[1].CompareAndSwap(0, 100) }), "Config.Cap = 5 is too low for process 0 to enter: r[1] would hold 100"},
	{"memory", explore.Config{Memory: -1}, does{}, "Config.Memory is -1"},
	{"New returns nil", explore.Config{}, does{is: func(*odd) mutex.Mutex { return nil }}, "explore: New returned nil"},
	{"New panics", explore.Config{}, does{is: func(*odd) mutex.Mutex { panic("why") }}, "explore: New(2) panics: why"},
	{"a nil pointer", explore.Config{}, does{is: func(*odd) mutex.Mutex { return (*odd)(nil) }}, "explore: Processes of the lock that New(2) returned panics: runtime error: invalid memory address or nil pointer dereference"},
	{"no processes", explore.Config{}, does{is: func(*odd) mutex.Mutex { return &odd{} }}, "explore: the lock has 0 processes, want 2"},
	{"New starts a goroutine", explore.Config{}, does{is: func(l *odd) mutex.Mutex {
		var looks atomic.Int64
		go func() {
			for !oddLocksOver.Load() {
				l.r[0].Load()
				looks.Add(1)
			}
		}()
		l.lock = before(func(*odd, *register.Process) {
			for seen := looks.Load(); looks.Load() < seen+2; {
				runtime.Gosched()
			}
		}).lock
		return l
	}}, "another goroutine uses register r[0] while the lock is explored: only the entry and exit protocols may use it"},
	{"Lock starts a goroutine", explore.Config{}, before(func(l *odd, _ *register.Process) {
		var other sync.WaitGroup
		other.Go(func() { l.r[0].Load() })
		other.Wait()
	}), "a protocol starts a goroutine that uses registers: a process is explored alone, without other goroutines"},
	{"Lock uses a register of its own", explore.Config{}, before(func(*odd, *register.Process) { new(register.Word).Store(1) }), "behaves differently on the same reads"},
	{"Lock makes fewer accesses later", explore.Config{}, does{is: func(l *odd) mutex.Mutex {
		entries := 0
		l.again = func(l *odd) {
			if entries++; entries < 4 {
				l.r[0].Load()
			}
		}
		return l
	}}, "process 0 behaves differently"},
	{"Lock ends its goroutine", explore.Config{}, before(func(*odd, *register.Process) { runtime.Goexit() }), "explore: a protocol calls runtime.Goexit"},
	{"a wait in a step", explore.Config{}, before(func(l *odd, p *register.Process) {
		l.steps[0].Do(func() { l.r[0].Await(p, zero) })
	}), "waits within an atomic step"},
	{"a step in a step", explore.Config{}, before(func(l *odd, p *register.Process) {
		l.steps[p.ID()].Do(func() { l.steps[1-p.ID()].Do(func() { l.r[0].Load() }) })
	}), "begins an atomic step within another"},
	{"a retry in a step", explore.Config{}, does{lock: func(l *odd, p *register.Process) bool {
		l.steps[0].Do(func() { swapIn(l, p) })
		return true
	}}, "retries within an atomic step"},
	{"a doorway in a try", explore.Config{}, does{lock: func(l *odd, p *register.Process) bool {
		return register.Repeat(func() register.Outcome {
			if l.r[0].CompareAndSwap(0, p.Name()) {
				return register.Entered
			}
			p.Doorway()
			return register.Again
		})
	}}, "process 0 is in phase waiting at the end of a try of register.Repeat, and was in doorway at its beginning"},
	{"a count of tries", explore.Config{}, does{lock: func(l *odd, p *register.Process) bool {
		tries := 0
		return register.Repeat(func() register.Outcome {
			if tries++; tries == 2 {
				l.r[0].Store(p.Name())
				return register.Entered
			}
			if l.r[0].CompareAndSwap(0, p.Name()) {
				return register.Entered
			}
			return register.Again
		})
	}}, "carries state out of a try of register.Repeat"},
	{"a Pure with an effect", explore.Config{}, before(func(l *odd, _ *register.Process) {
		var seen uint64
		register.Pure(func() uint64 {
			seen = l.r[0].Load()
			return 0
		})
		if seen == 0 {
			l.r[1].Set(1)
		}
	}), "carries state out of a function of register.Pure"},
	{"a count of entries", explore.Config{}, does{is: func(l *odd) mutex.Mutex {
		entries := [2]int{}
		l.lock = func(l *odd, p *register.Process) bool {
			if entries[p.ID()]++; entries[p.ID()]%100 == 0 {
				l.r[0].Store(p.Name())
				return true
			}
			return swapIn(l, p)
		}
		return l
	}}, "it keeps state outside of registers"},
	{"a retry without a read", explore.Config{}, before(func(*odd, *register.Process) { register.Repeat(func() register.Outcome { return register.Again }) }), "retries without a read"},
	{"a loop over plain loads", explore.Config{}, before(func(l *odd, _ *register.Process) { // has a state for every history; its rounds are counted
		for l.r[0].Load() != 0 {
			continue
		}
	}), "process 1 comes here 9 times in one entry, each time with more to remember: a loop that only registers end must be a register.Repeat"},
	{"a loop over plain loads in a Pure", explore.Config{}, before(func(l *odd, _ *register.Process) {
		register.Pure(func() uint64 {
			for l.r[0].Load() != 0 {
				continue
			}
			return 0
		})
	}), "a loop that only registers end must be a register.Repeat"},
	{"a function that calls itself until a load", explore.Config{}, before(func(l *odd, _ *register.Process) {
		var look func()
		look = func() {
			if !l.r[0].CompareAndSwap(0, 0) {
				look()
			}
		}
		look()
	}), "a loop that only registers end must be a register.Repeat"},
	{"a condition that panics for what is written only later", explore.Config{}, before(func(l *odd, p *register.Process) {
		l.r[0].Await(p, func(v uint64) bool {
			if v == 2 {
				panic("two")
			}
			return v == 0
		})
	}), "the condition of this await panics for a value that the register can hold: two"},
	{"Lock without Inside", explore.Config{}, does{silent: true}, "Lock of process 0 returns without calling Process.Inside"},
	{"Unlock without Exit", explore.Config{}, does{leave: func(l *odd, i int) *register.Process { return l.kept[i] }}, "Unlock of process 0 returns without calling Processes.Exit"},
	{"TryLock returns true after an abort", explore.Config{GiveUp: true}, does{lock: waitIn, boasts: 1}, "explore: TryLock of process 0 returns true although the entry gave up: it must return the result of Processes.Try"},
	{"TryLock returns true where its entry did not run", explore.Config{GiveUp: true}, does{lock: waitIn, boasts: 3}, "explore: TryLock of process 0 returns true although the entry gave up: it must return the result of Processes.Try"},
	{"LockContext returns nil after an abort", explore.Config{GiveUp: true}, does{lock: waitIn, boasts: 2}, "explore: LockContext of process 0 returns nil although the entry gave up: it must return the result of Processes.Context"},
	{"enters as 0", explore.Config{}, does{begin: asFirst}, "process 1 calls Entry(0), as process 0 does: a protocol is run by the process that it was called for"},
	{"enters as the other", explore.Config{}, does{begin: asOther}, "process 0 calls Exit(0)" + wrongNumber},
	{"leaves as 0", explore.Config{}, does{leave: leaveFirst}, "process 1 calls Exit(0)" + wrongNumber},
	{"leaves as the other", explore.Config{}, does{leave: leaveOther}, "process 0 calls Exit(1), and was 0 before: a protocol is run by the process that it was called for"},
	{"leaves twice", explore.Config{}, does{leave: twice(func(l *odd, i int) *register.Process { return l.procs.Exit(i) })}, "process 0 calls Exit and is not inside: used without explore, it panics"},
	{"leaves as the other as well", explore.Config{}, does{leave: twice(leaveOther)}, "process 0 calls Exit(1), and was 0 before: a protocol is run by the process that it was called for"},
	{"loops over TryLock", explore.Config{}, does{lock: waitIn, is: func(l *odd) mutex.Mutex { return loopsOverTryLock{l} }}, "a loop that only registers end must be a register.Repeat"},
	{"no entry", explore.Config{}, does{lock: waitIn, begin: func(l *odd, i int) *register.Process { return l.kept[i] }}, "process 0 calls an await before Processes.Entry, which begins each entry"},
	{"awaits with a handle", explore.Config{}, with(func(l *odd, p *register.Process) { l.r[0].Await(p, zero) }), "process 1 calls an await" + wrongHandle},
	{"awaits a value with a handle", explore.Config{}, with(func(l *odd, p *register.Process) { l.r[0].AwaitValue(p, zero) }), "process 1 calls an await" + wrongHandle},
	{"awaits either with a handle", explore.Config{}, with(func(l *odd, p *register.Process) { register.AwaitEither(p, &l.r[0], zero, &l.r[0], zero) }), "process 1 calls an await" + wrongHandle},
	{"awaits a gate with a handle", explore.Config{}, with(func(l *odd, p *register.Process) { l.gate.AwaitExclusive(p, zero) }), "process 1 calls an await" + wrongHandle},
	{"waits in turn with a handle", explore.Config{}, with(func(l *odd, p *register.Process) { register.AwaitEitherInTurn(p, &l.inTurn, zero, &l.inTurn, zero) }), "process 1 calls an await" + wrongHandle},
	{"awaits in two ways", explore.Config{}, does{lock: func(l *odd, p *register.Process) bool { return l.gate.Await(p, zero) && l.gate.AwaitExclusive(p, zero) }}, "process 0 awaits by Word.AwaitExclusive a register that is also awaited by Word.Await or AwaitEither: stores can wake for one of them"},
	{"awaits a register as processes of two locks", explore.Config{}, does{begin: asOneOfTwo, leave: leaveOneOfTwo, lock: petersonIn, unlock: petersonOut}, "process 1 awaits a register with the handle of one register.Processes that is also awaited with that of another: stores can wake for one of them"},
	{"Doorway of a handle", explore.Config{}, with(func(_ *odd, p *register.Process) { p.Doorway() }), "process 1 calls Process.Doorway" + wrongHandle},
	{"Inside of a handle", explore.Config{}, with(func(_ *odd, p *register.Process) { p.Inside() }), "process 1 calls Process.Inside" + wrongHandle},
	{"Pass of a handle", explore.Config{}, with(func(_ *odd, p *register.Process) { p.Pass() }), "process 1 calls Process.Pass" + wrongHandle},
	{"Absorb of a handle", explore.Config{}, with(func(_ *odd, p *register.Process) { p.Absorb(func() {}) }), "process 1 calls Process.Absorb" + wrongHandle},
	{"GiveWay with a handle", explore.Config{}, with(func(l *odd, p *register.Process) { l.gate.GiveWay(p) }), "process 1 calls Word.GiveWay" + wrongHandle},
}

// Failures at the edges of protocols are found, and what a run must not do is refused in one
// sentence, at a line of the lock.
func TestOddLocks(t *testing.T) {
	t.Cleanup(func() { oddLocksOver.Store(true) })
	for _, c := range oddLocks {
		t.Run(c.name, func(t *testing.T) {
			c.New = c.make
			if c.Processes == 0 {
				c.Processes = 2
			}
			r, err := explore.CheckUnexamined(c.Config)
			if err == nil {
				assert.Equal(t, c.want, outcome(r), "%v%v", r, failures(r))
				return
			}
			assert.Nil(t, r)
			assert.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "\n")
			var refused *explore.LockError
			if errors.As(err, &refused) {
				assert.True(t, strings.HasSuffix(refused.File, "odd_explore_test.go"), "it is in %s", refused.File)
				assert.NotZero(t, refused.Line)
			}
		})
	}
}

// outcome is verdicts, with the lengths of the runs that show what fails, and the accesses of
// an uncontended entry and exit.
func outcome(r *explore.Report) string {
	text := verdicts(r) + fmt.Sprintf(", %d reads, %d writes, runs of", r.Reads, r.Writes)
	for _, trace := range failures(r) {
		text += fmt.Sprintf(" %d", len(trace.Steps))
	}
	return text
}

type loopsOverTryLock struct{ *odd }

func (l loopsOverTryLock) Lock(i int) {
	for {
		if l.TryLock(i) {
			return
		}
	}
}

// twoLocks is one lock within another.
type twoLocks struct{ outer, inner *peterson.Lock }

func (l *twoLocks) Processes() int { return 2 }
func (l *twoLocks) Lock(i int)     { l.outer.Lock(i); l.inner.Lock(i) }
func (l *twoLocks) Unlock(i int)   { l.inner.Unlock(i); l.outer.Unlock(i) }

// Checks interfere neither with each other nor with locks that are used in earnest meanwhile.
func TestOtherGoroutines(t *testing.T) {
	var users, checks sync.WaitGroup
	var over atomic.Bool
	lock, entries := peterson.New(), 0
	for i := range 2 {
		users.Go(func() {
			for !over.Load() {
				lock.Lock(i)
				entries++
				lock.Unlock(i)
			}
		})
	}
	for range 4 {
		checks.Go(func() {
			for range 5 {
				r, err := explore.Check(explore.Config{Processes: 2, New: func(int) mutex.Mutex { return peterson.New() }})
				if assert.NoError(t, err) {
					assert.Equal(t, explore.Holds, r.StarvationFree.Status, "%v", r)
				}
			}
		})
	}
	checks.Wait()
	over.Store(true)
	users.Wait()
	assert.NotZero(t, entries)
}
