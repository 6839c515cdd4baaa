package spacetime

import (
	"cmp"
	"slices"

	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/messaging"
)

// A cut joins the events at which nodes record their states for a snapshot. What happens to the left of it
// is in the snapshot. A message that crosses it from the left is in the snapshot as one in transit.
type cut []point

type point struct {
	node messaging.ID
	x, y float64
}

// marker is the kind of the messages that a node sends when it has recorded its state.
const marker = "MARKER"

// findCuts finds the cuts of the row: one for all markers that are the same message.
func (r *row) findCuts() {
	of := map[string]int{} // by the text of the marker, the index of its cut
	for k := r.from; k < r.to; k++ {
		e := r.Events[k]
		if e.Action != action.Sent || kind(e.Message) != marker {
			continue
		}
		text := notation.Message(e.Message)
		c, known := of[text]
		if !known {
			c, of[text] = len(r.cuts), len(r.cuts)
			r.cuts = append(r.cuts, nil)
		}
		if !slices.ContainsFunc(r.cuts[c], func(p point) bool { return p.node == e.From }) {
			r.cuts[c] = append(r.cuts[c], point{e.From, float64(r.xs[k-r.from]), float64(r.y(e.From))})
		}
	}
	for _, c := range r.cuts {
		slices.SortFunc(c, func(p, q point) int { return cmp.Compare(p.y, q.y) })
	}
}

// segments returns the parts of the cut between two lines, and a little beyond the first and the last.
func (c cut) segments() (all []arrow) {
	const beyond = 14
	for k, p := range c {
		if k == 0 {
			all = append(all, arrow{x1: p.x, y1: p.y - beyond, x2: p.x, y2: p.y})
		} else {
			all = append(all, arrow{x1: c[k-1].x, y1: c[k-1].y, x2: p.x, y2: p.y})
		}
	}
	last := c[len(c)-1]
	return append(all, arrow{x1: last.x, y1: last.y, x2: last.x, y2: last.y + beyond})
}

const cutDash = ` stroke-width="3" stroke-dasharray="1 5" stroke-linecap="round"`

func (r *row) drawCut(c cut) {
	for _, s := range c.segments() {
		r.Printf(`<path d="M%.0f,%.0f L%.0f,%.0f" stroke="%s"%s/>`, s.x1, s.y1, s.x2, s.y2, r.hue(marker), cutDash)
	}
}
