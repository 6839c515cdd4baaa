package spacetime

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/doorway/internal/draw/svg"
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
		half := float64(float64(len(t.text))*svg.Thin)/2 + 4
		if t.x-half < right || t.x+half > float64(r.width) {
			continue
		}
		r.Text(t.x, float64(axis+17), t.text, fmt.Sprintf(`text-anchor="middle" font-size="%d" fill="%s"`, svg.Small, svg.Faint))
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
	step := time.Duration(1)
	for k := 0; float64(step)*float64(r.scale) < 50*float64(r.unit); k++ {
		if step *= 2; k%3 == 1 { // 1, 2, 5, 10
			step += step / 4
		}
	}
	if all = r.every(step); len(all) == 0 {
		for _, i := range r.instants {
			all = append(all, tick{float64(i.x+i.end) / 2, notation.Time(i.at)})
		}
	}
	return all
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

// keys returns the entries of the legend: only what is in the picture.
func (d *diagram) keys() (all []svg.Key) {
	add := func(is bool, text string, draw func(x, y float64)) {
		if is {
			all = append(all, svg.Key{Text: text, Draw: draw})
		}
	}
	stroke := func(color, more string) func(x, y float64) {
		return func(x, y float64) { d.Printf(`<path d="M%.0f,%.0f h22" stroke="%s" %s/>`, x, y, color, more) }
	}
	for _, p := range []phase{waiting, inside, absorbing} {
		color, height := p.bar()
		is := slices.ContainsFunc(d.shown(), func(s span) bool { return s.phase == p })
		add(is, string(p), func(x, y float64) { d.Rect(x, y-height/2, svg.Swatch, height, fmt.Sprintf(`fill="%s"`, color)) })
	}
	for _, kind := range d.kinds {
		color := d.hue(kind)
		add(true, fmt.Sprintf("%d %s", d.count[kind], kind), stroke(color, fmt.Sprintf(`stroke-width="%.1f"`, weight(color))))
	}
	add(d.has(func(a arrow) bool { return a.lost }), "lost", func(x, y float64) {
		stroke(svg.Faint, "")(x, y)
		d.cross(x+18, y, 4.5, svg.Faint)
	})
	add(d.has(func(a arrow) bool { return a.again }), "second copy", stroke(svg.Faint, `stroke-dasharray="6 3"`))
	add(d.has(func(a arrow) bool { return a.transit }), "in transit", stroke(svg.Faint, `stroke-dasharray="2 3"`))
	cut := func(r *row) bool { return len(r.cuts) > 0 }
	add(slices.ContainsFunc(d.rows, cut), "cut: states recorded", stroke(d.hue(marker), cutDash))
	add(d.marked((*row).loops), "timer", func(x, y float64) { d.drawLoop(x+11, y+7) })
	add(d.marked((*row).emits), "emits", func(x, y float64) {
		d.Printf(`<path d="M%.0f,%.0f l4,4 l-4,4 l-4,-4 z" fill="none" stroke="%s"/>`, x+11, y-4, svg.Ink)
	})
	return all
}

// has reports whether there is such an arrow.
func (d *diagram) has(what func(arrow) bool) bool {
	return slices.ContainsFunc(d.rows, func(r *row) bool { return slices.ContainsFunc(r.arrows, what) })
}

// marked reports whether there is such a mark.
func (d *diagram) marked(what func(*row, mark) bool) bool {
	return slices.ContainsFunc(d.rows, func(r *row) bool {
		return slices.ContainsFunc(r.marks, func(m mark) bool { return what(r, m) })
	})
}

// omissions says what the picture leaves out.
func (d *diagram) omissions() string {
	var all []string
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
	return strings.Join(all, " ")
}

func (d *diagram) drawLegend() {
	y := float64(d.bottom() + 44)
	d.Legend(margin, y, d.legend)
	y += float64(len(d.legend) * svg.KeyDown)
	for k, note := range d.notes {
		d.Text(margin, y+float64(k*lineDown+4), note, fmt.Sprintf(`font-size="%d" fill="%s"`, svg.Small, svg.Faint))
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
