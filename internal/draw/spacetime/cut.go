package spacetime

import (
	"cmp"
	"slices"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/notation"
)

// marker is the kind of the messages that a node sends when it has recorded its state.
const marker = "MARKER"

const cutDash = ` stroke-width="3" stroke-dasharray="1 5" stroke-linecap="round"`

// findCuts finds the cuts of the row: one for all markers that are the same message. A cut joins the events at which
// nodes record their states for a snapshot. What happens to the left of it is in the snapshot. A message that crosses
// it from the left is in the snapshot as one in transit.
func (r *row) findCuts() {
	var texts []string           // of the markers
	events := map[string][]int{} // by the text, the first event of each node that sends it
	for k := r.from; k < r.to; k++ {
		e := r.Events[k]
		if e.Action != action.Sent || kind(e.Message) != marker {
			continue
		}
		text := notation.Message(e.Message)
		if events[text] == nil {
			texts = append(texts, text)
		}
		if !slices.ContainsFunc(events[text], func(k int) bool { return r.Events[k].From == e.From }) {
			events[text] = append(events[text], k)
		}
	}
	for _, text := range texts {
		r.addCut(events[text])
	}
}

// addCut adds the parts of a cut between two lines, and a little beyond the first and the last.
func (r *row) addCut(events []int) {
	const beyond = 14
	y := func(k int) int { return r.y(r.Events[k].From) }
	slices.SortFunc(events, func(j, k int) int { return cmp.Compare(y(j), y(k)) })
	x1, y1 := r.xs[events[0]-r.from], y(events[0])-beyond
	to := func(x2, y2 int) {
		r.cuts = append(r.cuts, arrow{x1: float64(x1), y1: float64(y1), x2: float64(x2), y2: float64(y2)})
		x1, y1 = x2, y2
	}
	to(x1, y1+beyond)
	for _, k := range events[1:] {
		to(r.xs[k-r.from], y(k))
	}
	to(x1, y1+beyond)
}
