package trace

import (
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"example.org/doorway/internal/draw/svg"
)

// A picture is a trace with its layout.
type picture struct {
	*Trace
	svg.Canvas
	ms       []moment
	lines    lines
	headings []svg.Heading
	arrays   [][]column // those of one array are adjacent, below its name
	columns  []column   // of all arrays
	legend   [][]svg.Key
	listing  []string // the lines of the source that the trace visits
	endings  []ending

	compact       bool      // lanes are narrow, and the operations have a column beside them
	chars         int       // that a box has room for
	box, lane     float64   // their widths
	ys            []float64 // of the moments
	heads         []float64 // of the columns
	top, bottom   float64   // of the lanes
	last          float64   // where the final states begin
	width, height float64
}

// A column shows the values of one register.
type column struct {
	register   int
	base, rest string  // of its name: choosing, [0]
	x, width   float64 // its middle and width
}

// An ending describes a process after the last step, from y on.
type ending struct {
	y     float64
	lines []string
}

func newPicture(t *Trace) *picture {
	p := &picture{Trace: t, ms: t.moments(), lines: t.lines()}
	p.arrangeLanes()
	if p.width > legible {
		p.compact = true
		p.arrangeLanes()
	}
	inner := p.width - 2*margin
	lock := svg.Subtitle{Color: svg.Faint}
	if p.Lock != "" {
		lock.Text = fmt.Sprintf("%s, %d processes", p.Lock, p.Processes)
	}
	p.headings = svg.Headings(inner, p.Title, lock)
	p.legend, p.listing = svg.Rows(p.keys(), inner), p.listed(int(inner/svg.Char))
	p.arrangeRows()
	p.height = math.Ceil(p.bottom + float64(len(p.legend)*svg.KeyDown+(3+len(p.listing))*lineDown) + margin)
	return p
}

// arrangeLanes places the lanes, the boxes of the steps, and the columns of the registers.
func (p *picture) arrangeLanes() {
	p.chars = laneLeast
	for _, m := range p.ms {
		p.chars = max(p.chars, p.lines.width+2+utf8.RuneCountInString(m.does()))
		for _, b := range p.badges(m) {
			p.chars = max(p.chars, len(b.text))
		}
	}
	p.box = float64(p.chars)*svg.Char + 18
	if p.lane = band + p.box + 4; p.compact {
		p.lane = narrow
	}
	p.arrangeColumns(p.right() + 2*gap)
	p.width = max(least, p.right()+margin)
	if n := len(p.columns); n > 0 {
		c := p.columns[n-1]
		p.width = max(p.width, c.x+c.width/2+margin)
	}
	p.width = math.Ceil(p.width)
}

// laneAt returns where the lane of a process begins.
func (p *picture) laneAt(process int) float64 {
	return margin + gutter + float64(process)*(p.lane+gap)
}

// boxAt returns where the boxes of the steps of a process begin.
func (p *picture) boxAt(process int) float64 {
	if p.compact {
		return p.laneAt(p.Processes)
	}
	return p.laneAt(process) + band
}

// right returns where the lanes end, and the boxes.
func (p *picture) right() float64 { return p.boxAt(p.Processes-1) + p.box + 4 }

// arrangeColumns gives columns, from x on, to the registers that are used.
func (p *picture) arrangeColumns(x float64) {
	p.arrays, p.columns = nil, nil
	for _, r := range p.used() {
		c := column{register: r}
		c.base, c.rest = element(p.Registers[r])
		c.width = float64(max(2, utf8.RuneCountInString(c.rest), p.digits(r)))*svg.Char + 8
		if n := len(p.arrays); n > 0 && c.rest != "" && c.base == p.arrays[n-1][0].base {
			p.arrays[n-1] = append(p.arrays[n-1], c)
		} else {
			p.arrays = append(p.arrays, []column{c})
		}
	}
	for _, array := range p.arrays {
		share := (float64(utf8.RuneCountInString(array[0].base))*svg.Char + 12) / float64(len(array))
		for k := range array {
			array[k].width = max(array[k].width, share)
			array[k].x = x + array[k].width/2
			x += array[k].width
		}
		x += 8
	}
	p.columns = slices.Concat(p.arrays...)
}

// used returns the registers that steps access, at most columnsMost.
func (p *picture) used() (is []int) {
	for _, r := range p.sorted() {
		if len(is) < columnsMost && slices.ContainsFunc(p.ms, func(m moment) bool { return m.Register == r }) {
			is = append(is, r)
		}
	}
	return is
}

// digits returns the length of the longest value of register r.
func (p *picture) digits(r int) int {
	n := len(fmt.Sprint(p.Initial[r]))
	for _, m := range p.ms {
		n = max(n, len(fmt.Sprint(m.shows(r))))
	}
	return n
}

// arrangeRows places every step, what is between them, and the final states: below each other, if they have a column.
func (p *picture) arrangeRows() {
	y := margin + svg.Height(p.headings) + 12
	p.heads = []float64{y}
	y += headDown
	p.top = y
	y += rowPitch // the initial values
	for k, m := range p.ms {
		if k > 0 && k%headEvery == 0 && len(p.ms)-k > headEvery/3 && !m.Atomic {
			p.heads = append(p.heads, y+4)
			y += headDown
		}
		if k == p.Loop {
			y += rowPitch
		}
		p.ys = append(p.ys, y+rowPitch/2)
		y += rowPitch
		if m.violation() != "" {
			y += rowPitch
		}
	}
	y += 8
	p.last, p.bottom = y, y
	for i := range p.Ends {
		e := ending{y, p.endLines(i)}
		until := y + float64(len(e.lines))*lineDown
		p.endings, p.bottom = append(p.endings, e), max(p.bottom, until+8)
		if p.compact {
			y = until
		}
	}
}
