package trace

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/draw/svg"
)

// The measures of a picture, in pixels.
const (
	margin   = 24
	gutter   = 66 // left of the lanes: the bracket of a loop, and the numbers of the steps
	rowPitch = 24
	lineDown = 16 // from a line of text to the next
	headDown = 2*lineDown + 8
	gap      = 14 // between the lanes
	band     = 16 // at the left of a lane, where its tint stays visible
	least    = 700
	legible  = 1100 // a wider picture, which a page shows at 880, is compact
	narrow   = 44   // a lane of it
)

const (
	laneLeast   = 20 // characters
	columnsMost = 24 // registers that have a column
	headEvery   = 30 // steps after which the heads of the columns are repeated
)

// tints are the colors of the phases, light and dark.
var tints = [...][2]string{
	phase.Remainder: {"#F3F3F3", "#1B2129"}, phase.Doorway: {"#CFE5F5", "#12354F"}, phase.Waiting: {"#FFEBB0", "#4A3B0A"},
	phase.Inside: {"#F6B58C", "#6E3312"}, phase.Exit: {"#C5E8DA", "#14432F"},
	phase.Withdrawing: {"#DDE3C6", "#39401F"}, phase.Absorbed: {"#E3D3EA", "#40284B"},
}

const (
	fresh   = "#FFE27A" // behind a value that was written
	rounded = "#0072B2" // the bracket of a loop
)

var darkStyle = svg.Dark(append(tints[:], [2]string{fresh, "#6B5300"}, [2]string{rounded, "#4FA8E8"})...)

// WriteSVG draws t: for each process a lane with its steps, tinted by phase, or beside the lanes
// all steps, if they take too much room; at the right, a column for each register that is used;
// below, the final state of each process and the lines of the source. It returns the error of w.
func (t *Trace) WriteSVG(w io.Writer) error {
	_, err := w.Write(newPicture(t).draw())
	return err
}

func (p *picture) draw() []byte {
	p.Open(p.width, p.height, oneLine(p.Title), p.description(), darkStyle)
	p.Headings(margin, margin, p.headings)
	p.drawTints()
	p.drawHairs()
	p.drawFrames()
	p.drawHeads()
	p.drawLoop()
	p.drawSteps()
	p.drawRegisters()
	p.drawEnds()
	p.drawListing()
	p.WriteString("</svg>\n")
	return p.Bytes()
}

// description returns the run as text, for screen readers.
func (p *picture) description() string {
	var s strings.Builder
	fmt.Fprintf(&s, "A run of %d processes. Each has a lane, with its steps from top to bottom.", p.Processes)
	for _, m := range p.ms {
		fmt.Fprintf(&s, " %d: process %d: %s.", m.number, m.Process, m.does())
	}
	if p.loops() {
		fmt.Fprintf(&s, " The steps from %d on can repeat forever.", p.ms[p.Loop].number)
	}
	return s.String()
}

// spans splits the lanes where same reports a change of phases. It returns where
// each span begins, followed by the bottom, and the phases in it.
func (p *picture) spans(same func(before, after []phase.Phase) bool) (from []float64, of [][]phase.Phase) {
	now := make([]phase.Phase, p.Processes)
	from, of = []float64{p.top}, [][]phase.Phase{now}
	for k, m := range p.ms {
		if !same(now, m.phases) {
			from, of = append(from, p.ys[k]), append(of, m.phases)
		}
		now = m.phases
	}
	return append(from, p.bottom), of
}

func (p *picture) drawTints() {
	for i := range p.Processes {
		from, of := p.spans(func(a, b []phase.Phase) bool { return a[i] == b[i] })
		for k, phases := range of {
			p.Rect(p.laneAt(i), from[k], p.lane, from[k+1]-from[k], fmt.Sprintf(`fill="%s"`, tints[phases[i]][0]))
		}
	}
}

// drawHairs draws the lines that guide the eye from a step to the registers.
func (p *picture) drawHairs() {
	if len(p.columns) == 0 {
		return
	}
	last := p.columns[len(p.columns)-1]
	for k, y := range p.ys {
		if !p.ms[k].joined {
			p.Printf(`<path d="M%.1f,%.1f H%.1f" stroke="%s"/>`, p.right()+gap, y+rowPitch/2, last.x+last.width/2, svg.Hair)
		}
	}
}

// A badge says below a step of a process what is violated.
type badge struct {
	process int
	text    string
}

// badges returns the badges of the violation that m completes: each process has its own, or all have a short one
// if the picture is compact.
func (p *picture) badges(m moment) (all []badge) {
	if violation := m.violation(); p.compact && violation != "" {
		return []badge{{m.Process, strings.TrimSuffix(violation, " at the same time")}}
	}
	for _, i := range m.inside {
		others := slices.DeleteFunc(slices.Clone(m.inside), func(j int) bool { return j == i })
		all = append(all, badge{i, "inside with " + processes(others)})
	}
	if m.passes != nil {
		first, last := m.passes[0], m.passes[1]
		all = append(all, badge{first, fmt.Sprintf("enters before process %d", last)}, badge{last, fmt.Sprintf("overtaken by process %d", first)})
	}
	return all
}

// drawFrames frames the lanes of processes that are inside at the same time, and writes
// the badges.
func (p *picture) drawFrames() {
	from, of := p.spans(func(a, b []phase.Phase) bool { return slices.Equal(inside(a), inside(b)) })
	for k, phases := range of {
		is := inside(phases)
		if len(is) < 2 {
			continue
		}
		for _, i := range is {
			p.Rect(p.laneAt(i)-2, from[k], p.lane+4, from[k+1]-from[k], fmt.Sprintf(`fill="none" stroke="%s" stroke-width="4"`, svg.Alarm))
		}
	}
	for k, m := range p.ms {
		for _, b := range p.badges(m) {
			p.banner(p.boxAt(b.process)+p.box/2, p.ys[k]+rowPitch, b.text, svg.Alarm)
		}
	}
}

// banner writes a remark around x, and not left of the lanes.
func (p *picture) banner(x, y float64, text, color string) {
	w := float64(utf8.RuneCountInString(text))*svg.Char + 20
	x = max(p.laneAt(0)+w/2, x)
	p.Rect(x-w/2, y-10, w, 20, fmt.Sprintf(`rx="10" fill="%s"`, color))
	p.Text(x, y+4, text, fmt.Sprintf(`text-anchor="middle" font-weight="bold" fill="%s"`, svg.Paper))
}

func (p *picture) drawHeads() {
	const bold = `text-anchor="middle" font-weight="bold"`
	for _, y := range p.heads {
		down, name := y+lineDown+12, "process %d"
		p.Text(margin+gutter-12, down, "step", `text-anchor="end" font-weight="bold"`)
		if p.compact {
			p.Text(p.laneAt(0), y+12, "process", `font-weight="bold"`)
			name = "%d"
		}
		for i := range p.Processes {
			p.Text(p.laneAt(i)+p.lane/2, down, fmt.Sprintf(name, i), bold)
		}
		for _, array := range p.arrays {
			first, last := array[0], array[len(array)-1]
			if first.rest == "" {
				p.Text(first.x, down, first.base, bold)
				continue
			}
			p.Text((first.x-first.width/2+last.x+last.width/2)/2, y+12, first.base, bold)
			for _, c := range array {
				p.Text(c.x, down, c.rest, `text-anchor="middle"`)
			}
		}
	}
	p.Text(margin+gutter-12, p.top+16, "initially", fmt.Sprintf(`text-anchor="end" fill="%s"`, svg.Faint))
}

// drawLoop draws a bracket with an arrow back to the beginning of the loop.
func (p *picture) drawLoop() {
	if !p.loops() {
		return
	}
	top, bottom := p.ys[p.Loop], p.ys[len(p.ys)-1]
	p.banner((p.laneAt(0)+p.right())/2, top-rowPitch, "these steps can repeat forever", rounded)
	p.Printf(`<path d="M%[1]d,%.1[3]f H%[2]d V%.1[4]f H%[1]d" fill="none" stroke="%[5]s" stroke-width="2"/>`, margin+18, margin+4, bottom+7, top-7, rounded)
	p.Printf(`<path d="M%d,%.1f l-7,-5 v10 z" fill="%s"/>`, margin+24, top-7, rounded)
}

// drawSteps draws a box for each step. Operations of one atomic step share a box.
func (p *picture) drawSteps() {
	first := 0
	for k, m := range p.ms {
		if m.joined {
			continue
		}
		p.drawStep(p.ms[first:k+1], p.ys[first:k+1])
		first = k + 1
	}
}

func (p *picture) drawStep(ms []moment, ys []float64) {
	m := ms[0]
	x := p.boxAt(m.Process)
	p.Printf("<g><title>%s</title>", svg.Escape(p.tooltip(ms)))
	p.Text(margin+gutter-12, ys[0]+4, fmt.Sprint(m.number), fmt.Sprintf(`text-anchor="end" fill="%s"`, svg.Faint))
	if p.compact {
		mark := p.laneAt(m.Process) + narrow/2
		p.Printf(`<path d="M%.1f,%.1f H%.1f" stroke="%s"/>`, mark, ys[0], x, svg.Faint)
		p.Printf(`<circle cx="%.1f" cy="%.1f" r="4"/>`, mark, ys[0])
	}
	p.Rect(x, ys[0]-10, p.box, ys[len(ys)-1]-ys[0]+20, fmt.Sprintf(`rx="4" fill="%s" stroke="%s"`, svg.Paper, svg.Ink))
	for k, m := range ms {
		label := x + 8 + float64(p.lines.width)*svg.Char
		if p.lines.width > 0 {
			p.Text(label, ys[k]+4, p.lines.bare(m.Place), fmt.Sprintf(`text-anchor="end" fill="%s"`, svg.Faint))
			label += 1.5 * svg.Char
		}
		turn := ""
		if m.turn != "" {
			turn = fmt.Sprintf(` <tspan font-weight="bold">%s</tspan>`, svg.Escape(m.turn))
		}
		p.Printf(`<text x="%.1f" y="%.1f">%s%s</text>`, label, ys[k]+4, svg.Escape(m.words), turn)
	}
	p.Printf("</g>")
}

// tooltip returns the place of a step in the source.
func (p *picture) tooltip(ms []moment) string {
	var is []string
	for _, m := range ms {
		is = append(is, fmt.Sprintf("%s:%d: %s", m.Place.File, m.Place.Line, oneLine(m.Place.Source)))
	}
	return fmt.Sprintf("step %d, process %d, %s", ms[0].number, ms[0].Process, strings.Join(slices.Compact(is), "; "))
}

// drawRegisters writes the values of the registers: framed where a step read one,
// highlighted where a step wrote one. A read of a safe register during a write shows the
// value that it returned.
func (p *picture) drawRegisters() {
	for _, c := range p.columns {
		p.value(c, p.top+rowPitch/2, p.Initial[c.register], svg.Faint, "")
	}
	for k, m := range p.ms {
		for _, c := range p.columns {
			p.drawRegister(c, m, p.ys[k])
		}
	}
}

func (p *picture) drawRegister(c column, m moment, y float64) {
	frame := func(style string) { p.Rect(c.x-c.width/2+1.5, y-9, c.width-3, 18, style) }
	switch v := m.shows(c.register); {
	case m.writes(c.register):
		frame(written)
		p.value(c, y, v, svg.Ink, ` font-weight="bold"`)
	case m.reads(c.register):
		frame(read)
		p.value(c, y, v, svg.Ink, "")
	default:
		p.value(c, y, v, svg.Faint, "")
	}
}

// The frames of values.
const (
	written = `rx="3" fill="` + fresh + `"`
	read    = `rx="3" fill="none" stroke="` + svg.Faint + `"`
)

// writes reports whether m writes register r, even with the value that it held.
func (m moment) writes(r int) bool {
	always := m.Do == "write" || m.Do == "swap" || m.Do == "fetch-and-add"
	return m.Register == r && (always || m.Do == "compare-and-swap" && m.Done)
}

// reads reports whether m reads register r and does not write it.
func (m moment) reads(r int) bool {
	return m.Register == r && !m.writes(r) && (m.Do == "read" || m.Do == "await" || m.Do == "compare-and-swap")
}

// shows returns the value of register r beside m: what it read, or what r holds.
func (m moment) shows(r int) uint64 {
	if m.reads(r) {
		return m.Value
	}
	return m.after[r]
}

func (p *picture) value(c column, y float64, v uint64, color, more string) {
	p.Text(c.x, y+4, fmt.Sprint(v), fmt.Sprintf(`text-anchor="middle" fill="%s"%s`, color, more))
}

func (p *picture) drawEnds() {
	name := "then"
	if p.loops() {
		name = "again"
	}
	p.Text(margin+gutter-12, p.last+12, name, `text-anchor="end" font-weight="bold"`)
	for i, e := range p.endings {
		more := `font-weight="bold"`
		for k, line := range e.lines {
			p.Text(p.boxAt(i), e.y+12+float64(k)*lineDown, line, more)
			more = ""
		}
	}
}

// endLines describes a process after the last step.
func (p *picture) endLines(process int) []string {
	e := p.Ends[process]
	is := []string{phase.Of(e.Phase).String()}
	if p.compact {
		is[0] = fmt.Sprintf("process %d: %s", process, is[0])
	}
	if e.Next != "" {
		is = append(is, svg.Wrap("next: "+e.Next, p.chars)...)
	}
	if e.File != "" {
		is = append(is, svg.Cut(p.lines.bare(e)+" "+oneLine(e.Source), p.chars))
	}
	return is
}

// listed returns the lines of the source that the trace visits, cut to a width in characters.
func (p *picture) listed(width int) (is []string) {
	places := p.places()
	slices.SortStableFunc(places, func(a, b Place) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	for _, place := range slices.CompactFunc(places, func(a, b Place) bool { return a.File == b.File && a.Line == b.Line }) {
		is = append(is, svg.Cut(p.lines.where(place)+"  "+oneLine(place.Source), width))
	}
	return is
}

// drawListing draws what is below the lanes: the legend, and the lines of the source.
func (p *picture) drawListing() {
	y := p.bottom + 1.5*lineDown
	p.Legend(margin, y, p.legend)
	y += float64(len(p.legend)*svg.KeyDown) + lineDown
	p.Text(margin, y, p.lines.heading(), `font-weight="bold"`)
	for k, line := range p.listing {
		p.Text(margin, y+float64(k+1)*lineDown, line, `xml:space="preserve"`)
	}
}

// keys names the tints of the lanes and the marks of the registers.
func (p *picture) keys() (all []svg.Key) {
	add := func(name, style string) {
		all = append(all, svg.Key{Text: name, Draw: func(x, y float64) { p.Rect(x, y-7, svg.Swatch, 14, style) }})
	}
	for _, at := range phases(p.ms) {
		add(at.String(), fmt.Sprintf(`fill="%s" stroke="%s" stroke-width="0.5"`, tints[at][0], svg.Faint))
	}
	if len(p.columns) > 0 {
		add("written", written)
		add("read", read)
	}
	return all
}
