package spacetime

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"example.org/doorway/internal/draw/svg"
	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/internal/spelling"
)

// drawAxis draws the time below the lines: dotted where it is not to scale, and strong
// where events of one time are side by side.
func (r *row) drawAxis() {
	before, axis := r.left+16, r.axis()
	for k, i := range r.instants {
		dash := ""
		if i.jump {
			dash = ` stroke-dasharray="1 4"`
		}
		if k > 0 {
			r.Printf(`<path d="M%d,%d H%d" stroke="%s"%s/>`, before, axis, i.x, svg.Faint, dash)
		}
		r.Printf(`<path d="M%d,%d v-5 H%d v5" fill="none" stroke="%s"/>`, i.x, axis, i.end, svg.Faint)
		before = i.end
	}
	r.Text(float64(r.left-10), float64(axis+17), "T", fmt.Sprintf(`text-anchor="end" fill="%s"`, svg.Faint))
	right := float64(r.left)
	for _, t := range r.ticks() {
		half := float64(float64(len(t.text))*char)/2 + 4
		if t.x-half < right || t.x+half > float64(r.width) {
			continue
		}
		r.Text(t.x, float64(axis+17), t.text, fmt.Sprintf(`text-anchor="middle" font-size="%d" fill="%s"`, small, svg.Faint))
		right = t.x + half
	}
}

// A tick is a time on the axis.
type tick struct {
	x    float64
	text string
}

// ticks returns round times, at least 50 pixels apart where time is to scale; or those of the instants, if
// there is no round time among them.
func (r *row) ticks() (all []tick) {
	for power := time.Duration(1); ; power *= 10 {
		for _, digit := range []time.Duration{1, 2, 5} {
			step := power * digit
			if int64(step)*int64(r.scale) < 50*int64(r.unit) && power <= 1<<50 {
				continue
			}
			if all = r.every(step); len(all) == 0 {
				for _, i := range r.instants {
					all = append(all, tick{float64(i.x+i.end) / 2, notation.Time(i.at)})
				}
			}
			return all
		}
	}
}

// every returns the multiples of step at the instants, and between them.
func (r *row) every(step time.Duration) (all []tick) {
	for k, b := range r.instants {
		if a := r.instants[max(0, k-1)]; k > 0 && !b.jump {
			for at := (a.at/step + 1) * step; at < b.at; at += step {
				all = append(all, tick{float64(a.end) + float64(at-a.at)*float64(b.x-a.end)/float64(b.at-a.at), notation.Time(at)})
			}
		}
		if b.at%step == 0 {
			all = append(all, tick{float64(b.x+b.end) / 2, notation.Time(b.at)})
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
		if slices.ContainsFunc(d.shown(d.first(), d.end()), func(s span) bool { return s.phase == p.phase }) {
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
	has := func(what func(a arrow) bool) bool {
		return slices.ContainsFunc(d.rows, func(r *row) bool { return slices.ContainsFunc(r.arrows, what) })
	}
	marked := func(what func(r *row, m mark) bool) bool {
		return slices.ContainsFunc(d.rows, func(r *row) bool {
			return slices.ContainsFunc(r.marks, func(m mark) bool { return what(r, m) })
		})
	}
	if has(func(a arrow) bool { return a.lost }) {
		all = append(all, key{"lost", func(x, y int) {
			stroke(svg.Faint, "")(x, y)
			d.cross(float64(x+18), float64(y), 4.5, svg.Faint)
		}})
	}
	if has(func(a arrow) bool { return a.again }) {
		all = append(all, key{"second copy", stroke(svg.Faint, `stroke-dasharray="6 3"`)})
	}
	if has(arrow.transit) {
		all = append(all, key{"in transit", stroke(svg.Faint, `stroke-dasharray="2 3"`)})
	}
	if slices.ContainsFunc(d.rows, func(r *row) bool { return len(r.cuts) > 0 }) {
		all = append(all, key{"cut: states recorded", stroke(d.hue(marker), cutDash)})
	}
	if marked((*row).loops) {
		all = append(all, key{"timer", func(x, y int) {
			d.Printf(`<path d="M%d,%d C%d,%d %d,%d %d,%d" fill="none" stroke="%s"/>`, x+11, y+7, x-6, y-14, x+28, y-14, x+11, y+7, svg.Ink)
		}})
	}
	if marked(func(r *row, m mark) bool { return len(r.emits(m)) > 0 }) {
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

// legendRows breaks the legend into rows, by where each entry begins.
func (d *diagram) legendRows() (rows [][]int) {
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
	switch shown := d.end() - d.first(); {
	case shown == 0 && len(d.Events) > 0:
		all = append(all, fmt.Sprintf("None of the %s events is at %s T or later.", spelling.Thousands(len(d.Events)), notation.Time(d.From)))
	case shown < len(d.Events):
		all = append(all, fmt.Sprintf("Events %s to %s of %s.", spelling.Thousands(d.first()+1), spelling.Thousands(d.end()), spelling.Thousands(len(d.Events))))
	}
	if d.hidden > 0 {
		all = append(all, fmt.Sprintf("%s messages between folded nodes are not drawn.", spelling.Thousands(d.hidden)))
	}
	if slices.ContainsFunc(d.rows, func(r *row) bool { return slices.ContainsFunc(r.instants, func(i instant) bool { return i.jump }) }) {
		all = append(all, "Where the axis is dotted, time is not to scale.")
	}
	return svg.Wrap(strings.Join(all, " "), int(float64(d.width-2*margin)/char))
}

func (d *diagram) drawLegend() {
	y, keys := d.bottom()+44, d.legend()
	for _, row := range d.legendRows() {
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
