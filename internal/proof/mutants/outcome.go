package mutants

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
)

// A Result is what command judge says of a lock, or of nodes.
type Result struct {
	Fails  string `json:"fails,omitempty"`  // the claim that does not hold; "": all do
	Detail string `json:"detail,omitempty"` // how
	Setup  string `json:"setup,omitempty"`  // where it does not hold
	Steps  int    `json:"steps,omitempty"`  // of the shortest counterexample; 0: there is none
	Error  string `json:"error,omitempty"`  // the reason why there is no verdict
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
}

func (o Outcome) String() string {
	why := "all claims hold"
	switch {
	case o.Result.Error != "", o.Result.Fails != "":
		why = Why(o.Result)
	case o.Reason != "":
		why += ": " + o.Reason
	}
	return fmt.Sprintf("%-10s %s\n           - %s\n           + %s\n           %s", o.Verdict, o.Mutant, o.Before, o.After, why)
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
func (p *Program) Judge(ctx context.Context, mutants []Mutant) (outcomes []Outcome, err error) {
	tasks := tasksOf(mutants)
	for k, r := range p.runAll(ctx, tasks) {
		switch t := tasks[k]; {
		case t.mutant > 0:
			outcomes = append(outcomes, outcome(mutants[t.mutant-1], r))
		case r.Error != "" || r.Fails != "":
			return nil, fmt.Errorf("mutants: %s is not judged to be right as it is: %s", t.name, Why(r))
		}
	}
	return outcomes, ctx.Err()
}

// tasksOf returns the mutants, with each of their algorithms before its first one.
func tasksOf(mutants []Mutant) (tasks []task) {
	for k, m := range mutants {
		if asItIs := (task{name: m.Algorithm}); !slices.Contains(tasks, asItIs) {
			tasks = append(tasks, asItIs)
		}
		t := task{name: m.Algorithm, mutant: k + 1}
		if Reasons[m.Key()] != "" {
			t.how = Quick
		}
		tasks = append(tasks, t)
	}
	return tasks
}

func outcome(m Mutant, r Result) Outcome {
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
	return o
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
