package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/proof"
	"example.org/doorway/internal/tier"
)

// built is where the build with the tag doorway_explore is, which tests make once, and
// builtIn what TestMain removes with it.
var (
	builtIn string
	built   = sync.OnceValues(func() (program string, err error) {
		goTool, err := exec.LookPath("go")
		if err != nil {
			return "", err
		}
		if builtIn, err = os.MkdirTemp("", "doorway-test"); err != nil {
			return "", err
		}
		program = filepath.Join(builtIn, "doorway.exe")
		return program, build(context.Background(), goTool, filepath.Dir(thisFile()), program)
	})
)

// exploring returns doorway, as built with the tag doorway_explore.
func exploring(t *testing.T) func(args ...string) (status int, stdout, stderr string) {
	t.Helper()
	readSources(t)
	if watches() {
		return doorway
	}
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return func(args ...string) (int, string, string) {
		var out, stderr bytes.Buffer
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Stdout, cmd.Stderr = &out, &stderr
		var exit *exec.ExitError
		if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), out.String(), stderr.String()
	}
}

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
	if err != nil {
		t.Fatal(err)
	}
}

// took is the row of a report that is not the same each time.
var took = regexp.MustCompile(`(?m)^(took +).*$`)

// testdata/check.txt is what a terminal shows, but for how long it took.
func TestCheck(t *testing.T) {
	text, err := os.ReadFile("testdata/check.txt")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "check.txt", took.ReplaceAllString(session(string(text), exploring(t)), "${1}…"))
}

func TestCheckTakesTooMuchMemory(t *testing.T) {
	status, stdout, stderr := exploring(t)("check", "bakery", "-n", "4", "-memory", "1")
	if status != 1 || stdout != "" || !strings.HasSuffix(stderr, "the 1 MiB allowed: no verdict; -memory allows more\n") {
		t.Errorf("status %d, %q on stdout, %q on stderr", status, stdout, stderr)
	}
}

// All is as claimed, and what is broken is refuted.
func TestCheckAll(t *testing.T) {
	status, stdout, stderr := exploring(t)("check", "all", "-n", "3")
	if status != 0 || stderr != "" {
		t.Errorf("status %d, %q on stderr", status, stderr)
	}
	golden(t, "check-all.txt", stdout)
	for _, c := range candidates() {
		if !strings.Contains(stdout, "\n"+c.name+" ") {
			t.Errorf("there is no row for %s", c.name)
		}
	}
	if w := widest(stdout); w > 120 {
		t.Errorf("it is %d columns wide, want 120 at most", w)
	}
}

// Without the tag, doorway check does the same by way of another build, of which
// nothing is left.
func TestCheckHandsOn(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	for _, lock := range []string{"peterson", "peterson/turn-first"} {
		status, stdout, stderr := doorway("check", lock)
		status2, stdout2, stderr2 := exploring(t)("check", lock)
		got, want := took.ReplaceAllString(stdout, ""), took.ReplaceAllString(stdout2, "")
		if status != status2 || got != want || stderr != stderr2 {
			t.Errorf("%s: status %d, %q on stderr, and\n%s\nwant %d, %q, and\n%s", lock, status, stderr, got, status2, stderr2, want)
		}
	}
	left, err := filepath.Glob(filepath.Join(temp, "doorway[0-9]*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v, %v is left", err, left)
	}
}

// Every field of the JSON is in the help.
func TestCheckInJSON(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
	}{
		{[]string{"lamportfast", "-n", "2"}, 0},
		{[]string{"bakery", "-n", "2", "-give-up"}, 0},
		{[]string{"bakery/late-number"}, 1},
	} {
		status, stdout, stderr := exploring(t)(append([]string{"check", "-json"}, c.args...)...)
		var got struct {
			Lock     string
			Violated bool
			Checks   []struct {
				Processes  int
				States     int
				Properties []struct {
					Name, Status string
					Trace        json.RawMessage
				}
			}
		}
		if err := json.Unmarshal([]byte(stdout), &got); err != nil || status != c.status || stderr != "" {
			t.Fatalf("%v: status %d, %v, %q on stderr", c.args, status, err, stderr)
		}
		if got.Lock != c.args[0] || got.Violated != (status == 1) || len(got.Checks) != 1 || got.Checks[0].Processes != 2 || got.Checks[0].States == 0 {
			t.Errorf("%v: got %+v", c.args, got)
		}
		for _, p := range got.Checks[0].Properties {
			if runs := p.Name != "overtaking"; runs && (p.Status == "fails") != (p.Trace != nil) {
				t.Errorf("%v: %s %s, with a trace: %v", c.args, p.Name, p.Status, p.Trace != nil)
			}
			documented(t, p.Name)
		}
		var anything any
		if err := json.Unmarshal([]byte(stdout), &anything); err != nil {
			t.Fatal(err)
		}
		fields(anything, func(name string) { documented(t, name) })
	}
}

func documented(t *testing.T, word string) {
	t.Helper()
	if !slices.Contains(regexp.MustCompile(`\w+`).FindAllString(checkText, -1), word) {
		t.Errorf("the help does not say what %s is", word)
	}
}

// fields calls found with the names of all fields in v.
func fields(v any, found func(name string)) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			fields(e, found)
		}
	case map[string]any:
		for name, e := range v {
			found(name)
			fields(e, found)
		}
	}
}

func TestCheckDraws(t *testing.T) {
	for _, c := range []struct{ lock, says, complains string }{
		{"peterson/turn-first", "shows it: mutual exclusion fails: processes 0 and 1 are inside.\n", ""},
		{"lamportfast", "shows it: process 0 starves.\n", ""},
		{"peterson", "", "no run in which something fails"},
	} {
		file := filepath.Join(t.TempDir(), "run.svg")
		_, stdout, stderr := exploring(t)("check", c.lock, "-svg", file)
		if !strings.HasSuffix(stdout, c.says) || !strings.Contains(stderr, c.complains) || (c.complains == "") != (stderr == "") {
			t.Errorf("%s: printed\n%s\nand on stderr %q", c.lock, stdout, stderr)
		}
		switch picture, err := os.ReadFile(file); {
		case c.says == "":
			if err == nil {
				t.Errorf("%s: there is a picture of nothing", c.lock)
			}
		case err != nil:
			t.Error(err)
		default:
			wellFormed(t, picture)
		}
	}
}

func wellFormed(t *testing.T, picture []byte) {
	t.Helper()
	if !bytes.HasPrefix(picture, []byte("<svg ")) {
		t.Errorf("no picture begins with %.40s", picture)
	}
	for d := xml.NewDecoder(bytes.NewReader(picture)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// What is missing to check a lock is said in a sentence.
func TestCheckCannotBuild(t *testing.T) {
	if watches() {
		t.Skip("nothing is to be built")
	}
	for _, c := range []struct{ variable, value, want string }{
		{"PATH", "", "there is no go command in PATH"},
		{mark, "1", "cannot explore either"},
	} {
		t.Run(c.variable, func(t *testing.T) {
			t.Setenv(c.variable, c.value)
			status, stdout, stderr := doorway("check", "peterson")
			if status != 1 || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
				t.Errorf("status %d, %q on stdout, %q on stderr", status, stdout, stderr)
			}
		})
	}
}

// The source is where it was compiled, or where the go command finds it.
func TestSource(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOWORK", "off")
	elsewhere := t.TempDir()
	for _, c := range []struct {
		file, from, want string
	}{
		{thisFile(), elsewhere, filepath.Dir(thisFile())},
		{"/gone/source.go", here, here},
		{self + "/source.go", here, here}, // as -trimpath has it
		{"/gone/source.go", elsewhere, ""},
	} {
		t.Chdir(c.from)
		got, err := source(t.Context(), goTool, c.file)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("the source of %s, from %s, is in %q (%v), want %q", c.file, c.from, got, err, c.want)
		}
		if err != nil && !strings.Contains(err.Error(), "run it in a checkout") {
			t.Error(err)
		}
	}
}

func TestBuildFails(t *testing.T) {
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module wrong\n", "wrong.go": "package main\n\nfunc main() { wrong() }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	err = build(t.Context(), goTool, dir, filepath.Join(dir, "wrong.exe"))
	if err == nil || !strings.Contains(err.Error(), "undefined: wrong") {
		t.Errorf("the error is %v", err)
	}
}

// An interrupt ends the other build too, which itself sees that its standard input
// ends.
func TestCheckInterrupted(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	if watches() {
		t.Setenv(plays, "")
	} else {
		tier.NeedsFull(t, "builds doorway with the tag doorway_explore")
		program, err = built()
		require.NoError(t, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	var stderr bytes.Buffer
	out := &onWrite{call: cancel}
	err = pass(ctx, streams{out, &stderr}, program, []string{"check", "all", "-long"}, func() {})
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
		Processes: 2, Exclusion: explore.Verdict{Status: explore.Holds}, Deadlock: explore.Verdict{Status: explore.Holds},
		Starvation: explore.Verdict{Status: explore.Fails, Trace: &explore.Trace{Title: "process 0 starves", Processes: 2}},
		FIFO:       explore.Verdict{Status: explore.Fails, Trace: &explore.Trace{Title: "not first come", Processes: 2}},
		Races:      explore.Verdict{Status: explore.Holds}, Safe: explore.Verdict{Status: explore.Holds},
		Overtaking: 2, Reads: 1, Writes: 3,
	}
	f := &finding{lock: candidates()[0], report: report}
	var broken []string
	for _, p := range f.broken() {
		broken = append(broken, fmt.Sprintf("%s %s", p.words, p.says()))
	}
	want := []string{"freedom from starvation fails", "first come, first served fails", "1 overtaking at most fails: 2"}
	if !slices.Equal(broken, want) {
		t.Errorf("broken are %q, want %q", broken, want)
	}
	p := &theorem{
		Result:   &proof.Result{Algorithm: a, Sizes: a.Checked, Reports: []*explore.Report{report}, Alone: map[int]explore.Accesses{2: {Reads: 1, Writes: 3, Registers: 3}}},
		findings: []*finding{f},
	}
	if j := p.json(); !j.Violated || len(j.Differences) != 3 {
		t.Errorf("in JSON it is %+v", j)
	}
	v := &review{differ: p.Differences()}
	if said := v.differences(); !strings.Contains(said, "peterson: freedom from starvation is fails, claimed is holds\n") {
		t.Errorf("it says %s", said)
	}
}

// How far numbers grow is known of what was followed, and not beyond.
func TestGrowth(t *testing.T) {
	lock := candidates()[slices.IndexFunc(candidates(), func(c candidate) bool { return c.name == "bakery-blackwhite" })]
	for _, c := range []struct {
		numbers, largest uint64
		cut              int
		want             string
	}{
		{3, 3, 0, "holds"},
		{5, 4, 0, "fails: there is 4"},
		{3, 3, 7, "fails: there are larger ones than 3"},
		{2, 2, 7, "not checked: larger ones than 2 were not followed"},
	} {
		f := &finding{lock: lock, numbers: c.numbers, report: &explore.Report{
			Processes: 3, Cut: c.cut, Exclusion: explore.Verdict{Status: explore.Holds},
			Registers: []explore.Register{{Name: "ticket[0]", Largest: c.largest<<1 | 1}},
		}}
		if got := f.growth().says(); got != c.want {
			t.Errorf("numbers to %d, the largest %d, %d cut: %s, want %s", c.numbers, c.largest, c.cut, got, c.want)
		}
	}
}

// Every broken lock has a place in the catalog, and fails where it says.
func TestCandidates(t *testing.T) {
	for _, c := range candidates() {
		n := c.processes()
		if m := c.new(n); m.Processes() != n {
			t.Errorf("%s is for %d processes, want %d", c.name, m.Processes(), n)
		}
		if numbers := c.numbers(n); (numbers == 0) != (c.of.Value == nil) || numbers > 8 {
			t.Errorf("the numbers of %s are followed up to %d", c.name, numbers)
		}
	}
}
