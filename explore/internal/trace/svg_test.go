package trace

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A shape is an element of an SVG, with all text inside.
type shape struct {
	name string
	at   map[string]string // its attributes
	text string
}

func (e shape) number(t *testing.T, attribute string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(e.at[attribute], 64)
	if err != nil {
		t.Errorf("%s of %+v: %v", attribute, e, err)
	}
	return v
}

// drawing returns all elements of the picture of trace, and fails the test if it
// is not well-formed.
func drawing(t *testing.T, trace *Trace) (is []*shape) {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, trace.WriteSVG(&b))
	var open []*shape
	var text strings.Builder   // of the whole picture, so far
	begins := map[*shape]int{} // where in it the text of an element begins
	for d := xml.NewDecoder(&b); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return is
		}
		require.NoError(t, err, "the picture is not well-formed")
		switch token := token.(type) {
		case xml.StartElement:
			e := &shape{name: token.Name.Local, at: map[string]string{}}
			for _, a := range token.Attr {
				e.at[a.Name.Local] = a.Value
			}
			begins[e] = text.Len()
			open, is = append(open, e), append(is, e)
		case xml.EndElement:
			e := open[len(open)-1]
			e.text = text.String()[begins[e]:]
			open = open[:len(open)-1]
		case xml.CharData:
			text.Write(token)
		}
	}
}

// named returns the elements of a name.
func named(all []*shape, name string) (is []*shape) {
	for _, e := range all {
		if e.name == name {
			is = append(is, e)
		}
	}
	return is
}

func TestSVG(t *testing.T) {
	for name, trace := range sampleTraces {
		if name == "crowd" {
			continue // too long to keep; it takes part in all other tests
		}
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			require.NoError(t, trace().WriteSVG(&b))
			goldenTrace(t, name+".svg", b.String())
		})
	}
}

func TestSVGShowsEveryStep(t *testing.T) {
	eachSample(t, func(t *testing.T, trace *Trace) {
		p := newPicture(trace)
		texts := named(drawing(t, trace), "text")
		said := func(text string, x, y float64) bool {
			for _, e := range texts {
				if e.text == text && (x < 0 || e.number(t, "x") > x && e.number(t, "x") < x+p.laneWidth()) && distance(e.number(t, "y"), y+4) < 1 {
					return true
				}
			}
			return false
		}
		for k, m := range p.ms {
			if !said(m.does(), p.lane(m.Process), p.ys[k]) {
				t.Errorf("step %d, %q, is not in the lane of process %d", k, m.does(), m.Process)
			}
			if !said(fmt.Sprint(m.Place.Line), p.lane(m.Process), p.ys[k]) {
				t.Errorf("step %d does not name line %d", k, m.Place.Line)
			}
			for _, c := range p.columns {
				if !said(fmt.Sprint(m.shows(c.register)), c.x-p.laneWidth()/2, p.ys[k]) {
					t.Errorf("step %d does not show what %s holds", k, trace.Registers[c.register])
				}
			}
		}
	})
}

func distance(a, b float64) float64 { return max(a-b, b-a) }

// A box is the place of a text, in a font of ordinary width.
type box struct {
	shape
	left, right, base float64
}

func boxOf(t *testing.T, e *shape) box {
	t.Helper()
	w := float64(utf8.RuneCountInString(e.text)) * 7.25
	if e.at["font-size"] == "16" {
		w *= 16. / 12
	}
	x := e.number(t, "x")
	switch e.at["text-anchor"] {
	case "middle":
		x -= w / 2
	case "end":
		x -= w
	}
	return box{*e, x, x + w, e.number(t, "y")}
}

// No text overlaps another or is cut off by the edge.
func TestSVGTextsAreApart(t *testing.T) {
	eachSample(t, func(t *testing.T, trace *Trace) {
		all := drawing(t, trace)
		width, height := all[0].number(t, "width"), all[0].number(t, "height")
		var boxes []box
		for _, e := range named(all, "text") {
			b := boxOf(t, e)
			if b.left < 4 || b.right > width-4 || b.base < 14 || b.base > height-8 {
				t.Errorf("%q is cut off: from %.0f to %.0f, down %.0f, in a picture of %.0f×%.0f", b.text, b.left, b.right, b.base, width, height)
			}
			for _, other := range boxes {
				if distance(b.base, other.base) < 12 && b.left < other.right && other.left < b.right {
					t.Errorf("%q lies on %q", b.text, other.text)
				}
			}
			boxes = append(boxes, b)
		}
	})
}

// The frames of processes that are inside at the same time begin together.
func TestSVGFramesProcessesInsideAtTheSameTime(t *testing.T) {
	for name, want := range map[string]int{"turn-first": 2, "want-first": 2, "late-number": 2, "starvation": 0, "absorbed": 0, "crowd": 0} {
		all := drawing(t, sampleTraces[name]())
		var frames []*shape
		for _, e := range named(all, "rect") {
			if e.at["stroke"] == alarm {
				frames = append(frames, e)
			}
		}
		if len(frames) != want || want > 0 && frames[0].at["y"] != frames[1].at["y"] {
			t.Errorf("%s has frames %v, want %d, which begin together", name, frames, want)
		}
		for _, e := range named(all, "text") {
			if strings.HasPrefix(e.text, "inside with process") {
				want--
			}
		}
		assert.Zero(t, want, "%s has badges", name)
	}
}

// A badge lies in the lane of its process, below the step that completes the violation.
func TestSVGBadges(t *testing.T) {
	third := turnFirstTrace()
	third.Processes = 4
	for k := range third.Steps {
		third.Steps[k].Process *= 3 // lanes 0 and 3, two between them
	}
	third.Ends = append(third.Ends, third.Ends...)
	for _, c := range []struct {
		name  string
		trace *Trace
		want  map[int]string
	}{
		{"exclusion", third, map[int]string{0: "inside with process 3", 3: "inside with process 0"}},
		{"FIFO", overtakingTrace(), map[int]string{0: "enters before process 2", 2: "overtaken by process 0"}},
	} {
		p, found := newPicture(c.trace), 0
		for _, e := range named(drawing(t, c.trace), "text") {
			for i, text := range c.want {
				if e.text != text {
					continue
				}
				found++
				b := boxOf(t, e)
				assert.Greater(t, b.left, p.lane(i), "%s: %q", c.name, text)
				assert.Less(t, b.right, p.lane(i)+p.laneWidth(), "%s: %q", c.name, text)
				assert.Greater(t, b.base, p.ys[len(p.ys)-1], "%s: %q", c.name, text)
				assert.Less(t, b.base, p.last, "%s: %q", c.name, text)
			}
		}
		assert.Equal(t, len(c.want), found, "%s: badges", c.name)
	}
	assert.Contains(t, overtakingTrace().String(), "\n      process 0 enters before process 2\n")
}

// A read of a safe register shows the value that it returned, and the steps beside it
// what the register holds.
func TestSVGOfSafeReads(t *testing.T) {
	trace := tornTrace()
	p := newPicture(trace)
	var beside []string // the steps, what is in the only column
	for _, y := range p.ys {
		for _, e := range named(drawing(t, trace), "text") {
			if e.at["text-anchor"] == "middle" && distance(e.number(t, "x"), p.columns[0].x) < 1 && distance(e.number(t, "y"), y+4) < 1 {
				beside = append(beside, e.text)
			}
		}
	}
	assert.Equal(t, []string{"0", "7", "2", "2"}, beside)
	assert.Contains(t, trace.String(), "read number = 7 during a write")
}

func TestSVGBracketsLoops(t *testing.T) {
	for name, trace := range sampleTraces {
		n := 0
		for _, e := range named(drawing(t, trace()), "path") {
			if e.at["stroke"] == rounded {
				n++
			}
		}
		assert.Equal(t, trace().Loop >= 0, n == 1, "%s has a bracket", name)
	}
}

// Values that a step wrote are highlighted, values that it read are framed, and no
// others.
func TestSVGHighlightsWhatStepsAccess(t *testing.T) {
	eachSample(t, func(t *testing.T, trace *Trace) {
		written, read := 0, 0
		for _, s := range trace.Steps {
			switch s.Do {
			case "write":
				written++
			case "read", "await":
				read++
			}
		}
		for _, e := range named(drawing(t, trace), "rect") {
			switch {
			case e.at["fill"] == fresh:
				written--
			case e.at["rx"] == "3" && e.at["stroke"] == faint:
				read--
			}
		}
		assert.Zero(t, written+1, "writes without a mark") // the legend has one
		assert.Zero(t, read+1, "reads without a mark")
	})
}

func TestSVGIsAccessible(t *testing.T) {
	trace := starvationTrace()
	all := drawing(t, trace)
	assert.Equal(t, "img", all[0].at["role"])
	assert.Equal(t, &shape{name: "title", at: map[string]string{}, text: trace.Title}, all[1], "the picture begins with its title")
	if d := all[2]; d.name != "desc" || !strings.Contains(d.text, "7: process 1: read x = 2 → inside.") || !strings.Contains(d.text, "from 10 on can repeat forever") {
		t.Errorf("the description is %+v", d)
	}
	assert.Equal(t, "style", all[3].name)
	if e := all[4]; e.name != "rect" || e.at["fill"] != "#FFFFFF" || e.number(t, "width") != all[0].number(t, "width") {
		t.Errorf("the lowest shape is %+v, want a background", e)
	}
}

func TestSVGEscapes(t *testing.T) {
	trace := turnFirstTrace()
	trace.Title, trace.Registers[0], trace.Steps[0].Place.Source = `<&> "both"`, "a<b>", "if a < b && c\x01 {"
	all := drawing(t, trace)
	assert.Equal(t, trace.Title, all[1].text)
	var listed bool
	for _, e := range named(all, "text") {
		listed = listed || e.text == "75  if a < b && c\uFFFD {"
	}
	assert.True(t, listed, "the line with a control character is not listed")
}

// A long picture repeats the heads of its columns.
func TestSVGOfManySteps(t *testing.T) {
	n := 0
	for _, e := range named(drawing(t, crowdTrace()), "text") {
		if e.text == "process 7" {
			n++
		}
	}
	assert.Equal(t, 4, n, "the heads of 112 steps")
}

// Every color has its own in a dark scheme.
func TestSVGHasDarkColors(t *testing.T) {
	for _, light := range append(tints[:], ink, faint, hairs, alarm, fresh, rounded, paper) {
		assert.Contains(t, darkStyle, `"`+light+`"`)
	}
}
