package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/urfave/cli/v3"

	"example.org/doorway/internal/tier"
	"example.org/doorway/internal/variant"
	"example.org/doorway/stress"
)

// shown are the files that show command lines, from the root of the repository.
var shown = []string{"README.md", "CONTRIBUTING.md", "docs/*.md", "cmd/doorway/main.go", "cmd/doorway/help/*.txt"}

// A command line stands in a code span, or in a line of its own. Two spaces, a
// comment or a pipe end it.
var (
	inSpan = regexp.MustCompile("`([^`]*)`")
	onLine = regexp.MustCompile(`^(?://)?\s*(?:\$ )?((?:go run|doorway)\b.*)$`)
	called = regexp.MustCompile(`^(?:go run (?:-tags[= ]\S+ )?(?:\./cmd/doorway|\.)|doorway)(?: (\S.*))?$`)
	broken = regexp.MustCompile(`\s*\\\n\s*`) // by a backslash
	behind = regexp.MustCompile(`(?:  |\t| [#|>&]).*$`)
)

// stands maps what stands for something in a command line to an example.
var stands = strings.NewReplacer("run …", "run examples/scenarios/maekawa.txt", "…", "bakery", "<lock>", "bakery", "dekker", "bakery",
	"<variant>", "bakery/late-number", "<algorithm>", "maekawa", "<file>", "examples/scenarios/maekawa.txt", "<shell>", "bash",
	"<command>", "check", "[command]", "", "scene.txt", "examples/scenarios/maekawa.txt",
	"mylock.NewDekker", "example.org/doorway/tournament.New", "mylock.New", "example.org/doorway/tournament.New", "./my.New", "./tournament.New",
	"./mylock.New", "./tournament.New", "./rounds.New", "./tournament.New", "./mine.New", "./tournament.New")

// commandLines returns the arguments of the command lines in text.
func commandLines(text string) (all [][]string) {
	text = broken.ReplaceAllString(text, " ")
	add := func(line string) {
		line = behind.ReplaceAllString(strings.TrimSpace(line), "")
		if m := called.FindStringSubmatch(line); m != nil {
			all = append(all, strings.Fields(stands.Replace(m[1])))
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if m := onLine.FindStringSubmatch(line); m != nil {
			add(m[1])
			continue
		}
		for _, m := range inSpan.FindAllStringSubmatch(line, -1) {
			add(m[1])
		}
	}
	return all
}

func TestCommandLines(t *testing.T) {
	const text = "Use `doorway list` or `go run ./cmd/doorway check <lock>`, not `doorway.New`.\n" +
		"go run -tags doorway_explore ./cmd/doorway stress bakery -n 8 # a comment\n" +
		"//\tdoorway costs -n 21        messages\n  doorway\n"
	assert.Equal(t, [][]string{{"list"}, {"check", "bakery"}, {"stress", "bakery", "-n", "8"}, {"costs", "-n", "21"}, {}}, commandLines(text))
}

// Every command line that is shown anywhere is understood. In the full proof all run but those
// that write files, each in the build that it needs; TestCheckAll takes all.
func TestShownCommandLines(t *testing.T) {
	if !tier.Full {
		inOneBuild(t)
	}
	t.Chdir(filepath.Join("..", ".."))
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	found := map[string]bool{}
	for _, pattern := range shown {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, "no %s", pattern)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, args := range commandLines(string(text)) {
				line := strings.Join(args, " ")
				var out, stderr bytes.Buffer
				got := status(dispatch(canceled, args, streams{out: &out, err: &stderr}), &stderr)
				assert.NotEqual(t, 2, got, "%s: doorway %s: %s", file, line, stderr.String())
				found[line] = true
			}
		}
	}
	for _, line := range []string{"", "list", "check peterson", "stress bakery -n 8", "costs -n 21", "help json"} {
		assert.Contains(t, found, line, "the test overlooks a command line")
	}
	for line := range found {
		args := strings.Fields(line)
		has := func(word string) bool { return slices.Contains(args, word) }
		explores := len(args) > 0 && args[0] == "check" || has("-delay") ||
			slices.ContainsFunc(args, func(word string) bool { _, wrong := variant.Find(word); return wrong && args[0] != "list" })
		if !tier.Full || watches() != explores || has("-write") || has("-svg") || has("all") {
			continue
		}
		if (len(args) == 0 || args[0] == "compare") && !has("-time") {
			args = append(args, "-time", "1s") // not 9 s
		}
		t.Run("doorway "+line, func(t *testing.T) {
			got, stdout, stderr := doorway(args...)
			assert.LessOrEqual(t, got, 1, stderr)
			assert.NotEmpty(t, stdout)
		})
	}
}

// Each command has help, which names its flags, and which each flag for help shows.
func TestHelp(t *testing.T) {
	_, overview, _ := doorway("help")
	fits(t, "help", overview)
	all := map[string][]cli.Flag{"completion": nil}
	for _, c := range commands() {
		all[c.Name] = c.Flags
	}
	for name, flags := range all {
		assert.Contains(t, overview, "\n  "+name+" ")
		status, text, stderr := doorway("help", name)
		assert.Equal(t, 0, status, stderr)
		assert.True(t, strings.HasPrefix(text, "Usage: doorway "+name+" [flags]"), text)
		fits(t, "help "+name, text)
		for _, f := range flags {
			assert.Regexp(t, `\n  -`+f.Names()[0]+`( [a-zA-Z]+)?\n +[a-zA-Z]`, text, "help %s", name)
		}
		for _, flag := range []string{"-h", "-help", "--help"} {
			_, same, _ := doorway(name, flag)
			assert.Equal(t, text, same, "doorway %s %s", name, flag)
		}
	}
	status, _, _ := doorway("help", "json")
	assert.Equal(t, 0, status)
	fits(t, "help json", text("json"))
}

// fits asserts that text takes at most 80 columns. The steps of a
// counterexample, which show the source, take more.
func fits(t *testing.T, name, text string) {
	t.Helper()
	steps := false
	for line := range strings.Lines(text) {
		steps = strings.HasPrefix(line, "step ") || strings.HasPrefix(line, "  echo ") || steps && line != "\n"
		if !steps {
			assert.LessOrEqual(t, widest(line), columns, "%s: columns of %q", name, line)
		}
		assert.NotContains(t, line, "\t", "%s", name)
	}
}

// Mistakes are wrapped, at the width of a terminal if it is wider.
func TestWrapped(t *testing.T) {
	const long = "one two three four"
	assert.Equal(t, long, wrapped(long, len(long)))
	assert.Equal(t, "one two three\n  four", wrapped(long, len(long)-1))
	assert.Equal(t, "one two\n  three\n  four", wrapped(long, 9)) // two columns are the indent
	assert.Equal(t, long+"\nfive", wrapped(long+"\nfive", 8), "lines of a tool")
	t.Setenv("COLUMNS", "200")
	_, _, stderr := doorway("stress", "nosuch")
	assert.Equal(t, 1, strings.Count(stderr, "\n"), "lines of %q", stderr)
}

// A wider terminal shows more columns, and no line is wider than it.
func TestWideTerminals(t *testing.T) {
	for _, c := range []struct {
		line   string
		width  int
		part   string
		number int
	}{
		{"list", 80, "Taubenfeld 2004", 0}, {"list", 80, more, 3},
		{"list", 120, "Taubenfeld 2004", 1}, {"list", 200, more, 0},
		{"costs -n 3", 80, "\nalgorithm ", 2}, {"costs -n 3", 120, "\nalgorithm ", 1},
	} {
		var out bytes.Buffer
		require.NoError(t, dispatch(t.Context(), strings.Fields(c.line), streams{out: &out, width: c.width}))
		assert.LessOrEqual(t, widest(out.String()), c.width)
		assert.Equal(t, c.number, strings.Count(out.String(), c.part), "%q in doorway %s, %d columns", c.part, c.line, c.width)
	}
}

// What help says of the JSON of a command has every field that the command writes.
func TestJSONFields(t *testing.T) {
	sections := regexp.MustCompile(`(?m)^[a-z]+$`)
	names, parts := sections.FindAllString(text("json"), -1), sections.Split(text("json"), -1)[1:]
	for name, of := range map[string]any{
		"list": listing{}, "compare": comparisonJSON{}, "costs": costReport{}, "check": verdictJSON{}, "stress": stressJSON{}, "run": sceneJSON{},
	} {
		k := slices.Index(names, name)
		require.GreaterOrEqual(t, k, 0, "help json has nothing on %s", name)
		part := parts[k]
		if name == "compare" { // which writes the costs too
			part += parts[slices.Index(names, "costs")]
		}
		fields := fieldsOf(reflect.TypeOf(of), nil)
		if name == "check" {
			fields = fieldsOf(reflect.TypeFor[protocolJSON](), fields)
		}
		for _, field := range fields {
			assert.Regexp(t, `\b`+field+`\b`, part, "help json, %s", name)
		}
	}
	assert.Contains(t, fieldsOf(reflect.TypeFor[stress.Report](), nil), "jain")
}

// fieldsOf returns the names in JSON of the fields of a type, and of those below.
func fieldsOf(of reflect.Type, all []string) []string {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice:
		return fieldsOf(of.Elem(), all)
	case reflect.Struct:
		for k := range of.NumField() {
			if of.Field(k).Anonymous {
				all = fieldsOf(of.Field(k).Type, all)
			} else if name, _, _ := strings.Cut(of.Field(k).Tag.Get("json"), ","); name != "" && name != "-" {
				all = fieldsOf(of.Field(k).Type, append(all, name))
			}
		}
	}
	return all
}

// With -json, doorway run writes an object for each file, and its errors too.
func TestRunInJSON(t *testing.T) {
	good, other := sceneFile(t, "good.txt", goodScene), sceneFile(t, "other.txt", goodScene+"----\nS2 waits\n")
	nowhere := filepath.Join(t.TempDir(), "nowhere.txt")
	status, stdout, stderr := doorway("run", "-json", good, other, nowhere)
	assert.Equal(t, 1, status)
	assert.Empty(t, stderr)
	waits := "S2 waits\n"
	want := []sceneJSON{
		{File: good, Output: goodShown},
		{
			File: other, Output: goodShown, Expected: &waits, Failed: true,
			Error: other + `:6: expected "S2 waits", found "S2 asks at 0, enters at 2, leaves at 3" (-write accepts it)`,
		},
		{File: nowhere, Failed: true, Error: "open " + nowhere + ": no such file or directory"},
	}
	d := json.NewDecoder(strings.NewReader(stdout))
	for k := range want {
		var got sceneJSON
		require.NoError(t, d.Decode(&got), "object %d", k)
		assert.Equal(t, want[k], got)
	}
	status, stdout, _ = doorway("run", "-json", "-write", other)
	assert.Equal(t, 0, status)
	assert.Contains(t, stdout, fmt.Sprintf("%q: true", "written"))
}
