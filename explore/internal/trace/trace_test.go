package trace

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore/internal/phase"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/draw/svg"
)

// again writes testdata, and the pictures to the directory for temporary files.
const again = "go test ./explore/internal/trace -update"

// samples are traces of several kinds, those of testdata/*.json and a crowd.
func samples(t *testing.T) map[string]*Trace {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	all := map[string]*Trace{"crowd": crowd()}
	for _, file := range files {
		trace := new(Trace)
		require.NoError(t, json.Unmarshal([]byte(page.Read(t, file)), trace), file)
		all[strings.TrimSuffix(filepath.Base(file), ".json")] = trace
	}
	return all
}

// crowd has eight processes, a line of text that has no room for all of them, more than a
// hundred steps, of all kinds, and a list of registers that is cut.
func crowd() *Trace {
	c := &Trace{Title: "a crowd: eight processes count together", Processes: 8, Registers: []string{"x"}, Initial: []uint64{0}, Loop: -1, Ends: make([]Place, 8)}
	for r := range 40 {
		c.Registers, c.Initial = append(c.Registers, fmt.Sprintf("r[%d]", r)), append(c.Initial, uint64(r))
	}
	does := []string{"write", "begin to write", "read", "await", "compare-and-swap", "swap", "fetch-and-add", "give up", "leave"}
	for k := range 112 {
		holds := slices.Clone(c.Initial)
		holds[0] = uint64(k + 1)
		at := Place{Phase: phase.Doorway.String(), File: "count.go", Line: 9, Source: "x.Set(x.Load() + 1)"}
		step := Step{Process: k % 8, Place: at, Do: does[k%len(does)], Value: holds[0], Done: k/len(does)%2 == 0, Becomes: at.Phase, Holds: holds, Atomic: k == 9 || k == 10}
		if k%len(does) > 7 { // from leave on, they access no register
			step.Register = -1
		}
		c.Steps = append(c.Steps, step)
	}
	return c
}

// What is written and drawn is what it was, and fits. Of pictures, testdata/pictures has only
// the sums.
func TestSamples(t *testing.T) {
	var pictures strings.Builder
	all := samples(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		text := all[name].String()
		for line := range strings.Lines(text) {
			assert.LessOrEqual(t, utf8.RuneCountInString(line)-1, lineWidth, "the columns of %q", line)
			assert.Equal(t, strings.TrimRight(line, " \n"), strings.TrimRight(line, "\n"), "a line ends with blanks")
		}
		assert.Contains(t, text, all[name].Title, name)
		page.Golden(t, filepath.Join("testdata", name+".txt"), again, text)

		var picture bytes.Buffer
		require.NoError(t, all[name].WriteSVG(&picture))
		fmt.Fprintf(&pictures, "%x  %s.svg\n", sha256.Sum256(picture.Bytes()), name)
		if page.Updating() {
			require.NoError(t, os.WriteFile(filepath.Join(os.TempDir(), name+".svg"), picture.Bytes(), 0o666))
		}
	}
	page.Golden(t, "testdata/pictures", again, pictures.String())
}

// drawing returns all elements of the picture of trace, and fails the test if it is not
// well-formed.
func drawing(t *testing.T, trace *Trace) []*svg.Shape {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, trace.WriteSVG(&b))
	all, err := svg.Read(b.Bytes())
	require.NoError(t, err, "the picture is not well-formed")
	return all
}

// No text of a picture overlaps another or is cut off by the edge.
func TestTextsAreApart(t *testing.T) {
	for name, trace := range samples(t) {
		assert.Empty(t, svg.Crowded(drawing(t, trace)), name)
	}
}

// A picture has a title, a description and a background, in this order; what it is given is
// escaped.
func TestPictureForAll(t *testing.T) {
	trace := samples(t)["starvation"]
	trace.Lock, trace.Title, trace.Registers[0], trace.Steps[0].Place.Source = "a lock", `<&> "both"`, "a<b>", "if a < b && c\x01 {"
	all := drawing(t, trace)
	assert.Equal(t, "img", all[0].At["role"])
	assert.Equal(t, []string{"title", trace.Title}, []string{all[1].Name, all[1].Text})
	assert.Equal(t, "desc", all[2].Name)
	assert.Contains(t, all[2].Text, "7: process 1: read x = 2 → inside.")
	assert.Contains(t, all[2].Text, "from 10 on can repeat forever")
	assert.Equal(t, "style", all[3].Name)
	assert.Equal(t, []string{"rect", svg.Paper}, []string{all[4].Name, all[4].At["fill"]})
	assert.InDelta(t, all[0].Number("width"), all[4].Number("width"), 0)
	assert.True(t, slices.ContainsFunc(all, func(s *svg.Shape) bool { return s.Name == "text" && s.Text == "108  if a < b && c\uFFFD {" }))
	assert.True(t, slices.ContainsFunc(all, func(s *svg.Shape) bool { return s.Name == "text" && s.Text == "a lock, 2 processes" }))
	for _, color := range append(tints[:], [][2]string{{svg.Ink}, {svg.Faint}, {svg.Hair}, {svg.Alarm}, {svg.Paper}, {fresh}, {rounded}}...) {
		assert.Contains(t, darkStyle, `"`+color[0]+`"`, "in a dark scheme")
	}
	failing, w := io.Pipe()
	require.NoError(t, failing.Close())
	assert.ErrorIs(t, trace.WriteSVG(w), io.ErrClosedPipe)
}

// What is to be told may lack anything but processes.
func TestTracesOfLittle(t *testing.T) {
	for _, trace := range []*Trace{
		{Processes: 1, Loop: -1},
		{Processes: 1, Ends: []Place{{}}},
		{Processes: 2, Steps: []Step{{Process: 1, Do: "start", Register: -1, Becomes: phase.Doorway.String()}}, Loop: -1, Ends: make([]Place, 2)},
	} {
		assert.Equal(t, len(trace.Steps), strings.Count(trace.String(), "begins its entry"), "%s", trace)
		drawing(t, trace)
	}
}
