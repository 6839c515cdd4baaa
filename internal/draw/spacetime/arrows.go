package spacetime

import (
	"math"
	"slices"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/messaging"
)

// An arrow is a message from its sending to its end.
type arrow struct {
	sent, end      int // the events, by index; end is -1 for what is in transit at the end of the window
	message        messaging.Event
	x1, y1, x2, y2 float64
	kind           string
	lost           bool
	again          bool // a second copy
	before         bool // sent before the row: only its end is drawn
	after          bool // its end is in a later row
}

// transit reports whether one end of a is not in its row.
func (a arrow) transit() bool { return a.before || a.after || a.end < 0 }

// connect computes the arrows of the window.
func (r *row) connect() {
	ended := map[int]int{} // by the event that put a copy in transit
	for k := r.from; k < len(r.Events); k++ {
		if e := r.Events[k]; ends(e) {
			ended[r.cause(k)] = k
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
		case ends(e) && r.cause(k) < r.from:
			r.add(r.cause(k), k)
		}
	}
}

// add adds the arrow from event sent to event end, unless both ends are on one line.
func (r *row) add(sent, end int) {
	e := r.Events[max(sent, end)]
	a := arrow{sent: sent, end: end, message: e, kind: kind(e.Message)}
	from, to := r.y(e.From), r.y(e.To)
	if from == to {
		if sent >= r.from {
			r.hidden++
		}
		return
	}
	a.y1, a.y2 = float64(from), float64(to)
	a.again = sent >= 0 && r.Events[sent].Action == action.Duplicated
	a.after = end >= r.to
	a.lost = end >= 0 && !a.after && r.Events[end].Action == action.Lost
	usual := float64(r.scale) // how far a message goes that does not arrive
	if a.before = sent < r.from; a.before {
		a.x2 = float64(r.xs[end-r.from])
		a.x1 = max(float64(r.left), a.x2-usual)
		a.shorten(0.5, 1)
	} else {
		a.x1 = float64(r.xs[sent-r.from])
	}
	switch {
	case a.before && a.lost && !r.dead(e.To, end):
		a.shorten(0, 0.7)
	case a.before:
	case end < 0, a.after, a.lost && r.Events[end].At == r.Events[sent].At && !r.dead(e.To, end):
		part := 0.45
		if a.lost {
			part = 0.6
		}
		a.x2 = a.x1 + usual
		a.shorten(0, part)
		a.x2 = min(a.x2, float64(r.right))
	default:
		a.x2 = float64(r.xs[end-r.from])
	}
	r.arrows = append(r.arrows, a)
}

// shorten leaves of a the part between two fractions of it.
func (a *arrow) shorten(from, to float64) {
	dx, dy := a.x2-a.x1, a.y2-a.y1
	a.x2, a.y2 = math.Round(a.x1+float64(to*dx)), math.Round(a.y1+float64(to*dy))
	a.x1, a.y1 = math.Round(a.x1+float64(from*dx)), math.Round(a.y1+float64(from*dy))
}

// dead reports whether node i has crashed when event k occurs.
func (r *row) dead(i messaging.ID, k int) bool {
	return slices.ContainsFunc(r.spans, func(s span) bool {
		return s.node == i && s.phase == down && s.from <= k && k < s.until
	})
}

// direction returns the unit vector of a.
func (a *arrow) direction() (dx, dy float64) {
	dx, dy = a.x2-a.x1, a.y2-a.y1
	length := math.Sqrt(float64(dx*dx) + float64(dy*dy))
	return dx / length, dy / length
}
