package svg

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Of words, in pixels.
const (
	Char  = 7.4 // at most, a character of 12 pixels in any monospaced font
	Small = 11  // the size of the font of labels
	Thin  = 6.8 // a character of it
)

// Cut shortens s to a width in characters.
func Cut(s string, width int) string {
	if utf8.RuneCountInString(s) <= width {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:max(0, width-1)]), " ") + "…"
}

// Wrap breaks s at spaces into lines of a width in characters. It cuts longer words.
func Wrap(s string, width int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(s) {
		word = Cut(word, width)
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	if line == "" {
		return lines
	}
	return append(lines, line)
}

// A Heading is a line at the top of a picture.
type Heading struct {
	text, style string
	height      float64
}

// A Subtitle is written below a title; without text, it is not.
type Subtitle struct{ Text, Color string }

// Headings returns the lines of a title and of what is below it, at most as wide as that, in pixels.
func Headings(width float64, title string, below ...Subtitle) []Heading {
	all := balanced(title, width/10.5, Heading{style: fmt.Sprintf(`font-family="%s" font-size="15" font-weight="bold"`, Sans), height: 20})
	for _, s := range below {
		all = append(all, balanced(s.Text, width/Char, Heading{style: fmt.Sprintf(`fill="%s"`, s.Color), height: 16})...)
	}
	return all
}

// balanced breaks a text into as few lines as a width in characters takes, none of which is much longer than the others.
func balanced(text string, width float64, as Heading) (all []Heading) {
	lines := Wrap(text, int(width))
	for width--; width >= 1; width-- {
		narrower := Wrap(text, int(width))
		if len(narrower) > len(lines) || strings.Contains(strings.Join(narrower, ""), "…") {
			break
		}
		lines = narrower
	}
	for _, line := range lines {
		as.text = line
		all = append(all, as)
	}
	return all
}

// Height returns how many pixels the headings take.
func Height(all []Heading) (sum float64) {
	for _, h := range all {
		sum += h.height
	}
	return sum
}

// Headings writes lines from the top left corner on.
func (c *Canvas) Headings(x, y float64, all []Heading) {
	for _, h := range all {
		c.Text(x, y+14, h.text, h.style)
		y += h.height
	}
}

// A Key is an entry of a legend.
type Key struct {
	Text string
	Draw func(x, y float64) // in Swatch pixels from x on; y is in the middle of the text
}

// Of legends, in pixels.
const (
	Swatch  = 22 // the width of what a key explains
	KeyDown = 20 // from a row to the next

	keyText = Swatch + 8 // where the text of a key begins
	keyGap  = 22         // between two keys
)

// Rows breaks a legend into rows of a width in pixels.
func Rows(keys []Key, width float64) (rows [][]Key) {
	x := 0.0
	for _, k := range keys {
		if len(rows) == 0 || x+k.width() > width {
			rows, x = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], k)
		x += k.width() + keyGap
	}
	return rows
}

func (k Key) width() float64 {
	return keyText + math.Floor(float64(utf8.RuneCountInString(k.Text))*Thin)
}

// Legend draws the rows of a legend; y is in the middle of the first.
func (c *Canvas) Legend(x, y float64, rows [][]Key) {
	for _, row := range rows {
		at := x
		for _, k := range row {
			k.Draw(at, y)
			c.Text(at+keyText, y+4, k.Text, fmt.Sprintf(`font-size="%d"`, Small))
			at += k.width() + keyGap
		}
		y += KeyDown
	}
}
