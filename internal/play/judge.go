package play

import (
	"fmt"
	"strings"

	"example.org/doorway/explore"
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
		return true, are(names, "inside at the same time") + "."
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
		return false, are(v.those(isInside), "inside, and can leave.")
	}
	return false, verb(names, "waits", "wait") + ", but not in vain: something is in transit."
}

// overtaken is that a process enters twice while another waits.
func overtaken(_ *Play, v *View) (solved bool, why string) {
	passed := make([]map[int]int, len(v.Members)) // by process that waits, how often others have entered since
	most, by, whom := 0, 0, 0
	for _, e := range v.Events {
		if e.Phase != "waiting" {
			passed[e.Member] = nil
		} else if passed[e.Member] == nil {
			passed[e.Member] = map[int]int{}
		}
		for k, times := range passed {
			if times == nil || !e.Entry {
				continue
			}
			if times[e.Member]++; times[e.Member] > most {
				most, by, whom = times[e.Member], e.Member, k
			}
		}
	}
	if most == 0 {
		return false, "No process has entered while another waited."
	}
	times := map[bool]string{false: "once", true: "twice"}[most > 1]
	return most > 1, fmt.Sprintf("%s has entered %s while %s waited.", nameOf(by), times, nameOf(whom))
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
	w := l.walk
	schedule, end, why := w.Trace().Schedule, stateOf(w), "P0 does not wait."
	entered, moved, could := false, [2]bool{}, [2]bool{true, true} // P1; the processes that took a step; those that always could
	first := len(schedule)
	for first > 0 && !solved && w.Pending()[0].Place.Phase == "waiting" {
		if first == len(schedule) {
			why = "The run has not come back to a state since P0 waits."
		}
		first--
		moved[schedule[first]] = true
		wasInside := w.Pending()[1].Place.Phase == inside
		if err := w.Undo(1); err != nil {
			panic(err) // it has taken the step
		}
		entered = entered || wasInside && w.Pending()[1].Place.Phase != inside
		for i, next := range w.Pending() {
			could[i] = could[i] && next.Why == "" && next.Place.Phase != remainder
		}
		if stateOf(w) == end {
			solved, why = starves(first, entered, moved, could)
		}
	}
	if err := w.Do(schedule[first:]...); err != nil {
		panic(err) // it had taken these steps
	}
	return solved, why
}

// stateOf returns what each process does next, and what registers hold: a process of lamportfast knows nothing else but
// which register it reads next, and that is part of it.
func stateOf(w *explore.Walk) string {
	t := w.Trace()
	state := []any{held(t, len(t.Steps))}
	for _, next := range w.Pending() {
		state = append(state, next.Place, next.Why)
	}
	return fmt.Sprintln(state...)
}

// starves reports whether the steps behind the first ones starve P0 if they repeat forever.
func starves(first int, entered bool, moved, could [2]bool) (does bool, why string) {
	state := fmt.Sprintf("The state is that after %d choices", first)
	if !entered {
		return false, state + ", but P1 has not entered in between."
	}
	for i := range could {
		if could[i] && !moved[i] {
			return false, fmt.Sprintf("%s, but P%d could take a step all the time, and took none: that is not fair.", state, i)
		}
	}
	return true, state + ": so P1 can enter again and again, while P0 waits."
}
