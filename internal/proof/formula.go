package proof

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/registers"
)

// A term is a function of n in which a formula may be linear.
type term struct {
	text string
	of   func(n int) int
}

// terms are those of the algorithms of the catalog: a process reads the registers of
// all others, or four at a time, or climbs a binary tree.
var terms = []term{
	{"n", func(n int) int { return n }},
	{"⌈n/4⌉", func(n int) int { return (n + 3) / 4 }},
	{"⌈log n⌉", func(n int) int { return bits.Len(uint(n - 1)) }},
	{"Σ⌈n/2^k⌉", catalog.InnerNodes},
}

// formula returns the formula that gives each count: k, or a·t + b where t is one
// of the terms. It returns "?" if none gives them all.
func formula(counts map[int]int) string {
	sizes := slices.Sorted(maps.Keys(counts))
	if len(sizes) == 0 {
		return "?"
	}
	least, most := sizes[0], sizes[len(sizes)-1]
	if counts[least] == counts[most] {
		return given(counts, fmt.Sprint(counts[least]), func(int) int { return counts[least] })
	}
	for _, t := range terms {
		run := t.of(most) - t.of(least)
		if run == 0 || (counts[most]-counts[least])%run != 0 {
			continue
		}
		a := (counts[most] - counts[least]) / run
		b := counts[least] - a*t.of(least)
		if f := given(counts, written(a, t.text, b), func(n int) int { return a*t.of(n) + b }); f != "?" {
			return f
		}
	}
	return "?"
}

// given returns text if of gives all counts, and "?" otherwise.
func given(counts map[int]int, text string, of func(n int) int) string {
	for n, k := range counts {
		if of(n) != k {
			return "?"
		}
	}
	return text
}

// written returns a·t + b in the usual notation: "n", "2n+1", "8⌈n/4⌉-2".
func written(a int, t string, b int) string {
	if a != 1 {
		t = fmt.Sprint(a) + t
	}
	if b != 0 {
		t += fmt.Sprintf("%+d", b)
	}
	return t
}

// A count is a quantity that is counted in uncontended runs and by the checker.
type count struct {
	alone    func(registers.Accesses) int
	explored func(*explore.Report) int
}

var (
	touched = count{func(a registers.Accesses) int { return a.Registers }, func(r *explore.Report) int { return len(r.Registers) }}
	writes  = count{func(a registers.Accesses) int { return a.Writes }, func(r *explore.Report) int { return r.Writes }}
	reads   = count{func(a registers.Accesses) int { return a.Reads }, func(r *explore.Report) int { return r.Reads }}
)

// formula returns c at all sizes as a formula, or "?" if none fits the counts, or if
// the checker counts otherwise after some history.
func (r *Result) formula(c count) string {
	counts := map[int]int{}
	for n, a := range r.Alone {
		counts[n] = c.alone(a)
	}
	for _, report := range r.Reports {
		if len(report.Registers) == 0 {
			continue // mutual exclusion is violated, and nothing else was checked
		}
		if k, ok := counts[report.Processes]; ok && k != c.explored(report) {
			return "?"
		}
		counts[report.Processes] = c.explored(report)
	}
	return formula(counts)
}

// Registers returns the number of registers that the protocols of all processes
// access together, as a formula in n that fits the counts at every size, or "?". The
// lock may have more: see [registers.Accesses].
func (r *Result) Registers() string { return r.formula(touched) }

// AccessesAlone returns the writes and reads of an uncontended entry and exit, also as
// formulas: "3w 2nr".
func (r *Result) AccessesAlone() string {
	return factor(r.formula(writes)) + "w " + factor(r.formula(reads)) + "r"
}

// factor returns a formula with parentheses if it needs them in front of a unit.
func factor(formula string) string {
	if strings.ContainsAny(formula, "+-") {
		return "(" + formula + ")"
	}
	return formula
}
