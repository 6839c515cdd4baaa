package spacetime

import (
	"math"
	"slices"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/messaging"
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
	vanishes := a.lost && !r.dead(e.To, end) // on its way
	usual := float64(r.scale)                // how far a message goes that does not arrive
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
