package trace

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"example.org/doorway/explore/internal/phase"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var updateTraces = flag.Bool("update-traces", false, "write the traces that tests make to testdata")

// A tape records a trace. It has registers, so reads return what was written.
type tape struct {
	Trace
	file  string
	lines map[int]string // of the file
	holds []uint64
}

func newTape(title, file string, lines map[int]string, processes int, registers ...string) *tape {
	zeros := make([]uint64, len(registers))
	return &tape{Trace{Title: title, Processes: processes, Registers: registers, Initial: zeros, Loop: -1}, file, lines, slices.Clone(zeros)}
}

// at adds a step of process i; the calls chained to it complete it.
func (p *tape) at(i, line int, do, register string) *Step {
	at := phase.Doorway
	for _, s := range p.Steps {
		if s.Process == i {
			at = phase.Of(s.Becomes)
		}
	}
	switch at {
	case phase.Remainder:
		at = phase.Doorway
	case phase.Inside:
		at = phase.Exit
	}
	place := p.place(at, line, "")
	p.Steps = append(p.Steps, Step{Process: i, Place: place, Do: do, Register: slices.Index(p.Registers, register), Becomes: at.String()})
	return &p.Steps[len(p.Steps)-1]
}

func (p *tape) place(at phase.Phase, line int, next string) Place {
	if line == 0 {
		return Place{Phase: at.String(), Next: next}
	}
	return Place{Phase: at.String(), File: p.file, Line: line, Source: p.lines[line], Next: next}
}

// settle notes what registers hold after s, in which phase the process is, and
// whether s is one with the step before.
func (p *tape) settle(s *Step, more []any) {
	s.Holds = slices.Clone(p.holds)
	for _, m := range more {
		switch m := m.(type) {
		case phase.Phase:
			s.Becomes = m.String()
		case string:
			s.Atomic = true
		}
	}
}

func (p *tape) write(i, line int, register string, v uint64, more ...any) {
	s := p.at(i, line, "write", register)
	s.Value, p.holds[s.Register] = v, v
	p.settle(s, more)
}

func (p *tape) read(i, line int, register string, more ...any) {
	s := p.at(i, line, "read", register)
	s.Value = p.holds[s.Register]
	p.settle(s, more)
}

func (p *tape) await(i, line int, register string, more ...any) {
	s := p.at(i, line, "await", register)
	s.Value, s.Done = p.holds[s.Register], true
	p.settle(s, more)
}

func (p *tape) giveUp(i, line int, register string, more ...any) {
	p.settle(p.at(i, line, "give up", register), more)
}

func (p *tape) end(places ...Place) *Trace {
	p.Ends = places
	return &p.Trace
}

var brokenLines = map[int]string{
	75:  `turn.Store(uint64(i)) // wrong: after the next line`,
	76:  `want[i].Set(1)`,
	78:  `register.AwaitEither(p, &want[1-i], zero, &turn, func(turn uint64) bool { return turn != uint64(i) })`,
	80:  `exit: func(p *register.Process) { want[p.ID()].Store(0) },`,
	114: `want[i].Set(1)`,
	115: `x.Set(id)`,
	116: `if y.Load() != 0 {`,
	117: `want[i].Store(0)`,
	118: `return register.AgainIf(y.Await(p, zero))`,
	120: `y.Set(id)`,
	121: `if x.Load() == id {`,
	124: `want[i].Store(0)`,
	126: `want[j].Await(p, zero)`,
	128: `if y.Load() == id {`,
	135: `want[p.ID()].Store(0) // wrong: after the next line`,
	136: `y.Store(0)`,
	150: `mine = max(mine, 1+number[j].Load())`,
	153: `number[p.ID()].Store(mine) // wrong: in the same step`,
	157: `exit: func(p *register.Process) { step.Do(func() { number[p.ID()].Store(0) }) },`,
	194: `number[j].Await(p, func(v uint64) bool {`,
}

var lamportfastLines = map[int]string{
	108: `l.want[i].Set(1)     // 2`,
	109: `l.x.Set(id)          // 3`,
	110: `if l.y.Load() != 0 { // 4`,
	111: `l.want[i].Store(0)                          // 5`,
	112: `return register.AgainIf(l.y.Await(p, zero)) // 6, 7`,
	114: `l.y.Set(id)           // 8`,
	115: `if l.x.Load() != id { // 9`,
	116: `l.want[i].Store(0)     // 10`,
	132: `if !l.want[j].Await(p, zero) {`,
	142: `if l.noneWants(p) && l.y.Load() == p.Name() {`,
	147: `l.y.Store(0)            // 16`,
	148: `l.want[p.ID()].Store(0) // 17`,
}

func turnFirstTrace() *Trace {
	p := newTape("mutual exclusion fails: processes 0 and 1 are inside", "broken.go", brokenLines, 2, "turn", "want[0]", "want[1]")
	p.write(0, 75, "turn", 0)
	p.write(1, 75, "turn", 1)
	p.write(1, 76, "want[1]", 1, phase.Waiting)
	p.await(1, 78, "want[0]", phase.Inside)
	p.write(0, 76, "want[0]", 1, phase.Waiting)
	p.read(0, 78, "want[1]")
	p.await(0, 78, "turn", phase.Inside)
	return p.end(p.place(phase.Inside, 80, "write want[0]"), p.place(phase.Inside, 80, "write want[1]"))
}

// overtakingTrace is a run of three processes in which 0 overtakes 2.
func overtakingTrace() *Trace {
	p := newTape("not FIFO", "broken.go", brokenLines, 3, "turn", "want[0]", "want[1]", "want[2]")
	p.write(2, 76, "want[2]", 1, phase.Waiting)
	p.write(0, 76, "want[0]", 1, phase.Waiting)
	p.await(0, 78, "want[1]", phase.Inside)
	p.Overtakes = []int{0, 2}
	return p.end(p.place(phase.Inside, 80, "write want[0]"), p.place(phase.Remainder, 75, ""), p.place(phase.Waiting, 78, "await want[0]"))
}

// tornTrace is a run in which process 1 reads 7 while process 0 writes 2.
func tornTrace() *Trace {
	p := newTape("mutual exclusion fails with safe registers", "broken.go", brokenLines, 2, "number")
	p.at(0, 153, "begin to write", "number").Value = 2
	p.settle(&p.Steps[0], nil)
	p.read(1, 150, "number")
	p.Steps[1].Value = 7
	p.write(0, 153, "number", 2)
	p.read(1, 150, "number")
	return p.end(p.place(phase.Waiting, 194, ""), p.place(phase.Doorway, 150, ""))
}

// fast is an entry of process i of a fast lock while all others stay away, from
// a line on.
func (p *tape) fast(i, line int) {
	name := uint64(i + 1)
	p.write(i, line, fmt.Sprintf("want[%d]", i), 1)
	p.write(i, line+1, "x", name)
	p.read(i, line+2, "y")
	p.write(i, line+6, "y", name)
	p.read(i, line+7, "x", phase.Inside)
}

func starvationTrace() *Trace {
	p := newTape("process 0 can starve", "lamportfast.go", lamportfastLines, 2, "want[0]", "want[1]", "x", "y")
	p.write(0, 108, "want[0]", 1)
	p.write(0, 109, "x", 1)
	p.fast(1, 108)
	p.read(0, 110, "y")
	p.write(0, 111, "want[0]", 0)
	p.Loop = len(p.Steps)
	p.write(1, 147, "y", 0)
	p.write(1, 148, "want[1]", 0, phase.Remainder)
	p.fast(1, 108)
	return p.end(p.place(phase.Doorway, 112, "await y"), p.place(phase.Inside, 147, "write y"))
}

func wantFirstTrace() *Trace {
	p := newTape("mutual exclusion fails: processes 0 and 2 are inside", "broken.go", brokenLines, 3, "want[0]", "want[1]", "want[2]", "x", "y")
	for _, i := range []int{2, 1} {
		p.fast(i, 114)
		p.write(i, 135, fmt.Sprintf("want[%d]", i), 0)
		p.write(i, 136, "y", 0, phase.Remainder)
	}
	for _, i := range []int{0, 1} {
		p.write(i, 114, fmt.Sprintf("want[%d]", i), 1)
		p.write(i, 115, "x", uint64(i+1))
		p.read(i, 116, "y")
	}
	p.write(1, 120, "y", 2)
	p.write(0, 120, "y", 1)
	p.read(1, 121, "x", phase.Inside)
	p.read(0, 121, "x")
	p.write(0, 124, "want[0]", 0)
	p.await(0, 126, "want[0]")
	p.write(2, 114, "want[2]", 1)
	p.write(2, 115, "x", 3)
	p.read(2, 116, "y")
	p.write(2, 117, "want[2]", 0)
	p.write(1, 135, "want[1]", 0)
	p.await(0, 126, "want[1]")
	p.await(0, 126, "want[2]")
	p.read(0, 128, "y", phase.Inside)
	p.write(1, 136, "y", 0, phase.Remainder)
	p.await(2, 118, "y")
	p.fast(2, 114)
	return p.end(p.place(phase.Inside, 135, "write want[0]"), p.place(phase.Remainder, 0, ""), p.place(phase.Inside, 135, "write want[2]"))
}

func lateNumberTrace() *Trace {
	p := newTape("mutual exclusion fails: processes 0 and 1 are inside", "broken.go", brokenLines, 2, "number[0]", "number[1]")
	for _, i := range []int{0, 1} {
		p.read(i, 150, "number[0]")
		p.read(i, 150, "number[1]", "atomic")
	}
	for _, i := range []int{1, 0} {
		p.write(i, 153, fmt.Sprintf("number[%d]", i), 1, phase.Waiting)
		p.await(i, 194, "number[0]")
		p.await(i, 194, "number[1]", phase.Inside)
	}
	return p.end(p.place(phase.Inside, 157, "write number[0]"), p.place(phase.Inside, 157, "write number[1]"))
}

func absorbedTrace() *Trace {
	p := newTape("process 1 gives up, and its entry goes on in its name", "lamportfast.go", lamportfastLines, 2, "want[0]", "want[1]", "x", "y")
	p.write(1, 108, "want[1]", 1)
	p.write(1, 109, "x", 2)
	p.read(1, 110, "y")
	p.fast(0, 108)
	p.write(1, 114, "y", 2)
	p.read(1, 115, "x")
	p.write(1, 116, "want[1]", 0)
	p.giveUp(1, 132, "want[0]", phase.Absorbed)
	p.write(0, 147, "y", 0)
	p.write(0, 148, "want[0]", 0, phase.Remainder)
	p.await(1, 132, "want[0]")
	p.await(1, 132, "want[1]")
	p.read(1, 142, "y", phase.Remainder)
	return p.end(p.place(phase.Remainder, 0, ""), p.place(phase.Remainder, 0, ""))
}

// sampleTraces are traces of several kinds, by the names of their golden files.
var sampleTraces = map[string]func() *Trace{
	"turn-first":  turnFirstTrace,
	"starvation":  starvationTrace,
	"want-first":  wantFirstTrace,
	"late-number": lateNumberTrace,
	"absorbed":    absorbedTrace,
	"crowd":       crowdTrace,
}

// crowdTrace has eight processes, a line of text that has no room for all of
// them, and more than a hundred steps.
func crowdTrace() *Trace {
	names := []string{"x", "y"}
	for i := range 8 {
		names = append(names, fmt.Sprintf("want[%d]", i))
	}
	p := newTape("a crowd: each of eight processes enters alone, twice", "broken.go", brokenLines, 8, names...)
	for k := range 16 {
		i := k % 8
		p.fast(i, 114)
		p.write(i, 135, fmt.Sprintf("want[%d]", i), 0)
		p.write(i, 136, "y", 0, phase.Remainder)
	}
	return p.end(make([]Place, 8)...)
}

// goldenTrace compares got with a file of testdata.
func goldenTrace(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *updateTraces {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o666))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got, "not as in %s: go test -update-traces writes it", file)
}

func eachSample(t *testing.T, test func(t *testing.T, trace *Trace)) {
	t.Helper()
	for name, trace := range sampleTraces {
		t.Run(name, func(t *testing.T) { test(t, trace()) })
	}
}

func TestText(t *testing.T) {
	for name, trace := range sampleTraces {
		t.Run(name, func(t *testing.T) { goldenTrace(t, name+".txt", trace().String()) })
	}
}

// stepRows returns the lines of a text that are steps: those with a number or a
// bracket before the first process.
func stepRows(text string) (is []string) {
	text, _, _ = strings.Cut(text, "\nphases")
	for line := range strings.Lines(text) {
		head := strings.TrimSpace(string([]rune(pad(line, 6))[:6]))
		if head != "" && strings.Trim(head, "0123456789 ┌│└") == "" {
			is = append(is, strings.TrimSuffix(line, "\n"))
		}
	}
	return is
}

func TestTextTellsEveryStep(t *testing.T) {
	eachSample(t, func(t *testing.T, trace *Trace) {
		is := stepRows(trace.String())
		require.Len(t, is, len(trace.Steps), "lines of steps:\n%s", strings.Join(is, "\n"))
		for k, m := range trace.moments() {
			source := oneLine(m.Place.Source)
			for _, want := range []string{m.words, m.turn, fmt.Sprintf("%d  %s", m.Place.Line, source[:min(20, len(source))])} {
				assert.Contains(t, is[k], want, "how step %d is told", k)
			}
			if got := strings.HasPrefix(strings.TrimSpace(is[k]), fmt.Sprint(m.number)); got == m.Atomic {
				t.Errorf("step %d is told as %q: its number is %d, part of the one before: %t", k, is[k], m.number, m.Atomic)
			}
		}
	})
}

// Ten operations are eight steps, if two steps have two operations each.
func TestAtomicStepsHaveOneNumber(t *testing.T) {
	var heads []string
	for _, row := range stepRows(lateNumberTrace().String())[:5] {
		heads = append(heads, string([]rune(row)[:6]))
	}
	assert.Equal(t, []string{"   1 ┌", "     └", "   2 ┌", "     └", "   3  "}, heads, "how the lines begin")
}

// charAt returns the character in a column of a line.
func charAt(line string, column int) string {
	if r := []rune(line); column < len(r) {
		return string(r[column])
	}
	return " "
}

// columnOf returns the column in which part begins.
func columnOf(t *testing.T, line, part string) int {
	t.Helper()
	before, _, found := strings.Cut(line, part)
	require.True(t, found, "there is no %q in %q", part, line)
	return utf8.RuneCountInString(before)
}

// Below the head of a process is the bar of its phase, in every line.
func TestTextAlignsLanes(t *testing.T) {
	eachSample(t, func(t *testing.T, trace *Trace) {
		text := trace.String()
		head := strings.Split(text, "\n")[2]
		wide := strings.Contains(head, "process 0")
		file := columnOf(t, head, trace.Steps[0].Place.File)
		for k, m := range trace.moments() {
			row := stepRows(text)[k]
			for i, phase := range m.phases {
				want, column := bars[phase], columnOf(t, head, "process")+2*i
				if wide {
					column = columnOf(t, head, fmt.Sprintf("process %d", i))
				} else if i == m.Process {
					want = fmt.Sprint(i)
				}
				assert.Equal(t, want, charAt(row, column), "column %d of %q, process %d being %v", column, row, i, phase)
			}
			assert.Equal(t, file, columnOf(t, row, fmt.Sprintf("%d  %s", m.Place.Line, oneLine(m.Place.Source)[:4])), "the column in which the source begins in %q", row)
		}
	})
}

func TestTextFits(t *testing.T) {
	eachSample(t, func(t *testing.T, trace *Trace) {
		for line := range strings.Lines(trace.String()) {
			assert.LessOrEqual(t, utf8.RuneCountInString(line)-1, lineWidth, "the columns of %q", line)
			assert.Equal(t, strings.TrimRight(line, " \n"), strings.TrimRight(line, "\n"), "a line ends with blanks")
		}
	})
}

func TestTextSaysWhatRegistersHold(t *testing.T) {
	for name, want := range map[string]string{
		"turn-first": "registers  turn = 1, want[0] = 1, want[1] = 1\n",
		"want-first": "registers  want[2] = 1, x = 3, y = 3; all others hold 0\n",
		"crowd":      "registers  x = 8; all others hold 0\n",
	} {
		if got := sampleTraces[name]().String(); !strings.HasSuffix(got, want) {
			t.Errorf("%s ends with %q, want %q", name, got[max(0, len(got)-100):], want)
		}
	}
	many := Trace{Loop: -1, Processes: 1}
	for r := range 40 {
		many.Registers, many.Initial = append(many.Registers, fmt.Sprintf("r[%d]", r)), append(many.Initial, uint64(r))
	}
	if got := many.String(); !strings.Contains(got, "initially  r[1] = 1, r[2] = 2,") || !strings.Contains(got, "15 more do not hold 0") || strings.Contains(got, "r[25]") {
		t.Errorf("long lists are not cut, or the initial values are missing:\n%s", got)
	}
}

func TestTextMarksLoops(t *testing.T) {
	trace := starvationTrace()
	text := trace.String()
	prefix, loop, found := strings.Cut(text, "these steps can repeat forever:\n")
	if !found || len(stepRows(prefix)) != trace.Loop || !strings.Contains(loop, "and so on, from step 10\n") || !strings.Contains(loop, "after each round\n") {
		t.Errorf("the loop is not told:\n%s", text)
	}
	assert.NotContains(t, turnFirstTrace().String(), "forever", "a loop is told where there is none")
}

// Arrays are told in one piece, whatever lies between their elements.
func TestArrays(t *testing.T) {
	trace := Trace{Registers: []string{"want[0]", "x", "want[10]", "want[2]", "y", "turn"}}
	assert.Equal(t, []int{0, 3, 2, 1, 4, 5}, trace.arrays(), "the order")
}

func TestTextNamesFiles(t *testing.T) {
	trace := turnFirstTrace()
	assert.Equal(t, 2, strings.Count(trace.String(), "broken.go"), "the one file is to be named once above each table:\n%s", trace)
	trace.Steps[0].Place.File = "peterson.go"
	for k, row := range stepRows(trace.String()) {
		p := trace.Steps[k].Place
		assert.Contains(t, row, fmt.Sprintf("%s:%d", p.File, p.Line))
	}
}

func TestWords(t *testing.T) {
	trace := Trace{Registers: []string{"y"}}
	for want, s := range map[string]Step{
		"y := 7":                       {Do: "write", Value: 7},
		"begins y := 7":                {Do: "begin to write", Value: 7},
		"read y = 2":                   {Do: "read", Value: 2},
		"read y = 7 during a write":    {Do: "read", Value: 7},
		"await y: true at 2":           {Do: "await", Value: 2, Done: true},
		"await y: false at 2":          {Do: "await", Value: 2},
		"CAS y from 2 to 7":            {Do: "compare-and-swap", Value: 7, Done: true},
		"CAS y fails: it is 2":         {Do: "compare-and-swap", Value: 2},
		"swap y from 2 to 7":           {Do: "swap", Value: 7},
		"fetch-and-add y from 2 to 3":  {Do: "fetch-and-add", Value: 3},
		"gives up at y":                {Do: "give up", Value: 2},
		"gives up":                     {Do: "give up", Register: -1},
		"begins its entry":             {Do: "start", Register: -1},
		"leaves":                       {Do: "leave", Register: -1},
		"another that is not yet told": {Do: "another that is not yet told", Register: -1},
	} {
		assert.Equal(t, want, trace.words(s, []uint64{2}), "%+v", s)
	}
}

// torn is a writer that fails.
type torn struct{}

var errTorn = errors.New("torn")

func (torn) Write([]byte) (int, error) { return 0, errTorn }

func TestTracesReturnErrorsOfTheWriter(t *testing.T) {
	assert.ErrorIs(t, turnFirstTrace().WriteSVG(torn{}), errTorn)
}

// What is to be told may lack anything but processes.
func TestTracesOfLittle(t *testing.T) {
	for _, trace := range []*Trace{
		{Processes: 1, Loop: -1},
		{Processes: 1, Ends: []Place{{}}},
		{Processes: 2, Steps: []Step{{Process: 1, Do: "start", Register: -1, Becomes: phase.Doorway.String()}}, Loop: -1, Ends: make([]Place, 2)},
	} {
		assert.Len(t, stepRows(trace.String()), len(trace.Steps), "the steps of\n%s", trace)
		drawing(t, trace)
	}
}

// The places are told after the steps, in this order, each with what comes next.
func TestTextSaysWhereProcessesAre(t *testing.T) {
	_, ends, _ := strings.Cut(wantFirstTrace().String(), "\nthen\n")
	want := `
  process  phase      next           broken.go
        0  inside     write want[0]  135  want[p.ID()].Store(0) // wrong: after the next line
        1  remainder
        2  inside     write want[2]  135  want[p.ID()].Store(0) // wrong: after the next line
`
	assert.Equal(t, want, ends[:min(len(want), len(ends))], "how it begins:\n%s", ends)
	far := turnFirstTrace()
	far.Ends[0].Next = strings.Repeat("await one more ", 20)
	for line := range strings.Lines(far.String()) {
		assert.LessOrEqual(t, utf8.RuneCountInString(line)-1, lineWidth, "the columns of %q", line)
	}
}
