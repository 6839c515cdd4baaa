package replay

import (
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/internal/memory/hook"
)

// An Await is what a process awaits.
type Await struct {
	Registers []int  // one, or either of two
	Text      string // "want[0] = 0, and it is 1"
	Holds     bool   // whether a condition holds
	Until     string // the condition, as the source has it; "" if that is not at hand
}

// Awaits returns what process p awaits; nil if its next operation does not wait.
func (t *Replay) Awaits(p int) *Await {
	l := t.local(p)
	if !automaton.Waits(l.Op) {
		return nil
	}
	s := t.x.Locate(t.x.Trees[p], t.x.Trees[p].Begun(t.at[p]))
	a := &Await{Until: condition(t.source(s), s.Line)}
	t.awaits(a, l.Reg, l.Holds)
	if l.Other >= 0 {
		a.Text += ", or "
		t.awaits(a, l.Other, l.OtherHolds)
	}
	return a
}

// awaits adds the condition of a register.
func (t *Replay) awaits(a *Await, reg int16, holds func(uint64) bool) {
	v := &t.x.Variables[reg]
	a.Registers = append(a.Registers, t.register(int(reg)))
	a.Text += v.Name + wanted(v.Values, holds) + fmt.Sprintf(", and it is %d", t.Holds[reg])
	a.Holds = a.Holds || holds(t.Holds[reg])
}

// wanted says for which values a condition holds: " = 0 or 3 to 8"; "" if that takes too many words.
func wanted(values []uint64, holds func(uint64) bool) string {
	all := slices.Sorted(slices.Values(values))
	var parts []string
	for k := 0; k < len(all); k++ {
		if !holds(all[k]) {
			continue
		}
		first := k
		for k+1 < len(all) && holds(all[k+1]) {
			k++
		}
		switch part := fmt.Sprint(all[first]); k - first {
		case 0:
			parts = append(parts, part)
		case 1:
			parts = append(parts, part, fmt.Sprint(all[k]))
		default:
			parts = append(parts, fmt.Sprintf("%s to %d", part, all[k]))
		}
	}
	if len(parts) == 0 || len(parts) > 3 {
		return ""
	}
	return " = " + strings.Join(parts, " or ")
}

// Exceeds says what process p would write.
func (t *Replay) Exceeds(p int) string {
	l := t.local(p)
	if l.Op == hook.OpBegin {
		l = &t.x.Trees[p].Locals[l.Next[0]]
	}
	return fmt.Sprintf("would write a value above the cap, %d, to %s", t.x.Cap, t.x.Variables[l.Reg].Name)
}

// Keeps says why process p cannot give up, or enter in another way, which is an answer of a start.
func (t *Replay) Keeps(p, way int) string {
	l := &t.x.Trees[p].Locals[t.at[p]]
	switch {
	case l.Op == automaton.OpStart:
		return "enters in this way as by its step"
	case way == automaton.AnswerLock:
		return "is not in its remainder section, and cannot enter by Lock"
	case !automaton.Waits(l.Op):
		return "awaits nothing, and cannot give up"
	case l.Sure:
		return "entered by Lock, and cannot give up"
	}
	return "is leaving, and cannot give up"
}

// local returns the next operation of process p.
func (t *Replay) local(p int) *automaton.Local {
	tree := t.x.Trees[p]
	return &tree.Locals[tree.Begun(t.at[p])]
}
