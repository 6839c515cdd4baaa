package spacetime

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.org/doorway/internal/action"
	"example.org/doorway/internal/notation"
	"example.org/doorway/internal/svg"
	"example.org/doorway/messaging"
)

func (d *diagram) draw() []byte {
	d.Open(float64(d.width), float64(d.height), d.Title, d.description(), darkStyle)
	d.drawTitle()
	d.drawAxis()
	d.drawLines()
	d.drawBars()
	d.drawHolds()
	for k := range d.arrows {
		d.drawArrow(&d.arrows[k])
	}
	for _, m := range d.marks {
		d.drawMark(m)
	}
	d.drawClashes()
	for _, l := range d.labels {
		d.drawLabel(l)
	}
	d.drawLegend()
	d.Printf("</svg>")
	return d.Bytes()
}

func (d *diagram) drawTitle() {
	y := d.top + 14
	for _, line := range d.titleLines() {
		d.Text(margin, float64(y), line, fmt.Sprintf(`font-family="%s" font-size="15" font-weight="bold"`, svg.Sans))
		y += 20
	}
	for _, line := range d.failureLines() {
		d.Text(margin, float64(y), line, fmt.Sprintf(`fill="%s"`, svg.Alarm))
		y += lineDown
	}
}

func (d *diagram) titleLines() []string {
	return svg.Wrap(d.Title, int(float64(d.width-2*margin)/10.5))
}

func (d *diagram) failureLines() []string {
	return svg.Wrap(d.Failure, int(float64(d.width-2*margin)/large))
}

// drawLines draws a line for each node, up to where it crashes, and from where it restarts.
func (d *diagram) drawLines() {
	for _, l := range d.lines {
		x, weight, dash := d.left, `font-weight="bold"`, ""
		if l.folded() {
			weight, dash = fmt.Sprintf(`fill="%s"`, svg.Faint), ` stroke-dasharray="1 4"`
		}
		d.Text(float64(d.left-10), float64(l.y+4), l.name(), `text-anchor="end" `+weight)
		for _, s := range d.shown() {
			if s.phase != down || l.folded() || s.node != l.nodes[0] {
				continue
			}
			from, until := d.reach(s)
			d.line(x, l, from, dash)
			d.line(from, l, until, ` stroke-dasharray="1 5" stroke-opacity="0.6"`)
			x = until
		}
		d.line(x, l, d.right, dash)
	}
}

func (d *diagram) line(from int, l line, until int, more string) {
	if from < until {
		d.Printf(`<path d="M%d,%d H%d" stroke="%s" data-line="%s"%s/>`, from, l.y, until, svg.Faint, numbers(l.nodes), more)
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
func (d *diagram) drawBars() {
	for _, s := range d.shown() {
		l := d.lines[d.lineOf[s.node]]
		from, until := d.reach(s)
		color, height := waits, thin
		switch s.phase {
		case inside:
			color, height = enters, thick
		case absorbing:
			color = gone
		}
		if s.phase != down && (!l.folded() || s.phase == inside) {
			d.Printf(`<rect x="%d" y="%.1f" width="%d" height="%d" fill="%s" data-phase="%s" data-node="%d" data-from="%d" data-until="%d"><title>%s</title></rect>`,
				from, float64(l.y)-float64(height)/2, until-from, height, color, s.phase, s.node, d.number(s.from), d.number(s.until), svg.Escape(d.duration(s)))
		}
		if end := d.ending(s); end != "" && !d.cut() && !l.folded() {
			d.Text(float64(d.right+6), float64(l.y+4), end, fmt.Sprintf(`font-size="%d" fill="%s"`, small, svg.Faint))
		}
	}
}

// number returns the number of event k, or 0 if there is none.
func (d *diagram) number(k int) uint64 {
	if k < 0 || k >= len(d.Events) {
		return 0
	}
	return d.Events[k].Number
}

// duration says when a span is.
func (d *diagram) duration(s span) string {
	text := fmt.Sprintf("%s: %s from %s", notation.Node(s.node), s.phase, notation.Time(d.Events[s.from].At))
	if s.open(d.Events) {
		return text
	}
	return text + " to " + notation.Time(d.Events[s.until].At)
}

// drawHolds draws where the token is.
func (d *diagram) drawHolds() {
	for _, h := range d.holds {
		if h.from >= d.to || h.until <= d.from {
			continue
		}
		from, until := d.reach(span{node: h.node, from: h.from, until: h.until})
		if from == until {
			continue // it is passed on at once
		}
		d.Printf(`<path d="M%d,%d H%d" stroke="%s" stroke-width="3"/>`, from, d.y(h.node), until, carried)
	}
}

func (d *diagram) drawArrow(a *arrow) {
	color := d.hue(a.kind)
	width, dash := 1.3, ""
	if color == carried {
		width = 2.6
	}
	switch {
	case a.before || a.end < 0:
		dash = ` stroke-dasharray="2 3"`
	case a.again:
		dash = ` stroke-dasharray="6 3"`
	}
	d.Printf(`<g data-message="%d" data-end="%d" data-from="%d" data-to="%d"><title>%s</title>`, d.number(a.sent), d.number(a.end), a.message.From, a.message.To, svg.Escape(d.journey(a)))
	d.Printf(`<path d="M%.0f,%.0f L%.0f,%.0f" stroke="%s" stroke-width="%.1f"%s/>`, a.x1, a.y1, a.x2, a.y2, color, width, dash)
	dx, dy := a.direction()
	switch {
	case a.lost:
		d.cross(a.x2, a.y2, 4.5, color)
	case a.end >= 0:
		x, y := a.x2-float64(dot*dx), a.y2-float64(dot*dy)
		back, half := 8.0, 3.4
		d.Printf(`<path d="M%.1f,%.1f L%.1f,%.1f L%.1f,%.1f z" fill="%s"/>`, x, y,
			x-float64(back*dx)-float64(half*dy), y-float64(back*dy)+float64(half*dx),
			x-float64(back*dx)+float64(half*dy), y-float64(back*dy)-float64(half*dx), color)
	}
	d.Printf("</g>")
}

// journey says where a message goes, and when.
func (d *diagram) journey(a *arrow) string {
	e := a.message
	text := fmt.Sprintf("%s from %s to %s", notation.Message(e.Message), notation.Node(e.From), notation.Node(e.To))
	if a.sent >= 0 {
		text += ", sent at " + notation.Time(d.Events[a.sent].At)
	}
	if a.again {
		text += ", a second copy"
	}
	switch {
	case a.lost:
		return text + ", lost at " + notation.Time(d.Events[a.end].At)
	case a.end >= 0:
		return text + ", delivered at " + notation.Time(d.Events[a.end].At)
	}
	return text + ", in transit"
}

// cross draws a cross around x, y.
func (d *diagram) cross(x, y, r float64, color string) {
	d.Printf(`<path d="M%.1f,%.1f L%.1f,%.1f M%.1f,%.1f L%.1f,%.1f" stroke="%s" stroke-width="2"/>`, x-r, y-r, x+r, y+r, x-r, y+r, x+r, y-r, color)
}

// drawMark draws what a node does at one time.
func (d *diagram) drawMark(m mark) {
	y := d.y(m.node)
	numbers, title := d.tooltip(m)
	d.Printf(`<g data-node="%d" data-at="%s" data-events="%s"><title>%s</title>`, m.node, notation.Time(m.at), numbers, svg.Escape(title))
	d.Printf(`<circle cx="%d" cy="%d" r="%d"/>`, m.x, y, dot)
	if d.loops(m) {
		d.Printf(`<path d="M%d,%d C%d,%d %d,%d %d,%d" fill="none" stroke="%s"/>`, m.x, y, m.x-17, y-21, m.x+17, y-21, m.x, y, svg.Ink)
	}
	if len(d.emits(m)) > 0 {
		d.Printf(`<path d="M%d,%d v8 l4,4 l-4,4 l-4,-4 l4,-4" fill="%s" stroke="%s"/>`, m.x, y, svg.Paper, svg.Ink)
	}
	switch d.Events[m.events[0]].Action {
	case action.Crashed:
		d.cross(float64(m.x), float64(y), 7, svg.Alarm)
	case action.Missed:
		d.cross(float64(m.x), float64(y), 4.5, svg.Alarm)
	case action.GaveUp:
		d.Printf(`<path d="M%d,%d v14" stroke="%s" stroke-width="2"/>`, m.x, y-7, svg.Ink)
	}
	d.Printf("</g>")
}

// loops reports whether a timer fires at m.
func (d *diagram) loops(m mark) bool { return d.Events[m.events[0]].Action == action.Expired }

// emits returns what the node emits at m.
func (d *diagram) emits(m mark) (all []messaging.Event) {
	for _, k := range m.events {
		if e := d.Events[k]; e.Action == action.Emitted {
			all = append(all, e)
		}
	}
	return all
}

// tooltip returns the numbers of the events of m, and says what happens there, its vector
// timestamp, and the state of the node after it.
func (d *diagram) tooltip(m mark) (numbers, text string) {
	var ns, all []string
	for _, k := range m.events {
		ns, all = append(ns, fmt.Sprint(d.number(k))), append(all, notation.Event(d.Events[k]))
	}
	text = notation.Time(m.at) + ": " + strings.Join(all, "; ")
	last := m.events[len(m.events)-1]
	if d.stamps != nil {
		text += fmt.Sprintf("\nvector timestamp %v", d.stamps[last])
	}
	if last < len(d.States) && d.States[last] != "" {
		text += "\n" + d.States[last]
	}
	return strings.Join(ns, " "), text
}

// drawClashes marks where several nodes are inside.
func (d *diagram) drawClashes() {
	for _, c := range d.clashes {
		if c.from < d.from || c.from >= d.to {
			continue
		}
		from, until := d.extent(c)
		for _, i := range c.nodes {
			d.Printf(`<rect x="%d" y="%d" width="%d" height="%d" fill="none" stroke="%s" stroke-width="2.5" data-clash="%d"/>`,
				from, d.y(i)-frame, until-from, 2*frame, svg.Alarm, i)
		}
		high, low := d.between(c)
		d.Printf(`<path d="M%d,%d V%d" stroke="%s" stroke-width="2.5"/>`, from, high, low, svg.Alarm)
	}
}

// extent returns the pixels of the frames of a clash: from when all are inside, until the
// first of them leaves.
func (d *diagram) extent(c clash) (from, until int) {
	from, until = d.xs[c.from-d.from], d.right
	for _, s := range d.spans {
		if s.phase == inside && s.until > c.from && s.from <= c.from && slices.Contains(c.nodes, s.node) {
			first, last := d.reach(s)
			from, until = max(from, first), min(until, last)
		}
	}
	return from - 5, until + 3
}

// between returns what is between the first and the last frame of a clash.
func (d *diagram) between(c clash) (high, low int) {
	high = math.MaxInt
	for _, i := range c.nodes {
		y := d.y(i)
		high, low = min(high, y+frame), max(low, y-frame)
	}
	return high, low
}

func (d *diagram) drawLabel(l label) {
	if l.color != "" {
		b := room(l.text, l.x, l.y)
		d.Rect(b.left, b.top+1, b.right-b.left, b.bottom-b.top-2, fmt.Sprintf(`fill="%s"`, svg.Paper))
	}
	d.Text(l.x, l.y+4, l.text, fmt.Sprintf(`text-anchor="middle" font-size="%d" fill="%s"`, small, cmp.Or(l.color, svg.Ink)))
}
