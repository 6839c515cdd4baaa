// Package svg writes pictures: text, lines and rectangles on a canvas, and charts, in the
// colors of the house, which follow the light or dark scheme of the reader.
package svg

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
)

// The colors that pictures share.
const (
	Ink   = "#222222"
	Faint = "#6B6B6B"
	Hair  = "#E4E4E4"
	Alarm = "#B00020"
	Good  = "#1A7F37"
	Paper = "#FFFFFF"
)

// The families of fonts.
const (
	Mono = "'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace"
	Sans = "Helvetica, Arial, 'DejaVu Sans', sans-serif"
)

// dark has the shared colors, light and dark.
var dark = [][2]string{{Ink, "#E6EDF3"}, {Faint, "#A9B4C0"}, {Hair, "#30363D"}, {Alarm, "#FF6B6B"}, {Good, "#3FB950"}, {Paper, "#0D1117"}}

// Dark returns a style that replaces the shared colors, and those of the pairs, where the
// reader prefers a dark scheme.
func Dark(pairs ...[2]string) string {
	var b strings.Builder
	b.WriteString("<style>@media (prefers-color-scheme: dark) {")
	for _, p := range slices.Concat(dark, pairs) {
		fmt.Fprintf(&b, " [fill=\"%[1]s\"] { fill: %[2]s } [stroke=\"%[1]s\"] { stroke: %[2]s }", p[0], p[1])
	}
	b.WriteString(" }</style>")
	return b.String()
}

// A Canvas collects the elements of a picture.
type Canvas struct{ bytes.Buffer }

// widest is how many pixels of width a page shows.
const widest = 880

// Open begins a picture of that size, in pixels; a page shows a wider one smaller. The title and the description are
// for screen readers; style is a style element, or empty.
func (c *Canvas) Open(width, height float64, title, description, style string) {
	shrink := min(1, widest/width)
	c.Printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" font-family="%s" font-size="12" fill="%s">`,
		width, height, float64(width*shrink), float64(height*shrink), Mono, Ink)
	c.Printf("<title>%s</title>", Escape(title))
	c.Printf("<desc>%s</desc>", Escape(description))
	c.Printf("%s", style)
	c.Rect(0, 0, width, height, fmt.Sprintf(`fill="%s"`, Paper))
}

// Printf writes a line.
func (c *Canvas) Printf(format string, args ...any) {
	_, _ = fmt.Fprintf(c, format+"\n", args...) // a Buffer does not fail
}

// Rect draws a rectangle with these further attributes.
func (c *Canvas) Rect(x, y, w, h float64, more string) {
	c.Printf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" %s/>`, x, y, w, h, more)
}

// Line draws a line, with more attributes behind a space.
func (c *Canvas) Line(x1, y1, x2, y2 float64, color, more string) {
	c.Printf(`<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s"%s/>`, x1, y1, x2, y2, color, more)
}

// Text writes s, with these further attributes; y is that of the baseline.
func (c *Canvas) Text(x, y float64, s, more string) {
	if more != "" {
		more = " " + more
	}
	c.Printf(`<text x="%.1f" y="%.1f"%s>%s</text>`, x, y, more, Escape(s))
}

// Escape escapes s for XML; characters that XML does not allow become U+FFFD.
func Escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder does not fail
	return b.String()
}

// A Box is what a text or a mark takes.
type Box struct{ Left, Top, Right, Bottom float64 }

// Meets reports whether two boxes overlap.
func (b Box) Meets(c Box) bool {
	return b.Left < c.Right && c.Left < b.Right && b.Top < c.Bottom && c.Top < b.Bottom
}
