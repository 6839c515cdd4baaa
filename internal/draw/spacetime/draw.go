package spacetime

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	graph "example.org/doorway/internal/draw/network"
	"example.org/doorway/internal/draw/svg"
	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/notation"
)

func (d *diagram) draw() []byte {
	d.Open(float64(d.width), float64(d.height), d.Title, d.description(), darkStyle)
	d.Headings(margin, margin, d.headings)
	if d.Links != nil {
		graph.Draw(&d.Canvas, d.Links, float64(d.width-network-2*margin), margin, network, 10, notation.Node)
	}
	d.drawOverview()
	for _, r := range d.rows {
		r.draw()
	}
	d.drawLegend()
	d.Printf("</svg>")
	return d.Bytes()
}

func (r *row) draw() {
	r.Printf(`<g transform="translate(0 %d)">`, r.top)
	r.drawAxis()
	r.drawLines()
	r.drawBars()
	r.drawHolds()
	for _, c := range r.cuts {
		r.Printf(`<path d="M%.0f,%.0f L%.0f,%.0f" stroke="%s"%s/>`, c.x1, c.y1, c.x2, c.y2, r.hue(marker), cutDash)
	}
	for k := range r.arrows {
		r.drawArrow(&r.arrows[k])
	}
	for _, m := range r.marks {
		r.drawMark(m)
	}
	r.drawClashes()
	for _, l := range r.labels {
		r.drawLabel(l)
	}
	r.Printf("</g>")
}

// drawLines draws a line for each node, up to where it crashes, and from where it restarts.
func (r *row) drawLines() {
	for _, l := range r.lines {
		x, weight, dash := r.left, `font-weight="bold"`, ""
		if l.folded() {
			weight, dash = fmt.Sprintf(`fill="%s"`, svg.Faint), ` stroke-dasharray="1 4"`
		}
		r.Text(float64(r.left-10), float64(l.y+4), l.name(), `text-anchor="end" `+weight)
		for _, s := range between(r.spans, r.from, r.to) {
			if s.phase != down || l.folded() || s.node != l.nodes[0] {
				continue
			}
			from, until := r.reach(s)
			r.line(x, l, from, dash)
			r.line(from, l, until, ` stroke-dasharray="1 5" stroke-opacity="0.6"`)
			x = until
		}
		r.line(x, l, r.right, dash)
	}
}

func (r *row) line(from int, l line, until int, more string) {
	if from < until {
		r.Printf(`<path d="M%d,%d H%d" stroke="%s" data-line="%s"%s/>`, from, l.y, until, svg.Faint, strings.Trim(fmt.Sprint(l.nodes), "[]"), more)
	}
}

// drawBars draws the phases of the nodes, and how they end.
func (r *row) drawBars() {
	for _, s := range between(r.spans, r.from, r.to) {
		l := r.lines[r.lineOf[s.node]]
		from, until := r.reach(s)
		color, height := s.phase.bar()
		if s.phase != down && (!l.folded() || s.phase == inside) {
			r.Printf(`<rect x="%d" y="%.1f" width="%d" height="%.0f" fill="%s" data-phase="%s"><title>%s</title></rect>`,
				from, float64(l.y)-height/2, until-from, height, color, s.phase, svg.Escape(r.duration(s)))
		}
		if end := r.ending(s); end != "" && r.to == len(r.Events) && !l.folded() {
			r.Text(float64(r.right+6), float64(l.y+4), end, fmt.Sprintf(`font-size="%d" fill="%s"`, svg.Small, svg.Faint))
		}
	}
}

// duration says when a span is.
func (r *row) duration(s span) string {
	text := fmt.Sprintf("%s: %s from %s", notation.Node(s.node), s.phase, notation.Time(r.Events[s.from].At))
	if s.open(r.Events) {
		return text
	}
	return text + " to " + notation.Time(r.Events[s.until].At)
}

// drawHolds draws where the token is, unless it is passed on at once.
func (r *row) drawHolds() {
	for _, h := range between(r.holds, r.from, r.to) {
		if from, until := r.reach(h); from < until {
			r.Printf(`<path d="M%d,%d H%d" stroke="%s" stroke-width="3"/>`, from, r.y(h.node), until, carried)
		}
	}
}

func (r *row) drawArrow(a *arrow) {
	color, dash := r.hue(a.kind), ""
	switch {
	case a.transit:
		dash = ` stroke-dasharray="2 3"`
	case a.again:
		dash = ` stroke-dasharray="6 3"`
	}
	end := a.end
	if end >= r.to {
		end = -1 // it is in a later row
	}
	r.Printf(`<g data-message="%d" data-end="%d"><title>%s</title>`, a.sent+1, end+1, svg.Escape(r.journey(a)))
	r.Printf(`<path d="M%.0f,%.0f L%.0f,%.0f" stroke="%s" stroke-width="%.1f"%s/>`, a.x1, a.y1, a.x2, a.y2, color, weight(color), dash)
	dx, dy := a.x2-a.x1, a.y2-a.y1
	length := math.Sqrt(float64(dx*dx) + float64(dy*dy))
	switch {
	case a.lost:
		r.cross(a.x2, a.y2, 4.5, color)
	case end >= 0:
		dx, dy = dx/length, dy/length
		x, y := a.x2-float64(dot*dx), a.y2-float64(dot*dy)
		back, half := 8.0, 3.4
		r.Printf(`<path d="M%.1f,%.1f L%.1f,%.1f L%.1f,%.1f z" fill="%s"/>`, x, y,
			x-float64(back*dx)-float64(half*dy), y-float64(back*dy)+float64(half*dx),
			x-float64(back*dx)+float64(half*dy), y-float64(back*dy)-float64(half*dx), color)
	}
	r.Printf("</g>")
}

// weight returns how wide the arrows of a color are.
func weight(color string) float64 {
	if color == carried {
		return 2.6
	}
	return 1.3
}

// journey says where a message goes, and when.
func (r *row) journey(a *arrow) string {
	e := r.Events[a.sent]
	text := fmt.Sprintf("%s from %s to %s, sent at %s", notation.Message(e.Message), notation.Node(e.From), notation.Node(e.To), notation.Time(e.At))
	if a.again {
		text += ", a second copy"
	}
	switch {
	case a.lost:
		return text + ", lost at " + notation.Time(r.Events[a.end].At)
	case a.end >= 0:
		return text + ", delivered at " + notation.Time(r.Events[a.end].At)
	}
	return text + ", in transit"
}

// cross draws a cross around x, y.
func (d *diagram) cross(x, y, size float64, color string) {
	d.Printf(`<path d="M%.1f,%.1f L%.1f,%.1f M%.1f,%.1f L%.1f,%.1f" stroke="%s" stroke-width="2"/>`, x-size, y-size, x+size, y+size, x-size, y+size, x+size, y-size, color)
}

// drawMark draws what a node does at one time.
func (r *row) drawMark(m mark) {
	y := r.y(m.node)
	numbers, title := r.tooltip(m)
	r.Printf(`<g data-node="%d" data-at="%s" data-events="%s"><title>%s</title>`, m.node, notation.Time(m.at), numbers, svg.Escape(title))
	r.Printf(`<circle cx="%d" cy="%d" r="%d"/>`, m.x, y, dot)
	if r.loops(m) {
		r.drawLoop(float64(m.x), float64(y))
	}
	if r.emits(m) {
		r.Printf(`<path d="M%d,%d v8 l4,4 l-4,4 l-4,-4 l4,-4" fill="%s" stroke="%s"/>`, m.x, y, svg.Paper, svg.Ink)
	}
	switch r.Events[m.events[0]].Action {
	case action.Crashed:
		r.cross(float64(m.x), float64(y), 7, svg.Alarm)
	case action.Missed:
		r.cross(float64(m.x), float64(y), 4.5, svg.Alarm)
	case action.GaveUp:
		r.Printf(`<path d="M%d,%d v14" stroke="%s" stroke-width="2"/>`, m.x, y-7, svg.Ink)
	}
	r.Printf("</g>")
}

// loops reports whether a timer fires at m.
func (r *row) loops(m mark) bool { return r.Events[m.events[0]].Action == action.Expired }

// drawLoop draws a timer that fires.
func (d *diagram) drawLoop(x, y float64) {
	d.Printf(`<path d="M%.0f,%.0f C%.0f,%.0f %.0f,%.0f %.0f,%.0f" fill="none" stroke="%s"/>`, x, y, x-17, y-21, x+17, y-21, x, y, svg.Ink)
}

// emits reports whether the node emits something at m.
func (r *row) emits(m mark) bool {
	return slices.ContainsFunc(m.events, func(k int) bool { return r.Events[k].Action == action.Emitted })
}

// tooltip returns the numbers of the events of m, and says what happens there, its vector
// timestamp, and the state of the node after it.
func (r *row) tooltip(m mark) (numbers, text string) {
	var ns, all []string
	for _, k := range m.events {
		ns, all = append(ns, fmt.Sprint(k+1)), append(all, notation.Event(r.Events[k]))
	}
	text = notation.Time(m.at) + ": " + strings.Join(all, "; ")
	last := m.events[len(m.events)-1]
	if r.stamps != nil {
		text += fmt.Sprintf("\nvector timestamp %v", r.stamps[last])
	}
	if last < len(r.States) && r.States[last] != "" {
		text += "\n" + r.States[last]
	}
	return strings.Join(ns, " "), text
}

// drawClashes marks where several nodes are inside.
func (r *row) drawClashes() {
	for _, c := range r.clashes {
		around, link := r.frames(c)
		for k, b := range around {
			r.Printf(`<rect x="%.0f" y="%.0f" width="%.0f" height="%.0f" fill="none" stroke="%s" stroke-width="2.5" data-clash="%d"/>`,
				b.Left, b.Top, b.Right-b.Left, b.Bottom-b.Top, svg.Alarm, c.nodes[k])
		}
		if len(around) > 0 {
			r.Printf(`<path d="M%.0f,%.0f V%.0f" stroke="%s" stroke-width="2.5"/>`, link.Left+2, link.Top, link.Bottom, svg.Alarm)
		}
	}
}

// frames returns the frames of a clash that begins in the row, from when all nodes are inside until the first of them
// leaves, and what links them.
func (r *row) frames(c clash) (around []svg.Box, link svg.Box) {
	if c.from < r.from || c.from >= r.to {
		return nil, link
	}
	from, until := r.xs[c.from-r.from], r.right
	for _, s := range r.spans {
		if s.phase == inside && s.until > c.from && s.from <= c.from && slices.Contains(c.nodes, s.node) {
			first, last := r.reach(s)
			from, until = max(from, first), min(until, last)
		}
	}
	left, right := float64(from-5), float64(until+3)
	link = svg.Box{Left: left - 2, Top: math.Inf(1), Right: left + 2}
	for _, i := range c.nodes {
		high, low := float64(r.y(i)-frame), float64(r.y(i)+frame)
		around = append(around, svg.Box{Left: left, Top: high, Right: right, Bottom: low})
		link.Top, link.Bottom = min(link.Top, low), max(link.Bottom, high)
	}
	return around, link
}

func (r *row) drawLabel(l label) {
	if l.color != "" {
		b := room(l.text, l.x, l.y)
		r.Rect(b.Left, b.Top+1, b.Right-b.Left, b.Bottom-b.Top-2, fmt.Sprintf(`fill="%s"`, svg.Paper))
	}
	r.Text(l.x, l.y+4, l.text, fmt.Sprintf(`text-anchor="middle" font-size="%d" fill="%s"`, svg.Small, cmp.Or(l.color, svg.Ink)))
}

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
