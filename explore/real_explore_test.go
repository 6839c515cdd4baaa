//go:build doorway_explore

package explore_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/internal/tier"
	"example.org/doorway/mutex"
	"example.org/doorway/register"
	"example.org/doorway/stress"
)

// A real run beside each verdict: locks run with goroutines, which are delayed before
// accesses, and no run may contradict a property that holds.

// A real run of a lock.
type realRun struct {
	seed    uint64
	entries int // of each process
	aborts  bool
	waits   bool // a doorway may wait: no order is observed
	wrong   bool // two may be inside: the guarded data is atomic, for the race detector
	hang    time.Duration
}

// contradicts runs a lock, and returns what contradicts r, or "".
func (c realRun) contradicts(r *explore.Report, newLock func(n int) mutex.Mutex) string {
	config := stress.Config{Entries: c.entries, Seed: c.seed, Delay: 0.3, Watchdog: c.hang, UntilViolation: true, Atomic: c.wrong}
	if c.aborts {
		config.GiveUp = 0.3
	}
	run, err := stress.Run(newLock(r.Processes), config)
	switch {
	case run == nil || err != nil && !errors.Is(err, stress.ErrStuck):
		return fmt.Sprintf("it was not refused: %v", err)
	case holds(r.MutualExclusion) && run.Violations > 0:
		return "mutual exclusion: " + run.Err().Error()
	case holds(r.RaceFree) && run.LostUpdates > 0:
		return fmt.Sprintf("race-free: %d updates are lost", run.LostUpdates)
	case holds(r.DeadlockFree) && err != nil:
		return "deadlock-free: " + err.Error()
	case err != nil || c.aborts || c.waits || !holds(r.MutualExclusion):
		return ""
	}
	w := watch(newLock(r.Processes), c.seed)
	_, err = stress.Run(w, stress.Config{Entries: c.entries, Seed: c.seed, Watchdog: c.hang, Section: runtime.Gosched, Remainder: runtime.Gosched})
	hook.Intercept(nil)
	switch {
	case holds(r.DeadlockFree) && err != nil:
		return "deadlock-free: " + err.Error()
	case holds(r.FIFO) && w.most > 0:
		return fmt.Sprintf("FIFO: a process slept in its wait, and %d later calls of another entered first", w.most)
	case r.FIFO.Status != explore.Unknown && r.Bypasses >= 0 && w.most > r.Bypasses:
		return fmt.Sprintf("bypasses: %d later calls of one other, and the bound is %d", w.most, r.Bypasses)
	case r.FIFO.Status != explore.Unknown && r.BypassesByAll >= 0 && w.mostByAll > r.BypassesByAll:
		return fmt.Sprintf("bypasses: %d later calls of others, and the bound is %d", w.mostByAll, r.BypassesByAll)
	}
	return ""
}

// A watched lock counts the entries that bypass a process. Those of another process
// count if it called Lock when the first slept in its wait, and so had completed its
// doorway, and entered before the first did.
type watched struct {
	mutex.Mutex
	mu              sync.Mutex
	calls           map[string]*call // under way, by goroutine
	time            int
	most, mostByAll int
	random          *rand.Rand
}

type call struct {
	began, slept int // 0: it has not slept
	passed       map[int]int
	all          int
}

// watch returns m, watched, and intercepts accesses to registers.
func watch(m mutex.Mutex, seed uint64) *watched {
	w := &watched{Mutex: m, calls: map[string]*call{}, random: rand.New(rand.NewPCG(seed, 0))}
	hook.Intercept(func(a hook.Access, _ *atomic.Uint64) {
		w.mu.Lock()
		yields := w.random.IntN(30) - 20
		if a == hook.Waking && asleep() {
			if c := w.calls[goroutine()]; c != nil && c.slept == 0 {
				w.time++
				c.slept = w.time
			}
		}
		w.mu.Unlock()
		for ; yields > 0; yields-- {
			runtime.Gosched()
		}
	})
	return w
}

func (w *watched) Lock(i int) {
	me := goroutine()
	w.mu.Lock()
	w.time++
	c := &call{began: w.time, passed: map[int]int{}}
	w.calls[me] = c
	w.mu.Unlock()
	w.Mutex.Lock(i)
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.calls, me)
	for _, other := range w.calls {
		if other.slept > 0 && other.slept < c.began {
			other.passed[i]++
			other.all++
			w.most, w.mostByAll = max(w.most, other.passed[i]), max(w.mostByAll, other.all)
		}
	}
}

// asleep reports whether a process of package register is about to sleep in its wait, and
// not before its doorway, where it gives way to others.
func asleep() bool {
	var pcs [32]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	sleeps := false
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch {
		case strings.HasSuffix(f.Function, "register.(*Process).sleep"):
			sleeps = true
		case strings.HasSuffix(f.Function, "register.(*Process).begin"):
			return false
		}
	}
	return sleeps
}

// goroutine returns the name of the calling goroutine.
func goroutine() string {
	buf := make([]byte, 40)
	name, _, _ := bytes.Cut(buf[:runtime.Stack(buf, false)], []byte(" ["))
	return string(name)
}

func holds(v explore.Verdict) bool { return v.Status == explore.Holds }

// run checks a lock, and runs it unless it is refused. It reports whether it was not.
func (c realRun) run(t *testing.T, cfg explore.Config) bool {
	t.Helper()
	r, err := explore.Check(cfg)
	if err != nil {
		t.Log("refused: ", err)
		return false
	}
	c.check(t, r, cfg.New)
	return true
}

// check runs a lock, if mutual exclusion holds and it cannot hang: goroutines that hang
// could not be ended, and might use registers in later checks.
func (c realRun) check(t *testing.T, r *explore.Report, newLock func(n int) mutex.Mutex) {
	t.Helper()
	if r.MutualExclusion.Status != explore.Holds || r.DeadlockFree.Status != explore.Holds {
		return
	}
	c.aborts, c.hang = r.GiveUp, 30*time.Second
	assert.Empty(t, c.contradicts(r, newLock), "seed %d: a real run contradicts\n%v", c.seed, r)
}

// The locks of the catalog keep their promises if processes enter by Lock, if any of them may
// abort at every await, and if both happens; a run in which an order fails goes as explored;
// and real runs contradict no verdict.
func TestCatalog(t *testing.T) { explored(t, catalog.Algorithms) }

// Nor do real runs of wrong variants.
func TestBrokenRuns(t *testing.T) { explored(t, catalog.Broken) }

func explored(t *testing.T, locks []catalog.Algorithm) {
	t.Helper()
	for _, a := range locks {
		for _, c := range []struct {
			name string
			n    int
			explore.Config
		}{
			{"Lock", 2, explore.Config{}},
			{"Lock", 3, explore.Config{}},
			{"aborts", 2, explore.Config{GiveUp: true}},
			{"aborts", 3, explore.Config{GiveUp: true}},
			{"mixed", 2, explore.Config{Mixed: true}},
		} {
			many := a.Name == "bakery-blackwhite" || a.Name == "graunkethakkar" // histories of three processes
			if a.Broken != nil && (c.n > 2 || c.Mixed) || !a.For(c.n) || c.n > 2 && !tier.Full && (many || !c.GiveUp) {
				continue
			}
			t.Run(fmt.Sprintf("%s/%s/%d", a.Name, c.name, c.n), func(t *testing.T) {
				if a.Broken == nil {
					tier.Each(t, a.Package())
				}
				c.New, c.Processes, c.Cap = of(a), c.n, a.Cap(catalog.Size{Processes: c.n, Numbers: 3})
				c.Only = explore.Properties{MutualExclusion: true, DeadlockFree: true, StarvationFree: true, FIFO: true, RaceFree: c.n == 2}
				r := check(t, c.Config)
				if c.name != "mixed" {
					realRun{seed: 1, entries: tier.Pick(60, 3000)}.check(t, r, c.New)
				}
				if a.Broken != nil {
					return
				}
				assert.Equal(t, [4]bool{true, true, a.Claims.StarvationFree, a.Claims.FIFO},
					[4]bool{holds(r.MutualExclusion), holds(r.DeadlockFree), holds(r.StarvationFree), holds(r.FIFO)}, "%v", r)
				assert.Empty(t, r.DoorwayWaits)
				assert.False(t, r.DoorwayIsEntry)
				if a.Name == "bakery-blackwhite" {
					assert.Zero(t, r.Cut, "numbers exceed 3")
				}
				for _, trace := range failures(r) {
					assert.NoError(t, walk(t, c.Config, trace.Schedule).Err(), trace.Title)
				}
			})
		}
	}
}

func TestRealRunsOfSmallLocks(t *testing.T) {
	for name, newLock := range map[string]func(n int) mutex.Mutex{
		"retries, at a gate": making(retrying(func(l *lock, p *register.Process) bool { return l.gate.AwaitExclusive(p, zero) }), reset),
		"retries, at a word": making(retrying(func(l *lock, p *register.Process) bool { return l.reg[0].Await(p, zero) }), reset),
		"forgets an abort":   aborting(func(l *lock, p *register.Process) bool { return fair(l, p) || l.turn.Load() < 2 }, lower),
		"retries TryLock":    func(n int) mutex.Mutex { return byTrying{aborting(fair, lower)(n).(*abortable)} },
		"waits in its exit": aborting(fair, func(l *lock, p *register.Process) {
			if l.turn.Await(p, func(v uint64) bool { return v < 2 }) {
				lower(l, p)
			}
		}),
		"passes the baton": passingOn(baton{exits: true, gives: true}),
	} {
		for _, giveUp := range []bool{false, true} {
			if _, abortable := newLock(2).(mutex.Abortable); giveUp && !abortable {
				continue
			}
			t.Run(fmt.Sprintf("%s/giveUp=%v", name, giveUp), func(t *testing.T) {
				realRun{seed: 2, entries: tier.Pick(100, 2000)}.run(t, explore.Config{New: newLock, Processes: 2, GiveUp: giveUp})
			})
		}
	}
}

func TestRealRunsOfPrograms(t *testing.T) {
	ran, all := 0, 0
	for seed := range tier.Pick[uint64](60, 1000) {
		g := seeded(seed)
		found, ok := exploreProgram(g, 5000)
		if !ok || !found.DeadlockFree || found.Cut {
			continue
		}
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			all++
			if (realRun{seed: seed, entries: tier.Pick(40, 200), waits: found.DoorwayWaits}).run(t, g.config()) {
				ran++
			}
			if t.Failed() {
				t.Log(g)
			}
		})
	}
	assert.Greater(t, ran, all/2, "of %d programs, most are not refused", all)
}

// Real runs find what would be wrong with the report of a correct lock if it were that
// of a wrong one.
func TestRealRunsContradict(t *testing.T) {
	find := func(name string) func(n int) mutex.Mutex {
		a, ok := catalog.Find(name)
		require.True(t, ok, name)
		return of(a)
	}
	barging := making(retrying(func(l *lock, p *register.Process) bool { return l.reg[0].Await(p, zero) }), reset)
	for _, c := range []struct {
		name         string
		right, wrong func(n int) mutex.Mutex
		aborts       bool
		forget       func(r *explore.Report) // a property that would be contradicted first
		want         string
	}{
		{"exclusion", find("peterson"), find("peterson/turn-first"), false, nil, "mutual exclusion: "},
		{"exclusion with aborts", find("lamportfast"), find("lamportfast/reopen"), true, nil, "mutual exclusion: "},
		{"races", find("peterson"), find("peterson/turn-first"), false, func(r *explore.Report) { r.MutualExclusion.Status = explore.Unknown }, "race-free: "},
		{"deadlock", find("peterson"), making(flags, lower), false, nil, "deadlock-free: "},
		{"FIFO", find("bakery-classic"), barging, false, nil, "FIFO: "},
		{"bypasses", find("peterson"), barging, false, func(r *explore.Report) { r.FIFO.Status = explore.Fails }, "bypasses: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := explore.Check(explore.Config{New: c.right, Processes: 2, Cap: 4, GiveUp: c.aborts})
			require.NoError(t, err)
			if c.forget != nil {
				c.forget(r)
			}
			found := ""
			for seed := uint64(0); seed < 200 && !strings.HasPrefix(found, c.want); seed++ {
				found = realRun{seed: seed, entries: 300, aborts: c.aborts, wrong: true, hang: time.Second}.contradicts(r, c.wrong)
			}
			assert.Contains(t, found, c.want)
			t.Log(found)
		})
	}
}
