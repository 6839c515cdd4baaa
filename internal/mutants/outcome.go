package mutants

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/mutants/judge"
)

// A Verdict is the verdict on a mutant.
type Verdict string

// The verdicts.
const (
	Killed     Verdict = "killed"
	Equivalent Verdict = "equivalent"
	Survived   Verdict = "SURVIVED"
	Unknown    Verdict = "UNKNOWN" // there is no verdict
)

// An Outcome is a mutant and its verdict.
type Outcome struct {
	Mutant
	Verdict Verdict
	Result  judge.Result
	Reason  string // why it is equivalent
	Same    bool   // it has as many states and steps as the original, in every check
}

func (o Outcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-10s %s\n", o.Verdict, o.Mutant)
	fmt.Fprintf(&b, "           - %s\n           + %s\n           ", o.Before, o.After)
	switch {
	case o.Result.Error != "", o.Result.Fails != "":
		b.WriteString(Why(o.Result))
	default:
		b.WriteString("all claims hold")
		if o.Same {
			b.WriteString(", and the states and steps are as many as without the change")
		}
		if o.Reason != "" {
			b.WriteString(": " + o.Reason)
		}
	}
	return b.String()
}

// Why describes how a lock was refuted, or why there is no verdict.
func Why(r judge.Result) string {
	if r.Error != "" {
		return strings.TrimSpace(r.Setup + " " + r.Error)
	}
	s := r.Setup + ": " + r.Fails + " fails"
	if n := r.Steps; n > 0 {
		s += fmt.Sprintf(" in %d steps", n)
	}
	if r.Detail != "" {
		s += ": " + r.Detail
	}
	return s
}

// Judge judges the mutants of the program and returns their outcomes, in order. It
// returns an error if a claim does not hold for one of their algorithms unchanged.
func (p *Program) Judge(ctx context.Context, mutants []Mutant) ([]Outcome, error) {
	locks, original := arguments(mutants)
	first := len(original) // the index of the first mutant
	results := p.runAll(ctx, locks)
	for k, r := range results[:first] {
		if r.Error != "" || r.Fails != "" {
			return nil, fmt.Errorf("mutants: %s is not judged to be right as it is: %s", locks[k][0], Why(r))
		}
	}
	outcomes := make([]Outcome, len(mutants))
	for k, m := range mutants {
		outcomes[k] = outcome(m, results[first+k], results[original[m.Algorithm]])
	}
	return outcomes, ctx.Err()
}

// arguments returns the arguments of [judge.Main] for the algorithms of the mutants,
// each once, and then for the mutants; and the index of each algorithm.
func arguments(mutants []Mutant) (locks [][]string, original map[string]int) {
	original = map[string]int{}
	for _, m := range mutants {
		if _, ok := original[m.Algorithm]; !ok {
			original[m.Algorithm] = len(locks)
			locks = append(locks, []string{m.Algorithm, "original"})
		}
	}
	for k, m := range mutants {
		locks = append(locks, []string{m.Algorithm, strconv.Itoa(k)})
	}
	return locks, original
}

func outcome(m Mutant, r, original judge.Result) Outcome {
	o := Outcome{Mutant: m, Result: r, Reason: Reasons[m.Key()]}
	switch {
	case r.Error != "":
		o.Verdict = Unknown
	case r.Fails != "":
		o.Verdict = Killed
	default:
		o.Verdict = Survived
		if o.Reason != "" {
			o.Verdict = Equivalent
		}
		o.Same = slices.Equal(r.Graphs, original.Graphs)
	}
	return o
}

// Broken judges the broken locks of the catalog, and returns the results by name.
func (p *Program) Broken(ctx context.Context) map[string]judge.Result {
	var locks [][]string
	for _, a := range catalog.Broken {
		locks = append(locks, []string{"broken", a.Name})
	}
	found := map[string]judge.Result{}
	for k, r := range p.runAll(ctx, locks) {
		found[locks[k][1]] = r
	}
	return found
}

// A Table counts outcomes by algorithm.
type Table struct {
	names []string
	rows  map[string]map[Verdict]int
}

// Add counts an outcome.
func (t *Table) Add(o Outcome) {
	if t.rows == nil {
		t.rows = map[string]map[Verdict]int{}
	}
	for _, name := range []string{o.Algorithm, ""} { // "" is all of them
		if t.rows[name] == nil {
			t.rows[name] = map[Verdict]int{}
			if name != "" {
				t.names = append(t.names, name)
			}
		}
		t.rows[name][o.Verdict]++
	}
}

// String returns the table, an algorithm a line.
func (t *Table) String() string {
	var b strings.Builder
	row := func(title string, r map[Verdict]int) {
		all := r[Killed] + r[Equivalent] + r[Survived] + r[Unknown]
		fmt.Fprintf(&b, "%-18s %7d %7d %11d %9d %11d\n", title, all, r[Killed], r[Equivalent], r[Survived], r[Unknown])
	}
	b.WriteString("algorithm          mutants  killed  equivalent  survived  no verdict\n")
	for _, name := range t.names {
		row(name, t.rows[name])
	}
	row("all", t.rows[""])
	return b.String()
}
