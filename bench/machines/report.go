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

// A report has the measurements of each cell, one for each round.
type report struct {
	rounds   int
	window   time.Duration
	versions []string
	cells    map[cell][]measurement
	stalls   gaps
}

// rates returns the pairs a second in each round.
func (r *report) rates(c cell) []float64 {
	return each(r.cells[c], func(m measurement) float64 { return float64(len(m.order())) / m.Window.Seconds() })
}

// passes returns how often a second an entry followed that of another client.
func (r *report) passes(c cell) []float64 {
	return each(r.cells[c], func(m measurement) float64 {
		n, before := 0, -1
		for _, v := range m.order() {
			if before >= 0 && v.client != before {
				n++
			}
			before = v.client
		}
		return float64(n) / m.Window.Seconds()
	})
}

// share returns the fewest entries of a client by the most.
func (r *report) share(c cell) []float64 {
	return each(r.cells[c], func(m measurement) float64 {
		counts := each(m.Clients, func(all []entry) float64 { return float64(len(all)) })
		return slices.Min(counts) / max(1, slices.Max(counts))
	})
}

// waits returns a quantile of the waits in milliseconds.
func (r *report) waits(c cell, q float64) []float64 {
	return each(r.cells[c], func(m measurement) float64 {
		all := m.order()
		if len(all) == 0 {
			return m.Window.Seconds() * 1e3 // at least
		}
		slices.SortFunc(all, func(a, b visit) int { return int(a.Wait - b.Wait) })
		return float64(all[int(q*float64(len(all)-1))].Wait) / float64(time.Millisecond)
	})
}

// A visit is an entry of a client.
type visit struct {
	entry
	client int
}

// order returns all entries in the order in which they were.
func (m measurement) order() (all []visit) {
	for i, entries := range m.Clients {
		for _, e := range entries {
			all = append(all, visit{e, i})
		}
	}
	slices.SortFunc(all, func(a, b visit) int { return int(a.At - b.At) })
	return all
}

func each[T any](all []T, f func(T) float64) []float64 {
	values := make([]float64, 0, len(all))
	for _, v := range all {
		values = append(values, f(v))
	}
	return values
}

// ratios divides the values of two cells in each round.
func ratios(a, b []float64) (all []float64) {
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
		fmt.Fprintf(b, "| %s | %s | %s | %.0f | %.2f | %.2f | %s |\n", l.name, spread("%.0f", r.rates(c)),
			spread("%.2f", ratios(r.rates(c), r.rates(cell{bare, s}))), quantile(r.passes(c), .5), quantile(r.share(c), .5),
			quantile(r.waits(c, .5), .5), spread("%.2f", r.waits(c, .99)))
	}
}

// figures writes what the lock is to reach.
func (r *report) figures(b *strings.Builder) {
	b.WriteString("\n| figure | measured | reach |\n|---|---:|---:|\n")
	ratio := func(name string, x, y cell, goal string) {
		fmt.Fprintf(b, "| %s | %s | %s |\n", name, spread("%.2f", ratios(r.rates(x), r.rates(y))), goal)
	}
	ratio("central ÷ bare, 8 clients", cell{byCentral, eight}, cell{bare, eight}, "≥ 0.9")
	ratio("central ÷ bare with channels, 8 clients", cell{byCentral, eight}, cell{tuned, eight}, "")
	ratio("central ÷ bare, 3 processes", cell{byCentral, processes}, cell{bare, processes}, "≥ 0.95")
	ratio("central ÷ bare with channels, 3 processes", cell{byCentral, processes}, cell{tuned, processes}, "")
	ratio("ricartagrawala over link ÷ without, 3 clients, without the engine", cell{linked, three}, cell{nodes, three}, "≥ 0.7")
	ratio("ricartagrawala ÷ central, 3 processes", cell{byRA, processes}, cell{byCentral, processes}, "≥ 0.8")
	for _, l := range []string{byCentral, byRA} {
		fmt.Fprintf(b, "| share, %s, 3 processes | %s | ≥ 0.95 |\n", l, spread("%.2f", r.share(cell{l, processes})))
	}
	for _, s := range []shape{eight, processes} {
		ratio(fmt.Sprintf("central ÷ etcd, %v", s), cell{byCentral, s}, cell{"etcd", s}, "≥ 50")
		for _, l := range []string{"redsync", "redislock"} {
			ratio(fmt.Sprintf("central ÷ %s, %v", l, s), cell{byCentral, s}, cell{l, s}, "≥ 2")
			fmt.Fprintf(b, "| the same, handovers | %s | |\n", spread("%.2f", ratios(r.passes(cell{byCentral, s}), r.passes(cell{l, s}))))
		}
	}
	for _, l := range []string{byCentral, byRA} {
		ratio(l+lost+" ÷ none, 8 clients", cell{l + lost, eight}, cell{l, eight}, "≥ 0.4")
	}
	for _, g := range []struct {
		name string
		gaps []time.Duration
		goal string
	}{{"a member joins", r.stalls.join, "≤ 50"}, {"an idle member leaves", r.stalls.leave, "≤ 50"}, {"neither", r.stalls.none, ""}} {
		ms := each(g.gaps, func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) })
		fmt.Fprintf(b, "| longest time without an entry, ms: %s | %s | %s |\n", g.name, spread("%.1f", ms), g.goal)
	}
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
