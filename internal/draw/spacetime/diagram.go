package spacetime

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"example.org/doorway/internal/draw/svg"
	"example.org/doorway/internal/node/action"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock"
)

// A diagram is a run with its layout: rows, from left to right and then down.
type diagram struct {
	svg.Canvas
	*Run
	rows    []*row
	lines   []line
	lineOf  map[messaging.ID]int
	spans   []span
	clashes []clash
	kinds   []string       // in the order in which they are sent
	count   map[string]int // of messages of each
	single  bool           // the token is in one place at a time
	holds   []span         // of the token
	hidden  int            // messages between nodes that are folded into one line
	stamps  []clock.Vector // of all events; nil: they are too many

	headings []svg.Heading
	pitch    int // of the lines of the overview; 0: there is none
	legend   [][]svg.Key
	notes    []string // what the picture leaves out

	above, below  int // the room of a row for what is written above its lines, and below them
	left          int // of the lines
	width, height int
}

// A row has the events of a window. Its lines are at the same heights in each row.
type row struct {
	*diagram
	*timeline
	top    int // where the row begins in the picture
	right  int // of the lines
	arrows []arrow
	cuts   []arrow // parts of the cuts of snapshots
	labels []label
	taken  []svg.Box // by bars, marks and labels
}

func newDiagram(r *Run) *diagram {
	d := &diagram{Run: r, spans: spans(r.Events), clashes: clashes(r.Events, r.graph().Excludes)}
	d.holds, d.single = holds(r.Events)
	if r.Nodes*len(r.Events) <= mostComponents {
		d.stamps = clock.Vectors(r.Nodes, r.Events)
	}
	d.arrange()
	d.count = map[string]int{}
	for _, e := range d.window() {
		if e.Action == action.Sent {
			k := kind(e.Message)
			if d.count[k]++; d.count[k] == 1 {
				d.kinds = append(d.kinds, k)
			}
		}
	}
	d.place()
	for _, r := range d.rows {
		r.connect()
		r.findCuts()
		r.label()
	}
	inner := float64(d.width - 2*margin)
	d.legend, d.notes = svg.Rows(d.keys(), inner), svg.Wrap(d.omissions(), int(inner/svg.Thin))
	d.height = d.bottom() + 34 + len(d.legend)*svg.KeyDown + len(d.notes)*lineDown + margin/2
	return d
}

// mostComponents is how many numbers the vector timestamps of a run may have.
const mostComponents = 1 << 22

// arrange places the events in time, beside the names of the lines that they need.
func (d *diagram) arrange() {
	right := mostWidth - margin - tail
	if d.unfinished() {
		right -= endWidth
	}
	for most, gutter := mostRows, 0; ; {
		d.left = margin + gutter + 10
		d.rows = nil
		for _, t := range timelines(d.Events, d.From, d.Failure != "", d.left+head, right, most) {
			d.rows = append(d.rows, &row{diagram: d, timeline: t, right: t.end() + tail})
		}
		d.foldLines()
		names := 0
		for _, l := range d.lines {
			names = max(names, utf8.RuneCountInString(l.name()))
		}
		names = int(math.Ceil(float64(names) * svg.Char))
		fewer := max(1, mostRowLines/max(1, len(d.lines)))
		if names <= gutter && len(d.rows) <= fewer {
			return
		}
		gutter, most = max(names, gutter), min(most, fewer)
	}
}

// first and end are the events that are drawn, by index.
func (d *diagram) first() int { return d.rows[0].from }
func (d *diagram) end() int   { return d.rows[len(d.rows)-1].to }

// window returns the events that are drawn.
func (d *diagram) window() []messaging.Event { return d.Events[d.first():d.end()] }

// cut reports whether the end of the run is not drawn.
func (d *diagram) cut() bool { return d.end() < len(d.Events) }

// between returns the spans of which something is between two events.
func between(all []span, from, to int) []span {
	return slices.DeleteFunc(slices.Clone(all), func(s span) bool { return s.from >= to || s.until <= from })
}

// shown returns the spans that are drawn.
func (d *diagram) shown() []span { return between(d.spans, d.first(), d.end()) }

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
	for _, r := range d.rows {
		d.width = max(d.width, r.right+margin)
	}
	if d.unfinished() && !d.cut() {
		d.width += endWidth
	}
	d.width = max(d.width, leastWidth)

	step, last := pitch(len(d.lines)), len(d.lines)-1
	d.above = []int{30, 30, 44}[min(2, d.most(d.lines[0]))]
	d.below = []int{34, 46, 61}[min(2, d.most(d.lines[last]))]
	for k := range d.lines {
		d.lines[k].y = d.above + k*step
	}
	top := margin + d.heading()
	if d.partial() {
		d.pitch = max(2, min(7, overviewBars/len(d.lines)))
		top += overviewText + len(d.lines)*d.pitch + overviewRest
	}
	for _, r := range d.rows {
		r.top = top
		top += d.axis() + 46
	}
}

// heading arranges what happens, of which algorithm, and how it ends, beside the network. It returns the height of both.
func (d *diagram) heading() int {
	width, least := float64(d.width-2*margin), 0.0
	if d.Links != nil {
		width, least = width-network-3*margin, network
	}
	title, algorithm := cmp.Or(d.About, d.Title), svg.Subtitle{Color: svg.Faint}
	if d.About != "" {
		algorithm.Text = d.Title
	}
	d.headings = svg.Headings(width, title, algorithm, svg.Subtitle{Text: d.Failure, Color: svg.Alarm}, svg.Subtitle{Text: d.Success, Color: svg.Good})
	return int(max(svg.Height(d.headings), least))
}

// axis returns where the axis of a row is, below its lines.
func (d *diagram) axis() int { return d.lines[len(d.lines)-1].y + d.below }

// captions returns what is written beside a mark.
func (d *diagram) captions(m mark) (all []string) {
	for _, k := range m.events {
		if text := d.caption(k); text != "" && utf8.RuneCountInString(text) <= longest {
			all = append(all, text)
		}
	}
	return all
}

// most returns how many captions a mark of a line has at most.
func (d *diagram) most(l line) (most int) {
	for _, r := range d.rows {
		for _, m := range r.marks {
			if slices.Contains(l.nodes, m.node) {
				most = max(most, len(d.captions(m)))
			}
		}
	}
	return most
}

// bottom returns where the axis of the last row is.
func (d *diagram) bottom() int { return d.rows[len(d.rows)-1].top + d.axis() }

// y returns where the line of a node is, in each row.
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

// reach returns the pixels that a span takes, within the row.
func (r *row) reach(s span) (from, until int) {
	from, until = r.left, r.right
	if s.from >= r.from {
		from = r.xs[s.from-r.from]
	}
	if s.until < r.to {
		until = r.xs[s.until-r.from]
	}
	return from, until
}

// The measures of a picture, in pixels.
const (
	mostWidth  = 880
	leastWidth = 600
	margin     = 24
	network    = 84 // the size of a network beside the headings
	endWidth   = 82 // for how a node ends
	head       = 16 // of the lines, before the first event
	tail       = 46 // after the last
	lineDown   = 16 // from a line of text to the next
	dot        = 3  // the radius of a mark
	thin       = 8  // the height of the bar of a node that waits
	thick      = 13 // of one that is inside
	frame      = 11 // half the height of the frame of one that is inside with another

	mostRows     = 4
	mostRowLines = 28 // lines of all rows
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

// bar returns the color and the height of the bar of a phase.
func (p phase) bar() (color string, height float64) {
	switch p {
	case inside:
		return enters, thick
	case absorbing:
		return gone, thin
	}
	return waits, thin
}

// hues are the colors of messages, light and dark.
var hues = [...][2]string{
	{"#2568A8", "#6CB2EB"},
	{"#26764A", "#5FC98B"},
	{"#9A5A0C", "#E0A152"},
	{"#7D4896", "#C79BE0"},
	{"#14757C", "#5CC8CF"},
	{"#66691A", "#C2C558"},
	{"#7A5240", "#D0A590"},
}

// families are the kinds that have the same color in every picture: what asks, what grants, what gives back or
// begins, what all must learn, and so on. Others have one by the order in which they occur; further kinds are gray.
var families = [len(hues)]string{
	" REQUEST WISH EXPLORE HUNT BEMYPARENT ELECT DATA UPDATE PROBE ",
	" REPLY LOCKED GRANT ECHO YOUAREMYCHILD ACK STATUS ANSWER FLUSHED ",
	" RELEASE BEGIN INSTALL ",
	" MARKER COORDINATOR LEADER TRANSFER ",
	" FAILED FREEZE FLUSH DEFERRED INVERT ",
	" ELECTION INQUIRE BEAT ",
	" RELINQUISH YIELD SUSPECT ",
}

// innermost returns a kind, or that of the message inside.
func innermost(kind string) string {
	if _, within, is := strings.Cut(kind, "("); is {
		return strings.TrimSuffix(within, ")")
	}
	return kind
}

var darkStyle = svg.Dark(slices.Concat(hues[:], [][2]string{
	{waits, "#5C4A12"}, {enters, "#C8682A"}, {gone, "#4A3557"}, {carried, "#FF6BB8"},
})...)

// hue returns the color of a kind of messages.
func (d *diagram) hue(kind string) string {
	if d.single && carries(kind) {
		return carried
	}
	k := slices.IndexFunc(families[:], func(kinds string) bool { return strings.Contains(kinds, " "+innermost(kind)+" ") })
	if k < 0 {
		k = slices.Index(d.kinds, kind)
	}
	if k < 0 || k >= len(hues) {
		return svg.Faint
	}
	return hues[k][0]
}
