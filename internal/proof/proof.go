// Package proof verifies the claims of the catalog: it checks the locks that users
// import with [example.org/doorway/explore]. Its tests make the table of docs/locks.md; and they
// compute what holds of each message-passing algorithm in every schedule of a small instance,
// and what that takes. A wrong variant has a [Refutation].
package proof

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/memory/registers"
	"example.org/doorway/mutex"
)

// A Result has the computed properties of an algorithm.
type Result struct {
	Algorithm catalog.Algorithm
	Sizes     []catalog.Size
	Reports   []*explore.Report // by size
	Took      []time.Duration   // by size
	Alone     map[int]registers.Accesses
}

// alone are the numbers of processes for which uncontended accesses are counted;
// that does not need the state space.
var alone = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 32, 64, 100}

// Of computes the properties of a, in checks that adapt changes.
func Of(a catalog.Algorithm, adapt func(catalog.Size, *explore.Config)) (*Result, error) {
	r := &Result{Algorithm: a, Alone: map[int]registers.Accesses{}}
	for _, s := range a.Checked {
		c := Config(a, s)
		c.Only = r.unrefuted(c.Only)
		adapt(s, &c)
		start := time.Now()
		report, err := explore.Check(c)
		if err != nil {
			return nil, fmt.Errorf("%s with %d processes: %w", a.Name, s.Processes, err)
		}
		r.Sizes, r.Reports, r.Took = append(r.Sizes, s), append(r.Reports, report), append(r.Took, time.Since(start))
	}
	for _, n := range alone {
		if a.AtMost(n) != n || a.Max > 0 && n < a.Max {
			continue
		}
		c, err := registers.Uncontended(New(a), n)
		if err != nil {
			return nil, fmt.Errorf("%s with %d processes: %w", a.Name, n, err)
		}
		r.Alone[n] = c
	}
	return r, nil
}

// unrefuted returns p without the properties that have been refuted: with more
// processes they are refuted too, by runs in which the additional processes stay in
// their remainder sections.
func (r *Result) unrefuted(p explore.Properties) explore.Properties {
	p.StarvationFree = p.StarvationFree && r.Status(StarvationFree) != explore.Fails
	p.FIFO = p.FIFO && (r.Status(FIFO) != explore.Fails || r.Bypasses() >= 0)
	return p
}

// New returns the constructor of a in the form for explore.
func New(a catalog.Algorithm) func(n int) mutex.Mutex {
	return func(n int) mutex.Mutex { return a.New(n) }
}

// Config returns the configuration for a at size s: all properties with up to three
// processes; with more, not race-freedom and safe registers, which take many more
// states.
func Config(a catalog.Algorithm, s catalog.Size) explore.Config {
	few := s.Processes <= 3
	return explore.Config{New: New(a), Processes: s.Processes, Cap: a.Cap(s), Only: explore.Properties{
		MutualExclusion: true, DeadlockFree: true, StarvationFree: true, FIFO: true, RaceFree: few, SafeRegisters: few,
	}}
}

// A Property is one that explore finds.
type Property func(*explore.Report) explore.Verdict

// The properties of locks.
var (
	MutualExclusion Property = func(r *explore.Report) explore.Verdict { return r.MutualExclusion }
	DeadlockFree    Property = func(r *explore.Report) explore.Verdict { return r.DeadlockFree } // and livelock-free
	StarvationFree  Property = func(r *explore.Report) explore.Verdict { return r.StarvationFree }
	FIFO            Property = func(r *explore.Report) explore.Verdict { return r.FIFO }
	RaceFree        Property = func(r *explore.Report) explore.Verdict { return r.RaceFree } // the data that it guards
	SafeRegisters   Property = func(r *explore.Report) explore.Verdict { return r.SafeRegisters }
)

// Status combines the verdicts of all sizes: it fails if one does, and holds if all
// that were checked do.
func (r *Result) Status(p Property) string {
	all := explore.Unknown
	for _, report := range r.Reports {
		switch p(report).Status {
		case explore.Fails:
			return explore.Fails
		case explore.Holds:
			all = explore.Holds
		}
	}
	return all
}

// Bypasses returns the most bypasses after the doorway, or -1 if
// there is no bound.
func (r *Result) Bypasses() int {
	most := 0
	for _, report := range r.Reports {
		if report.Bypasses < 0 {
			return report.Bypasses
		}
		most = max(most, report.Bypasses)
	}
	return most
}

// Fast reports whether the number of uncontended accesses does not depend on the
// number of processes.
func (r *Result) Fast() bool {
	var first *registers.Accesses
	for n, a := range r.Alone {
		if n == 1 {
			continue // without other processes there may be nothing to read
		}
		if first == nil {
			first = &a
		}
		if a.Reads != first.Reads || a.Writes != first.Writes {
			return false
		}
	}
	return true
}

// Numbers returns the bound of numbers: "n", "unbounded", or "–" if there are none.
func (r *Result) Numbers() string {
	if r.Algorithm.Number == nil {
		return "–"
	}
	bounded := true
	for _, report := range r.Reports {
		if report.Cut > 0 {
			return "unbounded"
		}
		bounded = bounded && Largest(r.Algorithm, report) == uint64(report.Processes)
	}
	if bounded {
		return "n"
	}
	return "?"
}

// Largest returns the largest number that a register of a holds.
func Largest(a catalog.Algorithm, report *explore.Report) (most uint64) {
	for _, v := range report.Registers {
		most = max(most, a.Number(v.Largest, report.Processes))
	}
	return most
}

// Differences returns the differences between the properties and the claims of the
// catalog, a sentence each.
func (r *Result) Differences() []string {
	c := r.Algorithm.Claims
	var all []string
	differ := func(what string, got, want any) {
		if got != want {
			all = append(all, fmt.Sprintf("%s: %s is %v, claimed is %v", r.Algorithm.Name, what, got, want))
		}
	}
	differ("mutual exclusion", r.Status(MutualExclusion), explore.Holds)
	differ("deadlock-free", r.Status(DeadlockFree), explore.Holds)
	differ("starvation-free", r.Status(StarvationFree), holdsIf(c.StarvationFree))
	differ("FIFO", r.Status(FIFO), holdsIf(c.FIFO))
	differ("race-free", r.Status(RaceFree), explore.Holds)
	differ("tolerates safe registers", r.Status(SafeRegisters), holdsIf(c.SafeRegisters))
	differ("the most bypasses", bound(r.Bypasses()), bound(c.Bypasses))
	differ("whether it is fast", r.Fast(), c.Fast)
	differ("how large numbers grow", r.Numbers(), cmp.Or(c.Numbers, "–"))
	for _, n := range slices.Sorted(maps.Keys(r.Alone)) {
		a := r.Alone[n]
		differ(fmt.Sprintf("the number of reads alone, n = %d,", n), a.Reads, c.Reads.Of(n))
		differ(fmt.Sprintf("the number of writes alone, n = %d,", n), a.Writes, c.Writes.Of(n))
		if c.Waiting.Of != nil {
			a.Registers += c.Waiting.Of(n)
		}
		differ(fmt.Sprintf("the number of registers, n = %d,", n), a.Registers, c.Registers.Of(n))
	}
	for _, report := range r.Reports {
		n := report.Processes
		differ(fmt.Sprintf("the number of reads uncontended, n = %d,", n), report.Reads, c.Reads.Of(n))
		differ(fmt.Sprintf("the number of writes uncontended, n = %d,", n), report.Writes, c.Writes.Of(n))
		if len(report.Registers) > 0 {
			differ(fmt.Sprintf("the number of registers in all histories, n = %d,", n), len(report.Registers), c.Registers.Of(n))
		}
	}
	return all
}

func holdsIf(claimed bool) string {
	if claimed {
		return explore.Holds
	}
	return explore.Fails
}

func bound(n int) string {
	if n < 0 {
		return "∞"
	}
	return fmt.Sprint(n)
}

// Processes returns the numbers of processes that were checked: "2–4".
func (r *Result) Processes() string {
	first, last := r.Sizes[0].Processes, r.Sizes[len(r.Sizes)-1].Processes
	if first == last {
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d–%d", first, last)
}

// Followed returns how far unbounded numbers were followed, by size: "8, 8, 6".
func (r *Result) Followed() string {
	var caps []string
	for _, s := range r.Sizes {
		caps = append(caps, fmt.Sprint(s.Numbers))
	}
	return strings.Join(caps, ", ")
}

// States returns the number of states at the largest size.
func (r *Result) States() int { return r.Reports[len(r.Reports)-1].States }

// Says returns the combined verdict as tables have it: yes, no, or "?".
func (r *Result) Says(p Property) string {
	return map[string]string{explore.Holds: "yes", explore.Fails: "no", explore.Unknown: "?"}[r.Status(p)]
}
