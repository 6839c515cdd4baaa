package space

import "slices"

// Events calls f for each step from a state by which something happens that must happen eventually if it
// remains possible (weak fairness), with what that is.
type Events[E comparable] func(i ID, f func(slot int, e E))

// Ignored returns the events that are possible in each state of c, and happen within it by no step. If there
// is none, a weakly fair run can stay in c forever.
func Ignored[E comparable](c *Component, events Events[E]) []E {
	var always, here, taken []E
	for nth, i := range c.States {
		here = here[:0]
		events(i, func(slot int, e E) {
			here = append(here, e)
			if _, stays := c.Inside(i, slot); stays && !slices.Contains(taken, e) {
				taken = append(taken, e)
			}
		})
		if nth == 0 {
			always = slices.Clone(here)
		} else {
			always = slices.DeleteFunc(always, func(e E) bool { return !slices.Contains(here, e) })
		}
		if len(always) == 0 {
			return nil
		}
	}
	return slices.DeleteFunc(always, func(e E) bool { return slices.Contains(taken, e) })
}

// A Tour is a walk through a component.
type Tour struct {
	*Component
	At    ID
	Slots []int // so far
}

// To goes to the nearest state for which goal holds, if there is one.
func (t *Tour) To(goal func(i ID) bool) {
	var slots []int
	t.At, slots = t.Way(t.At, goal)
	t.Slots = append(t.Slots, slots...)
}

// Meet goes to the nearest state in which an event is disabled, or occurs by a step within the
// component; it takes that step. Of a state, step returns whether the event is enabled, and the
// slot of such a step; negative: none.
func (t *Tour) Meet(step func(i ID) (slot int, possible bool)) {
	t.To(func(i ID) bool {
		slot, possible := step(i)
		return !possible || slot >= 0
	})
	if slot, possible := step(t.At); possible && slot >= 0 {
		t.At, _ = t.Inside(t.At, slot)
		t.Slots = append(t.Slots, slot)
	}
}

// Return goes back to a state, and on the way meets each of the events that are possible there.
func Return[E comparable](t *Tour, to ID, events Events[E]) {
	var due []E
	events(to, func(_ int, e E) { due = append(due, e) })
	for _, e := range due {
		t.Meet(func(i ID) (slot int, possible bool) {
			slot = -1
			events(i, func(s int, other E) {
				if other != e {
					return
				}
				possible = true
				if _, stays := t.Inside(i, s); stays && slot < 0 {
					slot = s
				}
			})
			return slot, possible
		})
	}
	t.To(func(i ID) bool { return i == to })
}
