package explore

import (
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/explore/internal/automaton"
	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/memory/hook"
)

// awaits says in next what process p awaits, if its next operation waits.
func (r *replay) awaits(p int, next *Pending) {
	l := r.local(p)
	if !automaton.Waits(l.Op) {
		return
	}
	s := r.c.x.Locate(r.c.x.Trees[p], r.now.Node(p).Name)
	next.Until = condition(r.c.source(s), s.Line)
	r.awaited(next, l.Reg, l.Holds)
	if l.Other >= 0 {
		next.Awaits += ", or "
		r.awaited(next, l.Other, l.OtherHolds)
	}
}

// awaited adds the condition of a register.
func (r *replay) awaited(next *Pending, reg int16, holds func(uint64) bool) {
	v, now := &r.c.x.Variables[reg], r.holds(int(reg))
	next.Registers = append(next.Registers, r.register(int(reg)))
	next.Awaits += v.Name + values(v.Values, holds) + fmt.Sprintf(", and it is %d", now)
	next.Holds = next.Holds || holds(now)
}

// values says for which values a condition holds: " = 0 or 3 to 8"; "" if that takes too many words.
func values(all []uint64, holds func(uint64) bool) string {
	all = slices.Sorted(slices.Values(all))
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

// exceeds says what process p would write.
func (r *replay) exceeds(p int) string {
	l := r.local(p)
	if l.Op == hook.OpBegin {
		l = &r.c.x.Trees[p].Locals[l.Next[0]]
	}
	return fmt.Sprintf("would write a value above the cap, %d, to %s", r.c.cfg.Cap, r.c.x.Variables[l.Reg].Name)
}

// keeps says why process p cannot give up, or enter in another way, which is an answer of a start.
func (r *replay) keeps(p, way int) string {
	switch l := r.local(p); {
	case r.now.Node(p).Phase == phase.Remainder:
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
