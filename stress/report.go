package stress

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Report is the result of a run. It marshals to JSON with durations in
// nanoseconds.
type Report struct {
	Goroutines int           `json:"goroutines"`
	Processes  int           `json:"processes"`
	Shared     bool          `json:"shared"`
	Elapsed    time.Duration `json:"elapsed_ns"`

	Attempts uint64 `json:"attempts"` // that have ended
	Entries  uint64 `json:"entries"`  // the attempts that entered
	GaveUp   uint64 `json:"gave_up"`  // the attempts that did not

	Violations uint64 `json:"violations"` // entries while another was inside that it excludes

	// FirstViolation is an entry while such others were inside, or nil. Goroutines are
	// numbered from 0, and unless Shared, goroutine k is process k.
	FirstViolation *struct {
		Entered int           `json:"entered"`  // the goroutine that entered
		Inside  []int         `json:"inside"`   // those that were inside, as far as known
		Call    uint64        `json:"call"`     // the number of the goroutine's attempt, from 1
		After   time.Duration `json:"after_ns"` // since the start of the run
	} `json:"first_violation,omitempty"`

	LostUpdates uint64 `json:"lost_updates"` // of the guarded data; not known, and 0, while Unfinished > 0

	// PerGoroutine has the number of entries of each goroutine. Unless Shared,
	// goroutine k is process k.
	PerGoroutine []uint64 `json:"per_goroutine"`

	// Share measures how evenly the entries are spread: the least and the largest
	// fraction of a goroutine, and the Jain index, which is 1 if all fractions are
	// equal and 1/Goroutines if one goroutine has all entries.
	Share struct {
		Min  float64 `json:"min"`
		Max  float64 `json:"max"`
		Jain float64 `json:"jain"`
	} `json:"share"`

	// Bypasses of an entry are the calls that were made later and entered earlier:
	// their mean over all entries, and their maximum, which is not counted beyond
	// 1,048,575. The call precedes the doorway, so a lock that is FIFO from the doorway
	// on may have bypasses: their mean is small, but a goroutine that is suspended just
	// before its doorway is bypassed by all that enter meanwhile.
	Bypasses struct {
		Mean float64 `json:"mean"`
		Max  uint64  `json:"max"`
	} `json:"bypasses"`

	// Latency is the duration of the calls of Lock. The percentiles are those of a
	// uniform sample; Max is that of all calls. As in every closed loop, they flatter
	// an unfair lock: a goroutine that waits for long makes few calls.
	Latency struct {
		P50     time.Duration `json:"p50_ns"`
		P99     time.Duration `json:"p99_ns"`
		P999    time.Duration `json:"p999_ns"`
		Max     time.Duration `json:"max_ns"`
		Calls   uint64        `json:"calls"`   // of Lock, not those that may abort
		Sampled int           `json:"sampled"` // those of them in the sample
	} `json:"latency"`

	// Unfinished is the number of goroutines that had not finished, because they
	// were stuck or another panicked. Latency does not include the calls that they are in.
	Unfinished int `json:"unfinished"`
}

// report returns the Report. A goroutine that has not finished continues to write
// its worker, so only its state is read.
func (r *run) report(processes int, workers []*worker, elapsed time.Duration) *Report {
	p := &Report{
		Goroutines: len(workers), Processes: processes, Shared: r.c.Shared, Elapsed: elapsed,
		Violations:   r.violations.Load(),
		PerGoroutine: make([]uint64, len(workers)),
	}
	p.FirstViolation = r.first.Load()
	for k, w := range workers {
		ended, entries, finished := w.state.summary()
		p.PerGoroutine[k] = entries
		p.Attempts += ended
		p.Entries += entries
		if !finished {
			p.Unfinished++
		}
	}
	p.GaveUp = p.Attempts - p.Entries
	p.Share.Jain = jain(p.PerGoroutine)
	if p.Entries > 0 {
		p.Share.Min = float64(slices.Min(p.PerGoroutine)) / float64(p.Entries)
		p.Share.Max = float64(slices.Max(p.PerGoroutine)) / float64(p.Entries)
	}
	r.tally.report(p)
	if p.Unfinished == 0 {
		p.LostUpdates = r.lostUpdates(workers)
	}
	return p
}

// lostUpdates returns how many updates of guarded data are missing when all workers are
// done.
func (r *run) lostUpdates(workers []*worker) uint64 {
	var made, kept uint64
	found := map[*resource]bool{}
	for _, w := range workers {
		made += w.state.entries.Load() * uint64(len(w.resources))
		for _, x := range w.resources {
			if !found[x] {
				found[x] = true
				kept += x.guarded.read(r.c.Atomic)
			}
		}
	}
	return made - kept
}

// summary returns the number of attempts that have ended, or at least entered, the
// number that have entered, and whether there will be no more.
func (s *state) summary() (ended, entries uint64, finished bool) {
	entries = s.entries.Load() // first: an entry is of a call that is counted already
	ended = s.calls.Load()
	p, _ := s.get()
	switch p {
	case locking, trying, lockingContext, panicked:
		ended = max(ended-1, entries)
	}
	return ended, entries, p == done
}

// Err returns an error if the lock failed, by a violation or by a lost update of
// guarded data without one, and otherwise nil.
func (r *Report) Err() error {
	switch {
	case r.Violations > 0:
		return fmt.Errorf("stress: mutual exclusion violated by %d of %d entries, first when %s",
			r.Violations, r.Entries, violationText(r.FirstViolation))
	case r.LostUpdates > 0:
		return fmt.Errorf("stress: %d updates of guarded data lost in %d entries", r.LostUpdates, r.Entries)
	}
	return nil
}

// String returns the report as a table of a few lines.
func (r *Report) String() string {
	var b strings.Builder
	row := func(name, format string, values ...any) {
		fmt.Fprintf(&b, "%-12s "+format+"\n", append([]any{name}, values...)...)
	}
	row("run", "%s, %d entries in %v%s", r.who(), r.Entries, round(r.Elapsed), r.rate())
	row("exclusion", "%s", r.exclusion())
	if r.GaveUp > 0 {
		row("gave up", "%d of %d attempts", r.GaveUp, r.Attempts)
	}
	row("share", "%.2f%% to %.2f%%, fair is %.2f%%; Jain index %.3f",
		100*r.Share.Min, 100*r.Share.Max, 100/float64(r.Goroutines), r.Share.Jain)
	row("bypasses", "%.2f per entry, at most %d, counted from the call of Lock", r.Bypasses.Mean, r.Bypasses.Max)
	if l := r.Latency; l.Calls > 0 {
		row("Lock took", "p50 %v, p99 %v, p99.9 %v, at most %v (%d of %d calls sampled)",
			round(l.P50), round(l.P99), round(l.P999), round(l.Max), l.Sampled, l.Calls)
	}
	if r.Unfinished > 0 {
		row("unfinished", "%d of %d goroutines", r.Unfinished, r.Goroutines)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (r *Report) who() string {
	how := "of"
	if r.Shared {
		how = "sharing"
	}
	return number(r.Goroutines, "goroutine", "goroutines") + " " + how + " " + number(r.Processes, "process", "processes")
}

func (r *Report) rate() string {
	if r.Elapsed <= 0 {
		return ""
	}
	return fmt.Sprintf(", %.0f a second", float64(r.Entries)/r.Elapsed.Seconds())
}

func (r *Report) exclusion() string {
	if r.Violations == 0 && r.LostUpdates == 0 {
		return "no violation, no lost update"
	}
	s := fmt.Sprintf("VIOLATED by %d entries; %d updates lost", r.Violations, r.LostUpdates)
	if r.FirstViolation != nil {
		s += fmt.Sprintf("; first when %s", violationText(r.FirstViolation))
	}
	return s
}

func number(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// round keeps about three digits.
func round(d time.Duration) time.Duration {
	for unit := time.Second; unit > 1; unit /= 10 {
		if d >= 100*unit {
			return d.Round(unit)
		}
	}
	return d
}
