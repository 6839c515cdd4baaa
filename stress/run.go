package stress

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"example.org/doorway/mutex"
)

// A Config configures a run. With the zero value, every process of the lock enters
// 1000 times, as fast as it can.
type Config struct {
	// Goroutines is the number of goroutines, up to 65535; 0 means one for each
	// process.
	Goroutines int

	// Shared makes the goroutines share the lock through one mutex.Share, and
	// then there may be up to 65535. It is watched (mutex.Shared.Watch), so that a
	// deadlock is reported with those that wait: latencies include that, about half
	// a microsecond. Otherwise goroutine k is process k, and there are at most as
	// many as processes.
	Shared bool

	// Excludes reports whether processes i and j must not be inside at the same time.
	// It is symmetric, and for a cluster.Cluster whose nodes are a messaging.Sharer;
	// nil: all processes exclude each other. It cannot be set with Shared, since
	// the goroutines then share processes that may be inside together.
	Excludes func(i, j int) bool

	// Duration limits the time in which goroutines begin new attempts to enter,
	// and Entries the number of attempts of each; the run ends when either limit
	// is reached. 0 is no limit; if both are 0, each makes 1000 attempts. All
	// attempts enter, unless GiveUp makes some abort.
	Duration time.Duration
	Entries  int

	// Section is called in each critical section, and Remainder between Unlock
	// and the next Lock; nil does nothing. Remainder must be safe for concurrent
	// use; so must Section, in case the lock does not exclude. Both must take
	// less time than Watchdog.
	Section   func()
	Remainder func()

	// GiveUp is the fraction of attempts, 0 to 1, that abort instead of waiting
	// for long: half of them by TryLock, half by LockContext with a deadline of
	// at most 100 µs, sometimes past. It needs a lock that is a
	// mutex.Abortable.
	GiveUp float64

	// Delay is the probability, 0 to 1, with which a goroutine is delayed before
	// an access to a register: most often by a few calls of runtime.Gosched,
	// sometimes by many of them or by spinning, rarely by a sleep of up to
	// 256 µs. If it is not 0, goroutines also yield up to 15 times in either
	// section. 0.3 has found most faults. It needs a build with the race detector
	// or the tag doorway_explore, which intercepts accesses to registers. Delays
	// are global: they affect all locks that are in use at the time, and Runs
	// with delays wait for each other.
	Delay float64

	// Seed determines which attempts abort, and what is sampled. It does not reproduce a run,
	// which depends on the scheduler.
	Seed uint64

	// Watchdog is the time without progress of any goroutine after which Run
	// reports that they are stuck; 0 means 10 s.
	Watchdog time.Duration

	// UntilViolation ends the run soon after the first violation.
	UntilViolation bool

	// Atomic makes the guarded data atomic, for a lock that is known to be
	// wrong: updates are lost as before, but the race detector reports no race.
	Atomic bool
}

// ErrStuck is wrapped by the error of [Run] if goroutines were stuck.
var ErrStuck = errors.New("no progress")

// maxGoroutines keeps the sum of the numbers of those inside within 32 bits.
const maxGoroutines = 1<<16 - 1

// Run stress-tests m as configured by c, and blocks until all goroutines are done.
// Until then m must be used only by Run. It must be free before, and is free
// afterwards unless there was an error. The Report includes violations, which
// [Report.Err] returns as an error.
//
// Run returns an error in three cases. If c is invalid, the Report is nil. If no
// goroutine made progress for Config.Watchdog, the error wraps [ErrStuck] and
// describes what each goroutine waits for. If a goroutine panicked, in a method of
// m, Section or Remainder, the error has the panic. In the latter two cases the
// Report covers the run so far. Goroutines that are stuck remain, as Go cannot end
// them; if one is unblocked later, it makes no further attempt.
func Run(m mutex.Mutex, c Config) (*Report, error) {
	c, err := c.check(m)
	if err != nil {
		return nil, err
	}
	if c.Delay > 0 {
		end, ok := beginDelays(c.Delay)
		if !ok {
			return nil, errors.New("stress: Delay: this build intercepts no registers; use the race detector or the build tag doorway_explore")
		}
		defer end()
	}
	return hammer(m, c)
}

// check returns c with defaults for its zero values, or an error if it is invalid.
func (c Config) check(m mutex.Mutex) (Config, error) {
	if m == nil {
		return c, errors.New("stress: nil Mutex")
	}
	n := m.Processes()
	if c.Goroutines == 0 {
		c.Goroutines = n
	}
	if c.Watchdog == 0 {
		c.Watchdog = 10 * time.Second
	}
	if c.Entries == 0 && c.Duration == 0 {
		c.Entries = 1000
	}
	_, abortable := m.(mutex.Abortable)
	switch {
	case n < 1:
		return c, fmt.Errorf("stress: a %T of %d processes: there must be at least one", m, n)
	case c.Goroutines < 1 || c.Goroutines > maxGoroutines:
		return c, fmt.Errorf("stress: Goroutines is %d: there must be 1 to %d", c.Goroutines, maxGoroutines)
	case !c.Shared && c.Goroutines > n:
		return c, fmt.Errorf("stress: Goroutines is %d with %d processes: each needs one of its own unless Shared", c.Goroutines, n)
	case c.Shared && c.Excludes != nil:
		return c, errors.New("stress: Excludes is set with Shared: processes that may be inside together cannot be shared")
	case c.Duration < 0:
		return c, fmt.Errorf("stress: Duration is %v: it must not be negative", c.Duration)
	case c.Entries < 0:
		return c, fmt.Errorf("stress: Entries is %d: it must not be negative", c.Entries)
	case c.Watchdog < 0:
		return c, fmt.Errorf("stress: Watchdog is %v: it must not be negative", c.Watchdog)
	case !(c.GiveUp >= 0 && c.GiveUp <= 1): // rejects NaN
		return c, fmt.Errorf("stress: GiveUp is %v: it must be between 0 and 1", c.GiveUp)
	case !(c.Delay >= 0 && c.Delay <= 1):
		return c, fmt.Errorf("stress: Delay is %v: it must be between 0 and 1", c.Delay)
	case c.GiveUp > 0 && !abortable:
		return c, fmt.Errorf("stress: GiveUp is %v: a %T is not a mutex.Abortable", c.GiveUp, m)
	}
	return c, nil
}

// A run is the state that its goroutines share.
type run struct {
	c      Config
	shared *mutex.Shared // nil: each goroutine has a process of its own
	order  order
	tally  tally
	states []state // by goroutine
	_      [64]byte
	stop   atomic.Bool
	start  time.Time
	failed chan error // panics; buffered for every goroutine, and closed when all are done

	violations atomic.Uint64
	first      atomic.Pointer[violation]
}

func hammer(m mutex.Mutex, c Config) (*Report, error) {
	r := &run{
		c:      c,
		order:  order{waits: make([]wait, c.Goroutines), excludes: c.Excludes},
		tally:  tally{locked: sample{size: samples, rng: rand.New(rand.NewPCG(c.Seed, uint64(c.Goroutines)))}},
		states: make([]state, c.Goroutines),
		failed: make(chan error, c.Goroutines),
	}
	workers := r.workers(m)
	begin := make(chan struct{})
	var all sync.WaitGroup
	for _, w := range workers {
		all.Go(func() {
			<-begin
			w.work()
		})
	}
	r.start = time.Now()
	close(begin)
	go func() {
		all.Wait()
		close(r.failed)
	}()
	err := r.wait()
	return r.report(m.Processes(), workers, time.Since(r.start)), err
}

func (r *run) workers(m mutex.Mutex) []*worker {
	workers := make([]*worker, r.c.Goroutines)
	if r.c.Shared {
		r.shared = mutex.Share(m)
		r.shared.Watch()
	}
	for k := range workers {
		var d locker = r.shared
		if !r.c.Shared {
			a, _ := m.(mutex.Abortable)
			d = process{m, a, k}
		}
		workers[k] = &worker{r: r, k: k, locker: d, state: &r.states[k], rng: rand.New(rand.NewPCG(r.c.Seed, uint64(k)))}
	}
	r.share(workers)
	return workers
}

// wait blocks until the run is over, and ends new attempts when its time is up.
func (r *run) wait() error {
	var up <-chan time.Time
	if r.c.Duration > 0 {
		t := time.NewTimer(r.c.Duration)
		defer t.Stop()
		up = t.C
	}
	dog := &watchdog{r: r, seen: make([]position, len(r.states))}
	look := time.NewTicker(max(r.c.Watchdog/looks, 1))
	defer look.Stop()
	for {
		select {
		case <-up:
			r.stop.Store(true)
		case err := <-r.failed: // nil if none has panicked
			r.stop.Store(true)
			return err
		case <-look.C:
			if dog.stuck() {
				r.stop.Store(true) // for goroutines that are unblocked later
				return fmt.Errorf("stress: %w for %v\n%s%s%s", ErrStuck, r.c.Watchdog, r.waiting(), r.processes(), r.stacks())
			}
		}
	}
}

// now returns the time since the start.
func (r *run) now() time.Duration { return time.Since(r.start) }
