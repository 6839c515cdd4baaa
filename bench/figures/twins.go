package main

import (
	"fmt"
	"math"
	"os"
	"strings"
	"sync"

	"example.org/doorway/internal/measure"
	"example.org/doorway/register"
)

// twinsFile has what bench/c/run measured last: the locks beside their twins in C.
const twinsFile = "bench/c/results.md"

// The rows that the page names where it says what parking costs.
const (
	inC    = "peterson, n = 2, uncontended, ns / the same in C"
	stores = "two stores, ns less those of none"
	checks = "two stores that check for waiters, ns less those of two that do not"
	misuse = "checks of a process for misuse, ns less those of none"
)

// twinRows returns the rows of locks beside their twins in C, without contention, which are
// not measured again; and of parts of the difference.
func twinRows() []row {
	rows := []row{{inC, goal{}, func(effort) figure { return twin("peterson", 2) }}}
	for _, name := range []string{"lamportfast", "bakery", "tournament", "bakery-blackwhite"} {
		rows = append(rows, row{name + ", n = 8, uncontended, ns / the same in C", goal{}, func(effort) figure { return twin(name, 8) }})
	}
	return append(rows,
		row{stores, goal{}, less(func() sync.Locker { return new(storing) }, func() sync.Locker { return nothing{} })},
		row{checks, goal{}, less(func() sync.Locker { return new(checking) }, func() sync.Locker { return new(storing) })},
		row{misuse, goal{}, less(func() sync.Locker { return &lawful{register.MakeProcesses("figures", 1)} }, func() sync.Locker { return nothing{} })},
	)
}

// Locks of no store, of two, of two that check for waiters, and of what a process checks. A type each: a call of a
// function value would take longer than what is measured.
type (
	nothing  struct{}
	storing  struct{ w register.Word }
	checking struct{ w register.Word }
	lawful   struct{ procs register.Processes }
)

func (nothing) Lock()       {}
func (nothing) Unlock()     {}
func (s *storing) Lock()    { s.w.Set(1) }
func (s *storing) Unlock()  { s.w.Set(0) }
func (c *checking) Lock()   { c.w.Store(1) }
func (c *checking) Unlock() { c.w.Store(0) }
func (l *lawful) Lock()     { l.procs.Entry(0).Inside() }
func (l *lawful) Unlock()   { l.procs.Exit(0) }

// less is alone, with the difference.
func less(ours, theirs func() sync.Locker) func(effort) figure {
	return func(e effort) figure {
		r, windows := compare(ours, theirs, e)
		return figure{r.Difference, fmt.Sprintf("%.1f less %.1f ns", r.A.Median, r.B.Median), windows}
	}
}

// parking says what parking costs, by the rows that measure it.
func (p page) parking() string {
	of := map[string]measured{}
	for _, m := range p.Figures {
		of[m.Name] = m
	}
	if of[inC].Note == "" || of[misuse].Note == "" {
		return ""
	}
	ns := func(name string) string {
		s := of[name].Spread
		return fmt.Sprintf("%s ns (%s to %s)", known(s[1]), known(s[0]), known(s[2]))
	}
	return fmt.Sprintf(`
An uncontended Lock and Unlock of peterson takes %s (Go / C, [measured apart](../%s)), with three
sequentially consistent stores in both. Two such stores take %s; the check for waiters
in both takes %s, and the checks of a process for misuse take %s. The rest is not
measured apart, and has no goal.
`, of[inC].Note, twinsFile, ns(stores), ns(checks), ns(misuse))
}

// twin returns the figure of a lock for n processes in twinsFile, or NaN if it has none.
func twin(name string, n int) figure {
	text, _ := os.ReadFile(twinsFile)
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 7 || strings.TrimSpace(cells[1]) != name || strings.TrimSpace(cells[2]) != fmt.Sprint(n) {
			continue
		}
		var ours, theirs, ratio measure.Spread
		_, err := fmt.Sscanf(strings.Join(cells[3:6], " "), "%g (%g to %g) %g (%g to %g) %g (%g to %g)",
			&ours.Median, &ours.Low, &ours.High, &theirs.Median, &theirs.Low, &theirs.High, &ratio.Median, &ratio.Low, &ratio.High)
		if err == nil {
			return figure{ratio, fmt.Sprintf("%.1f / %.1f ns", ours.Median, theirs.Median), "[" + twinsFile + "](../" + twinsFile + ")"}
		}
	}
	nothing := math.NaN()
	return figure{measure.Spread{Low: nothing, Median: nothing, High: nothing}, "", "none: no row in " + twinsFile}
}
