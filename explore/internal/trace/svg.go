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
	"example.org/doorway/internal/spelling"
)

// The measures of a picture, in pixels.
const (
	char     = 7.4 // at most, a character of 12 pixels in any monospaced font
	margin   = 24
	gutter   = 66 // left of the lanes: the bracket of a loop, and the numbers of the steps
	rowPitch = 24
	lineDown = 16 // from a line of text to the next
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

// tints are the colors of the phases.
var tints = [...]string{
	phase.Remainder: "#F3F3F3", phase.Doorway: "#CFE5F5", phase.Waiting: "#FFEBB0", phase.Inside: "#F6B58C", phase.Exit: "#C5E8DA", phase.Withdrawing: "#DDE3C6", phase.Absorbed: "#E3D3EA",
}

const (
	fresh   = "#FFE27A" // behind a value that was written
	rounded = "#0072B2" // the bracket of a loop
)

// darkStyle replaces the colors where the reader prefers a dark scheme. Banners
// keep their white text.
const darkStyle = `<style>@media (prefers-color-scheme: dark) {
[fill="#222222"] { fill: #E6EDF3 } [stroke="#222222"] { stroke: #9DA7B3 } [fill="#6B6B6B"] { fill: #A9B4C0 } [stroke="#6B6B6B"] { stroke: #A9B4C0 }
[stroke="#E4E4E4"] { stroke: #30363D } rect[fill="#FFFFFF"] { fill: #0D1117 } rect[fill="#FFE27A"] { fill: #6B5300 }
[stroke="#B00020"] { stroke: #FF6B6B } [stroke="#0072B2"] { stroke: #4FA8E8 } path[fill="#0072B2"] { fill: #4FA8E8 }
[fill="#F3F3F3"] { fill: #1B2129 } [fill="#CFE5F5"] { fill: #12354F } [fill="#FFEBB0"] { fill: #4A3B0A } [fill="#F6B58C"] { fill: #6E3312 }
[fill="#C5E8DA"] { fill: #14432F } [fill="#DDE3C6"] { fill: #39401F } [fill="#E3D3EA"] { fill: #40284B }
}</style>`

// WriteSVG draws t: for each process a lane with its steps, tinted by phase, or beside the lanes
// all steps, if they take too much room; at the right, a column for each register that is used;
// below, the final state of each process and the lines of the source. It returns the error of w.
func (t *Trace) WriteSVG(w io.Writer) error {
	_, err := w.Write(newPicture(t).draw())
	return err
}

func (p *picture) titleLines() []string { return svg.Wrap(p.Title, int((p.width-2*margin)/10)) }

func (p *picture) draw() []byte {
	p.Open(p.width, p.height, oneLine(p.Title), p.description(), darkStyle)
	for k, line := range p.titleLines() {
		p.Text(margin, margin+16+float64(k)*22, line, fmt.Sprintf(`font-family="%s" font-size="16" font-weight="bold"`, svg.Sans))
	}
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
			p.Rect(p.lane(i), from[k], p.laneWidth(), from[k+1]-from[k], fmt.Sprintf(`fill="%s"`, tints[phases[i]]))
		}
	}
}

// drawHairs draws the lines that guide the eye from a step to the registers.
func (p *picture) drawHairs() {
	right := p.lanesRight()
	if len(p.columns) == 0 {
		return
	}
	c := p.columns[len(p.columns)-1]
	for k, y := range p.ys {
		if p.ms[k].joined {
			continue
		}
		p.Printf(`<path d="M%.1f,%.1f H%.1f" stroke="%s"/>`, right+gap, y+rowPitch/2, c.x+c.width/2, svg.Hair)
	}
}

// A badge says in the lane of a process what it violates.
type badge struct {
	process int
	text    string
}

// badges returns the badges of the violation that m completes. A compact picture has one for all.
func (p *picture) badges(m moment) (all []badge) {
	for _, i := range m.inside {
		others := slices.DeleteFunc(slices.Clone(m.inside), func(j int) bool { return j == i })
		text := "inside with process "
		if len(others) > 1 {
			text = "inside with processes "
		}
		all = append(all, badge{i, text + spelling.Enumerate(others)})
	}
	if m.passes != nil {
		first, last := m.passes[0], m.passes[1]
		all = append(all, badge{first, fmt.Sprintf("enters before process %d", last)}, badge{last, fmt.Sprintf("overtaken by process %d", first)})
	}
	if p.compact && len(all) > 0 {
		return []badge{{all[0].process, fmt.Sprintf("process %d: %s", all[0].process, all[0].text)}}
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
			p.Rect(p.lane(i)-2, from[k], p.laneWidth()+4, from[k+1]-from[k], fmt.Sprintf(`fill="none" stroke="%s" stroke-width="4"`, svg.Alarm))
		}
	}
	for k, m := range p.ms {
		for _, b := range p.badges(m) {
			middle := p.lane(b.process) + p.laneWidth()/2
			if x, width := p.box(b.process); p.compact {
				middle = x + width/2
			}
			p.banner(middle, p.ys[k]+rowPitch, b.text, svg.Alarm)
		}
	}
}

// banner writes a remark around x, and not left of the lanes.
func (p *picture) banner(x, y float64, text, color string) {
	w := float64(utf8.RuneCountInString(text))*char + 20
	x = max(p.lane(0)+w/2, x)
	p.Rect(x-w/2, y-10, w, 20, fmt.Sprintf(`rx="10" fill="%s"`, color))
	p.Text(x, y+4, text, `text-anchor="middle" font-weight="bold" fill="#FFFFFF"`)
}

func (p *picture) drawHeads() {
	for _, y := range p.heads {
		p.Text(margin+gutter-12, y+lineDown+12, "step", `text-anchor="end" font-weight="bold"`)
		for i := range p.Processes {
			name := fmt.Sprintf("process %d", i)
			if p.compact {
				name = fmt.Sprint(i)
			}
			p.Text(p.lane(i)+p.laneWidth()/2, y+lineDown+12, name, `text-anchor="middle" font-weight="bold"`)
		}
		if p.compact {
			p.Text(p.lane(0), y+12, "process", `font-weight="bold"`)
		}
		for from := 0; from < len(p.columns); {
			from += p.drawHead(y, p.columns[from:])
		}
	}
	p.Text(margin+gutter-12, p.top+16, "initially", fmt.Sprintf(`text-anchor="end" fill="%s"`, svg.Faint))
}

// drawHead writes the name of the register or array of the first columns, and
// returns how many columns it has.
func (p *picture) drawHead(y float64, columns []column) int {
	n := arrayLen(columns)
	first, last := columns[0], columns[n-1]
	down := y + lineDown + 12
	if first.rest == "" {
		p.Text(first.x, down, first.base, `text-anchor="middle" font-weight="bold"`)
		return n
	}
	p.Text((first.x-first.width/2+last.x+last.width/2)/2, y+12, first.base, `text-anchor="middle" font-weight="bold"`)
	for _, c := range columns[:n] {
		p.Text(c.x, down, c.rest, `text-anchor="middle"`)
	}
	return n
}

// drawLoop draws a bracket with an arrow back to the beginning of the loop.
func (p *picture) drawLoop() {
	if !p.loops() {
		return
	}
	top, bottom := p.ys[p.Loop], p.ys[len(p.ys)-1]
	p.banner((p.lane(0)+p.lanesRight())/2, top-rowPitch, "these steps can repeat forever", rounded)
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
	x, width := p.box(m.Process)
	p.Printf("<g><title>%s</title>", svg.Escape(p.tooltip(ms)))
	p.Text(margin+gutter-12, ys[0]+4, fmt.Sprint(m.number), fmt.Sprintf(`text-anchor="end" fill="%s"`, svg.Faint))
	if p.compact {
		mark := p.lane(m.Process) + narrow/2
		p.Printf(`<path d="M%.1f,%.1f H%.1f" stroke="%s"/>`, mark, ys[0], x, svg.Faint)
		p.Printf(`<circle cx="%.1f" cy="%.1f" r="4"/>`, mark, ys[0])
	}
	p.Rect(x, ys[0]-10, width, ys[len(ys)-1]-ys[0]+20, fmt.Sprintf(`rx="4" fill="%s" stroke="%s"`, svg.Paper, svg.Ink))
	for k, m := range ms {
		label := x + 8 + float64(p.lines.width)*char
		if p.lines.width > 0 {
			p.Text(label, ys[k]+4, p.lines.bare(m.Place), fmt.Sprintf(`text-anchor="end" fill="%s"`, svg.Faint))
			label += 1.5 * char
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
		p.value(c, p.top+rowPitch/2, p.Initial[c.register], svg.Faint)
	}
	for k, m := range p.ms {
		for _, c := range p.columns {
			p.drawRegister(c, m, p.ys[k])
		}
	}
}

func (p *picture) drawRegister(c column, m moment, y float64) {
	x, v := c.x-c.width/2+1.5, m.shows(c.register)
	switch {
	case m.writes(c.register):
		p.Rect(x, y-9, c.width-3, 18, fmt.Sprintf(`rx="3" fill="%s"`, fresh))
		p.value(c, y, v, svg.Ink+`" font-weight="bold`)
	case m.reads(c.register):
		p.Rect(x, y-9, c.width-3, 18, fmt.Sprintf(`rx="3" fill="none" stroke="%s"`, svg.Faint))
		p.value(c, y, v, svg.Ink)
	default:
		p.value(c, y, v, svg.Faint)
	}
}

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

func (p *picture) value(c column, y float64, v uint64, color string) {
	p.Text(c.x, y+4, fmt.Sprint(v), fmt.Sprintf(`text-anchor="middle" fill="%s"`, color))
}

func (p *picture) drawEnds() {
	name := "then"
	if p.loops() {
		name = "again"
	}
	p.Text(margin+gutter-12, p.last+12, name, `text-anchor="end" font-weight="bold"`)
	for i := range p.Ends {
		x, _ := p.box(i)
		for k, line := range p.endLines(i) {
			more := ""
			if k == 0 {
				more = `font-weight="bold"`
			}
			p.Text(x, p.endTop(i)+12+float64(k)*lineDown, line, more)
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

// listing returns the lines of the source that the trace visits.
func (p *picture) listing() []string {
	places := p.places()
	slices.SortStableFunc(places, func(a, b Place) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	places = slices.CompactFunc(places, func(a, b Place) bool { return a.File == b.File && a.Line == b.Line })
	var is []string
	for _, place := range places {
		is = append(is, svg.Cut(p.lines.where(place)+"  "+oneLine(place.Source), int((p.width-2*margin)/char)))
	}
	return is
}

func (p *picture) drawListing() {
	y := p.bottom + 1.75*lineDown
	p.drawLegend(y)
	y += 2.25 * lineDown
	p.Text(margin, y, p.lines.heading(), `font-weight="bold"`)
	for k, line := range p.listing() {
		p.Text(margin, y+float64(k+1)*lineDown, line, `xml:space="preserve"`)
	}
}

// drawLegend names the tints of the lanes and the marks of the registers.
func (p *picture) drawLegend(y float64) {
	x := float64(margin)
	for at := phase.Remainder; at <= phase.Absorbed; at++ {
		if at == phase.Remainder || slices.ContainsFunc(p.ms, func(m moment) bool { return slices.Contains(m.phases, at) }) {
			x = p.key(x, y, at.String(), fmt.Sprintf(`fill="%s" stroke="%s" stroke-width="0.5"`, tints[at], svg.Faint))
		}
	}
	if len(p.columns) > 0 {
		x = p.key(x+2*char, y, "written", fmt.Sprintf(`rx="3" fill="%s"`, fresh))
		p.key(x, y, "read", fmt.Sprintf(`rx="3" fill="none" stroke="%s"`, svg.Faint))
	}
}

// key draws an entry of the legend, and returns where the next one begins.
func (p *picture) key(x, y float64, name, swatch string) float64 {
	p.Rect(x, y-11, 14, 14, swatch)
	p.Text(x+20, y, name, "")
	return x + 34 + float64(len(name))*char
}
