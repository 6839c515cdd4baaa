package measure

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.org/doorway/mutex"
)

// A Contention says how goroutines compete for a lock: each enters, works,
// leaves and comes back at once. Goroutine k is process k.
type Contention struct {
	Goroutines int           // at least 1, and at most the processes of the lock
	Duration   time.Duration // how long it is measured; a warm-up of a fifth of it comes before
	Work       time.Duration // the length of the critical section; 0: it adds one
	Sample     int           // of so many entries one is timed, on average; 0: 64
}

// A Result is what a Contention came to.
type Result struct {
	Entries uint64        // of all goroutines together
	Elapsed time.Duration // in which they were made
	CPU     time.Duration // that the program used meanwhile, with that of the system for it; 0 where it is not reported
	Latency Latency
	MinMax  float64 // the share of the goroutine with the fewest entries to that with the most
	Allocs  float64 // heap allocations an entry, of the whole program
}

// Latency is how long Lock took, over all entries that were timed. The
// percentiles come from kept samples: up to 65536, beyond which each entry that
// was timed is as likely as any other to be among them. Of fewer than 100 that
// were timed P99 is no more than the largest, of fewer than 1000 P999. Max is of all
// that were timed: another may have waited longer.
type Latency struct {
	P50, P99, P999, Max time.Duration

	Timed int
}

// CPUPerEntry returns the nanoseconds of CPU time per entry, or NaN if there were
// no entries or the system does not report it.
func (r Result) CPUPerEntry() float64 {
	if r.CPU == 0 || r.Entries == 0 {
		return math.NaN()
	}
	return float64(r.CPU) / float64(r.Entries)
}

// PerSecond returns the entries per second, of all goroutines together.
func (r Result) PerSecond() float64 { return float64(r.Entries) / r.Elapsed.Seconds() }

// Contend measures m under c. It blocks for the warm-up, for c.Duration and
// until every goroutine has left; if m loses a wake-up, forever. It panics if
// c.Goroutines is not between 1 and m.Processes().
//
// Timing an entry costs about as much as entering a fast lock. So one in
// c.Sample is timed, at random intervals lest the choice keep step with the
// lock; the count of entries is hardly disturbed, and each entry is as likely
// as any other to be timed.
func Contend(m mutex.Mutex, c Contention) Result {
	runtime.GC() // what others have left behind is not collected on our time
	l := NewLoop(m, c, math.MaxInt)
	l.phase.Store(warmUp)
	close(l.gate)
	time.Sleep(c.Duration / 5)

	before, start := mallocs(), time.Now()
	used, _ := cpuTimeOf(func() {
		l.phase.Store(measured)
		time.Sleep(c.Duration)
		l.phase.Store(over)
	})
	elapsed := time.Since(start)
	l.done.Wait()
	allocs := mallocs() - before

	r := l.Result()
	r.Elapsed, r.CPU = elapsed, used
	r.Allocs = float64(allocs) / float64(max(1, r.Entries))
	return r
}

// A Loop is a closed loop of goroutines: each enters, works, leaves and comes
// back at once.
type Loop struct {
	m       mutex.Mutex
	c       Contention
	gate    chan struct{} // closed to begin
	done    sync.WaitGroup
	used    time.Duration // of CPU time in Run
	entries []uint64      // made by goroutine k while measured; written once, at its end
	guarded *guarded
	_       line
	phase   atomic.Int32
	_       line
}

// The phases of a loop.
const (
	measured = iota
	warmUp
	over
)

// guarded is what the lock guards.
type guarded struct {
	section *Section
	left    int // how many entries are yet to be made
	timed   int
	max     time.Duration
	samples []time.Duration
}

// NewLoop starts the goroutines of a loop, which wait at the gate. It ends
// after so many entries, or when its phase is over; c.Duration is [Contend]'s.
// It panics if c.Goroutines is not between 1 and m.Processes().
func NewLoop(m mutex.Mutex, c Contention, entries int) *Loop {
	if n := m.Processes(); c.Goroutines < 1 || c.Goroutines > n {
		panic(fmt.Sprintf("measure: %d goroutines on a lock for %d", c.Goroutines, n))
	}
	if c.Sample < 1 {
		c.Sample = 64
	}
	l := &Loop{
		m: m, c: c,
		gate:    make(chan struct{}),
		entries: make([]uint64, c.Goroutines),
		guarded: &guarded{section: Work(c.Work), left: entries, samples: make([]time.Duration, 0, 1<<16)},
	}
	for k := range c.Goroutines {
		l.done.Go(func() { l.process(k) })
	}
	return l
}

// Run opens the gate, and blocks until all entries have been made: what a
// benchmark times.
func (l *Loop) Run() {
	l.used, _ = cpuTimeOf(func() {
		close(l.gate)
		l.done.Wait()
	})
}

// process is goroutine k. An entry counts for the phase in which it began.
func (l *Loop) process(k int) {
	m, g := l.m, l.guarded
	var entries [over]uint64
	<-l.gate
	untimed := l.untimed()
	for phase := l.phase.Load(); phase != over; phase = l.phase.Load() {
		if untimed > 0 {
			untimed--
			m.Lock(k)
		} else {
			untimed = l.untimed()
			start := time.Now()
			m.Lock(k)
			g.keep(time.Since(start), phase)
		}
		g.left--
		more := g.left >= 0
		if more {
			g.section.Do()
			entries[phase]++
		}
		m.Unlock(k)
		if !more {
			break
		}
	}
	l.entries[k] = entries[measured]
}

// untimed returns how many entries to make until one is timed.
func (l *Loop) untimed() int { return rand.IntN(2*l.c.Sample - 1) }

// keep keeps d as a sample, inside the critical section: so all goroutines
// share one sample, in which each has the weight of its entries.
func (g *guarded) keep(d time.Duration, phase int32) {
	if phase != measured {
		return
	}
	g.timed++
	g.max = max(g.max, d)
	if len(g.samples) < cap(g.samples) {
		g.samples = append(g.samples, d)
	} else if k := rand.IntN(g.timed); k < len(g.samples) {
		g.samples[k] = d
	}
}

// Result returns all but what the clock and the allocator know; the CPU time is that of Run.
func (l *Loop) Result() Result {
	g := l.guarded
	slices.Sort(g.samples)
	r := Result{
		CPU:    l.used,
		MinMax: MinMax(l.entries),
		Latency: Latency{
			P50:  Percentile(g.samples, 0.5),
			P99:  Percentile(g.samples, 0.99),
			P999: Percentile(g.samples, 0.999),
			Max:  g.max,

			Timed: g.timed,
		},
	}
	for _, n := range l.entries {
		r.Entries += n
	}
	return r
}

// mallocs returns how many objects the program has allocated so far.
func mallocs() uint64 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.Mallocs
}
