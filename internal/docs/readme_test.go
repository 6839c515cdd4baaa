package docs

import (
	"fmt"
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

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/docs/page"
)

//go:generate go test . -update

const (
	file  = "../../README.md"
	again = "go test ./internal/docs -update"
)

// The first locks to consider, with what the catalog says of them. The costs are those of docs/results.md.
func TestLocks(t *testing.T) {
	var b strings.Builder
	uncontended := tables(t, "results")["Uncontended"]
	row(&b, "lock", "take it for", "cost")
	b.WriteString("|---|---|---:|\n")
	row(&b, "`mutex.FIFO`", "FIFO order", median(uncontended.cell(t, "mutex.FIFO", "Share"))+" ns")
	for _, name := range []string{"bakery", "lamportfast", "tournament"} {
		k := slices.IndexFunc(catalog.Algorithms, func(a catalog.Algorithm) bool { return a.Name == name })
		a := catalog.Algorithms[k]
		row(&b, "`"+a.Import+"`", a.Use, median(uncontended.cell(t, name, "a process"))+" ns")
	}
	page.Generated(t, file, "locks", again, b.String())
}

// The first algorithms for message passing to consider, of those that docs/which-algorithm.md has, with its figures,
// which internal/measure/costs measures.
func TestProtocols(t *testing.T) {
	var b strings.Builder
	row(&b, "algorithm", "take it if", "messages")
	b.WriteString("|---|---|---:|\n")
	measured := map[string]string{} // at high load
	for _, cells := range tables(t, "which-algorithm")["What it costs"] {
		measured[cells[0]] = cells[5]
	}
	for _, p := range [][2]string{
		{"central.New", "one node may be the bottleneck"},
		{"ricartagrawala.New", "timestamps decide the order"},
		{"maekawa.New(quorums)", "all nodes share the load, without a token"},
		{"raymond.New(tree)", "messages follow a tree"},
		{"naimitrehel.New", "there are thousands of nodes"},
	} {
		v, err := strconv.ParseFloat(measured["`"+p[0]+"`"], 64)
		require.NoError(t, err)
		row(&b, "`"+p[0]+"`", p[1], fmt.Sprintf("%.1f", v+1e-9)) // the figure has four digits, of which the last may be a 5
	}
	page.Generated(t, file, "protocols", again, b.String())
}

func row(b *strings.Builder, cells ...string) { fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | ")) }

// chosen returns what the table of choice of docs/results.md has of a lock, with critical
// sections of 100 ns.
func chosen(t *testing.T, lock string, goroutines int, column string) string {
	t.Helper()
	return tables(t, "results")["Which lock"].cell(t, fmt.Sprintf("%s, %d goroutines, 100 ns", lock, goroutines), column)
}

const perSecond, tail = "entries a second", "p99.9"

// Each figure in the prose is one of docs/results.md: the expression finds it, however
// the lines are broken, and its group is the figure. 100 ns is the critical section that was measured with.
func TestFigures(t *testing.T) {
	measured := tables(t, "results")
	uncontended := func(lock, column string) string {
		return median(measured["Uncontended"].cell(t, lock, column)) + " ns"
	}
	results := page.Read(t, "../../docs/results.json")
	reached, missed := strings.Count(results, `"reached": "yes"`), strings.Count(results, `"reached": "**no**"`)
	text := page.Read(t, file)
	for _, f := range []struct{ find, want string }{
		{`Lock and Unlock cost ([\d.]+ ns)`, uncontended("mutex.FIFO", "Share")},
		{`in .sync\.Mutex. ([\d.]+ ns)`, uncontended("sync.Mutex", "a process")},
		{`channel of capacity one if ([\d.]+ ns)`, uncontended("channel", "a process")},
		{`take at most ([^)]*\)) in .mutex.FIFO`, chosen(t, "mutex.FIFO", 64, tail)},
		{`FIFO., ([\d.]+ \S+ \([^)]*\)) in .sync\.Mutex.`, chosen(t, "sync.Mutex", 64, tail)},
		{`a channel makes ([\d.]+ .) entries`, median(chosen(t, "channel", 512, perSecond))},
		{`second, .mutex.FIFO. ([\d.]+ .)\.\n`, median(chosen(t, "mutex.FIFO", 512, perSecond))},
		{`: (\d+ of \d+) goals`, fmt.Sprintf("%d of %d", reached, reached+missed)},
	} {
		at := regexp.MustCompile(strings.ReplaceAll(f.find, " ", `\s+`)).FindStringSubmatchIndex(text)
		if !assert.NotNil(t, at, "the README has nothing like %q", f.find) {
			continue
		}
		if !page.Updating() {
			assert.Equal(t, f.want, strings.Join(strings.Fields(text[at[2]:at[3]]), " "), "%q in the README is stale: run %s", f.find, again)
		}
		if strings.Join(strings.Fields(text[at[2]:at[3]]), " ") != f.want {
			text = text[:at[2]] + f.want + text[at[3]:]
		}
	}
	if page.Updating() && !t.Failed() {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	const checked = 12 // a spread has two
	figures := regexp.MustCompile(`[\d.]+ (ns|µs|ms|k|M|million|times|%)`).FindAllString(strings.ReplaceAll(prose(text), "sections of 100 ns", ""), -1)
	assert.Len(t, figures, checked, "figures in the prose, of which %d are compared", checked)
}

// prose is text without programs, tables and comments.
func prose(text string) string {
	return regexp.MustCompile("(?ms)^```.*?^```$|^(?:\\||<!--)[^\n]*$").ReplaceAllString(text, "")
}

// The prose says of no lock that it is cheaper or faster than another.
func TestComparisons(t *testing.T) {
	text := strings.Join(strings.Fields(prose(page.Read(t, file))), " ")
	compares := regexp.MustCompile(`(?i)\b(cheap|fast|quick|slow|high|low|few)e(r|st)\b|\b(long|short)er\b|\b(more|less|better|worse)\s[^.]*\bthan\b|\b(beats?|outperforms?)\b`)
	assert.Empty(t, compares.FindAllString(text, -1), "comparisons in the prose that no test holds")
}

// Each program of the README is part of a file of examples/quickstart, or the test of package anylock.
func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("../../examples/quickstart/*.go")
	require.NoError(t, err)
	sources := map[string]string{}
	for _, f := range append(files, "../../anylock/spin_test.go") {
		sources[f] = unindented(page.Read(t, f))
	}
	programs := regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllStringSubmatch(page.Read(t, file), -1)
	assert.NotEmpty(t, programs)
	for _, p := range programs {
		shown := slices.ContainsFunc(slices.Collect(maps.Values(sources)), func(s string) bool { return strings.Contains(s, unindented(p[1])) })
		assert.True(t, shown, "no file has\n%s", p[1])
	}
}

func unindented(program string) string {
	return regexp.MustCompile(`(?m)^\t+`).ReplaceAllString(program, "")
}

// A table is one of a page: its rows without the line below the head, each cell trimmed.
type table [][]string

// tables returns the tables of a page of docs, by the heading above them.
func tables(t *testing.T, name string) map[string]table {
	t.Helper()
	all, heading := map[string]table{}, ""
	for line := range strings.Lines(page.Read(t, "../../docs/"+name+".md")) {
		line = strings.TrimSpace(line)
		if title, ok := strings.CutPrefix(line, "## "); ok {
			heading = title
		}
		if !strings.HasPrefix(line, "|") || strings.Trim(line, "|-: ") == "" {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for k := range cells {
			cells[k] = strings.TrimSpace(cells[k])
		}
		all[heading] = append(all[heading], cells)
	}
	return all
}

// median returns what stands before the spread in a cell.
func median(cell string) string {
	before, _, _ := strings.Cut(cell, " (")
	return before
}

func (r table) cell(t *testing.T, row, column string) string {
	t.Helper()
	require.NotEmpty(t, r, "there is no table")
	for _, cells := range r[1:] {
		if k := slices.Index(r[0], column); cells[0] == row && k >= 0 && k < len(cells) {
			return cells[k]
		}
	}
	require.Failf(t, "no such cell", "there is no row %q with a column %q", row, column)
	return ""
}
