package spacetime

import (
	"fmt"
	"slices"

	"example.org/doorway/internal/draw/svg"
	"example.org/doorway/internal/node/notation"
)

// The measures of the overview, in pixels: its text, and its bars.
const (
	overviewText = 24
	overviewBars = 84 // at most
	overviewRest = 18 // below them
)

// manyEntries is how many entries a run has that is drawn as a whole, too.
const manyEntries = 10

// partial reports whether the picture shows a part of a run that has many entries and takes time.
func (d *diagram) partial() bool {
	if part := len(d.window()); part == 0 || part == len(d.Events) || d.Events[len(d.Events)-1].At == d.Events[0].At {
		return false
	}
	entries := slices.DeleteFunc(slices.Clone(d.spans), func(s span) bool { return s.phase != inside })
	return len(entries) >= manyEntries
}

// drawOverview draws the bars of all nodes in the whole run, with time to scale, and a frame around the part
// that the rows enlarge.
func (d *diagram) drawOverview() {
	if d.pitch == 0 {
		return
	}
	first, last := d.Events[0].At, d.Events[len(d.Events)-1].At
	high := len(d.lines) * d.pitch
	top, left, wide := d.rows[0].top-overviewRest-high, d.left, d.rows[0].right-d.left
	x := func(k int) int {
		at := d.Events[min(k, len(d.Events)-1)].At
		return left + int(float64(wide)*float64(at-first)/float64(last-first))
	}
	d.Text(margin, float64(top-8), fmt.Sprintf("The run from %s to %s, and in the frame the part that is enlarged:", notation.Time(first), notation.Time(last)),
		fmt.Sprintf(`font-size="%d" fill="%s"`, svg.Small, svg.Faint))
	for _, p := range []phase{waiting, inside} {
		color, _ := p.bar()
		drawn := make([]int, len(d.lines)) // how far, so that many bars of a pixel are one
		for _, s := range d.spans {
			l, from, until := d.lineOf[s.node], x(s.from), max(x(s.from)+1, x(s.until))
			if s.phase == p && until > drawn[l] {
				d.Rect(float64(from), float64(top+l*d.pitch), float64(until-from), float64(d.pitch-1), fmt.Sprintf(`fill="%s"`, color))
				drawn[l] = until
			}
		}
	}
	from, until := x(d.first())-3, x(d.end()-1)+3
	d.Rect(float64(from), float64(top-3), float64(until-from), float64(high+5), fmt.Sprintf(`fill="none" stroke="%s"`, svg.Ink))
}
