package mutants

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/internal/catalog/variant"
)

// A Result is what command judge says of a lock, or of nodes.
type Result struct {
	Fails  string `json:"fails,omitempty"`  // the claim that does not hold; "": all do
	Detail string `json:"detail,omitempty"` // how
	Setup  string `json:"setup,omitempty"`  // where it does not hold
	Steps  int    `json:"steps,omitempty"`  // of the shortest counterexample; 0: there is none
	Trace  string `json:"trace,omitempty"`  // that counterexample, as text

	// Graphs has the sizes of everything that was explored: two locks with the same
	// sizes are most likely equivalent.
	Graphs []Graph `json:"graphs"`

	// Error is the reason why there is no verdict.
	Error string `json:"error,omitempty"`
}

// A Graph is the size of one exploration.
type Graph struct {
	Setup                           string
	States, Transitions, Cut, Depth int
	Bypasses, Reads, Writes         int
}

// The arguments with which nodes are judged by explorations, and a lock that is known to be right.
const (
	Explored = "explored"
	Quick    = "quick"
)

// A Verdict is the verdict on a mutant.
type Verdict string

// The verdicts.
const (
	Killed     Verdict = "killed"
	Equivalent Verdict = "equivalent"
	Listed     Verdict = "listed" // in Open, with what would kill it
	Survived   Verdict = "SURVIVED"
	Unknown    Verdict = "UNKNOWN" // there is no verdict
)

// An Outcome is a mutant and its verdict.
type Outcome struct {
	Mutant
	Verdict Verdict
	Result  Result
	Reason  string // why it is equivalent, or what would kill it
	Same    bool   // it has as many states and steps as the original, in every check of it
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
func Why(r Result) string {
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
	tasks, original := tasksOf(mutants)
	first := len(original) // the index of the first mutant
	results := p.runAll(ctx, tasks)
	for k, r := range results[:first] {
		if r.Error != "" || r.Fails != "" {
			return nil, fmt.Errorf("mutants: %s is not judged to be right as it is: %s", tasks[k].name, Why(r))
		}
	}
	outcomes := make([]Outcome, len(mutants))
	for k, m := range mutants {
		outcomes[k] = outcome(m, results[first+k], results[original[m.Algorithm]])
	}
	return outcomes, ctx.Err()
}

// tasksOf returns the algorithms of the mutants, each once, and then the mutants; and the
// index of each algorithm.
func tasksOf(mutants []Mutant) (tasks []task, original map[string]int) {
	original = map[string]int{}
	for _, m := range mutants {
		if _, ok := original[m.Algorithm]; !ok {
			original[m.Algorithm] = len(tasks)
			tasks = append(tasks, task{name: m.Algorithm})
		}
	}
	for k, m := range mutants {
		t := task{name: m.Algorithm, mutant: k + 1}
		if Reasons[m.Key()] != "" {
			t.how = Quick
		}
		tasks = append(tasks, t)
	}
	return tasks, original
}

func outcome(m Mutant, r, original Result) Outcome {
	o := Outcome{Mutant: m, Result: r, Verdict: Survived, Reason: cmp.Or(Reasons[m.Key()], Open[m.Key()])}
	switch {
	case r.Error != "":
		o.Verdict = Unknown
	case r.Fails != "":
		o.Verdict = Killed
	case Reasons[m.Key()] != "":
		o.Verdict = Equivalent
	case o.Reason != "":
		o.Verdict = Listed
	}
	o.Same = slices.Equal(r.Graphs, original.Graphs[:min(len(r.Graphs), len(original.Graphs))])
	return o
}

// Broken judges the wrong variants of a lock, and returns the results by name; without a name,
// those of all.
func (p *Program) Broken(ctx context.Context, of string) map[string]Result {
	var tasks []task
	for _, v := range variant.Locks {
		if of == "" || of == v.Of {
			tasks = append(tasks, task{name: v.Name})
		}
	}
	found := map[string]Result{}
	for k, r := range p.runAll(ctx, tasks) {
		found[tasks[k].name] = r
	}
	return found
}

// Count counts outcomes by their verdicts.
func Count(outcomes []Outcome) map[Verdict]int {
	n := map[Verdict]int{}
	for _, o := range outcomes {
		n[o.Verdict]++
	}
	return n
}

// Table returns the counts of each algorithm, a line each, and of all. The outcomes of an
// algorithm are one after the other.
func Table(outcomes []Outcome) string {
	var b strings.Builder
	b.WriteString("algorithm          mutants  killed  equivalent  listed  survived  no verdict\n")
	row := func(title string, of []Outcome) {
		n := Count(of)
		fmt.Fprintf(&b, "%-18s %7d %7d %11d %7d %9d %11d\n", title, len(of), n[Killed], n[Equivalent], n[Listed], n[Survived], n[Unknown])
	}
	for k, o := range outcomes {
		if next := k + 1; next == len(outcomes) || outcomes[next].Algorithm != o.Algorithm {
			first := slices.IndexFunc(outcomes, func(of Outcome) bool { return of.Algorithm == o.Algorithm })
			row(o.Algorithm, outcomes[first:next])
		}
	}
	row("all", outcomes)
	return b.String()
}
