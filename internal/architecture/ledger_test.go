package architecture

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/docs/page"
)

const ledger = "testdata/ledger.txt"

// What the repository weighs is at most what the ledger allows. With -update, a number of
// the ledger that is larger than needed becomes smaller; none grows, and no line is added:
// both are done by hand, with the reason behind the number.
func TestLedger(t *testing.T) {
	text := page.Read(t, ledger)
	now := weigh(t)
	lighter, wrong := compare(text, now)
	assert.Empty(t, wrong)
	if page.Updating() {
		require.NoError(t, os.WriteFile(ledger, []byte(lighter), 0o644))
	}
}

// entry is a line of the ledger: what is weighed, the most that it may weigh, and a reason.
var entry = regexp.MustCompile(`^([^#]*\S) {2,}(\d+)( .*)?$`)

// compare returns the ledger with the numbers that can be smaller, and what is wrong. Lines
// that begin with # are comments, and those with "measured" are not weighed here.
func compare(text string, now map[string]int) (lighter string, wrong []string) {
	left := maps.Clone(now)
	var b strings.Builder
	for line := range strings.Lines(text) {
		m := entry.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || strings.HasPrefix(m[1], "measured ") {
			b.WriteString(line)
			continue
		}
		most, _ := strconv.Atoi(m[2])
		weight, weighed := now[m[1]]
		switch {
		case !weighed:
			wrong = append(wrong, fmt.Sprintf("%s has %q, which there is not: remove the line", ledger, m[1]))
		case weight > most:
			wrong = append(wrong, fmt.Sprintf("%s: %d, and at most %d in %s: make it lighter, or write the new number and the reason there", m[1], weight, most, ledger))
		}
		delete(left, m[1])
		fmt.Fprintf(&b, "%-28s %6d%s\n", m[1], min(most, weight), m[3])
	}
	for _, what := range slices.Sorted(maps.Keys(left)) {
		wrong = append(wrong, fmt.Sprintf("%s: %d, and no line in %s: write one, with the reason", what, left[what], ledger))
	}
	return b.String(), wrong
}

// weigh returns what there is of each kind: lines, words, pictures, and the names that a user
// must know besides the algorithms.
func weigh(t *testing.T) map[string]int {
	t.Helper()
	now := map[string]int{"generated lines of Go": 0}
	eachFile(t, func(name string, text []byte) { weighFile(now, name, text) })
	for _, p := range surface(t) {
		if !listed(p.dir) {
			now["exported names"] += len(p.names)
			now["packages that export them"]++
		}
	}
	return now
}

// eachFile calls f with the files of the repository.
func eachFile(t *testing.T, f func(name string, text []byte)) {
	t.Helper()
	root := os.DirFS(filepath.Join("..", ".."))
	require.NoError(t, fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(d.Name(), ".") && name != "."
		switch {
		case err != nil:
			return err
		case d.IsDir() && (hidden || d.Name() == "all"): // what go generate draws in all, git ignores
			return fs.SkipDir
		case d.IsDir() || hidden:
			return nil
		}
		text, err := fs.ReadFile(root, name)
		f(name, text)
		return err
	}))
}

var written = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

func weighFile(now map[string]int, name string, text []byte) {
	lines := bytes.Count(text, []byte("\n"))
	room, _, _ := strings.Cut(name, "/")
	switch filepath.Ext(name) {
	case ".go":
		kind := "source"
		if strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/testdata/") { // what tests read
			kind = "tests"
		}
		now[kind+" of "+room] += lines
		now["all "+kind] += lines
		now["all Go"] += lines
		if written.Match(text) {
			now["generated lines of Go"] += lines
		}
	case ".md":
		what := "words of other pages"
		switch {
		case name == "README.md":
			what = "words of README.md"
		case name == "CHANGELOG.md": // which grows
			return
		case room == "docs":
			what = "words of docs"
			now["pages of docs"]++
		}
		now[what] += len(bytes.Fields(text))
	case ".js", ".css", ".html":
		if !strings.Contains(name, "/testdata/") { // which others have written
			now["lines of JavaScript, CSS and HTML"] += lines
		}
	case ".png":
		now["pictures"]++
	case ".svg":
		now["pictures"]++
		now["lines of artefacts"] += lines
	case ".txt", ".json":
		if !strings.HasPrefix(name, "examples/scenarios/") && !strings.HasPrefix(name, "cmd/doorway/help/") && filepath.Base(name) != "changes.txt" {
			now["lines of artefacts"] += lines // the others are written by hand
		}
	}
}

// Something too heavy, unknown or missing is reported; what is lighter lowers the number.
func TestLedgerCompares(t *testing.T) {
	now := map[string]int{"tests of bench": 90, "pictures": 31, "all Go": 7}
	lighter, wrong := compare("# comment\ntests of bench  100 because\npictures  30\nold  1\nmeasured seconds  5 on 2 cores\n", now)
	assert.Equal(t, fmt.Sprintf("# comment\n%-28s     90 because\n%-28s     30\n%-28s      0\nmeasured seconds  5 on 2 cores\n", "tests of bench", "pictures", "old"), lighter)
	assert.Len(t, wrong, 3)
	assert.Contains(t, fmt.Sprint(wrong), "pictures: 31, and at most 30")
	assert.Contains(t, fmt.Sprint(wrong), `has "old", which there is not`)
	assert.Contains(t, fmt.Sprint(wrong), "all Go: 7, and no line")
}
