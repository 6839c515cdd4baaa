package spacetime

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"example.org/doorway/internal/draw/svg"
	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/messaging"
)

// A label is a text around its middle.
type label struct {
	x, y  float64
	text  string
	color string
}

// room returns the box of a label around its middle.
func room(text string, x, y float64) svg.Box {
	half := float64(float64(utf8.RuneCountInString(text))*svg.Thin)/2 + 4
	return svg.Box{Left: x - half, Top: y - 7, Right: x + half, Bottom: y + 7}
}

// longest is the length of the text of a message that is written beside its arrow.
const longest = 26

// label places the labels where nothing else is. One that finds no room is left out.
func (r *row) label() {
	r.obstacles()
	r.labelMarks()
	for _, k := range r.byInterest() {
		r.labelArrow(k)
	}
}

// byInterest returns the arrows: the token first, then what is sent rarely.
func (r *row) byInterest() []int {
	all, sent := make([]int, len(r.arrows)), map[string]int{}
	for k, a := range r.arrows {
		all[k] = k
		if r.hue(a.kind) != carried {
			sent[a.kind]++
		}
	}
	slices.SortStableFunc(all, func(i, j int) int { return cmp.Compare(sent[r.arrows[i].kind], sent[r.arrows[j].kind]) })
	return all
}

// obstacles takes the room of the bars and marks.
func (r *row) obstacles() {
	take := func(left, top, right, bottom int) {
		r.taken = append(r.taken, svg.Box{Left: float64(left), Top: float64(top), Right: float64(right), Bottom: float64(bottom)})
	}
	for _, l := range r.lines {
		take(r.left, l.y-1, r.right, l.y+1)
	}
	for _, of := range between(r.spans, r.from, r.to) {
		from, until := r.reach(of)
		y := r.y(of.node)
		take(from, y-thick/2, until, y+thick/2)
	}
	for _, c := range r.clashes {
		around, link := r.frames(c)
		r.taken = append(append(r.taken, around...), link)
	}
	for _, m := range r.marks {
		y := r.y(m.node)
		take(m.x-dot, y-dot, m.x+dot, y+dot)
		if r.loops(m) {
			take(m.x-6, y-17, m.x+6, y)
		}
		if r.emits(m) {
			take(m.x-5, y, m.x+5, y+17)
		}
	}
}

// labelled are the events that are named beside their marks, besides what is emitted.
var labelled = map[string]string{
	action.Crashed: "crashes", action.Restarted: "restarts", action.Missed: "loses an input",
	action.GaveUp: "gives up", action.Passed: "passes",
}

// sent is the kind of what a node emits that says no more than the arrows that begin there.
const sent = "SENT"

// labelMarks names what happens to a node: that it crashes, gives up, gets an input or emits something.
func (r *row) labelMarks() {
	for _, m := range r.marks {
		texts := r.captions(m)
		if r.lineOf[m.node] == 0 {
			slices.Reverse(texts) // above the line, so the first is on top
		}
		for _, text := range texts {
			r.labelMark(m, text)
		}
	}
}

// caption returns what is written beside the mark of event k; "": nothing.
func (d *diagram) caption(k int) string {
	switch e := d.Events[k]; e.Action {
	case action.Emitted:
		if kind(e.Message) == sent {
			return ""
		}
		return d.reading(k, brief(e.Message))
	case action.Input:
		return brief(e.Message)
	default:
		return labelled[e.Action]
	}
}

// clockState matches what the clock of a node takes the time to be, in the state of the node.
var clockState = regexp.MustCompile(`\bClock: \{Time: ([^,]+),`)

// reading returns a text about event k with the reading of the clock of the node behind it, if the node has a clock.
func (d *diagram) reading(k int, text string) string {
	if k >= len(d.States) {
		return text
	}
	if m := clockState.FindStringSubmatch(d.States[k]); m != nil && !strings.Contains(text, clockTime(m[1])) {
		return text + " " + clockTime(m[1])
	}
	return text
}

// fieldNames are the names of the fields of a message.
var fieldNames = regexp.MustCompile(`\b[A-Z][A-Za-z]*:`)

// brief returns a message with the values of its fields.
func brief(m messaging.Message) string {
	return clockTime(fieldNames.ReplaceAllString(notation.Message(m), ""))
}

// durations matches times of a minute or more.
var durations = regexp.MustCompile(`\b(\d+h)?\d+m[\d.]+s`)

// clockTime returns the text with its times of full minutes, up to less than a second, as a clock shows them: 3:05 for
// 3h5m0.002s, and 5m for 5m0s.
func clockTime(text string) string {
	return durations.ReplaceAllStringFunc(text, func(t string) string {
		d, err := time.ParseDuration(t)
		full := d.Round(time.Minute)
		switch {
		case err != nil || (d-full).Abs() >= time.Second:
			return t
		case full >= time.Hour:
			return fmt.Sprintf("%d:%02d", full/time.Hour, full%time.Hour/time.Minute)
		}
		return strings.TrimSuffix(t, "0s")
	})
}

// labelMark writes a text above or below a mark.
func (r *row) labelMark(m mark, text string) {
	ys := []float64{-17, 18, -32}
	if r.emits(m) {
		ys = []float64{26, -17, -32}
	}
	if r.lineOf[m.node] == len(r.lines)-1 {
		ys = append(ys, 41)
	}
	half := room(text, 0, 0).Right
	for _, y := range ys {
		for _, x := range []float64{0, half / 2, half, -half / 2, -half} {
			if r.put(label{x: float64(m.x) + x, y: float64(r.y(m.node)) + y, text: text}, -1) {
				return
			}
		}
	}
}

// fractions are where on an arrow its label is tried, in sixteenths.
var fractions = []float64{8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14}

// labelArrow writes the message on its arrow; or only its values, as the color is that of its kind; or its kind. Where
// there is no room for that, it writes the message or its kind beside the arrow, unless the kind is written elsewhere.
func (r *row) labelArrow(k int) {
	a := r.arrows[k]
	on, beside := []string{a.kind}, []string{a.kind}
	if full := brief(r.Events[a.sent].Message); full != a.kind && utf8.RuneCountInString(full) <= longest {
		on, beside = []string{full, strings.TrimPrefix(full, a.kind), a.kind}, []string{full, a.kind}
	}
	middle := func(half float64) []float64 { return []float64{0, -half / 2, half / 2} }
	sides := func(half float64) []float64 { return []float64{-half - 4, half + 4} }
	named := slices.ContainsFunc(r.labels, func(l label) bool { return l.color != "" && strings.HasPrefix(l.text, a.kind) })
	_ = r.labelAlong(k, on, middle) || named || r.labelAlong(k, beside, sides)
}

// labelAlong writes one of the texts along arrow k, that far aside of it, given half the width of the text. It reports
// whether there is room.
func (r *row) labelAlong(k int, texts []string, asides func(half float64) []float64) bool {
	a := r.arrows[k]
	for _, text := range texts {
		for _, f := range fractions {
			x, y := a.x1+float64((a.x2-a.x1)*f/16), a.y1+float64((a.y2-a.y1)*f/16)
			for _, by := range asides(room(text, 0, 0).Right) {
				if r.put(label{x: math.Round(x + by), y: math.Round(y), text: text, color: r.hue(a.kind)}, k) {
					return true
				}
			}
		}
	}
	return false
}

// put places a label, and reports whether there is room for it. It may stand on arrow k.
func (r *row) put(l label, k int) bool {
	b := room(l.text, l.x, l.y)
	if b.Left < float64(r.left)-4 || b.Right > float64(r.width-4) || b.Top < float64(r.lines[0].y-r.above) || b.Bottom > float64(r.axis()-8) {
		return false
	}
	if slices.ContainsFunc(r.taken, b.Meets) || slices.ContainsFunc(r.cuts, func(c arrow) bool { return c.crosses(b) }) {
		return false
	}
	for i := range r.arrows {
		if i != k && r.arrows[i].crosses(b) {
			return false
		}
	}
	r.taken = append(r.taken, b)
	r.labels = append(r.labels, l)
	return true
}

// crosses reports whether a goes through b.
func (a *arrow) crosses(b svg.Box) bool {
	left, right := min(a.x1, a.x2), max(a.x1, a.x2)
	top, bottom := min(a.y1, a.y2), max(a.y1, a.y2)
	if !b.Meets(svg.Box{Left: left - 1, Top: top - 1, Right: right + 1, Bottom: bottom + 1}) {
		return false
	}
	// Whether the corners of b are on both sides.
	dx, dy := a.x2-a.x1, a.y2-a.y1
	side := func(x, y float64) bool { return float64((x-a.x1)*dy)-float64((y-a.y1)*dx) > 0 }
	first := side(b.Left, b.Top)
	return side(b.Right, b.Top) != first || side(b.Left, b.Bottom) != first || side(b.Right, b.Bottom) != first
}
