package explore

import (
	"fmt"
	"strings"
)

// A property is a verdict with its name.
type property struct {
	name string
	Verdict
}

// properties returns the verdicts of r, in the order in which they are told.
func (r *Report) properties() []property {
	return []property{
		{"mutual exclusion", r.Exclusion},
		{"freedom from deadlock", r.Deadlock},
		{"freedom from starvation", r.Starvation},
		{"the same, while others give up without end", r.Steadfast},
		{"first come, first served", r.FIFO},
		{"freedom from data races inside", r.Races},
		{"exclusion with safe registers", r.Safe},
	}
}

// Failures returns how properties fail, a trace for each that does. Which of
// them a lock is to have is for its author to say: few have all.
func (r *Report) Failures() []*Trace {
	var all []*Trace
	for _, p := range r.properties() {
		if p.Status == Fails {
			all = append(all, p.Trace)
		}
	}
	return all
}

// String returns what was found out, a line for each property, without the
// traces.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d processes, %d states, %d steps between them", r.Processes, r.States, r.Transitions)
	if r.Cap > 0 {
		fmt.Fprintf(&b, "; registers hold at most %d, and %d stores of more were not followed", r.Cap, r.Cut)
	}
	b.WriteByte('\n')
	line := func(name string, value any) { fmt.Fprintf(&b, "  %-44s%v\n", name, value) }
	for _, p := range r.properties() {
		switch {
		case p.Trace != nil:
			line(p.name, fmt.Sprintf("fails, in %d steps", len(p.Trace.Steps)))
		case p.Status != Unknown:
			line(p.name, p.Status)
		}
	}
	if r.FIFO.Status != Unknown {
		line("overtakings after the doorway, at most", bound(r.Overtaking))
	}
	if r.States > 0 && r.Exclusion.Status == Holds {
		line("accesses of an entry and exit alone, at most", fmt.Sprintf("%d reads, %d writes", r.Reads, r.Writes))
	}
	return b.String()
}

func bound(n int) string {
	if n == Unbounded {
		return "any number"
	}
	return fmt.Sprint(n)
}
