package main

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// A chart is lines over a logarithmic x axis, as SVG. The y axis is
// logarithmic too, or linear from 0 to 1.
type chart struct {
	title  string
	x, y   string
	xs     []int
	format func(float64) string // of a y
	linear bool
	lines  []curveLine
}

type curveLine struct {
	name   string
	colour string
	dashed bool
	ys     []float64 // one for each x, or fewer; NaN where there is no point
}

// palette is that of M. Okabe and K. Ito, "Color universal design", 2002,
// which the colour-blind can tell apart: without its yellow, which nobody sees
// on white, and with a grey.
var palette = []string{"#0072B2", "#56B4E9", "#D55E00", "#009E73", "#000000", "#CC79A7", "#E69F00", "#7F7F7F"}

// The frame of the plot, in pixels.
const (
	width, height = 830, 460
	left, right   = 90, 650
	top, bottom   = 50, 400
)

func (c chart) svg() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="Helvetica, Arial, 'DejaVu Sans', sans-serif" font-size="13" fill="#222222">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString(c.title))
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#FFFFFF"/>`+"\n", width, height)
	label(&b, left, 28, "start", "#222222", c.title, `font-size="16" font-weight="bold"`)
	s := c.scale()
	c.axes(&b, s)
	for _, l := range c.lines {
		c.line(&b, s, l)
	}
	c.names(&b, s)
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// A scale maps values to pixels.
type scale struct {
	linear     bool
	low, high  float64 // of y
	xlow, xtop float64 // logarithms
}

func (c chart) scale() scale {
	s := scale{
		linear: c.linear, low: 0, high: 1,
		xlow: math.Log2(float64(slices.Min(c.xs))), xtop: math.Log2(float64(slices.Max(c.xs))),
	}
	if !c.linear {
		low, high := math.Inf(1), 0.0
		for _, l := range c.lines {
			for _, y := range l.ys {
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
	}
	return s
}

func (s scale) x(v int) float64 {
	return left + (math.Log2(float64(v))-s.xlow)/(s.xtop-s.xlow)*(right-left)
}

func (s scale) y(v float64) float64 {
	share := v
	if !s.linear {
		share = (math.Log10(max(v, s.low)) - math.Log10(s.low)) / (math.Log10(s.high) - math.Log10(s.low))
	}
	return bottom - share*(bottom-top)
}

// ticks returns the y values that have a line and a label.
func (s scale) ticks() []float64 {
	if s.linear {
		return []float64{0, 0.2, 0.4, 0.6, 0.8, 1}
	}
	var t []float64
	for v := s.low; v <= s.high*1.001; v *= 10 {
		t = append(t, v)
	}
	return t
}

func (c chart) axes(b *bytes.Buffer, s scale) {
	for _, v := range s.ticks() {
		y := s.y(v)
		stroke(b, left, y, right, y, "#DDDDDD", "")
		label(b, left-8, y+4.5, "end", "#222222", c.format(v), "")
	}
	for _, v := range c.xs {
		x := s.x(v)
		stroke(b, x, top, x, bottom, "#EEEEEE", "")
		label(b, x, bottom+20, "middle", "#222222", fmt.Sprint(v), "")
	}
	stroke(b, left, bottom, right, bottom, "#222222", "")
	stroke(b, left, top, left, bottom, "#222222", "")
	label(b, (left+right)/2, bottom+44, "middle", "#222222", c.x, "")
	label(b, 0, 0, "middle", "#222222", c.y, fmt.Sprintf(`transform="translate(22 %d) rotate(-90)"`, (top+bottom)/2))
}

// line draws peers dashed, with hollow marks. It breaks off where there is no
// point.
func (c chart) line(b *bytes.Buffer, s scale, l curveLine) {
	dash, fill := "", l.colour
	if l.dashed {
		dash, fill = ` stroke-dasharray="6 4"`, "#FFFFFF"
	}
	var path []string
	command := "M" // move, and from there on draw a line
	for k, y := range l.ys {
		if math.IsNaN(y) {
			command = "M"
			continue
		}
		path = append(path, fmt.Sprintf("%s%.1f,%.1f", command, s.x(c.xs[k]), s.y(y)))
		command = "L"
	}
	fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="2"%s/>`+"\n", strings.Join(path, " "), l.colour, dash)
	for k, y := range l.ys {
		if math.IsNaN(y) {
			continue
		}
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="4" fill="%s" stroke="%s" stroke-width="2"/>`+"\n", s.x(c.xs[k]), s.y(y), fill, l.colour)
	}
}

// names writes the name of each line beside its last point, pushed apart where they would
// lie on each other: a legend in the order in which the eye meets the lines.
func (c chart) names(b *bytes.Buffer, s scale) {
	type name struct {
		curveLine
		end, at float64
	}
	var names []name
	for _, l := range c.lines {
		for _, y := range slices.Backward(l.ys) {
			if !math.IsNaN(y) {
				names = append(names, name{l, s.y(y), s.y(y)})
				break
			}
		}
	}
	slices.SortStableFunc(names, func(a, b name) int { return cmp.Compare(a.end, b.end) })
	const apart = 17
	lowest := float64(bottom)
	for k := len(names) - 1; k >= 0; k-- { // up from the bottom, where there must be room
		names[k].at = min(names[k].at, lowest)
		lowest = names[k].at - apart
	}
	highest := float64(top)
	for k := range names {
		names[k].at = max(names[k].at, highest)
		highest = names[k].at + apart
	}
	for _, n := range names {
		stroke(b, right+7, n.end, right+24, n.at, n.colour, ` stroke-opacity="0.5"`)
		label(b, right+29, n.at+4.5, "start", n.colour, n.name, `font-weight="bold"`)
	}
}

func stroke(b *bytes.Buffer, x1, y1, x2, y2 float64, colour, more string) {
	fmt.Fprintf(b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s"%s/>`+"\n", x1, y1, x2, y2, colour, more)
}

func label(b *bytes.Buffer, x, y float64, anchor, colour, text, more string) {
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f" text-anchor="%s" fill="%s" %s>%s</text>`+"\n", x, y, anchor, colour, more, html.EscapeString(text))
}
