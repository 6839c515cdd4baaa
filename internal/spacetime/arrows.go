package spacetime

import (
	"math"
	"slices"

	"example.org/doorway/internal/action"
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
	before         bool // sent before the window: only its end is drawn
}

// connect computes the arrows of the window.
func (d *diagram) connect() {
	ended := map[int]int{} // by the event that put a copy in transit
	for k := d.from; k < len(d.Events); k++ {
		if e := d.Events[k]; ends(e) {
			ended[d.cause(k)] = k
		}
	}
	for k := d.from; k < d.to; k++ {
		switch e := d.Events[k]; {
		case e.Action == action.Sent || e.Action == action.Duplicated:
			end, over := ended[k]
			if !over || end >= d.to {
				end = -1
			}
			d.add(k, end)
		case ends(e) && d.cause(k) < d.from:
			d.add(d.cause(k), k)
		}
	}
}

// add adds the arrow from event sent to event end, unless both ends are on one line.
func (d *diagram) add(sent, end int) {
	e := d.Events[max(sent, end)]
	a := arrow{sent: sent, end: end, message: e, kind: kind(e.Message)}
	from, to := d.y(e.From), d.y(e.To)
	if from == to {
		d.hidden++
		return
	}
	a.y1, a.y2 = float64(from), float64(to)
	a.again = sent >= 0 && d.Events[sent].Action == action.Duplicated
	a.lost = end >= 0 && d.Events[end].Action == action.Lost
	usual := float64(d.scale) // how far a message goes that does not arrive
	if a.before = sent < d.from; a.before {
		a.x2 = float64(d.xs[end-d.from])
		a.x1 = max(float64(d.left), a.x2-usual)
		a.shorten(0.5, 1)
	} else {
		a.x1 = float64(d.xs[sent-d.from])
	}
	switch {
	case a.before && a.lost && !d.dead(e.To, end):
		a.shorten(0, 0.7)
	case a.before:
	case end < 0, a.lost && d.Events[end].At == d.Events[sent].At && !d.dead(e.To, end):
		part := 0.45
		if a.lost {
			part = 0.6
		}
		a.x2 = a.x1 + usual
		a.shorten(0, part)
		a.x2 = min(a.x2, float64(d.right))
	default:
		a.x2 = float64(d.xs[end-d.from])
	}
	d.arrows = append(d.arrows, a)
}

// shorten leaves of a the part between two fractions of it.
func (a *arrow) shorten(from, to float64) {
	dx, dy := a.x2-a.x1, a.y2-a.y1
	a.x2, a.y2 = math.Round(a.x1+float64(to*dx)), math.Round(a.y1+float64(to*dy))
	a.x1, a.y1 = math.Round(a.x1+float64(from*dx)), math.Round(a.y1+float64(from*dy))
}

// dead reports whether node i has crashed when event k occurs.
func (d *diagram) dead(i messaging.ID, k int) bool {
	return slices.ContainsFunc(d.spans, func(s span) bool {
		return s.node == i && s.phase == down && s.from <= k && k < s.until
	})
}

// direction returns the unit vector of a.
func (a *arrow) direction() (dx, dy float64) {
	dx, dy = a.x2-a.x1, a.y2-a.y1
	length := math.Sqrt(float64(dx*dx) + float64(dy*dy))
	return dx / length, dy / length
}
