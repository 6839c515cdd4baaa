package spacetime

import (
	"math"
	"slices"
	"unicode/utf8"

	"example.org/doorway/internal/action"
	"example.org/doorway/internal/svg"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock"
)

// A diagram is a run with its layout.
type diagram struct {
	svg.Canvas
	*Run
	*timeline
	lines   []line
	lineOf  map[messaging.ID]int
	spans   []span
	clashes []clash
	kinds   []string // in the order in which they are sent
	token   []string
	holds   []hold
	arrows  []arrow
	hidden  int // messages between nodes that are folded into one line
	labels  []label
	stamps  []clock.Vector // of all events; nil: they are too many

	gutter        int // for the names of the lines
	left, right   int // of the lines
	top           int // the first line of text
	axis          int
	width, height int
}

func newDiagram(r *Run) *diagram {
	d := &diagram{Run: r, spans: spans(r.Events), clashes: clashes(r.Events, r.graph().Excludes)}
	d.token, d.holds = token(r.Events)
	if r.Nodes*len(r.Events) <= mostComponents {
		d.stamps = clock.Vectors(r.Nodes, r.Events)
	}
	d.arrange()
	for _, e := range d.window() {
		if k := kind(e.Message); e.Action == action.Sent && !slices.Contains(d.kinds, k) {
			d.kinds = append(d.kinds, k)
		}
	}
	d.place()
	d.connect()
	d.height = d.axis + 34 + len(d.rows())*20 + len(d.notes())*lineDown + margin/2
	d.label()
	return d
}

// mostComponents is how many numbers the vector timestamps of a run may have.
const mostComponents = 1 << 22

// arrange places the events in time, beside the names of the lines that they need.
func (d *diagram) arrange() {
	room := mostWidth - 2*margin - 10 - head - tail
	if d.unfinished() {
		room -= endWidth
	}
	for {
		d.timeline = newTimeline(d.Events, d.From, d.Failure != "", room-d.gutter)
		d.foldLines()
		names := 0
		for _, l := range d.lines {
			names = max(names, utf8.RuneCountInString(l.name()))
		}
		if names = int(math.Ceil(float64(names) * large)); names <= d.gutter {
			return
		}
		d.gutter = names
	}
}

// window returns the events that are drawn.
func (d *diagram) window() []messaging.Event { return d.Events[d.from:d.to] }

// cut reports whether the end of the run is not drawn.
func (d *diagram) cut() bool { return d.to < len(d.Events) }

// shown returns the spans of which something is drawn.
func (d *diagram) shown() (all []span) {
	for _, s := range d.spans {
		if s.from < d.to && s.until > d.from {
			all = append(all, s)
		}
	}
	return all
}

func (d *diagram) foldLines() {
	acts := activity(d.window())
	for _, s := range d.shown() {
		acts[s.node]++
	}
	for _, c := range d.clashes {
		for _, i := range c.nodes {
			acts[i] += len(d.Events) // they must be seen
		}
	}
	d.lines = lines(d.Nodes, acts)
	d.lineOf = map[messaging.ID]int{}
	for k, l := range d.lines {
		for _, i := range l.nodes {
			d.lineOf[i] = k
		}
	}
}

// place arranges the picture from its top left corner on.
func (d *diagram) place() {
	d.left = margin + d.gutter + 10
	start := d.left + head
	for k := range d.marks {
		d.marks[k].x += start
	}
	for k := range d.xs {
		d.xs[k] += start
	}
	for k := range d.instants {
		d.instants[k].x += start
		d.instants[k].end += start
	}
	d.right = max(start, d.timeline.width()) + tail
	d.width = d.right + margin
	if d.unfinished() && !d.cut() {
		d.width += endWidth
	}
	d.width = max(d.width, leastWidth)

	d.top = margin
	y := d.top + len(d.titleLines())*20 + len(d.failureLines())*lineDown + 30
	step := pitch(len(d.lines))
	for k := range d.lines {
		d.lines[k].y = y + k*step
	}
	d.axis = y + (len(d.lines)-1)*step + 34
}

// y returns where the line of a node is.
func (d *diagram) y(i messaging.ID) int { return d.lines[d.lineOf[i]].y }

// unfinished reports whether the run ends while nodes wait, are inside, or have crashed.
func (d *diagram) unfinished() bool {
	return slices.ContainsFunc(d.spans, func(s span) bool { return d.ending(s) != "" })
}

// ending says how a node ends; "" if it is at rest.
func (d *diagram) ending(s span) string {
	if !s.open(d.Events) {
		return ""
	}
	return map[phase]string{waiting: "still waits", inside: "inside", down: "crashed"}[s.phase]
}

// reach returns the pixels that a span takes, within the window.
func (d *diagram) reach(s span) (from, until int) {
	from, until = d.left, d.right
	if s.from >= d.from {
		from = d.xs[s.from-d.from]
	}
	if s.until < d.to {
		until = d.xs[s.until-d.from]
	}
	return from, until
}
