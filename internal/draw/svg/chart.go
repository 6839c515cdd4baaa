package svg

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/doorway/internal/spelling"
)

// A Chart plots lines over a logarithmic x axis. The y axis is logarithmic too; or linear from 0 to 1, or between
// two whole numbers if all values are there. Lines that coincide are one, with the names of all.
type Chart struct {
	Title  string
	Note   string // below the title
	X, Y   string // what the axes show
	Xs     []int  // in ascending order
	Ticks  []int  // the x values that have a label; nil: all
	Format func(float64) string
	Linear bool
	Lines  []Line
}

// A Line is the values of a name over the Xs.
type Line struct {
	Name   string
	Note   string // below the name, smaller
	Color  string
	Dashed bool // with hollow marks
	Dotted bool
	Ys     []float64 // one for each x, or fewer; NaN where there is no point

	Theory []float64 // a thin line beside it without marks, one value for each x; nil: none
}

// Palette is that of M. Okabe and K. Ito, "Color universal design", 2002, which
// people with color vision deficiency can tell apart: without its yellow, which
// vanishes on white, with a grey, and with the light tints darkened to a contrast
// of 3 against white. Each color has beside it the one of a dark scheme.
var Palette = [][2]string{
	{"#0072B2", "#4FA8E8"},
	{"#3A97D0", "#9BD4F7"},
	{"#D55E00", "#FF8A3D"},
	{"#009E73", "#2BC497"},
	{"#000000", "#FFFFFF"},
	{"#C0679A", "#E39AC6"},
	{"#C58500", "#F0B429"},
	{"#7F7F7F", "#A3A3A3"},
}

// The frame of the plot, in pixels.
const (
	width, height = 780, 470
	left, right   = 88, 556
	top, bottom   = 76, 406
	nameWidth     = 30 // characters
)

// SVG returns the picture.
func (c Chart) SVG() []byte {
	c.Lines = distinct(c.Lines)
	d := &drawing{Chart: c, scale: c.scale()}
	d.Open(c.width(), height, c.Title, c.description(), Dark(Palette...))
	d.Printf(`<g font-family="%s" font-size="15">`, Sans)
	d.label(16, 28, "start", c.Title, `font-size="18" font-weight="bold"`)
	d.label(16, 52, "start", c.Note, "")
	d.axes()
	for _, l := range c.Lines {
		d.line(l)
	}
	d.names()
	d.Printf("</g></svg>")
	return d.Bytes()
}

// distinct returns the lines with one for all that have the same points and the same note.
func distinct(all []Line) (lines []Line) {
	for _, l := range all {
		k := slices.IndexFunc(lines, func(m Line) bool {
			return l.Note == m.Note && slices.EqualFunc(l.Ys, m.Ys, func(a, b float64) bool { return math.Abs(a-b) <= a/100 })
		})
		if k < 0 {
			lines = append(lines, l)
		} else {
			lines[k].Name += ", " + l.Name
		}
	}
	return lines
}

// A drawing is a chart on its canvas.
type drawing struct {
	Canvas
	Chart
	scale
}

// width returns the width of the picture: more if a name is long.
func (c Chart) width() float64 {
	w := width
	for _, l := range c.Lines {
		w = max(w, right+34+7*utf8.RuneCountInString(l.Note))
		for _, name := range Wrap(l.Name, nameWidth) {
			w = max(w, right+34+9*utf8.RuneCountInString(name))
		}
	}
	return float64(w)
}

// description returns the values of all points as text.
func (c Chart) description() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, at %s %s.", c.Y, commas(c.Xs, strconv.Itoa), c.X)
	for _, l := range c.Lines {
		fmt.Fprintf(&b, " %s: %s.", l.Name, commas(l.Ys, func(y float64) string {
			if math.IsNaN(y) {
				return "–"
			}
			return c.Format(y)
		}))
	}
	return b.String()
}

func commas[T any](values []T, format func(T) string) string {
	var all []string
	for _, v := range values {
		all = append(all, format(v))
	}
	return strings.Join(all, ", ")
}

// A scale maps values to pixels.
type scale struct {
	linear     bool
	low, high  float64 // of y
	xlow, xtop float64 // logarithms
}

func (c Chart) scale() scale {
	s := scale{
		linear: c.Linear, low: 0, high: 1,
		xlow: math.Log2(float64(slices.Min(c.Xs))), xtop: math.Log2(float64(slices.Max(c.Xs))),
	}
	if !c.Linear {
		low, high := math.Inf(1), 0.0
		for _, l := range c.Lines {
			for _, y := range slices.Concat(l.Ys, l.Theory) {
				if y > 0 {
					low, high = min(low, y), max(high, y)
				}
			}
		}
		if high == 0 { // no points
			low, high = 1, 10
		}
		s.low = math.Pow(10, math.Floor(math.Log10(low)))
		s.high = max(10*s.low, math.Pow(10, math.Ceil(math.Log10(high))))
		if floor, ceil := math.Floor(low), math.Ceil(high); floor >= 1 && ceil <= floor+1 {
			s.linear, s.low, s.high = true, floor, floor+1
		}
	}
	return s
}

func (s scale) x(v int) float64 {
	return left + (math.Log2(float64(v))-s.xlow)/(s.xtop-s.xlow)*(right-left)
}

func (s scale) y(v float64) float64 {
	share := (v - s.low) / (s.high - s.low)
	if !s.linear {
		share = (math.Log10(max(v, s.low)) - math.Log10(s.low)) / (math.Log10(s.high) - math.Log10(s.low))
	}
	return bottom - share*(bottom-top)
}

// ticks returns the y values that have a line and a label.
func (s scale) ticks() []float64 {
	if s.linear {
		var t []float64
		for k := range 6 {
			t = append(t, s.low+float64(k)/5)
		}
		return t
	}
	var t []float64
	for v := s.low; v <= s.high*1.001; v *= 10 {
		t = append(t, v)
	}
	return t
}

func (d *drawing) axes() {
	for _, v := range d.ticks() {
		y := d.y(v)
		d.Line(left, y, right, y, Hair, "")
		d.label(left-8, y+5, "end", d.Format(v), "")
	}
	ticks := d.Ticks
	if ticks == nil {
		ticks = d.Xs
	}
	for _, v := range ticks {
		x := d.x(v)
		d.Line(x, top, x, bottom, Hair, "")
		d.label(x, bottom+22, "middle", Thousands(v), "")
	}
	d.Line(left, bottom, right, bottom, Ink, "")
	d.Line(left, top, left, bottom, Ink, "")
	d.label((left+right)/2, bottom+48, "middle", d.X, "")
	d.label(0, 0, "middle", d.Y, fmt.Sprintf(`transform="translate(26 %d) rotate(-90)"`, (top+bottom)/2))
}

// line draws a line, and the theory under it. The line has a gap where a point is missing.
func (d *drawing) line(l Line) {
	dash, fill := "", l.Color
	if l.Dashed {
		dash, fill = ` stroke-dasharray="6 4"`, Paper
	}
	if l.Dotted {
		dash = ` stroke-dasharray="2 4"`
	}
	if l.Theory != nil {
		d.Printf(`<path d="%s" fill="none" stroke="%s" stroke-width="1.2" stroke-dasharray="5 4"/>`, d.path(l.Theory), l.Color)
	}
	d.Printf(`<path d="%s" fill="none" stroke="%s" stroke-width="2"%s/>`, d.path(l.Ys), l.Color, dash)
	for k, y := range l.Ys {
		if math.IsNaN(y) {
			continue
		}
		d.Printf(`<circle cx="%.1f" cy="%.1f" r="4" fill="%s" stroke="%s" stroke-width="2"/>`, d.x(d.Xs[k]), d.y(y), fill, l.Color)
	}
}

// path returns the path through the points of a line.
func (d *drawing) path(ys []float64) string {
	var path []string
	command := "M" // move, and from there on draw a line
	for k, y := range ys {
		if math.IsNaN(y) {
			command = "M"
			continue
		}
		path = append(path, fmt.Sprintf("%s%.1f,%.1f", command, d.x(d.Xs[k]), d.y(y)))
		command = "L"
	}
	return strings.Join(path, " ")
}

// names writes the name of each line beside its last point, and moves names apart
// that would overlap: a legend in the order of the lines.
func (d *drawing) names() {
	type name struct {
		Line
		end, at, height float64
	}
	var names []name
	for _, l := range d.Lines {
		n := name{Line: l, height: 19 * float64(len(Wrap(l.Name, nameWidth)))}
		if l.Note != "" {
			n.height += 14
		}
		ys := l.Ys
		if len(ys) < len(l.Theory) {
			ys = l.Theory // which goes on to the edge
		}
		for _, y := range slices.Backward(ys) {
			if !math.IsNaN(y) {
				n.end, n.at = d.y(y), d.y(y)
				names = append(names, n)
				break
			}
		}
	}
	slices.SortStableFunc(names, func(a, b name) int { return cmp.Compare(a.end, b.end) })
	lowest := float64(bottom) + 19
	for k := len(names) - 1; k >= 0; k-- { // up from the bottom, where there must be room
		names[k].at = min(names[k].at, lowest-names[k].height)
		lowest = names[k].at
	}
	highest := float64(top)
	for k := range names {
		names[k].at = max(names[k].at, highest)
		highest = names[k].at + names[k].height
	}
	for _, n := range names {
		d.Line(right+7, n.end, right+28, n.at, n.Color, ` stroke-width="2"`)
		y := n.at + 5
		for _, line := range Wrap(n.Name, nameWidth) {
			d.label(right+34, y, "start", line, "")
			y += 19
		}
		if n.Note != "" {
			d.label(right+34, y-5, "start", n.Note, `font-size="12"`)
		}
	}
}

// Thousands returns v with a comma before each three digits of 10,000 and more.
func Thousands(v int) string {
	if v < 10_000 {
		return strconv.Itoa(v)
	}
	return spelling.Thousands(v)
}

func (d *drawing) label(x, y float64, anchor, text, more string) {
	d.Text(x, y, text, fmt.Sprintf(`text-anchor="%s" fill="%s" %s`, anchor, Ink, more))
}
