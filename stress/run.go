package stress

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"example.org/doorway/mutex"
)

// A Config says how to hammer. Its zero value makes every process of the lock
// enter 1000 times as fast as it can.
type Config struct {
	// Goroutines is how many there are, up to 65535; 0 means one for each
	// process.
	Goroutines int

	// Shared has the goroutines go through one mutex.Share of the lock, and
	// there may be any number of them. Otherwise goroutine k is process k, and
	// there are at most as many as processes.
	Shared bool

	// Duration is how long goroutines begin new attempts to enter, and Entries
	// is how many attempts each makes; the run ends with whichever comes first.
	// Duration 0 is no limit, Entries 0 is none either, and both 0 means 1000
	// attempts. All attempts enter, unless some give up.
	Duration time.Duration
	Entries  int

	// Section is what each goroutine does in its critical section, and
	// Remainder what it does between Unlock and the next Lock; nil is nothing.
	// Remainder must be safe for concurrent use; Section too, should the lock
	// not exclude. Both must take less time than Watchdog.
	Section   func()
	Remainder func()

	// GiveUp is the fraction of attempts, 0 to 1, that give up rather than
	// wait for long: half of them by TryLock, half by LockContext with a
	// deadline of at most 100 µs, sometimes past. It needs a lock that is a
	// mutex.Abortable.
	GiveUp float64

	// Delay is the probability, 0 to 1, with which a goroutine is delayed
	// before an access to a register: most often by a few calls of
	// runtime.Gosched, sometimes by spinning or by many of them, seldom by a
	// sleep of up to 256 µs. If it is not 0, goroutines also yield up to 15
	// times in either section. 0.3 has found most. It needs a build that
	// intercepts registers, by the race detector or the tag doorway_explore. The
	// delays are global: all locks that are in use at the time feel them, and
	// Runs with delays wait for each other.
	Delay float64

	// Seed decides who gives up when, how goroutines sample, and the sequence
	// of delays. Who meets which delay is up to the scheduler: a seed does not
	// repeat a run.
	Seed uint64

	// Watchdog is how long all goroutines may be without progress before Run
	// reports that they are stuck; 0 means 10 s.
	Watchdog time.Duration

	// UntilViolation ends the run soon after the first violation.
	UntilViolation bool

	// Atomic makes the guarded data atomic. Updates are lost as before, but
	// the race detector has nothing to say: for a lock that is known to be
	// wrong.
	Atomic bool
}

// ErrStuck is what the error of [Run] wraps if goroutines were stuck.
var ErrStuck = errors.New("nothing moves")

// maxGoroutines keeps the sum of the numbers of those inside within 32 bits.
const maxGoroutines = 1<<16 - 1

// Run hammers m as c says, and blocks until all goroutines are done. All that
// use m meanwhile must do so through Run; m must be free before, and is free
// afterwards unless there was an error. What was seen of m is in the Report,
// violations too: [Report.Err] makes an error of them.
//
// The error is of three kinds. The config made no sense: then the Report is nil.
// Nothing moved for Config.Watchdog: then it wraps [ErrStuck] and says who
// waits for what. Or a goroutine panicked, in a method of m, Section or
// Remainder. In the latter two the Report is of what could be seen so far,
// and the goroutines that are stuck remain, for Go has no way to end them; those
// that come free after all make no further attempt.
func Run(m mutex.Mutex, c Config) (*Report, error) {
	c, err := c.check(m)
	if err != nil {
		return nil, err
	}
	if c.Delay > 0 {
		d := &delay{probability: c.Delay, seed: c.Seed}
		if !d.begin() {
			return nil, errors.New("stress: Delay: this build intercepts no registers; use the race detector or the build tag doorway_explore")
		}
		defer d.end()
		return hammer(m, c, d)
	}
	return hammer(m, c, nil)
}

// check returns c with its zero values replaced, or what is wrong with it.
func (c Config) check(m mutex.Mutex) (Config, error) {
	if m == nil {
		return c, errors.New("stress: no mutex to hammer: it is nil")
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
	case c.Duration < 0:
		return c, fmt.Errorf("stress: Duration is %v: it must not be negative", c.Duration)
	case c.Entries < 0:
		return c, fmt.Errorf("stress: Entries is %d: it must not be negative", c.Entries)
	case c.Watchdog < 0:
		return c, fmt.Errorf("stress: Watchdog is %v: it must not be negative", c.Watchdog)
	case !(c.GiveUp >= 0 && c.GiveUp <= 1): // so that NaN is refused
		return c, fmt.Errorf("stress: GiveUp is %v: it must be between 0 and 1", c.GiveUp)
	case !(c.Delay >= 0 && c.Delay <= 1):
		return c, fmt.Errorf("stress: Delay is %v: it must be between 0 and 1", c.Delay)
	case c.GiveUp > 0 && !abortable:
		return c, fmt.Errorf("stress: GiveUp is %v: a %T is not a mutex.Abortable", c.GiveUp, m)
	}
	return c, nil
}

// A run is what its goroutines share.
type run struct {
	c       Config
	delay   *delay // nil: none
	guarded guarded
	_       [64]byte
	inside  occupancy
	order   order
	states  []state // by goroutine
	_       [64]byte
	stop    atomic.Bool
	start   time.Time
	failed  chan error // a panic; buffered for every goroutine
}

func hammer(m mutex.Mutex, c Config, d *delay) (*Report, error) {
	r := &run{
		c:      c,
		delay:  d,
		order:  order{waits: make([]wait, c.Goroutines)},
		states: make([]state, c.Goroutines),
		failed: make(chan error, c.Goroutines),
	}
	workers := r.workers(m)
	begin, over := make(chan struct{}), make(chan struct{})
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
		close(over)
	}()
	err := r.wait(over)
	return r.report(m.Processes(), workers, time.Since(r.start)), err
}

func (r *run) workers(m mutex.Mutex) []*worker {
	workers := make([]*worker, r.c.Goroutines)
	var shared *mutex.Shared
	if r.c.Shared {
		shared = mutex.Share(m)
	}
	for k := range workers {
		var d locker = shared
		if !r.c.Shared {
			a, _ := m.(mutex.Abortable)
			d = process{m, a, k}
		}
		workers[k] = newWorker(r, k, d)
	}
	return workers
}

// wait blocks until the run is over, and ends new attempts when its time is up.
func (r *run) wait(over <-chan struct{}) error {
	var up <-chan time.Time
	if r.c.Duration > 0 {
		t := time.NewTimer(r.c.Duration)
		defer t.Stop()
		up = t.C
	}
	dog := newWatchdog(r)
	look := time.NewTicker(max(r.c.Watchdog/looks, 1))
	defer look.Stop()
	for {
		select {
		case <-over:
			return r.failure()
		case <-up:
			r.stop.Store(true)
		case err := <-r.failed:
			r.stop.Store(true)
			return err
		case <-look.C:
			if dog.stuck() {
				r.stop.Store(true) // for those who come free after all
				return dog.describe()
			}
		}
	}
}

// failure returns the first panic, if there was one.
func (r *run) failure() error {
	select {
	case err := <-r.failed:
		return err
	default:
		return nil
	}
}

// now returns the time since the start.
func (r *run) now() time.Duration { return time.Since(r.start) }
