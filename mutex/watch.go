package mutex

import (
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"example.org/doorway/internal/memory/hook"
)

// A Call is a call of Lock, TryLock or LockContext of a [Shared], by a goroutine that
// waits or is inside.
type Call struct {
	Inside  bool          // in the critical section; otherwise the goroutine waits
	Process int           // the process as which it is inside or contends; -1: it queues for one
	Since   time.Time     // when it entered; of one that waits, when it called
	Caller  runtime.Frame // the line of the call, or the first above it that is not in package sync
}

// String returns, for example, "inside for 2.1s as process 3, from bank.Transfer
// (bank.go:41)". The time is up to now.
func (c Call) String() string {
	does, as := "waits", "in the queue"
	if c.Inside {
		does = "inside"
	}
	if c.Process >= 0 {
		as = "as process " + hook.Decimal(c.Process)
	}
	return does + " for " + time.Since(c.Since).Round(time.Millisecond).String() + " " + as +
		", from " + base(c.Caller.Function) + " (" + base(c.Caller.File) + ":" + hook.Decimal(c.Caller.Line) + ")"
}

// base returns what follows the last slash in a path. Package path is more than a program needs
// that uses a FIFO.
func base(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			return path[i+1:]
		}
	}
	return path
}

// Watch returns the calls of the goroutine that is inside and of those that wait:
// first inside, then with a process, then in the queue, each group by the longest
// time. It waits for no critical section, so it also works when all of them are stuck.
// It keeps goroutines from joining the queue while it reads the queue and the processes.
// Watch is safe for concurrent
// use. It panics if s was not made by Share.
//
// The first call returns nil, and s records its calls from then on, for good: each costs
// about half a microsecond and two allocations more. A Shared that is never watched
// records nothing.
func (s *Shared) Watch() []Call {
	s.made("watch")
	records := s.watched.Load()
	if records == nil {
		none := make([]atomic.Pointer[record], len(s.taken))
		s.watched.CompareAndSwap(nil, &none)
		return nil
	}
	type as struct {
		process int
		*record
	}
	var contending []as
	var queued []*record
	s.mu.Lock() // so that no call moves from the queue to a process in between
	for w := s.queue.first; w != nil; w = w.next {
		if w.record != nil {
			queued = append(queued, w.record)
		}
	}
	for i := range *records {
		if r := (*records)[i].Load(); r != nil {
			contending = append(contending, as{i, r})
		}
	}
	s.mu.Unlock()
	var calls []Call
	for _, c := range contending {
		calls = append(calls, c.call(c.process))
	}
	slices.SortFunc(calls, func(c, d Call) int {
		switch {
		case c.Inside == d.Inside:
			return c.Since.Compare(d.Since)
		case c.Inside:
			return -1
		default:
			return 1
		}
	})
	for _, r := range queued {
		calls = append(calls, r.call(-1))
	}
	return calls
}

// A record is what a watched Shared remembers of a call. It is never changed.
type record struct {
	inside  bool
	since   time.Time
	callers [4]uintptr // of Lock, TryLock or LockContext, one of which may be a sync.Cond
}

// called records that Lock, TryLock or LockContext, which calls it, has been called. It
// returns nil if a is not watched.
func (a *admission) called() *record {
	if a.watched.Load() == nil {
		return nil
	}
	return newRecord()
}

func newRecord() *record {
	r := &record{since: time.Now()}
	runtime.Callers(4, r.callers[:])
	return r
}

// entered returns the record of the same call when it has entered.
func (r *record) entered() *record {
	return &record{inside: true, since: time.Now(), callers: r.callers}
}

// record makes r the record of process i, if a is watched; nil is none. Only the
// goroutine that has the process writes there, or hands it over, and only Watch reads:
// so watching orders no two goroutines that the Mutex fails to order.
func (a *admission) record(i int, r *record) {
	if records := a.watched.Load(); records != nil {
		(*records)[i].Store(r)
	}
}

func (r *record) call(process int) Call {
	frames := runtime.CallersFrames(r.callers[:])
	f, more := frames.Next()
	for more && len(f.Function) > 5 && f.Function[:5] == "sync." {
		f, more = frames.Next()
	}
	return Call{r.inside, process, r.since, f}
}
