package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/measure"
)

// A contest is several locks under the same contention, measured in rounds: each
// has a window before any has its next. So the rows that relate two of them relate
// windows of the same round.
type contest struct {
	goroutines int
	work       time.Duration
	locks      []string
	effort     effort // with which results were measured
	results    map[string][]measure.Result
}

// contend returns the contest of those locks, and of the peers that do not spin.
func contend(goroutines int, work time.Duration, locks ...string) *contest {
	c := &contest{goroutines: goroutines, work: work, locks: slices.Clone(locks)}
	for _, p := range measure.Peers {
		if !p.Spins {
			c.locks = append(c.locks, p.Name)
		}
	}
	return c
}

// fifo returns the FIFO locks of the catalog that serve n processes, except one that
// assumes a step that no processor has.
func fifo(n int) []string {
	var names []string
	for _, a := range catalog.Algorithms {
		if a.Claims.FIFO && a.For(n) && a.Claims.Assumes != "an atomic step" {
			names = append(names, a.Name)
		}
	}
	return names
}

// ordered are the FIFO locks that serve n goroutines in the order of one queue: as many
// processes, or any.
func ordered(n int) []string { return append(fifo(n), queue) }

// of returns the windows of a lock. The first call measures all, every other round
// backwards, so that a lock does not always follow the same one. It times one in
// eight entries, which costs a hundredth of most, and the same for all.
func (c *contest) of(name string, e effort) []measure.Result {
	if c.results == nil || c.effort != e {
		c.effort, c.results = e, map[string][]measure.Result{}
		order := slices.Clone(c.locks)
		for range e.Windows {
			for _, l := range order {
				r := measure.Contend(makerOf(l)(c.goroutines), measure.Contention{Goroutines: c.goroutines, Duration: e.Window, Work: c.work, Sample: 8})
				c.results[l] = append(c.results[l], r)
			}
			slices.Reverse(order)
		}
	}
	return c.results[name]
}

// A measurand is what a row of a contest relates, in a unit that the row names.
type measurand struct {
	name string // %s: the lock beside which it is measured
	of   func(measure.Result) float64
	text func(ours, theirs float64) string
}

var (
	throughput = measurand{"throughput / %s", measure.Result.PerSecond, func(a, b float64) string {
		return fmt.Sprintf("%.3g / %.3g million entries a second", a/1e6, b/1e6)
	}}
	tail    = measurand{"p99.9 latency / %s's", func(r measure.Result) float64 { return r.Latency.P999.Seconds() }, perSeconds}
	slowest = measurand{"mean latency of the slowest thousandth / %s's", func(r measure.Result) float64 { return r.Latency.Slowest.Seconds() }, perSeconds}
	cpu     = measurand{"CPU time of an entry / %s's", func(r measure.Result) float64 { return r.CPUPerEntry() / 1e9 }, perSeconds}
)

func perSeconds(a, b float64) string { return seconds(a) + " / " + seconds(b) }

// row returns the row of a lock beside another.
func (c *contest) row(ours string, m measurand, theirs string, g goal) row {
	return row{c.title(ours, m, theirs), g, func(e effort) figure { return c.ratio(ours, m, theirs, e) }}
}

func (c *contest) title(ours string, m measurand, theirs string) string {
	return fmt.Sprintf("%s, %d goroutines, %d ns, %s", ours, c.goroutines, c.work.Nanoseconds(), fmt.Sprintf(m.name, theirs))
}

// ratio relates the windows of two locks, round by round.
func (c *contest) ratio(ours string, m measurand, theirs string, e effort) figure {
	return relate(c.of(ours, e), m, c.of(theirs, e), fmt.Sprintf("%d rounds of %v", e.Windows, e.Window))
}

func relate(ours []measure.Result, m measurand, theirs []measure.Result, windows string) figure {
	var as, bs, ratios []float64
	for k := range ours {
		a, b := m.of(ours[k]), m.of(theirs[k])
		as, bs, ratios = append(as, a), append(bs, b), append(ratios, a/b)
	}
	return figure{measure.SpreadOf(ratios), m.text(measure.SpreadOf(as).Median, measure.SpreadOf(bs).Median), windows}
}

// best returns the row of the FIFO lock that has the highest throughput beside a channel,
// which the note names.
func (c *contest) best(m measurand, g goal) row {
	const theirs = "channel"
	return row{c.title("best FIFO lock", m, theirs), g, func(e effort) figure {
		name := slices.MaxFunc(ordered(c.goroutines), func(a, b string) int {
			return cmp.Compare(c.ratio(a, throughput, theirs, e).Median, c.ratio(b, throughput, theirs, e).Median)
		})
		f := c.ratio(name, m, theirs, e)
		f.note = name + ": " + f.note
		return f
	}}
}

// modes returns two rows, for information: the throughput beside sync.Mutex in the
// half of the rounds in which sync.Mutex was slower, and in the other. It is slow while
// it hands over to waiters, and fast while it permits barging.
func (c *contest) modes(ours string) []row {
	const theirs = "sync.Mutex"
	half := func(chosen func(sorted []int) []int) func(effort) figure {
		return func(e effort) figure {
			of := c.of(theirs, e)
			rounds := make([]int, len(of))
			for k := range rounds {
				rounds[k] = k
			}
			slices.SortFunc(rounds, func(a, b int) int { return cmp.Compare(of[a].PerSecond(), of[b].PerSecond()) })
			var as, bs []measure.Result
			for _, k := range chosen(rounds) {
				as, bs = append(as, c.of(ours, e)[k]), append(bs, of[k])
			}
			return relate(as, throughput, bs, fmt.Sprintf("%d of %d rounds of %v", len(as), e.Windows, e.Window))
		}
	}
	title := c.title(ours, throughput, theirs)
	return []row{
		{title + " while that is slow", goal{}, half(func(sorted []int) []int { return sorted[:(len(sorted)+1)/2] })},
		{title + " while that is fast", goal{}, half(func(sorted []int) []int { return sorted[len(sorted)/2:] })},
	}
}
