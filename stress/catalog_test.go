package stress

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/internal/tier"
)

// intercepts reports whether this build can delay processes.
var intercepts = hook.Intercept(nil)

// Every algorithm passes stress with every number of processes, in every manner, on
// few processors and many. A run has a thousand entries or, in the full proof,
// thirty thousand: short, but in great variety.
func TestCatalog(t *testing.T) {
	for _, procs := range []int{1, 2, 8} {
		t.Run(fmt.Sprintf("procs=%d", procs), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			before := runtime.NumGoroutine()
			for _, a := range catalog.Algorithms {
				for _, n := range tier.Pick([]int{1, 2, 3, 17}, []int{1, 2, 3, 8, 17, 64}) {
					if a.For(n) {
						t.Run(fmt.Sprintf("lock=%s/n=%d", a.Name, n), func(t *testing.T) {
							tier.Each(t, a.Package())
							hammerAll(t, a, n)
						})
					}
				}
			}
			noneLeft(t, before)
		})
	}
}

// manners returns the configurations for a lock of n processes.
func manners(n int) map[string]Config {
	m := map[string]Config{
		"fixed":            {Goroutines: n},
		"fixed/giving-up":  {Goroutines: n, GiveUp: 0.5},
		"fixed/idle":       {Goroutines: n, Section: runtime.Gosched, Remainder: runtime.Gosched},
		"shared":           {Goroutines: n, Shared: true},
		"shared/crowded":   {Goroutines: 3 * n, Shared: true},
		"shared/giving-up": {Goroutines: 3 * n, Shared: true, GiveUp: 0.5},
		"shared/trying":    {Goroutines: n + 1, Shared: true, GiveUp: 1},
	}
	if intercepts {
		m["fixed/delayed"] = Config{Goroutines: n, Delay: 0.3}
		m["fixed/giving-up/delayed"] = Config{Goroutines: n, GiveUp: 0.3, Delay: 0.1}
		m["shared/delayed"] = Config{Goroutines: 3 * n, Shared: true, GiveUp: 0.2, Delay: 0.1}
	}
	return m
}

func hammerAll(t *testing.T, a catalog.Algorithm, n int) {
	t.Helper()
	for name, c := range manners(n) {
		c.Entries = max(attempts(c.Delay > 0)/c.Goroutines, 3)
		c.Seed = uint64(n)
		c.Watchdog = time.Minute
		checkReport(t, name, c, run1(t, a.New(n), c, name))
	}
}

// attempts returns the number of attempts of a run.
func attempts(delayed bool) int {
	switch {
	case delayed:
		return tier.Pick(100, 2000)
	case intercepts: // with the race detector it is slow
		return tier.Pick(300, 5000)
	default:
		return tier.Pick(1000, 30000)
	}
}

// how describes a failing run.
func (c Config) how() string {
	return fmt.Sprintf("Goroutines %d, Entries %d, GiveUp %v, Delay %v", c.Goroutines, c.Entries, c.GiveUp, c.Delay)
}

// checkReport checks that the sums are consistent.
func checkReport(t *testing.T, name string, c Config, r *Report) {
	t.Helper()
	all := uint64(c.Goroutines * c.Entries)
	sum := uint64(0)
	for _, x := range r.PerGoroutine {
		sum += x
	}
	if r.Attempts != all || r.Entries+r.GaveUp != all || sum != r.Entries || r.Unfinished != 0 {
		t.Errorf("%s, %s: the sums are inconsistent:\n%v", name, c.how(), r)
	}
	if c.GiveUp == 0 && (r.GaveUp != 0 || r.Latency.Calls != all) {
		t.Errorf("%s, %s: some attempts aborted:\n%v", name, c.how(), r)
	}
	if r.Bypasses.Max > r.Entries || r.Bypasses.Mean > float64(r.Bypasses.Max) {
		t.Errorf("%s, %s: bypasses:\n%v", name, c.how(), r)
	}
	if l := r.Latency; l.P50 > l.P99 || l.P99 > l.P999 || l.P999 > l.Max {
		t.Errorf("%s, %s: percentiles:\n%v", name, c.how(), r)
	}
}

// noneLeft waits until there are no more goroutines than before: those that finish
// an aborted entry need a moment.
func noneLeft(t *testing.T, before int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines are left of %d\n%s", runtime.NumGoroutine(), before, allStacks())
		}
	}
}
