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
	"example.org/doorway/messaging"
)

func (d *diagram) draw() []byte {
	d.Open(float64(d.width), float64(d.height), d.Title, d.description(), darkStyle)
	d.drawTitle()
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
		r.drawCut(c)
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

// A heading is a line of text at the top.
type heading struct {
	text, style string
	height      int
}

// headings are what happens, of which algorithm, and how it ends.
func (d *diagram) headings() (all []heading) {
	add := func(text, style string, char float64, height int) {
		for _, line := range balanced(text, int(float64(d.width-2*margin-d.inset())/char)) {
			all = append(all, heading{line, style, height})
		}
	}
	title := fmt.Sprintf(`font-family="%s" font-size="15" font-weight="bold"`, svg.Sans)
	add(cmp.Or(d.About, d.Title), title, 10.5, 20)
	if d.About != "" {
		add(d.Title, fmt.Sprintf(`fill="%s"`, svg.Faint), large, lineDown)
	}
	add(d.Failure, fmt.Sprintf(`fill="%s"`, svg.Alarm), large, lineDown)
	add(d.Success, fmt.Sprintf(`fill="%s"`, svg.Good), large, lineDown)
	return all
}

// balanced returns s in as few lines as it takes, none of which is much longer than the others.
func balanced(s string, width int) []string {
	lines := svg.Wrap(s, width)
	for width--; width > 0; width-- {
		narrower := svg.Wrap(s, width)
		if len(narrower) > len(lines) || strings.Contains(strings.Join(narrower, ""), "…") {
			break
		}
		lines = narrower
	}
	return lines
}

// heading returns the height of the headings, or that of the network beside them.
func (d *diagram) heading() (high int) {
	for _, h := range d.headings() {
		high += h.height
	}
	if d.inset() > 0 {
		return max(high, network)
	}
	return high
}

// The size of a network beside the headings, and what it takes of their width.
const network = 84

func (d *diagram) inset() int {
	if d.Links == nil {
		return 0
	}
	return network + 3*margin
}

func (d *diagram) drawTitle() {
	y := margin
	for _, h := range d.headings() {
		d.Text(margin, float64(y+14), h.text, h.style)
		y += h.height
	}
	if d.Links != nil {
		graph.Draw(&d.Canvas, d.Links, float64(d.width-network-2*margin), margin, network, 10, notation.Node)
	}
}

// drawLines draws a line for each node, up to where it crashes, and from where it restarts.
func (r *row) drawLines() {
	for _, l := range r.lines {
		x, weight, dash := r.left, `font-weight="bold"`, ""
		if l.folded() {
			weight, dash = fmt.Sprintf(`fill="%s"`, svg.Faint), ` stroke-dasharray="1 4"`
		}
		r.Text(float64(r.left-10), float64(l.y+4), l.name(), `text-anchor="end" `+weight)
		for _, s := range r.shown(r.from, r.to) {
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
		r.Printf(`<path d="M%d,%d H%d" stroke="%s" data-line="%s"%s/>`, from, l.y, until, svg.Faint, numbers(l.nodes), more)
	}
}

// numbers lists nodes by their numbers: 0 3-5.
func numbers(nodes []messaging.ID) string {
	var b strings.Builder
	for k := 0; k < len(nodes); k++ {
		first := nodes[k]
		for k+1 < len(nodes) && nodes[k+1] == nodes[k]+1 {
			k++
		}
		fmt.Fprintf(&b, " %d", first)
		if nodes[k] > first {
			fmt.Fprintf(&b, "-%d", nodes[k])
		}
	}
	return b.String()[1:]
}

// drawBars draws the phases of the nodes, and how they end.
func (r *row) drawBars() {
	for _, s := range r.shown(r.from, r.to) {
		l := r.lines[r.lineOf[s.node]]
		from, until := r.reach(s)
		color, height := waits, thin
		switch s.phase {
		case inside:
			color, height = enters, thick
		case absorbing:
			color = gone
		}
		if s.phase != down && (!l.folded() || s.phase == inside) {
			r.Printf(`<rect x="%d" y="%.1f" width="%d" height="%d" fill="%s" data-phase="%s" data-node="%d" data-from="%d" data-until="%d"><title>%s</title></rect>`,
				from, float64(l.y)-float64(height)/2, until-from, height, color, s.phase, s.node, r.number(s.from), r.number(s.until), svg.Escape(r.duration(s)))
		}
		if end := r.ending(s); end != "" && r.to == len(r.Events) && !l.folded() {
			r.Text(float64(r.right+6), float64(l.y+4), end, fmt.Sprintf(`font-size="%d" fill="%s"`, small, svg.Faint))
		}
	}
}

// number returns the number of event k, or 0 if there is none.
func (r *row) number(k int) uint64 {
	if k < 0 || k >= len(r.Events) {
		return 0
	}
	return r.Events[k].Number
}

// duration says when a span is.
func (r *row) duration(s span) string {
	text := fmt.Sprintf("%s: %s from %s", notation.Node(s.node), s.phase, notation.Time(r.Events[s.from].At))
	if s.open(r.Events) {
		return text
	}
	return text + " to " + notation.Time(r.Events[s.until].At)
}

// drawHolds draws where the token is.
func (r *row) drawHolds() {
	for _, h := range r.holds {
		if h.from >= r.to || h.until <= r.from {
			continue
		}
		from, until := r.reach(span{node: h.node, from: h.from, until: h.until})
		if from == until {
			continue // it is passed on at once
		}
		r.Printf(`<path d="M%d,%d H%d" stroke="%s" stroke-width="3"/>`, from, r.y(h.node), until, carried)
	}
}

func (r *row) drawArrow(a *arrow) {
	color := r.hue(a.kind)
	width, dash := 1.3, ""
	if color == carried {
		width = 2.6
	}
	switch {
	case a.transit():
		dash = ` stroke-dasharray="2 3"`
	case a.again:
		dash = ` stroke-dasharray="6 3"`
	}
	end := a.end
	if a.after {
		end = -1 // it is in the next row
	}
	r.Printf(`<g data-message="%d" data-end="%d" data-from="%d" data-to="%d"><title>%s</title>`, r.number(a.sent), r.number(end), a.message.From, a.message.To, svg.Escape(r.journey(a)))
	r.Printf(`<path d="M%.0f,%.0f L%.0f,%.0f" stroke="%s" stroke-width="%.1f"%s/>`, a.x1, a.y1, a.x2, a.y2, color, width, dash)
	dx, dy := a.direction()
	switch {
	case a.lost:
		r.cross(a.x2, a.y2, 4.5, color)
	case end >= 0:
		x, y := a.x2-float64(dot*dx), a.y2-float64(dot*dy)
		back, half := 8.0, 3.4
		r.Printf(`<path d="M%.1f,%.1f L%.1f,%.1f L%.1f,%.1f z" fill="%s"/>`, x, y,
			x-float64(back*dx)-float64(half*dy), y-float64(back*dy)+float64(half*dx),
			x-float64(back*dx)+float64(half*dy), y-float64(back*dy)-float64(half*dx), color)
	}
	r.Printf("</g>")
}

// journey says where a message goes, and when.
func (r *row) journey(a *arrow) string {
	e := a.message
	text := fmt.Sprintf("%s from %s to %s", notation.Message(e.Message), notation.Node(e.From), notation.Node(e.To))
	if a.sent >= 0 {
		text += ", sent at " + notation.Time(r.Events[a.sent].At)
	}
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
		r.Printf(`<path d="M%d,%d C%d,%d %d,%d %d,%d" fill="none" stroke="%s"/>`, m.x, y, m.x-17, y-21, m.x+17, y-21, m.x, y, svg.Ink)
	}
	if len(r.emits(m)) > 0 {
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

// emits returns what the node emits at m.
func (r *row) emits(m mark) (all []messaging.Event) {
	for _, k := range m.events {
		if e := r.Events[k]; e.Action == action.Emitted {
			all = append(all, e)
		}
	}
	return all
}

// tooltip returns the numbers of the events of m, and says what happens there, its vector
// timestamp, and the state of the node after it.
func (r *row) tooltip(m mark) (numbers, text string) {
	var ns, all []string
	for _, k := range m.events {
		ns, all = append(ns, fmt.Sprint(r.number(k))), append(all, notation.Event(r.Events[k]))
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
		if c.from < r.from || c.from >= r.to {
			continue
		}
		from, until := r.extent(c)
		for _, i := range c.nodes {
			r.Printf(`<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="%s" stroke-width="2.5" data-clash="%d"/>`,
				from, r.y(i)-frame, until-from, 2*frame, svg.Alarm, i)
		}
		high, low := r.between(c)
		r.Printf(`<path d="M%d,%d V%d" stroke="%s" stroke-width="2.5"/>`, from, high, low, svg.Alarm)
	}
}

// extent returns the pixels of the frames of a clash: from when all are inside, until the
// first of them leaves.
func (r *row) extent(c clash) (from, until int) {
	from, until = r.xs[c.from-r.from], r.right
	for _, s := range r.spans {
		if s.phase == inside && s.until > c.from && s.from <= c.from && slices.Contains(c.nodes, s.node) {
			first, last := r.reach(s)
			from, until = max(from, first), min(until, last)
		}
	}
	return from - 5, until + 3
}

// between returns what is between the first and the last frame of a clash.
func (r *row) between(c clash) (high, low int) {
	high = math.MaxInt
	for _, i := range c.nodes {
		y := r.y(i)
		high, low = min(high, y+frame), max(low, y-frame)
	}
	return high, low
}

func (r *row) drawLabel(l label) {
	if l.color != "" {
		b := room(l.text, l.x, l.y)
		r.Rect(b.left, b.top+1, b.right-b.left, b.bottom-b.top-2, fmt.Sprintf(`fill="%s"`, svg.Paper))
	}
	r.Text(l.x, l.y+4, l.text, fmt.Sprintf(`text-anchor="middle" font-size="%d" fill="%s"`, small, cmp.Or(l.color, svg.Ink)))
}
