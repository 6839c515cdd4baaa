package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/catalog/variant/overlay"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/draw/svg"
	"example.org/doorway/internal/memory/registers"
	"example.org/doorway/internal/proof"
	"example.org/doorway/internal/tier"
)

// readSources opens what the other build is made from: the go command runs a
// test anew only if a file has changed that the test itself has opened.
func readSources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join("..", ".."), func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(name) == ".go" {
			_, err = os.ReadFile(name)
		}
		return err
	})
	require.NoError(t, err)
}

// took is the row of a report that is not the same each time.
var took = regexp.MustCompile(`(?m)^(took +).*$`)

// testdata/check.txt is what a terminal shows, but for how long it took.
func TestCheck(t *testing.T) {
	withWrong(t)
	text := page.Read(t, "testdata/check.txt")
	const slow = "$ doorway check bakery -n 2 -numbers 63" // and the last
	quick, _, found := strings.Cut(text, slow)
	require.True(t, found, "there is no %q", slow)
	shown := func(text string) string {
		return took.ReplaceAllString(session(t, text), "${1}…")
	}
	if tier.Full || page.Updating() {
		golden(t, "check.txt", shown(text))
	} else {
		assert.Equal(t, quick, shown(quick))
	}
}

func TestCheckTakesTooMuchMemory(t *testing.T) {
	withWrong(t)
	const tooMuch = "exceed the memory limit of 1 MiB; -memory allows more"
	assert.Empty(t, shows(t, "check bakery -n 4 -memory 1", 1, tooMuch))
	status, _, stderr := doorway("check", "all", "-memory", "1", "-workers", "1")
	assert.Equal(t, 1, status)
	assert.Contains(t, strings.Join(strings.Fields(stderr), " "), tooMuch)
	for _, name := range []string{"lamportfast", "maekawa"} {
		u := newCheckup()
		u.Memory = 1
		one := slices.DeleteFunc(subjects(right, passing), func(s subject) bool { return s.Name != name })
		require.ErrorContains(t, u.runAll(t.Context(), streams{out: &output{Writer: io.Discard}, err: io.Discard}, one), tooMuch, name)
	}
}

// All is as claimed, and what is broken is refuted.
func TestCheckAll(t *testing.T) {
	withWrong(t)
	if !tier.Full && !page.Updating() {
		t.Run("some", testCheckSome)
		return
	}
	status, stdout, stderr := doorway("check", "all", "-n", "3")
	assert.Equal(t, 0, status, "exit status")
	assert.Empty(t, stderr)
	golden(t, "check-all.txt", stdout)
	for _, c := range subjects(right, wrong, leaving) {
		assert.Contains(t, stdout, "\n"+c.Name+" ", "there is no row for %s", c.Name)
	}
	fits(t, "check all", stdout)
}

// Of some locks, the report has the lines that it has of all, but for how wide
// its columns are.
func testCheckSome(t *testing.T) {
	some := slices.DeleteFunc(subjects(right, wrong, leaving, passing, printed), func(s subject) bool {
		return !slices.Contains([]string{
			"peterson", "lamportfast", "bakery-simple", "peterson/turn-first", "bakery/late-number", "lamportfast/just-leave",
			"central", "raymond", "ricartagrawala/no-tie-break", "suzukikasami/stale", "maekawa/late-failed",
		}, s.Name)
	})
	u := newCheckup()
	u.Processes = 3
	var out, stderr bytes.Buffer
	require.NoError(t, u.runAll(t.Context(), streams{out: &output{Writer: &out}, err: &stderr}, some))
	assert.Empty(t, stderr.String())
	text := page.Read(t, "testdata/check-all.txt")
	words := func(line string) string { return strings.Join(strings.Fields(line), " ") }
	var all []string
	for line := range strings.Lines(text) {
		all = append(all, words(line))
	}
	for line := range strings.Lines(out.String()) {
		assert.Contains(t, all, words(line))
	}
	for _, c := range some {
		listed := strings.Contains(out.String(), "\n"+c.Name+" ")
		assert.Equal(t, c.Name != "maekawa/late-failed", listed, "%s: -n 3 is for at most three nodes", c.Name)
	}
}

// Without the tag, doorway check does the same by way of another build, of which
// nothing is left.
func TestCheckHandsOn(t *testing.T) {
	inOneBuild(t)
	tier.NeedsFull(t, "builds doorway with the tag doorway_explore")
	readSources(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	text := page.Read(t, "testdata/check.txt")
	for _, line := range []string{"$ doorway check peterson\n", "$ doorway check peterson/turn-first\n"} {
		_, want, found := strings.Cut(text, line)
		require.True(t, found, line)
		want, _, _ = strings.Cut(want, "\n$ ")
		got := took.ReplaceAllString(session(t, line), "${1}…")
		assert.Equal(t, strings.TrimSpace(line+want), strings.TrimSpace(got))
	}
	left, err := filepath.Glob(filepath.Join(temp, "doorway[0-9]*"))
	require.NoError(t, err)
	assert.Empty(t, left, "left in the directory for temporary files")
}

// Of a check for machines, each property is in the help, and what fails has a trace.
func TestCheckInJSON(t *testing.T) {
	withWrong(t)
	for line, status := range map[string]int{
		"lamportfast -n 2": 0, "bakery -n 2 -give-up": 0, "peterson -mixed": 0, "bakery/late-number": 1,
	} {
		var v verdict
		require.NoError(t, json.Unmarshal([]byte(shows(t, "check -json "+line, status)), &v), line)
		assert.Equal(t, status == 1, v.Violated, "%s is violated", line)
		require.Len(t, v.Checks, 1, line)
		c := v.Checks[0]
		assert.Equal(t, 2, c.Processes, "processes of %s", line)
		assert.Equal(t, strings.Contains(line, "-mixed"), c.Mixed, line)
		assert.Equal(t, strings.Contains(line, " -"), c.GiveUp || strings.Contains(line, "lamportfast"), line)
		for _, p := range c.Properties {
			if p.Name != "bypasses" {
				assert.Equal(t, p.Status == "fails", p.Trace != nil, "%s: %s %s: it has a trace", line, p.Name, p.Status)
			}
			documented(t, p.Name)
		}
	}
}

func documented(t *testing.T, word string) {
	t.Helper()
	assert.Regexp(t, `\b`+word+`\b`, text("json"), "the help does not say what %s is", word)
}

func TestCheckDraws(t *testing.T) {
	withWrong(t)
	for _, c := range []struct {
		of, says string
		status   int
		labels   []string // none: there is no picture
	}{
		{"peterson/turn-first", "run.svg shows it: mutual exclusion fails: processes 0 and 1 are inside.", 1, []string{"<svg "}},
		{"lamportfast", "run.svg shows it: process 0 starves.", 0, []string{"<svg "}},
		{"maekawa/no-deadlock-handling", "run.svg shows it: deadlock: ", 1, []string{">2 REQUEST<", "still waits"}},
		{"peterson", "doorway check: no property fails, so there is no run to draw: ", 0, nil},
	} {
		file := filepath.Join(t.TempDir(), "run.svg")
		shows(t, "check "+c.of+" -svg "+file, c.status, c.says)
		if c.labels == nil {
			assert.NoFileExists(t, file, "there is a picture of nothing")
		} else {
			drawn(t, file, c.labels...)
		}
	}
}

func wellFormed(t *testing.T, picture string) {
	t.Helper()
	all, err := svg.Read([]byte(picture))
	require.NoError(t, err)
	assert.Equal(t, "svg", all[0].Name)
}

// What is missing to check a lock is said in a sentence.
func TestCheckCannotBuild(t *testing.T) {
	inOneBuild(t)
	for _, c := range []struct{ variable, value, want string }{
		{"PATH", "", "there is no go command in PATH"},
		{mark, "1", "cannot explore either"},
	} {
		t.Run(c.variable, func(t *testing.T) {
			t.Setenv(c.variable, c.value)
			status, stdout, stderr := doorway("check", "peterson")
			assert.Equal(t, 1, status, "exit status")
			assert.Empty(t, stdout)
			assert.Contains(t, strings.ReplaceAll(stderr, "\n  ", " "), c.want)
			fits(t, c.variable, stderr)
		})
	}
}

// Whoever changes an algorithm can check it, although the patches of the wrong ones do not apply to it any more.
func TestCheckOfChangedSource(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root := t.TempDir()
	for _, dir := range []string{"bakery", "graunkethakkar", "internal/catalog", "lamportfast", "mcs", "messaging", "peterson", "tournament"} {
		require.NoError(t, os.CopyFS(filepath.Join(root, dir), os.DirFS(filepath.Join("../..", dir))))
	}
	p := &program{}
	require.NoError(t, p.patch(root, false, false))
	assert.Equal(t, []string{overlay.Tag}, p.tags)
	assert.NotEmpty(t, p.overlay)
	file := filepath.Join(root, "peterson", "peterson.go")
	swapped := strings.Replace(page.Read(t, file), "	l.want[i].Set(1) ", "	l.turn.Store(uint64(i)); l.want[i].Store(1) ", 1)
	require.NoError(t, os.WriteFile(file, []byte(swapped), 0o600))
	for _, trimmed := range []bool{false, true} {
		p = &program{}
		require.NoError(t, p.patch(root, trimmed, false))
		assert.Equal(t, &program{}, p, "it does without the patches")
	}
	assert.ErrorContains(t, p.patch(root, false, true), "peterson/turn-first: the source has changed: change the patch")
}

// The source is where it was compiled, or where the go command finds it.
func TestSource(t *testing.T) {
	here, err := os.Getwd()
	require.NoError(t, err)
	t.Setenv("GOWORK", "off")
	elsewhere := t.TempDir()
	for _, c := range []struct{ name, file, from, want string }{
		{"compiled there", thisFile(), elsewhere, filepath.Dir(thisFile())},
		{"gone", "/gone/source.go", here, here},
		{"with -trimpath", self + "/source.go", here, here},
		{"gone, and not found", "/gone/source.go", elsewhere, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.file != thisFile() {
				tier.NeedsFull(t, "calls the go command")
			}
			t.Chdir(c.from)
			got, err := directory(t.Context(), "go", c.file, self)
			assert.Equal(t, c.want, got)
			if c.want == "" {
				assert.ErrorContains(t, err, "run it in a checkout")
			}
		})
	}
}

// An interrupt ends the other build too, which itself sees that its standard input
// ends.
func TestCheckInterrupted(t *testing.T) {
	withWrong(t)
	program, err := os.Executable()
	require.NoError(t, err)
	t.Setenv(plays, "")
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	var stderr bytes.Buffer
	out := &onWrite{call: cancel}
	err = pass(ctx, streams{out: &output{Writer: out}, err: &stderr, args: []string{"check", "all", "-long"}}, program, func() {})
	assert.Equal(t, 130, status(err, &stderr), "exit status")
	assert.Equal(t, "doorway: interrupted\n", stderr.String())
	assert.True(t, out.written, "it was interrupted before it began")
}

// An onWrite calls call when it is written to.
type onWrite struct {
	call    func()
	written bool
}

func (w *onWrite) Write(p []byte) (int, error) {
	w.written = true
	w.call()
	return len(p), nil
}

// What is not as claimed is said, and by which lock.
func TestNotAsClaimed(t *testing.T) {
	a, _ := catalog.Find("peterson")
	report := &explore.Report{
		Processes: 2, MutualExclusion: explore.Verdict{Status: explore.Holds}, DeadlockFree: explore.Verdict{Status: explore.Holds},
		StarvationFree: explore.Verdict{Status: explore.Fails, Trace: &explore.Trace{Title: "process 0 starves", Processes: 2}},
		FIFO:           explore.Verdict{Status: explore.Fails, Trace: &explore.Trace{Title: "not first come", Processes: 2}},
		RaceFree:       explore.Verdict{Status: explore.Holds}, SafeRegisters: explore.Verdict{Status: explore.Holds},
		Bypasses: 2, Reads: 1, Writes: 3,
	}
	f := newLockFinding(lock(a), 0, report, registers.Accesses{Reads: 1, Writes: 3}, 0)
	var fails []string
	for _, p := range broken(f.Properties) {
		fails = append(fails, fmt.Sprintf("%s %s", p.words, p.says()))
	}
	assert.Equal(t, []string{"starvation-free fails", "FIFO fails", "at most 1 bypass fails: 2"}, fails)
	r := &proof.Result{
		Algorithm: a, Sizes: a.Checked, Reports: []*explore.Report{report}, Took: make([]time.Duration, 1),
		Alone: map[int]registers.Accesses{2: {Reads: 1, Writes: 3, Registers: 3}},
	}
	j := proven(r)
	assert.True(t, j.Violated, "in JSON it is violated")
	assert.Len(t, j.Differences, 3, "in JSON")
	assert.Contains(t, differences(r.Differences()), "peterson: starvation-free is fails, claimed is holds\n")
}

// How far numbers grow is known of what was followed, and not beyond.
func TestGrowth(t *testing.T) {
	lock, _ := find(subjects(right), "bakery-blackwhite")
	for _, c := range []struct {
		numbers, largest uint64
		cut              int
		want             string
	}{
		{3, 3, 0, "holds"},
		{5, 4, 0, "fails: one reaches 4"},
		{3, 3, 7, "fails: larger than 3"},
		{2, 2, 7, "not checked: larger ones than 2 were not followed"},
	} {
		f := &lockFinding{of: lock, Numbers: c.numbers, report: &explore.Report{
			Processes: 3, Cut: c.cut, MutualExclusion: explore.Verdict{Status: explore.Holds},
		}}
		f.report.Registers = slices.Grow(f.report.Registers, 1)[:1]
		f.report.Registers[0].Name, f.report.Registers[0].Largest = "ticket[0]", c.largest<<1|1
		assert.Equal(t, c.want, f.growth().says(), "numbers to %d, the largest %d, %d cut", c.numbers, c.largest, c.cut)
	}
}

// What took too much memory needs more of it, and no flag that is given already.
func TestUnanswered(t *testing.T) {
	f := &lockFinding{report: &explore.Report{Processes: 4, Unanswered: []string{"tolerates safe registers: too many states"}}}
	unknown := explore.Verdict{Status: explore.Unknown}
	assert.Equal(t, "needs -everything with more than 3 processes", f.property("race_free", "race-free", true, unknown).Note)
	assert.Equal(t, "needs more memory than -memory allows", f.property("safe_registers", "tolerates safe registers", true, unknown).Note)
}
