package anylock

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "example.org/doorway/anylock/testdata/locks" // so that the module requires what these import
	"example.org/doorway/explore"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/tier"
)

const targets = "example.org/doorway/anylock/testdata/locks."

// Locks that people use have what they promise. Their states are counted, so that none is forgotten.
func TestLocks(t *testing.T) {
	all := []struct {
		name, called string // in the docs; "": not there
		config       Config
		states       int
		starves      string
		fifo         string
		bypasses     int
	}{
		{targets + "Spin", "", Config{}, 88, explore.Fails, explore.Fails, explore.Unbounded},
		{targets + "Ticket", "", Config{Doorway: "CompareAndSwap(old, old&3|"}, 12160, explore.Fails, explore.Holds, 1},
		{targets + "MCS", "", Config{}, 462, explore.Holds, explore.Holds, 1},
		{targets + "NewCLH", "", Config{}, 62, explore.Holds, explore.Holds, 1},
		{targets + "NewCLH", "", Config{Doorway: "held.Load()"}, 197, explore.Holds, explore.Holds, 1},
		{targets + "NewChan", "a channel with room for one", Config{}, 47, explore.Holds, explore.Holds, 1},
		{targets + "NewCond", "a mutex and `sync.Cond`", Config{}, 834, explore.Fails, explore.Fails, explore.Unbounded},
		{targets + "Queue", "", Config{}, 329, explore.Holds, explore.Holds, 1},
		{targets + "NewServed", "", Config{}, 2211, explore.Holds, explore.Fails, explore.Unbounded},
		{targets + "NewCondOfChan", "", Config{}, 1586, explore.Fails, explore.Fails, explore.Unbounded},
		{targets + "Large", "", Config{}, 51, explore.Fails, explore.Fails, explore.Unbounded},
		{targets + "NewStarted", "", Config{}, 340, explore.Holds, explore.Holds, 1},
		{targets + "Async", "", Config{Goroutines: 2}, 7, explore.Holds, explore.Undecided, 0},
		{targets + "Ranged", "", Config{}, 80, explore.Fails, explore.Fails, explore.Unbounded},
		{targets + "Tries", "", Config{Goroutines: 2}, 16, explore.Fails, explore.Fails, explore.Unbounded},
		{targets + "Slow", "", Config{Goroutines: 2}, 12, explore.Fails, explore.Fails, explore.Unbounded},
		{targets + "Keyed", "", Config{}, 374, explore.Holds, explore.Fails, explore.Unbounded},
		{targets + "NewPooled", "", Config{Goroutines: 2, Doorway: "l.tail.Swap(n)"}, 822, explore.Undecided, explore.Holds, 1},
		{targets + "NewSemaphore", "`semaphore.Weighted` of x/sync", Config{}, 525, explore.Holds, explore.Holds, 1},
		{targets + "NewFIFO", "`mutex.FIFO`", Config{Goroutines: 2, Rounds: 2, Doorway: "tail.Swap("}, 55091, explore.Undecided, explore.Holds, 1},
		{"sync.Mutex", "`sync.Mutex`", Config{}, 74891, explore.Fails, explore.Fails, explore.Unbounded},
		{"sync.RWMutex", "`sync.RWMutex`", Config{}, 106889, explore.Fails, explore.Fails, explore.Unbounded},
	}
	rows := make([]string, len(all))
	t.Run("all", func(t *testing.T) {
		for k, c := range all {
			t.Run(strings.TrimPrefix(c.name, targets), func(t *testing.T) {
				t.Parallel()
				if tier.Race && c.states > 10_000 {
					t.Skip("has many states")
				}
				c.config.Name = c.name
				r, err := Explore(t.Context(), c.config)
				require.NoError(t, err)
				require.NoError(t, r.Err())
				require.NoError(t, r.WaysErr)
				assert.Equal(t, c.states, r.States)
				assert.Equal(t, c.starves, r.StarvationFree.Status, r.StarvationFree.History)
				assert.Equal(t, c.fifo, r.FIFO.Status, r.FIFO.History)
				assert.Equal(t, c.bypasses, r.Bypasses)
				if c.called != "" {
					rows[k] = fmt.Sprintf("| %s | %d | %s | %d | %s | %s | %s | %s |\n", c.called, r.Goroutines, rounds(r.Rounds), r.States,
						answers[r.StarvationFree.Status], answers[r.FIFO.Status], bypasses(r.BypassesByAll), strings.Join(r.Ways, ", "))
				}
			})
		}
	})
	if tier.Race {
		return
	}
	heading := "| lock | goroutines | rounds | states | starvation-free | FIFO | bypasses | once, also by |\n|---|---:|---|---:|---|---|---|---|\n"
	page.Generated(t, "../docs/own-lock.md", "anylock", "go test ./anylock -run Locks -update", heading+strings.Join(rows, ""))
}

// A step that is looked up does what it does when it is run, in each state.
func TestStepsAreLookedUp(t *testing.T) {
	if tier.Race {
		t.Skip("TestLocks runs the same code, with all that is concurrent in it")
	}
	for _, name := range []string{"Spin", "Ticket", "MCS", "NewCLH", "NewChan", "NewCond", "Queue", "NewServed", "NewCondOfChan", "Large", "NewStarted", "Async", "NewSemaphore", "sync.Mutex", "sync.RWMutex"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := Config{Name: name, doubt: true, Goroutines: tier.Pick(2, 3)}
			if !strings.Contains(name, ".") {
				c.Name = targets + name
			}
			r, err := Explore(t.Context(), c)
			require.NoError(t, err)
			assert.NoError(t, r.Err())
		})
	}
}

// A run in which the clock stands still is no counterexample to freedom from starvation.
func TestClockGoesOn(t *testing.T) {
	r, err := Explore(t.Context(), Config{Name: "sync.Mutex", Goroutines: 2})
	require.NoError(t, err)
	h := r.StarvationFree.History
	require.NotNil(t, h)
	assert.NotContains(t, strings.Join(h.Events[h.Loop:], "\n"), "look at the clock")
}

var answers = map[string]string{explore.Holds: "holds", explore.Fails: "fails", explore.Undecided: "not decided"}

func rounds(n int) string {
	if n == explore.Unbounded {
		return "any number"
	}
	return fmt.Sprint(n)
}

// Each of these faults is found, in the lock and in what it uses.
func TestFaults(t *testing.T) {
	if tier.Race {
		t.Skip("TestLocks runs the same code, with all that is concurrent in it")
	}
	const exclusion, race, panics, deadlock = "mutual exclusion", "free of data races", "free of panics", "deadlock-free"
	for name, c := range map[string]struct {
		lock, file, old, new string
		want                 string // that fails
	}{
		"a store for a swap":                         {"Spin", "locks/locks.go", "l.held.CompareAndSwap(false, true)", "!l.held.Load() { l.held.Store(true); return }; if false", exclusion},
		"a spin lock without a test":                 {"Spin", "locks/locks.go", "if l.held.CompareAndSwap(false, true) {", "if l.held.Store(true); true {", exclusion},
		"a number that two take":                     {"Ticket", "locks/locks.go", "if l.tickets.CompareAndSwap(old, old&3|(mine+1)&3<<2) {", "if l.tickets.Store(old&3|(mine+1)&3<<2); true {", exclusion},
		"a number that is passed over":               {"Ticket", "locks/locks.go", "old&^3|(old+1)&3", "old&^3|(old+2)&3", deadlock},
		"MCS does not wait for the link":             {"MCS", "locks/locks.go", "for next == nil {", "for false {", panics},
		"MCS marks the node after it is linked":      {"MCS", "locks/locks.go", "	n.waits.Store(true)\n	if before := l.tail.Swap(n); before != nil {\n		before.next.Store(n)", "	if before := l.tail.Swap(n); before != nil {\n		before.next.Store(n)\n		n.waits.Store(true)", deadlock},
		"MCS does not hand over":                     {"MCS", "locks/locks.go", "next.waits.Store(false)", "_ = next", deadlock},
		"a mutex that replaces another":              {"Keyed", "locks/odd.go", "lock, _ := l.locks.LoadOrStore(name, new(sync.Mutex))", "var lock any = new(sync.Mutex); l.locks.Store(name, lock)", exclusion},
		"CLH forgets the mark":                       {"NewCLH", "locks/locks.go", "n.held.Store(true)", "", exclusion},
		"a channel with room for two":                {"NewChan", "locks/locks.go", "make(Chan, 1)", "make(Chan, 2)", exclusion},
		"a channel without room":                     {"NewChan", "locks/locks.go", "make(Chan, 1)", "make(Chan)", deadlock},
		"if for for":                                 {"NewCond", "locks/locks.go", "for l.held {", "if l.held {", exclusion},
		"no signal":                                  {"NewCond", "locks/locks.go", "l.free.Signal()", "", deadlock},
		"a field without the mutex":                  {"NewCond", "locks/locks.go", "	l.mu.Lock()\n	l.held = false\n	l.mu.Unlock()\n", "	l.held = false\n", race},
		"unlocked twice":                             {"NewCond", "locks/locks.go", "	l.held = true\n", "	l.held = true\n	l.mu.Unlock()\n", panics},
		"the queue is forgotten":                     {"Queue", "locks/locks.go", "	l.queue = append([]chan struct{}(nil), l.queue[1:]...)\n", "	l.queue = nil\n", deadlock},
		"closed twice":                               {"Queue", "locks/locks.go", "	l.queue = append([]chan struct{}(nil), l.queue[1:]...)\n", "", panics},
		"queued after the mutex is unlocked":         {"Queue", "locks/locks.go", "	l.queue = append(l.queue, c)\n	l.mu.Unlock()\n", "	l.mu.Unlock()\n	l.queue = append(l.queue, c)\n", race},
		"the server does not wait":                   {"NewServed", "locks/locks.go", "		<-l.leave\n", "", deadlock},
		"the server ends":                            {"NewServed", "locks/locks.go", "	for {\n		l.enter <- ", "	for range 1 {\n		l.enter <- ", deadlock},
		"what only two can reach":                    {"Noted", "locks/odd.go", "said", "said", panics},
		"a flag that is never set":                   {"Own", "locks/odd.go", "var mine", "var mine", deadlock},
		"TryLock in two steps":                       {"NewTried", "locks/odd.go", "return l.held.CompareAndSwap(false, true)", "if l.held.Load() {\n		return false\n	}\n	l.held.Store(true)\n	return true", exclusion},
		"who gives up takes the wake-up along":       {"NewTried", "locks/odd.go", "return ctx.Err()", "select {\n			case <-l.freed:\n			default:\n			}\n			return ctx.Err()", deadlock},
		"sync.Mutex lets who tries in":               {"sync.Mutex", "internal/sync/mutex.go", "if old&(mutexLocked|mutexStarving) != 0 {\n		return false", "if false {\n		return false", exclusion},
		"sync.RWMutex lets a reader in":              {"sync.RWMutex", "sync/rwmutex.go", "if rw.readerCount.Add(1) < 0 {", "if rw.readerCount.Add(1) < 0 && false {", exclusion},
		"sync.RWMutex forgets a reader who tries":    {"sync.RWMutex", "sync/rwmutex.go", "if rw.readerCount.CompareAndSwap(c, c+1) {", "if rw.readerCount.CompareAndSwap(c, c) {", panics},
		"a goroutine of the constructor comes late":  {"NewLate", "locks/odd.go", "ready", "ready", exclusion},
		"a goroutine before its time":                {"Async", "locks/odd.go", "l.mu.Lock() }", "}", exclusion},
		"the semaphore wakes no waiter":              {"NewSemaphore", "semaphore/semaphore.go", "	s.notifyWaiters()\n	s.mu.Unlock()\n}\n\nfunc (s *Weighted) notifyWaiters", "	s.mu.Unlock()\n}\n\nfunc (s *Weighted) notifyWaiters", deadlock},
		"sync.Mutex keeps that one is woken":         {"sync.Mutex", "internal/sync/mutex.go", "new &^= mutexWoken", "", deadlock},
		"sync.Mutex does not wake":                   {"sync.Mutex", "internal/sync/mutex.go", "runtime_Semrelease(&m.sema, false, 2)", "", deadlock},
		"sync.Mutex does not hand over when it must": {"sync.Mutex", "internal/sync/mutex.go", "runtime_Semrelease(&m.sema, true, 2)", "", deadlock},
		"sync.RWMutex wakes the writer late":         {"sync.RWMutex", "sync/rwmutex.go", "	// Allow other writers to proceed.\n	rw.w.Unlock()\n", "", deadlock},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var edits sync.Map
			lock := c.lock
			if !strings.Contains(lock, ".") {
				lock = targets + lock
			}
			r, err := Explore(t.Context(), Config{Name: lock, edit: func(file string, text []byte) []byte {
				if !strings.HasSuffix(file, c.file) {
					return text
				}
				edits.Store(bytes.Count(text, []byte(c.old)), true)
				return bytes.Replace(text, []byte(c.old), []byte(c.new), 1)
			}})
			_, none := edits.Load(0)
			require.False(t, none, "what is to be replaced is not there")
			require.NoError(t, err)
			var fails string
			for _, p := range r.properties() {
				if p.verdict.Status == explore.Fails && fails == "" {
					fails = p.name
				}
			}
			assert.Equal(t, c.want, fails, "%v", r)
			require.NotEmpty(t, r.Traces)
			var picture bytes.Buffer
			require.NoError(t, r.Traces[0].WriteSVG(&picture))
			assert.Contains(t, picture.String(), fails+" fails")
			if r.Repeat != nil && (tier.Full || len(name)%4 == 0) {
				again, err := Explore(t.Context(), *r.Repeat)
				require.NoError(t, err)
				assert.EqualError(t, again.Err(), r.Err().Error())
				assert.LessOrEqual(t, again.States, len(r.Repeat.Schedule)+1, "%v", again)
			}
			if fails == exclusion && len(r.Traces[0].Steps) > 0 {
				assert.Regexp(t, "inside with process |processes .* are inside", picture.String())
			}
			if err := r.Err(); err != nil {
				t.Log(err)
			}
		})
	}
}
