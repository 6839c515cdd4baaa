package spacetime

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"example.org/doorway/internal/action"
	"example.org/doorway/internal/notation"
	"example.org/doorway/internal/spelling"
	"example.org/doorway/internal/svg"
)

// drawAxis draws the time below the lines: dotted where it is not to scale, and strong
// where events of one time are side by side.
func (d *diagram) drawAxis() {
	before := d.left + 16
	for k, i := range d.instants {
		dash := ""
		if i.jump {
			dash = ` stroke-dasharray="1 4"`
		}
		if k > 0 {
			d.Printf(`<path d="M%d,%d H%d" stroke="%s"%s/>`, before, d.axis, i.x, svg.Faint, dash)
		}
		d.Printf(`<path d="M%d,%d v-5 H%d v5" fill="none" stroke="%s"/>`, i.x, d.axis, i.end, svg.Faint)
		before = i.end
	}
	d.Text(float64(d.left-10), float64(d.axis+17), "T", fmt.Sprintf(`text-anchor="end" fill="%s"`, svg.Faint))
	right := float64(d.left)
	for _, t := range d.ticks() {
		x := float64(t.x+t.end) / 2
		half := float64(float64(len(t.text))*char)/2 + 4
		if x-half < right || x+half > float64(d.width) {
			continue
		}
		d.Text(x, float64(d.axis+17), t.text, fmt.Sprintf(`text-anchor="middle" font-size="%d" fill="%s"`, small, svg.Faint))
		right = x + half
	}
}

// A tick is a time on the axis.
type tick struct {
	x, end int
	text   string
}

// ticks returns the times of all instants if they are short, or else round times, at least 50
// pixels apart.
func (d *diagram) ticks() (all []tick) {
	short := true
	for _, i := range d.instants {
		all = append(all, tick{i.x, i.end, notation.Time(i.at)})
		short = short && len(all[len(all)-1].text) <= 5
	}
	if short {
		return all
	}
	for power := time.Duration(1); ; power *= 10 {
		for _, digit := range []time.Duration{1, 2, 5} {
			step := power * digit
			if int64(step)*int64(d.scale) >= 50*int64(d.unit) || power > 1<<50 {
				return d.every(step)
			}
		}
	}
}

// every returns the multiples of step between the instants.
func (d *diagram) every(step time.Duration) (all []tick) {
	for k, b := range d.instants[1:] {
		a := d.instants[k]
		if b.jump {
			continue
		}
		for at := (a.at + step - 1) / step * step; at <= b.at; at += step {
			x := a.end + int(int64(at-a.at)*int64(b.x-a.end)/int64(b.at-a.at))
			if n := len(all); n == 0 || all[n-1].text != notation.Time(at) {
				all = append(all, tick{x, x, notation.Time(at)})
			}
		}
	}
	return all
}

// A key is an entry of the legend.
type key struct {
	text string
	draw func(x, y int) // in 22 pixels from x on; y is in the middle of the text
}

// legend returns the entries: only what is in the picture.
func (d *diagram) legend() (all []key) {
	bar := func(color string, height int) func(x, y int) {
		return func(x, y int) {
			d.Rect(float64(x), float64(y)-float64(height)/2, 22, float64(height), fmt.Sprintf(`fill="%s"`, color))
		}
	}
	stroke := func(color, more string) func(x, y int) {
		return func(x, y int) {
			d.Printf(`<path d="M%d,%d h22" stroke="%s" %s/>`, x, y, color, more)
		}
	}
	for _, p := range []struct {
		phase
		draw func(x, y int)
	}{{waiting, bar(waits, thin)}, {inside, bar(enters, thick)}, {absorbing, bar(gone, thin)}} {
		if slices.ContainsFunc(d.shown(), func(s span) bool { return s.phase == p.phase }) {
			all = append(all, key{string(p.phase), p.draw})
		}
	}
	for _, kind := range d.kinds {
		more := `stroke-width="1.3"`
		if d.hue(kind) == carried {
			more = `stroke-width="2.6"`
		}
		all = append(all, key{fmt.Sprintf("%d %s", d.count(kind), kind), stroke(d.hue(kind), more)})
	}
	has := func(what func(a arrow) bool) bool { return slices.ContainsFunc(d.arrows, what) }
	if has(func(a arrow) bool { return a.lost }) {
		all = append(all, key{"lost", func(x, y int) {
			stroke(svg.Faint, "")(x, y)
			d.cross(float64(x+18), float64(y), 4.5, svg.Faint)
		}})
	}
	if has(func(a arrow) bool { return a.again }) {
		all = append(all, key{"second copy", stroke(svg.Faint, `stroke-dasharray="6 3"`)})
	}
	if has(func(a arrow) bool { return a.before || a.end < 0 }) {
		all = append(all, key{"in transit", stroke(svg.Faint, `stroke-dasharray="2 3"`)})
	}
	if slices.ContainsFunc(d.marks, d.loops) {
		all = append(all, key{"timer", func(x, y int) {
			d.Printf(`<path d="M%d,%d C%d,%d %d,%d %d,%d" fill="none" stroke="%s"/>`, x+11, y+7, x-6, y-14, x+28, y-14, x+11, y+7, svg.Ink)
		}})
	}
	if slices.ContainsFunc(d.marks, func(m mark) bool { return len(d.emits(m)) > 0 }) {
		all = append(all, key{"emits", func(x, y int) {
			d.Printf(`<path d="M%d,%d l4,4 l-4,4 l-4,-4 z" fill="none" stroke="%s"/>`, x+11, y-4, svg.Ink)
		}})
	}
	return all
}

// count returns how many messages of a kind are sent in the window.
func (d *diagram) count(of string) (n int) {
	for _, e := range d.window() {
		if e.Action == action.Sent && kind(e.Message) == of {
			n++
		}
	}
	return n
}

// rows breaks the legend into rows, by where each entry begins.
func (d *diagram) rows() (rows [][]int) {
	x := margin
	for _, k := range d.legend() {
		w := 22 + 8 + int(float64(utf8.RuneCountInString(k.text))*char) + 22
		if len(rows) == 0 || x+w-22 > d.width-margin {
			rows = append(rows, nil)
			x = margin
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], x)
		x += w
	}
	return rows
}

// notes says what the picture leaves out.
func (d *diagram) notes() (all []string) {
	switch shown := d.to - d.from; {
	case shown == 0 && len(d.Events) > 0:
		all = append(all, fmt.Sprintf("None of the %s events is at %s T or later.", spelling.Thousands(len(d.Events)), notation.Time(d.From)))
	case shown < len(d.Events):
		all = append(all, fmt.Sprintf("Events %s to %s of %s.", spelling.Thousands(d.from+1), spelling.Thousands(d.to), spelling.Thousands(len(d.Events))))
	}
	if d.hidden > 0 {
		all = append(all, fmt.Sprintf("%s messages between folded nodes are not drawn.", spelling.Thousands(d.hidden)))
	}
	if slices.ContainsFunc(d.instants, func(i instant) bool { return i.jump }) {
		all = append(all, "Where the axis is dotted, time is not to scale.")
	}
	return svg.Wrap(strings.Join(all, " "), int(float64(d.width-2*margin)/char))
}

func (d *diagram) drawLegend() {
	y, keys := d.axis+44, d.legend()
	for _, row := range d.rows() {
		for _, x := range row {
			keys[0].draw(x, y)
			d.Text(float64(x+30), float64(y+4), keys[0].text, fmt.Sprintf(`font-size="%d"`, small))
			keys = keys[1:]
		}
		y += 20
	}
	for _, note := range d.notes() {
		d.Text(margin, float64(y+4), note, fmt.Sprintf(`font-size="%d" fill="%s"`, small, svg.Faint))
		y += lineDown
	}
}

// description returns the run as text, for screen readers.
func (d *diagram) description() string {
	var b strings.Builder
	fmt.Fprintf(&b, "A run of %d nodes, with a line for each and time to the right.", d.Nodes)
	for _, e := range d.window() {
		fmt.Fprintf(&b, " %s: %s.", notation.Time(e.At), notation.Event(e))
	}
	return b.String()
}
