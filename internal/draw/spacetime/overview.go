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

// overviewPitch returns how far apart the lines of the overview are.
func (d *diagram) overviewPitch() int { return max(2, min(7, overviewBars/len(d.lines))) }

// overview returns the height of the overview, which only a partial picture has.
func (d *diagram) overview() int {
	if !d.partial() {
		return 0
	}
	return overviewText + len(d.lines)*d.overviewPitch() + overviewRest
}

// drawOverview draws the bars of all nodes in the whole run, with time to scale, and a frame around the part
// that the rows enlarge.
func (d *diagram) drawOverview() {
	if !d.partial() {
		return
	}
	top, pitch := margin+d.heading()+overviewText, d.overviewPitch()
	from, until := d.Events[0].At, d.Events[len(d.Events)-1].At
	left, right := d.left, d.rows[0].right
	x := func(k int) int {
		at := d.Events[min(k, len(d.Events)-1)].At
		return left + int(float64(right-left)*float64(at-from)/float64(until-from))
	}
	d.Text(margin, float64(top-8), fmt.Sprintf("The run from %s to %s, and in the frame the part that is enlarged:", notation.Time(from), notation.Time(until)),
		fmt.Sprintf(`font-size="%d" fill="%s"`, svg.Small, svg.Faint))
	for _, p := range []struct {
		phase
		color string
	}{{waiting, waits}, {inside, enters}} {
		drawn := make([]int, len(d.lines)) // how far, so that many bars of a pixel are one
		for _, s := range d.spans {
			l, a, b := d.lineOf[s.node], x(s.from), max(x(s.from)+1, x(s.until))
			if s.phase == p.phase && b > drawn[l] {
				d.Rect(float64(a), float64(top+l*pitch), float64(b-a), float64(pitch-1), fmt.Sprintf(`fill="%s"`, p.color))
				drawn[l] = b
			}
		}
	}
	first, last := x(d.first()), x(d.end()-1)
	d.Rect(float64(first-3), float64(top-3), float64(last-first+6), float64(len(d.lines)*pitch+5), fmt.Sprintf(`fill="none" stroke="%s"`, svg.Ink))
}
