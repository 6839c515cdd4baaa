package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// A cell is a lock in a shape.
type cell struct {
	lock  string
	shape shape
}

// A report has the results of each cell, one for each round.
type report struct {
	rounds   int
	window   time.Duration
	versions []string
	cells    map[cell][]result
	stalls   gaps
}

// A result is what a measurement amounts to.
type result [5]float64

const (
	rate      = iota // pairs a second
	handovers        // how often a second an entry followed that of another client
	share            // the fewest entries of a client by the most
	median           // of the waits, in milliseconds
	p99              // likewise
)

// result evaluates what so many clients have done in a window.
func (m measurement) result(clients int, window time.Duration) result {
	m.sort()
	counts, passes := make([]float64, clients), 0
	waits := make([]float64, len(m))
	for k, e := range m {
		counts[e.Client]++
		waits[k] = e.Wait.Seconds() * 1e3
		if k > 0 && e.Client != m[k-1].Client {
			passes++
		}
	}
	if len(m) == 0 {
		waits = []float64{window.Seconds() * 1e3} // at least
	}
	return result{
		rate:      float64(len(m)) / window.Seconds(),
		handovers: float64(passes) / window.Seconds(),
		share:     slices.Min(counts) / max(1, slices.Max(counts)),
		median:    quantile(waits, .5),
		p99:       quantile(waits, .99),
	}
}

// values returns a part of the results of a cell.
func (r *report) values(c cell, part int) (all []float64) {
	for _, v := range r.cells[c] {
		all = append(all, v[part])
	}
	return all
}

// ratios divides a part of the results of two cells in each round.
func (r *report) ratios(over, under cell, part int) (all []float64) {
	a, b := r.values(over, part), r.values(under, part)
	for i := range min(len(a), len(b)) {
		if b[i] > 0 {
			all = append(all, a[i]/b[i])
		}
	}
	return all
}

// spread is the median, with the first and the last quartile.
func spread(format string, values []float64) string {
	if len(values) == 0 {
		return "–"
	}
	return fmt.Sprintf(format+" ("+format+"–"+format+")", quantile(values, .5), quantile(values, .25), quantile(values, .75))
}

// quantile returns a quantile of some values, between two of them if it is not one.
func quantile(values []float64, q float64) float64 {
	v := slices.Sorted(slices.Values(values))
	at := q * float64(len(v)-1)
	k := int(at)
	return v[k] + (at-float64(k))*(v[min(k+1, len(v)-1)]-v[k])
}

func (r *report) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s/%s, %d CPUs, %s, %s. %d rounds of %v: the median, and in parentheses the quartiles.\n", runtime.GOOS, runtime.GOARCH,
		runtime.NumCPU(), runtime.Version(), strings.Join(r.versions, ", "), r.rounds, r.window)
	r.figures(&b)
	for _, s := range shapes {
		r.table(&b, s)
	}
	return b.String()
}

func (r *report) table(b *strings.Builder, s shape) {
	fmt.Fprintf(b, "\n### %v\n\n| lock | pairs/s | ÷ bare | handovers/s | share | p50, ms | p99, ms |\n|---|---:|---:|---:|---:|---:|---:|\n", s)
	for _, l := range locks {
		c := cell{l.name, s}
		if len(r.cells[c]) == 0 {
			continue
		}
		middle := func(part int) float64 { return quantile(r.values(c, part), .5) }
		fmt.Fprintf(b, "| %s | %s | %s | %.0f | %.2f | %.2f | %s |\n", l.name, spread("%.0f", r.values(c, rate)),
			spread("%.2f", r.ratios(c, cell{bare, s}, rate)), middle(handovers), middle(share), middle(median), spread("%.2f", r.values(c, p99)))
	}
}

// figures writes what the lock is to reach.
func (r *report) figures(b *strings.Builder) {
	b.WriteString("\n| figure | measured | reach |\n|---|---:|---:|\n")
	line := func(name, format string, values []float64, goal string) {
		fmt.Fprintf(b, "| %s | %s | %s |\n", name, spread(format, values), goal)
	}
	ratio := func(name string, over, under string, s shape, goal string) {
		line(fmt.Sprintf("%s, %v", name, s), "%.2f", r.ratios(cell{over, s}, cell{under, s}, rate), goal)
	}
	ratio("central ÷ bare", byCentral, bare, eight, "≥ 0.9")
	ratio("central ÷ bare", byCentral, bare, processes, "≥ 0.95")
	ratio("without the engine, ricartagrawala over link ÷ without", linked, nodes, three, "≥ 0.7")
	ratio("ricartagrawala ÷ central", byRA, byCentral, processes, "≥ 0.8")
	for _, l := range []string{byCentral, byRA} {
		line("share, "+l+", 3 processes", "%.2f", r.values(cell{l, processes}, share), "≥ 0.95")
	}
	for _, s := range []shape{eight, processes} {
		ratio("central ÷ etcd", byCentral, "etcd", s, "≥ 50")
		for _, l := range []string{"redsync", "redislock"} {
			ratio("central ÷ "+l, byCentral, l, s, "≥ 2")
			line("the same, handovers", "%.2f", r.ratios(cell{byCentral, s}, cell{l, s}, handovers), "")
		}
	}
	for _, l := range []string{byCentral, byRA} {
		ratio(l+lost+" ÷ none", l+lost, l, eight, "≥ 0.4")
	}
	line("longest time without an entry, ms: a member joins", "%.1f", r.stalls.join, "≤ 50")
	line("longest time without an entry, ms: an idle member leaves", "%.1f", r.stalls.leave, "≤ 50")
	line("longest time without an entry, ms: neither", "%.1f", r.stalls.none, "")
}

// write replaces the generated part of a page.
func write(file, text string) error {
	const begin, end = "<!-- measured: go run . -update -->\n", "<!-- end of measured -->\n"
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, rest, begins := strings.Cut(string(page), begin)
	_, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		return fmt.Errorf("%s has no part between %q and %q", file, begin, end)
	}
	return os.WriteFile(file, []byte(before+begin+text+end+after), 0o644)
}
