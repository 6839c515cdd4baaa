package replay

import (
	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/extract"
	"example.org/doorway/explore/internal/trace"
)

// Safely returns the trace of a schedule with safe registers.
func Safely(x *extract.Extraction, safe []bool, schedule []automaton.Access, title string) *trace.Trace {
	t := Of(x, nil)
	writing := make([]bool, len(x.Trees))
	for _, c := range schedule {
		p := c.Process
		t.at[p] = x.Trees[p].Begun(t.at[p])
		l := &x.Trees[p].Locals[t.at[p]]
		switch {
		case l.Reg >= 0 && safe[l.Reg] && c.Value < 0 && !writing[p]:
			writing[p] = true
			t.add(p, trace.Step{Process: p, Place: t.Place(p), Register: int(l.Reg), Do: "begin to write", Value: x.Variables[l.Reg].Values[l.Value]})
			continue
		case c.Value >= 0:
			was := t.Holds[l.Reg]
			t.Holds[l.Reg] = x.Variables[l.Reg].Values[c.Value]
			t.operation(p, false)
			t.Holds[l.Reg] = was
			t.trace.Steps[len(t.trace.Steps)-1].Holds = t.shown(t.Holds)
			continue
		}
		writing[p] = false
		t.operation(p, false)
	}
	return t.End(title)
}
