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

// twoInside is mutual exclusion violated.
func twoInside(p *played) (solved bool, why string) {
	switch names := p.those(isInside); len(names) {
	case 0:
		return false, "None is inside."
	case 1:
		return false, names[0] + " is alone inside."
	default:
		return true, spelling.Enumerate(names) + " are inside at the same time."
	}
}

// isStuck is a deadlock.
func isStuck(p *played) (solved bool, why string) {
	names := p.those(isWaiting)
	switch {
	case p.Verdict.Kind == stuck:
		return true, verb(names, "waits", "wait") + " forever: nothing is in transit."
	case len(names) == 0:
		return false, "None waits."
	case len(p.those(isInside)) > 0:
		return false, verb(p.those(isInside), "is", "are") + " inside, and can leave."
	}
	return false, verb(names, "waits", "wait") + ", but not in vain: something is in transit."
}

// overtaken is that a process enters twice while another waits.
func overtaken(p *played) (solved bool, why string) {
	n := len(p.Members)
	waits, past := make([]bool, n), make([][]int, n)
	most, by, whom := 0, 0, 0
	for _, e := range p.events {
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
	name := func(k int) string { return p.Members[k].Name }
	switch most {
	case 0:
		return false, "No process has entered while another waited."
	case 1:
		return false, fmt.Sprintf("%s has entered once while %s waited.", name(by), name(whom))
	}
	return true, fmt.Sprintf("%s has entered twice while %s waited.", name(by), name(whom))
}

// ticket is a number of 3 in a bakery.
func ticket(p *played) (solved bool, why string) {
	largest := "0"
	for _, r := range p.Registers {
		if strings.HasPrefix(r.Name, "number[") {
			largest = max(largest, r.Value) // of one digit
		}
	}
	return largest >= "3", fmt.Sprintf("The largest number is %s.", largest)
}

// astray is that a node refuses the token.
func astray(p *played) (solved bool, why string) {
	if p.Verdict.Kind == failed && strings.Contains(p.Verdict.Text, "refused TOKEN") {
		to := p.events[len(p.events)-1].Member
		return true, p.Members[to].Name + " has got the token, and has not asked for it."
	}
	return false, "Each TOKEN so far has come to a node that has asked for it."
}

// dear is that three entries take the most messages.
func dear(p *played) (solved bool, why string) {
	if names := p.those(func(m Member) bool { return m.Entries > 1 }); len(names) > 0 {
		return false, verb(names, "has", "have") + " entered more than once."
	}
	if names := p.those(func(m Member) bool { return m.Entries == 0 }); len(names) > 0 {
		return false, verb(names, "has", "have") + " not entered yet."
	}
	n := p.Costs.Messages
	return n >= dearest, fmt.Sprintf("The three entries took %d messages.", n)
}

// starved is that a run has come back to a state, P0 has waited all the time and P1 has entered, and the run is weakly
// fair if it repeats that forever.
func starved(p *played) (solved bool, why string) {
	if p.walk == nil {
		return false, ""
	}
	why = "The run has not come back to a state since P0 waits."
	l := &loop{next: p.walk.Pending(), holds: holds(p.walk), could: [2]bool{true, true}}
	schedule := p.walk.Trace().Schedule
	first := len(schedule)
	for first > 0 && !solved && p.walk.Pending()[0].Place.Phase == "waiting" {
		first--
		l.back(p.walk, schedule[first])
		if l.returnsTo(p.walk) {
			solved, why = l.judge(first)
		}
	}
	if first == len(schedule) {
		why = "P0 does not wait."
	}
	if err := p.walk.Do(schedule[first:]...); err != nil {
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
