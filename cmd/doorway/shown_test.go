//go:build !doorway_explore || doorway_full

package main

import (
	"bytes"
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/tier"
)

// shown are the files that show command lines, from the root of the repository.
var shown = []string{"README.md", "CONTRIBUTING.md", "docs/*.md", "cmd/doorway/main.go", "cmd/doorway/help/*.txt"}

// A command line stands in a code span, or in a line of its own. Two spaces, a
// comment or a pipe end it.
var (
	inSpan = regexp.MustCompile("`([^`]*)`")
	onLine = regexp.MustCompile(`^(?://)?\s*(?:\$ )?((?:go run|doorway)\b.*)$`)
	called = regexp.MustCompile(`^(?:go run (?:-tags[= ]\S+ )?(?:\./cmd/doorway|\.)|doorway)(?: (\S.*))?$`)
	split  = regexp.MustCompile(`\s*\\\n\s*`) // by a backslash
	behind = regexp.MustCompile(`(?:  |\t| [#|>&]).*$`)
)

// stands maps what stands for something in a command line to an example.
var stands = strings.NewReplacer("run …", "run examples/scenarios/maekawa.txt", "…", "bakery", "<lock>", "bakery", "dekker", "bakery",
	"<variant>", "bakery/late-number", "<algorithm>", "maekawa", "<file>", "examples/scenarios/maekawa.txt", "<shell>", "bash",
	"<command>", "check", "[command]", "", "scene.txt", "examples/scenarios/maekawa.txt",
	"mylock.New", "example.org/doorway/tournament.New", "./my.New", "./tournament.New",
	"./mylock.New", "./tournament.New", "./rounds.New", "./tournament.New", "./mine.New", "./tournament.New")

// commandLines returns the arguments of the command lines in text.
func commandLines(text string) (all [][]string) {
	text = split.ReplaceAllString(text, " ")
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

// Every command line that is shown anywhere is understood. In the full proof all run but those
// that write files, each in the build that it needs; TestCheckAll takes all, TestPage the page.
func TestShownCommandLines(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	found := map[string]bool{}
	for _, pattern := range shown {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, "no %s", pattern)
		for _, file := range files {
			for _, args := range commandLines(page.Read(t, file)) {
				line := strings.Join(args, " ")
				var out, stderr bytes.Buffer
				got := status(dispatch(canceled, args, streams{out: &output{Writer: &out}, err: &stderr}), &stderr)
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
		explores := len(args) > 0 && args[0] == "check" || has("-delay")
		if !tier.Full || watches() != explores || has("-write") || has("-svg") || has("all") || has("page") {
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
