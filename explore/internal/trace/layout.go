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
	ms      []moment
	lines   lines
	columns []column
	ys      []float64 // of the moments
	heads   []float64 // of the columns
	top     float64   // of the lanes
	last    float64   // of the final states
	bottom  float64   // of the lanes
	chars   int       // that a lane, or the column of the operations, has room for
	compact bool      // lanes are narrow, and the operations have a column beside them
	width   float64
	height  float64
}

// A column shows the values of one register.
type column struct {
	register   int
	base, rest string  // of its name: choosing, [0]
	x, width   float64 // its middle and width
}

func newPicture(t *Trace) *picture {
	p := &picture{Trace: t, ms: t.moments(), lines: t.lines()}
	p.arrangeColumnsAndLanes()
	if p.width > legible {
		p.compact = true
		p.arrangeColumnsAndLanes()
	}
	p.arrangeRows()
	p.height = math.Ceil(p.bottom + float64(4+len(p.listing()))*lineDown + margin)
	return p
}

func (p *picture) arrangeColumnsAndLanes() {
	p.chars = p.laneChars()
	p.columns = p.arrangeColumns(p.lanesRight() + 2*gap)
	p.width = p.lanesRight() + margin
	for _, c := range p.columns {
		p.width = max(p.width, c.x+c.width/2+margin)
	}
	p.width = math.Ceil(max(p.width, least))
}

// laneChars returns the length of the longest text in a lane, or in the column of the operations.
func (p *picture) laneChars() int {
	n := laneLeast
	for _, m := range p.ms {
		n = max(n, p.lines.width+2+utf8.RuneCountInString(m.does()))
		for _, b := range p.badges(m) {
			n = max(n, len(b.text))
		}
	}
	return n
}

func (p *picture) laneWidth() float64 {
	if p.compact {
		return narrow
	}
	return float64(p.chars)*char + band + 22
}

func (p *picture) lane(i int) float64 { return margin + gutter + float64(i)*(p.laneWidth()+gap) }

// box returns where the boxes of the steps of a process begin, and how wide they are.
func (p *picture) box(process int) (x, width float64) {
	if p.compact {
		return p.lane(p.Processes), float64(p.chars)*char + 18
	}
	return p.lane(process) + band, p.laneWidth() - band - 4
}

// lanesRight returns where the lanes end, and the boxes.
func (p *picture) lanesRight() float64 {
	if p.compact {
		x, width := p.box(0)
		return x + width
	}
	return p.lane(p.Processes) - gap
}

// arrangeColumns gives columns, from x on, to the registers that are used. Those
// of one array are adjacent, below its name.
func (p *picture) arrangeColumns(x float64) (columns []column) {
	for _, r := range p.used() {
		c := column{register: r}
		c.base, c.rest = element(p.Registers[r])
		c.width = float64(max(2, utf8.RuneCountInString(c.rest), p.digits(r)))*char + 8
		columns = append(columns, c)
	}
	for from := 0; from < len(columns); {
		array := columns[from : from+arrayLen(columns[from:])]
		share := (float64(utf8.RuneCountInString(array[0].base))*char + 12) / float64(len(array))
		for k := range array {
			array[k].width = max(array[k].width, share)
			array[k].x = x + array[k].width/2
			x += array[k].width
		}
		from += len(array)
		x += 8
	}
	return columns
}

// arrayLen returns how many columns, from the first on, are of the same array.
func arrayLen(columns []column) int {
	n := 1
	for n < len(columns) && columns[n].rest != "" && columns[n].base == columns[0].base {
		n++
	}
	return n
}

// used returns the registers that steps access, at most columnsMost.
func (p *picture) used() (is []int) {
	for _, r := range p.arrays() {
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

// arrangeRows places every step, and what is between them.
func (p *picture) arrangeRows() {
	y := margin + float64(len(p.titleLines()))*22 + 12
	p.heads = []float64{y}
	y += 2*lineDown + 8
	p.top = y
	y += rowPitch // the initial values
	for k, m := range p.ms {
		if k > 0 && k%headEvery == 0 && len(p.ms)-k > headEvery/3 && !m.Atomic {
			p.heads = append(p.heads, y+4)
			y += 2*lineDown + 8
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
	p.last = y + 8
	p.bottom = p.last
	for i := range p.Ends {
		p.bottom = max(p.bottom, p.endTop(i)+float64(len(p.endLines(i)))*lineDown+8)
	}
}

// endTop returns where the final state of a process is: below those before it, if they have a column.
func (p *picture) endTop(process int) float64 {
	y := p.last
	for i := range process {
		if p.compact {
			y += float64(len(p.endLines(i))) * lineDown
		}
	}
	return y
}
