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

// The measures of a picture, in pixels.
const (
	mostWidth  = 1200
	leastWidth = 460
	margin     = 24
	small      = 11  // the size of the font of labels
	char       = 6.8 // at most, a character of them in any monospaced font
	large      = 7.4 // a character of 12 pixels
	endWidth   = 82  // for how a node ends
	head       = 16  // of the lines, before the first event
	tail       = 46  // after the last
	lineDown   = 16  // from a line of text to the next
	dot        = 3   // the radius of a mark
	thin       = 8   // the height of the bar of a node that waits
	thick      = 13  // of one that is inside
	frame      = 11  // half the height of the frame of one that is inside with another
)

// pitch returns how far apart n lines are.
func pitch(n int) int {
	for _, of := range []struct{ most, apart int }{{4, 78}, {6, 64}, {10, 52}, {14, 42}, {20, 34}} {
		if n <= of.most {
			return of.apart
		}
	}
	return 26
}

// The colors of bars and of the token.
const (
	waits   = "#FFE39A"
	enters  = "#E8833A"
	gone    = "#D9CBE3"
	carried = "#C2177A"
)

// hues are the colors of the kinds of messages, light and dark, in the order in which the
// kinds occur. Further kinds are gray.
var hues = [...][2]string{
	{"#2568A8", "#6CB2EB"},
	{"#26764A", "#5FC98B"},
	{"#9A5A0C", "#E0A152"},
	{"#7D4896", "#C79BE0"},
	{"#14757C", "#5CC8CF"},
	{"#66691A", "#C2C558"},
	{"#7A5240", "#D0A590"},
}

var darkStyle = svg.Dark(slices.Concat(hues[:], [][2]string{
	{waits, "#5C4A12"}, {enters, "#C8682A"}, {gone, "#4A3557"}, {carried, "#FF6BB8"},
})...)

// hue returns the color of a kind of messages.
func (d *diagram) hue(kind string) string {
	switch k := slices.Index(d.kinds, kind); {
	case slices.Contains(d.token, kind):
		return carried
	case k < 0 || k >= len(hues):
		return svg.Faint
	default:
		return hues[k][0]
	}
}
