package play

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/doorway/explore"
	"example.org/doorway/internal/spelling"
)

const (
	inside    = "inside"
	remainder = "remainder"
)

// event returns step k of a walk as an event.
func (l *lock) event(t *explore.Trace, k int) Event {
	s := t.Steps[k]
	was := remainder
	for _, before := range slices.Backward(t.Steps[:k]) {
		if before.Process == s.Process {
			was = before.Becomes
			break
		}
	}
	e := Event{
		Number: k + 1, At: strconv.Itoa(len(t.Schedule)), Member: s.Process, Action: s.Do, Phase: s.Becomes,
		Entry: s.Becomes == inside && was != inside, Path: s.Place.Path, Line: s.Place.Line,
	}
	e.Text = nameOf(s.Process) + " " + says(t, k)
	switch {
	case e.Entry:
		e.Text += ", and enters"
	case s.Do == "await" && s.Done:
		e.Text += ", and goes on"
	case s.Do == "await":
		e.Text += ", and waits"
	}
	if s.Do == "await" && s.Done && l.until != "" {
		e.Text += ", as " + l.until
	}
	return e
}

// writes reports whether a step writes its register.
func writes(s explore.Step) bool {
	return s.Do == "write" || s.Do == "swap" || s.Do == "fetch-and-add" || s.Do == "compare-and-swap" && s.Done
}

// operations describes steps, with the name of a register, its value, and what it held.
var operations = map[string]string{
	"start": "begins its entry", "leave": "leaves", "give up": "gives up at %[1]s",
	"write": "writes %[1]s := %[2]d", "read": "reads %[2]d from %[1]s", "await": "awaits %[1]s, finds %[2]d",
	"swap": "swaps %[1]s from %[3]d to %[2]d", "fetch-and-add": "adds to %[1]s, from %[3]d to %[2]d",
	"compare-and-swap": "compares and swaps %[1]s from %[3]d to %[2]d", "failed compare-and-swap": "compares %[1]s, fails at %[3]d",
}

// says describes step k.
func says(t *explore.Trace, k int) string {
	s := t.Steps[k]
	does := s.Do
	if does == "compare-and-swap" && !s.Done {
		does = "failed " + does
	}
	format, known := operations[does]
	if !known || s.Register < 0 {
		return cmp.Or(format, does)
	}
	return fmt.Sprintf(format, t.Registers[s.Register], s.Value, held(t, k)[s.Register])
}

// held returns what registers hold before step k.
func held(t *explore.Trace, k int) []uint64 {
	if k == 0 {
		return t.Initial
	}
	return t.Steps[k-1].Holds
}

// show sets in v what is to be shown of the processes.
func (l *lock) show(v *View) {
	all := l.walk.Pending()
	for p, next := range all {
		v.Members = append(v.Members, member(v, p, next))
		v.offerSteps(p, next)
	}
	v.Next = l.next(v)
	l.showRegisters(v)
	v.showWaits(all)
	v.Verdict = l.verdict(v)
}

func member(v *View, p int, next explore.Pending) Member {
	m := Member{
		Name: nameOf(p), Phase: next.Place.Phase, Fields: []Field{}, Path: next.Place.Path, Line: next.Place.Line, Next: next.Place.Next,
		Awaits: next.Awaits != "", Holds: next.Holds,
	}
	for _, e := range v.Events {
		if e.Member == p && e.Entry {
			m.Entries++
		}
	}
	return m
}

// offerSteps adds what process p can do, and what keeps it from a step. A step that changes nothing is not offered.
func (v *View) offerSteps(p int, can explore.Pending) {
	name := nameOf(p)
	if can.Why != "" {
		v.Blocked = append(v.Blocked, Block{Member: p, Why: name + " " + calling(can.Why), Until: can.Until})
	}
	for _, slot := range can.Steps {
		if slot == p && can.Why != "" {
			continue
		}
		c := Choice{Do: strconv.Itoa(slot), Member: p, Group: next, Text: name + " takes a step"}
		switch {
		case slot > p && can.Place.Phase == remainder:
			c.Text, c.Group = name+" enters by TryLock", user
		case slot > p:
			c.Text, c.Group = name+" gives up", user
		case can.Place.Next != "":
			c.Text = name + ": " + can.Place.Next
		case can.Place.Phase == remainder:
			c.Text = name + " begins its entry"
		case can.Place.Phase == inside:
			c.Text = name + " leaves"
		}
		v.Choices = append(v.Choices, c)
	}
}

// next returns what comes next by itself: a step of the process behind the one that took the last step.
func (l *lock) next(v *View) (do string) {
	last := -1
	if n := len(v.Events); n > 0 {
		last = v.Events[n-1].Member
	}
	nearest := l.processes
	for _, c := range v.Choices {
		if behind := (c.Member - last - 1 + l.processes) % l.processes; c.Group == next && behind < nearest {
			nearest, do = behind, c.Do
		}
	}
	return do
}

// showRegisters sets the registers, with what the last choice has changed.
func (l *lock) showRegisters(v *View) {
	t, first := l.walk.Trace(), len(v.Events)
	for first > 0 && v.Events[first-1].Choice == v.Made {
		first--
	}
	now, was := held(t, len(t.Steps)), held(t, first)
	for r, name := range t.Registers {
		v.Registers = append(v.Registers, Register{Name: name, Value: strconv.FormatUint(now[r], 10), Changed: now[r] != was[r], Writer: -1})
	}
	for _, s := range t.Steps {
		if writes(s) {
			v.Registers[s.Register].Writer = s.Process
		}
	}
}

// showWaits sets who waits for whom: for those that have last written what it awaits; if no other process has, for the one that
// ends the wait.
func (v *View) showWaits(all []explore.Pending) {
	for p, next := range all {
		if next.Why == "" {
			continue
		}
		first := len(v.Waits)
		wait := func(whom int, why string) {
			if !slices.ContainsFunc(v.Waits[first:], func(w Wait) bool { return w.For == whom }) {
				v.Waits = append(v.Waits, Wait{Member: p, For: whom, Why: calling(next.Why) + why})
			}
		}
		for _, r := range next.Registers {
			if w := v.Registers[r].Writer; w >= 0 && w != p {
				wait(w, fmt.Sprintf(": %s wrote %s last", nameOf(w), v.Registers[r].Name))
			}
		}
		switch {
		case len(v.Waits) > first || next.For < 0:
		case next.Awaits == "":
			wait(next.For, "")
		default:
			wait(next.For, fmt.Sprintf(": %s has to write it", nameOf(next.For)))
		}
	}
}

// verdict says how the run stands. The rest of v is part of it.
func (l *lock) verdict(v *View) Verdict {
	in := v.those(isInside)
	if len(in) > 1 {
		return Verdict{violated, are(in, "inside at the same time")}
	}
	if were, choice := v.together(); choice > 0 {
		return Verdict{violated, fmt.Sprintf("%s were inside at the same time, after step %d", spelling.Enumerate(were), choice)}
	}
	err := l.walk.Err()
	switch {
	case err == nil:
	case strings.HasPrefix(err.Error(), "deadlock"):
		var why []string
		for _, b := range v.Blocked {
			why = append(why, b.Why)
		}
		return Verdict{stuck, "deadlock: " + strings.Join(why, "; ")}
	default:
		return Verdict{failed, calling(err.Error())}
	}
	parts := v.standing()
	if len(in) > 0 {
		parts = append([]string{in[0] + " is inside"}, parts...)
	}
	switch {
	case len(parts) > 0:
	case len(v.Events) == 0:
		parts = []string{"no process has begun its entry yet"}
	default:
		parts = []string{"each process can take a step"}
	}
	return Verdict{going, strings.Join(parts, "; ")}
}

// together returns which processes were inside at the same time first, and after how many choices; 0: none were.
func (v *View) together() (who []string, choice int) {
	in := make([]bool, len(v.Members))
	for _, e := range v.Events {
		if in[e.Member] = e.Phase == inside; !e.Entry {
			continue // only an entry can be the second
		}
		who = nil
		for p, is := range in {
			if is {
				who = append(who, nameOf(p))
			}
		}
		if len(who) > 1 {
			return who, e.Choice
		}
	}
	return nil, 0
}

// standing says of each process that is kept from a step for whom it waits, or else why.
func (v *View) standing() (parts []string) {
	for _, b := range v.Blocked {
		var whom []string
		for _, w := range v.Waits {
			if w.Member == b.Member {
				whom = append(whom, nameOf(w.For)+", which is "+where[v.Members[w.For].Phase])
			}
		}
		if len(whom) == 0 {
			parts = append(parts, b.Why)
			continue
		}
		parts = append(parts, nameOf(b.Member)+" waits for "+strings.Join(whom, ", and for "))
	}
	return parts
}

// where says where a process is that others wait for.
var where = map[string]string{
	"remainder": "in its remainder section", "doorway": "in its doorway", "waiting": "waiting", "inside": "inside",
	"exit": "in its exit section", "withdrawing": "withdrawing", "absorbed": "still entering, though its caller has given up",
}
