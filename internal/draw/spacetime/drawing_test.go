package spacetime_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/draw/spacetime"
	"example.org/doorway/internal/draw/svg"
	"example.org/doorway/internal/node/action"
	"example.org/doorway/internal/node/notation"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock"
)

// A drawing is the picture of a run.
type drawing struct {
	*testing.T
	run     *spacetime.Run
	picture []byte
	all     []*svg.Shape
}

// drawn draws a run, and fails the test unless the picture is well-formed.
func drawn(t *testing.T, run *spacetime.Run) drawing {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, run.WriteSVG(&b))
	all, err := svg.Read(b.Bytes())
	require.NoError(t, err, "the picture is not well-formed")
	return drawing{t, run, b.Bytes(), all}
}

// with returns the elements that have an attribute.
func (d drawing) with(attribute string) (all []*svg.Shape) {
	for _, s := range d.all {
		if s.At[attribute] != "" {
			all = append(all, s)
		}
	}
	return all
}

// window returns the numbers of the first and the last event that is drawn.
func (d drawing) window() (first, last int) {
	last = len(d.run.Events)
	for _, s := range d.all {
		var of string
		if _, err := fmt.Sscanf(strings.ReplaceAll(s.Text, ",", ""), "Events %d to %d of %s", &first, &last, &of); s.Name == "text" && err == nil {
			return first, last
		}
	}
	return 1, last
}

// check fails the test where the picture is not that of the run, or is hard to read.
func (d drawing) check() {
	d.Helper()
	d.checkTexts()
	d.checkLines()
	d.checkArrows()
}

// checkTexts checks that no two texts overlap, that none leaves the picture, and that arrows leave them legible.
func (d drawing) checkTexts() {
	d.Helper()
	assert.LessOrEqual(d, d.all[0].Number("width"), 880.0, "the picture is too wide")
	assert.Empty(d, svg.Crowded(d.all), d.run.Title)
	for _, s := range d.with("text-anchor") {
		if b := s.Box(); s.At["text-anchor"] == "middle" {
			n := behind(d.arrows(s.Down), s.Number("x"), s.Number("y")-4, b.Right-b.Left)
			assert.LessOrEqual(d, n, 1, "%s: arrows that go through %q", d.run.Title, s.Text)
		}
	}
}

// arrows returns the ends of all arrows of the row that begins there.
func (d drawing) arrows(down float64) (all [][]float64) {
	for _, a := range d.with("data-message") {
		if a.Down == down {
			all = append(all, a.Inside[1].Numbers("d"))
		}
	}
	return all
}

// behind returns how many arrows go through the middle half of a label around x, y.
func behind(arrows [][]float64, x, y, wide float64) (n int) {
	for _, e := range arrows {
		if e[1] == e[3] || y < min(e[1], e[3]) || y > max(e[1], e[3]) {
			continue
		}
		if at := e[0] + (e[2]-e[0])*(y-e[1])/(e[3]-e[1]); at > x-wide/4 && at < x+wide/4 {
			n++
		}
	}
	return n
}

// lineOf returns where the line of each node is, and how many lines there are.
func (d drawing) lineOf() (ys map[messaging.ID]float64, lines int) {
	ys = map[messaging.ID]float64{}
	seen := map[float64]bool{}
	for _, s := range d.with("data-line") {
		y := s.Numbers("d")[1]
		for f := range strings.FieldsSeq(s.At["data-line"]) {
			i, err := strconv.Atoi(f)
			require.NoError(d, err)
			ys[messaging.ID(i)] = y
		}
		seen[y] = true
	}
	return ys, len(seen)
}

// checkLines checks that each node has a line, and that what happens is on it, and from
// left to right.
func (d drawing) checkLines() {
	d.Helper()
	ys, lines := d.lineOf()
	assert.LessOrEqual(d, lines, 40, "%s: too many lines", d.run.Title)
	assert.Len(d, ys, d.run.Nodes, "%s: nodes with a line", d.run.Title)
	marked := d.marks()
	first, last := d.window()
	var stamps []clock.Vector
	if d.run.Nodes*len(d.run.Events) < 1<<16 {
		stamps = clock.Vectors(d.run.Nodes, d.run.Events)
	}
	x, at, down := 0.0, d.run.Events[first-1].At, 0.0
	for n := first; n <= last; n++ {
		e := d.run.Events[n-1]
		if e.Action == action.Lost || e.Action == action.Duplicated {
			continue
		}
		m := marked[n]
		if !assert.NotNil(d, m, "%s: event %d, %s, has no mark", d.run.Title, n, notation.Event(e)) {
			continue
		}
		assert.Equal(d, notation.Time(e.At), m.At["data-at"], "%s: time of event %d", d.run.Title, n)
		assert.Equal(d, fmt.Sprint(where(e)), m.At["data-node"], "%s: node of event %d", d.run.Title, n)
		circle := m.Inside[1]
		assert.Equal(d, ys[where(e)], circle.Number("cy"), "%s: line of event %d", d.run.Title, n)
		if m.Down > down {
			x, down = 0, m.Down // of the next row
		}
		if e.At > at {
			assert.GreaterOrEqual(d, circle.Number("cx"), x, "%s: event %d is left of what happened before", d.run.Title, n)
			at, x = e.At, 0
		}
		x = max(x, circle.Number("cx"))
		assert.Contains(d, m.Text, notation.Event(e), "%s: the title of event %d", d.run.Title, n)
		if strings.HasSuffix(" "+m.At["data-events"], fmt.Sprint(" ", n)) && stamps != nil {
			assert.Contains(d, m.Text, fmt.Sprintf("\nvector timestamp %v", stamps[n-1]), "%s: the title of event %d", d.run.Title, n)
		}
	}
}

// where returns the node at which e occurs.
func where(e messaging.Event) messaging.ID {
	if e.Action == action.Delivered || e.Action == action.Expired || e.Action == action.Told {
		return e.To
	}
	return e.From
}

// marks returns the mark of each event, by number.
func (d drawing) marks() map[int]*svg.Shape {
	all := map[int]*svg.Shape{}
	for _, s := range d.with("data-events") {
		for _, n := range s.Numbers("data-events") {
			all[int(n)] = s
		}
	}
	return all
}

// checkArrows checks that each message that is delivered has an arrow, and no other, from
// the line of its sender at its time to that of its receiver at its time.
func (d drawing) checkArrows() {
	d.Helper()
	ys, _ := d.lineOf()
	marked := d.marks()
	arrows := map[int]*svg.Shape{}
	for _, a := range d.with("data-message") {
		end := int(a.Number("data-end"))
		if end > 0 {
			assert.Nil(d, arrows[end], "%s: event %d has two arrows", d.run.Title, end)
			arrows[end] = a
		}
	}
	first, last := d.window()
	for n := first; n <= last; n++ {
		e := d.run.Events[n-1]
		if e.Action != action.Delivered && e.Action != action.Lost || ys[e.From] == ys[e.To] {
			continue
		}
		a := arrows[n]
		if !assert.NotNil(d, a, "%s: event %d, %s, has no arrow", d.run.Title, n, notation.Event(e)) {
			continue
		}
		delete(arrows, n)
		assert.Equal(d, float64(e.Cause), a.Number("data-message"), "%s: the sending of event %d", d.run.Title, n)
		sent := d.run.Events[e.Cause-1]
		if sent.Action == action.Duplicated {
			sent = d.run.Events[sent.Cause-1]
		}
		from, to := marked[int(sent.Number)], marked[n]
		ends := a.Inside[1].Numbers("d")
		if int(sent.Number) >= first && from.Down == a.Down {
			x, y := from.Inside[1].Number("cx"), ys[e.From]
			assert.Equal(d, []float64{x, y}, ends[:2], "%s: where the arrow of event %d begins", d.run.Title, n)
		}
		if e.Action == action.Delivered {
			x, y := to.Inside[1].Number("cx"), ys[e.To]
			assert.Equal(d, []float64{x, y}, ends[2:], "%s: where the arrow of event %d ends", d.run.Title, n)
			assert.Greater(d, ends[2], ends[0], "%s: the arrow of event %d does not go to the right", d.run.Title, n)
		}
	}
	assert.Empty(d, arrows, "%s: arrows of no message", d.run.Title)
}
