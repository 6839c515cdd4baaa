package play

import (
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/explore"
	"example.org/doorway/internal/spelling"
)

// dearest is how many messages the entries of three nodes take at most in Maekawa's algorithm.
const dearest = 11

// judges report whether a run solves a challenge, and why, by their names in leads.json.
var judges = map[string]func(p *Play, v *View) (solved bool, why string){
	"twoInside": twoInside, "isStuck": isStuck, "overtaken": overtaken, "ticket": ticket, "astray": astray, "dear": dear, "starved": starved,
}

// twoInside is mutual exclusion violated.
func twoInside(_ *Play, v *View) (solved bool, why string) {
	switch names := v.those(isInside); len(names) {
	case 0:
		return false, "None is inside."
	case 1:
		return false, names[0] + " is alone inside."
	default:
		return true, spelling.Enumerate(names) + " are inside at the same time."
	}
}

// isStuck is a deadlock.
func isStuck(_ *Play, v *View) (solved bool, why string) {
	names := v.those(isWaiting)
	switch {
	case v.Verdict.Kind == stuck:
		return true, verb(names, "waits", "wait") + " forever: nothing is in transit."
	case len(names) == 0:
		return false, "None waits."
	case len(v.those(isInside)) > 0:
		return false, verb(v.those(isInside), "is", "are") + " inside, and can leave."
	}
	return false, verb(names, "waits", "wait") + ", but not in vain: something is in transit."
}

// overtaken is that a process enters twice while another waits.
func overtaken(_ *Play, v *View) (solved bool, why string) {
	n := len(v.Members)
	waits, past := make([]bool, n), make([][]int, n)
	most, by, whom := 0, 0, 0
	for _, e := range v.Events {
		if now := e.Phase == "waiting"; now != waits[e.Member] {
			waits[e.Member], past[e.Member] = now, make([]int, n)
		}
		if !e.Entry {
			continue
		}
		for k := range waits {
			if !waits[k] {
				continue
			}
			past[k][e.Member]++
			if c := past[k][e.Member]; c > most {
				most, by, whom = c, e.Member, k
			}
		}
	}
	name := func(k int) string { return v.Members[k].Name }
	switch most {
	case 0:
		return false, "No process has entered while another waited."
	case 1:
		return false, fmt.Sprintf("%s has entered once while %s waited.", name(by), name(whom))
	}
	return true, fmt.Sprintf("%s has entered twice while %s waited.", name(by), name(whom))
}

// ticket is a number of 3 in a bakery.
func ticket(_ *Play, v *View) (solved bool, why string) {
	largest := "0"
	for _, r := range v.Registers {
		if strings.HasPrefix(r.Name, "number[") {
			largest = max(largest, r.Value) // of one digit
		}
	}
	return largest >= "3", fmt.Sprintf("The largest number is %s.", largest)
}

// astray is that a node refuses the token.
func astray(_ *Play, v *View) (solved bool, why string) {
	if v.Verdict.Kind == failed && strings.Contains(v.Verdict.Text, "refused TOKEN") {
		to := v.Events[len(v.Events)-1].Member
		return true, v.Members[to].Name + " has got the token, and has not asked for it."
	}
	return false, "Each TOKEN so far has come to a node that has asked for it."
}

// dear is that three entries take the most messages.
func dear(_ *Play, v *View) (solved bool, why string) {
	if names := v.those(func(m Member) bool { return m.Entries > 1 }); len(names) > 0 {
		return false, verb(names, "has", "have") + " entered more than once."
	}
	if names := v.those(func(m Member) bool { return m.Entries == 0 }); len(names) > 0 {
		return false, verb(names, "has", "have") + " not entered yet."
	}
	n := v.Costs.Messages
	return n >= dearest, fmt.Sprintf("The three entries took %d messages.", n)
}

// starved is that a run has come back to a state, P0 has waited all the time and P1 has entered, and the run is weakly
// fair if it repeats that forever.
func starved(p *Play, _ *View) (solved bool, why string) {
	l, is := p.game.(*lock)
	if !is {
		return false, ""
	}
	walk := l.walk
	why = "The run has not come back to a state since P0 waits."
	end := &loop{next: walk.Pending(), holds: holds(walk), could: [2]bool{true, true}}
	schedule := walk.Trace().Schedule
	first := len(schedule)
	for first > 0 && !solved && walk.Pending()[0].Place.Phase == "waiting" {
		first--
		end.back(walk, schedule[first])
		if end.returnsTo(walk) {
			solved, why = end.judge(first)
		}
	}
	if first == len(schedule) {
		why = "P0 does not wait."
	}
	if err := walk.Do(schedule[first:]...); err != nil {
		panic(err) // it had taken these steps
	}
	return solved, why
}

// A loop is the end of a walk, up to a step before. The state at the end is what each process does next, and what
// registers hold: a process of lamportfast knows nothing else but which register it reads next, and that is part of it.
type loop struct {
	next    []explore.Pending
	holds   []uint64
	entered bool    // P1 has entered
	moved   [2]bool // the processes that took a step
	could   [2]bool // those that could take one in each state
}

// back takes back one step, which is that of a schedule.
func (l *loop) back(w *explore.Walk, step int) {
	inside := w.Pending()[1].Place.Phase == "inside"
	if err := w.Undo(1); err != nil {
		panic(err) // it had taken the step
	}
	l.entered = l.entered || inside && w.Pending()[1].Place.Phase != "inside"
	l.moved[step] = true
	for i, next := range w.Pending() {
		l.could[i] = l.could[i] && next.Why == "" && next.Place.Phase != "remainder"
	}
}

// judge reports whether the steps behind the first ones starve P0 if they repeat forever.
func (l *loop) judge(first int) (starves bool, why string) {
	if !l.entered {
		return false, fmt.Sprintf("The state is that after %d choices, but P1 has not entered in between.", first)
	}
	for i, could := range l.could {
		if could && !l.moved[i] {
			return false, fmt.Sprintf("The state is that after %d choices, but P%d could take a step all the time, and took none: that is not fair.", first, i)
		}
	}
	return true, fmt.Sprintf("The state is that after %d choices: so P1 can enter again and again, while P0 waits.", first)
}

// returnsTo reports whether the state of a walk is that at the end.
func (l *loop) returnsTo(w *explore.Walk) bool {
	same := func(a, b explore.Pending) bool { return a.Place == b.Place && a.Why == b.Why }
	return slices.EqualFunc(l.next, w.Pending(), same) && slices.Equal(l.holds, holds(w))
}

// holds returns what registers hold.
func holds(w *explore.Walk) []uint64 {
	t := w.Trace()
	if n := len(t.Steps); n > 0 {
		return t.Steps[n-1].Holds
	}
	return t.Initial
}
