package measure

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/internal/tier"
	"example.org/doorway/mutex"
)

// A lock is what is measured here: the algorithms of the catalog, and the peers.
type lock struct {
	name   string
	new    func(n int) mutex.Mutex
	atMost func(n int) int // n, or fewer where it does not serve so many
	own    bool            // ours
}

func locks() []lock {
	var all []lock
	for _, a := range catalog.Algorithms {
		all = append(all, lock{a.Name, func(n int) mutex.Mutex { return a.New(n) }, a.AtMost, true})
	}
	var unlimited catalog.Algorithm
	for _, p := range Peers {
		all = append(all, lock{p.Name, p.New, unlimited.AtMost, false})
	}
	return all
}

// Every lock is measured, uncontended and contended. None of ours allocates.
func TestEveryLock(t *testing.T) {
	for _, l := range locks() {
		t.Run(l.name, func(t *testing.T) {
			m := l.new(l.atMost(8))
			ns := Alone(Locker(m, 0), 100*time.Microsecond)
			assert.True(t, 0 < ns && ns < 1e9, "%v ns", ns)
			if !tier.Race { // which allocates on its own account
				assert.Zero(t, testing.AllocsPerRun(100, func() { m.Lock(0); m.Unlock(0) }), "allocations an entry")
			}
			c := Contention{Goroutines: l.atMost(4), Duration: tier.Pick[time.Duration](2, 20) * time.Millisecond, Work: 100, Sample: 1}
			r := Contend(l.new(c.Goroutines), c)
			// What the runtime allocates now and then to let goroutines wait is not the lock's,
			// and far below one in a thousand entries: unless other programs leave us time for
			// a few entries only. A peer may: the semaphore allocates for each that waits.
			allocates := func() bool { return l.own && !tier.Race && r.Allocs > 0.001 }
			for ; (r.Entries == 0 || allocates()) && c.Duration < 10*time.Second; r = Contend(l.new(c.Goroutines), c) {
				c.Duration *= 2 // other programs have had both cores
			}
			assert.False(t, allocates(), "%v allocations an entry", r.Allocs)
			require.NotZero(t, r.Entries)
			assert.GreaterOrEqual(t, r.Elapsed, c.Duration)
			assert.InDelta(t, float64(r.Entries), r.PerSecond()*r.Elapsed.Seconds(), 1e-3, "entries")
			if _, ok := cpuTime(); ok {
				assert.Positive(t, r.CPUPerEntry(), "CPU time of an entry")
			}
			assert.True(t, 0 <= r.MinMax && r.MinMax <= 1, "min/max %v", r.MinMax)
			p := r.Latency
			if uint64(p.Timed) != r.Entries || p.P50 > p.P99 || p.P99 > p.P999 || p.P999 > p.Max || p.P50 <= 0 {
				t.Errorf("latency %+v", p)
			}
		})
	}
	assert.Positive(t, RoundTrip(time.Millisecond))
	assert.PanicsWithValue(t, "measure: 3 goroutines on a lock for 2", func() {
		Contend(Peers[0].New(2), Contention{Goroutines: 3, Duration: time.Millisecond})
	})
}

// No lock of ours burns a core while it waits, nor allocates, however many wait, or share it. The bound is
// loose, for other programs of the machine may send the waiter's caches cold; a waiter that
// spins would use all of the section.
func TestWaiters(t *testing.T) {
	const section = 5 * time.Millisecond
	for _, l := range locks() {
		if !l.own {
			continue
		}
		best := section
		for tries := 0; tries < 50 && best > section/4; tries++ { // other programs come and go
			burnt, ok := Waiting(l.new(2), section)
			if !ok {
				t.Skip("the system does not tell CPU time")
			}
			best = min(best, burnt)
		}
		assert.LessOrEqual(t, best, section/4, "%s: a waiter used so much in %v", l.name, section)
		if tier.Race || hook.Hosted { // a build that can have a host allocates the conditions of awaits for it
			continue
		}
		for _, n := range tier.Pick([]int{64}, []int{8, 64}) {
			for _, m := range []mutex.Mutex{l.new(l.atMost(n)), Share(l.new(l.atMost(4)), n)} {
				c := Contention{Goroutines: min(n, m.Processes()), Duration: tier.Pick[time.Duration](2, 25) * time.Millisecond}
				r := Contend(m, c)
				for ; r.Allocs > 0.001 && c.Duration < time.Second; r = Contend(m, c) {
					c.Duration *= 2
				}
				assert.LessOrEqual(t, r.Allocs, 0.001, "%s, %T, %d goroutines: allocations an entry", l.name, m, n)
			}
		}
	}
}

// Of one goroutine's entries as many are timed as was asked for, and each that
// is kept was timed while it was measured.
func TestSampling(t *testing.T) {
	for _, sample := range []int{1, 10, 64} {
		const entries = 30_000
		l := NewLoop(Peers[0].New(1), Contention{Goroutines: 1, Sample: sample}, entries)
		l.Run()
		r := l.Result()
		assert.Equal(t, uint64(entries), r.Entries)
		assert.Equal(t, uint64(entries), l.guarded.section.words[0], "entries counted")
		want := entries / float64(sample)
		assert.InEpsilon(t, want, r.Latency.Timed, 0.2, "one in %d: timed %d, want about %v", sample, r.Latency.Timed, want)
		assert.Equal(t, min(r.Latency.Timed, 1<<16), len(l.guarded.samples), "samples kept, one in %d", sample)
	}
}

// A section takes the time that was asked for, within a factor of two, at the
// pace that the core has at that moment: other programs change it by more than
// that from one millisecond to the next, so a batch of the spins with which
// sections are calibrated is timed beside each.
func TestWorkIsCalibrated(t *testing.T) {
	took := func(d time.Duration) float64 {
		s, times := Work(d), make([]float64, 21)
		for k := range times {
			pace := timeSpin() / spinTime()
			start := time.Now()
			for range 100 {
				s.Do()
			}
			times[k] = float64(time.Since(start)) / 100 / pace
		}
		return SpreadOf(times).Median
	}
	for _, d := range []time.Duration{100, 1000} {
		got := took(d)
		if got <= float64(d)/2 || got >= float64(d)*2 {
			t.Errorf("a section of %d ns took %v at the pace of the calibration", d, got)
		}
	}
	assert.LessOrEqual(t, took(0), 50.0, "a section of no time took some")
}

// A waiter behind hogs waits for a section at least once, and Behind ends soon after
// its limit.
func TestBehind(t *testing.T) {
	const section, limit = 2 * time.Millisecond, 40 * time.Millisecond
	for _, hogs := range []int{1, 3} {
		start := time.Now()
		longest := Behind(Peers[1].New(hogs+1), hogs, section, limit)
		for tries := 0; tries < 10 && longest < section/4; tries++ { // other programs had both cores
			longest = Behind(Peers[1].New(hogs+1), hogs, section, limit)
		}
		assert.GreaterOrEqual(t, longest, section/4, "%d hogs", hogs)
		assert.LessOrEqual(t, longest, time.Since(start), "%d hogs", hogs)
		assert.GreaterOrEqual(t, time.Since(start), limit, "%d hogs", hogs)
	}
}

// A late lock is free from some time on.
type late struct {
	mutex.Mutex
	free chan struct{}
}

func (l late) Lock(i int) {
	<-l.free
	l.Mutex.Lock(i)
}

// The CPU time of a loop is that of its entries: a section that works counts, a wait does not.
func TestCPUTime(t *testing.T) {
	if _, ok := cpuTime(); !ok {
		t.Skip("the system does not tell CPU time")
	}
	used := func(c Contention, lock mutex.Mutex) float64 {
		c.Goroutines = 1
		l := NewLoop(lock, c, 1)
		l.Run()
		return l.Result().CPUPerEntry()
	}
	const long = 30 * time.Millisecond
	l := late{Peers[0].New(1), make(chan struct{})}
	time.AfterFunc(long, func() { close(l.free) })
	waited := used(Contention{}, l)
	assert.Positive(t, waited)
	assert.Less(t, 2*waited, used(Contention{Work: long}, Peers[0].New(1)), "a wait, and work of the same length, with other programs beside")
	assert.True(t, math.IsNaN(Result{Entries: 1}.CPUPerEntry()), "not reported")
	assert.True(t, math.IsNaN(Result{CPU: 1}.CPUPerEntry()), "no entries")
}
