package spacetime

import (
	"cmp"
	"math"
	"slices"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/notation"
)

// An arrow is a message from its sending to its end, or as much of that as is in a row.
type arrow struct {
	sent, end      int // the events, by index; end is -1 for what is in transit at the end of the run
	x1, y1, x2, y2 float64
	kind           string
	lost           bool
	again          bool // a second copy
	transit        bool // one end is not in the row
}

// connect computes the arrows of the window.
func (r *row) connect() {
	ended := map[int]int{} // by the event that put a copy in transit
	for k := r.from; k < len(r.Events); k++ {
		if e := r.Events[k]; ends(e) {
			ended[cause(e)] = k
		}
	}
	for k := r.from; k < r.to; k++ {
		switch e := r.Events[k]; {
		case e.Action == action.Sent || e.Action == action.Duplicated:
			end, over := ended[k]
			if !over {
				end = -1
			}
			r.add(k, end)
		case ends(e) && cause(e) < r.from:
			r.add(cause(e), k)
		}
	}
}

// add adds the arrow from event sent to event end, unless both ends are on one line.
func (r *row) add(sent, end int) {
	e, x := r.Events[sent], func(k int) float64 { return float64(r.xs[k-r.from]) }
	a := arrow{sent: sent, end: end, kind: kind(e.Message), y1: float64(r.y(e.From)), y2: float64(r.y(e.To))}
	begins, arrives := sent >= r.from, end >= 0 && end < r.to
	if a.y1 == a.y2 {
		if begins {
			r.hidden++
		}
		return
	}
	a.again, a.transit = e.Action == action.Duplicated, !begins || !arrives
	a.lost = arrives && r.Events[end].Action == action.Lost
	vanishes := a.lost && !slices.ContainsFunc(r.spans, func(s span) bool { // on its way
		return s.node == e.To && s.phase == down && s.from <= end && end < s.until
	})
	usual := float64(r.scale) // how far a message goes that does not arrive
	switch {
	case !begins:
		a.x2 = x(end)
		a.x1 = max(float64(r.left), a.x2-usual)
		if a.shorten(0.5, 1); vanishes {
			a.shorten(0, 0.7)
		}
	case !arrives:
		a.x1, a.x2 = x(sent), x(sent)+usual
		a.shorten(0, 0.45)
	case vanishes && r.Events[end].At == e.At:
		a.x1, a.x2 = x(sent), x(sent)+usual
		a.shorten(0, 0.6)
	default:
		a.x1, a.x2 = x(sent), x(end)
	}
	a.x2 = min(a.x2, float64(r.right))
	r.arrows = append(r.arrows, a)
}

// shorten leaves of a the part between two fractions of it.
func (a *arrow) shorten(from, to float64) {
	dx, dy := a.x2-a.x1, a.y2-a.y1
	a.x2, a.y2 = math.Round(a.x1+float64(to*dx)), math.Round(a.y1+float64(to*dy))
	a.x1, a.y1 = math.Round(a.x1+float64(from*dx)), math.Round(a.y1+float64(from*dy))
}

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
