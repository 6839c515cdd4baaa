package readme

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/costs"
	"example.org/doorway/internal/page"
)

const (
	file  = "../../README.md"
	again = "go test ./internal/readme -update"
)

// The locks are those of the catalog, with what it claims: that this is so is
// computed in internal/proof. The costs are those of docs/results.md.
func TestLocks(t *testing.T) {
	var b strings.Builder
	measured := readResults(t)
	row(&b, "lock", "order", "bypass bound", "uncontended", "use it for")
	row(&b, "---", "---", "---:", "---:", "---")
	for _, a := range catalog.Algorithms {
		cost := fmt.Sprintf("%s ns (%s ns)", measured.median(t, "Uncontended", a.Name, "a process"), measured.median(t, "Uncontended", a.Name, "Share"))
		row(&b, "`"+a.Import+"`", order(a.Claims), bound(a.Claims.Bypasses), cost, a.Use)
	}
	page.Generated(t, file, "locks", again, b.String())
}

func order(c catalog.Claims) string {
	switch {
	case c.FIFO:
		return "FIFO"
	case c.StarvationFree:
		return "starvation-free"
	}
	return "barging"
}

func bound(bypasses int) string {
	if bypasses < 0 {
		return "unbounded"
	}
	return fmt.Sprint(bypasses)
}

// The algorithms for message passing are the first of each package, and those that
// notice crashes themselves. Their figures are measured in the simulator.
func TestProtocols(t *testing.T) {
	var b strings.Builder
	row(&b, "algorithm", "messages (low / high load)", "delay", "a crash blocks")
	row(&b, "---", "---:", "---:", "---:")
	seen := map[string]bool{}
	for _, p := range catalog.Protocols {
		name, _, _ := strings.Cut(p.Name, "-")
		alone, err := costs.Blocked(p, costs.Nodes, false)
		require.NoError(t, err)
		if seen[name] && alone > 0 {
			continue
		}
		seen[name] = true
		r, err := costs.Measure(p, costs.Nodes)
		require.NoError(t, err)
		blocked, err := costs.BlockedText(p, costs.Nodes)
		require.NoError(t, err)
		row(&b, "`"+p.Import+"`", fmt.Sprintf("%s (%.1f / %.1f)", r.Loaded.Claim, r.Alone.Measured, r.Loaded.Measured), fmt.Sprintf("%.1fT", r.Delay.Measured), blocked)
	}
	page.Generated(t, file, "protocols", again, b.String())
}

// The goals that are missed are those of docs/results.md.
func TestMissedGoals(t *testing.T) {
	var b strings.Builder
	row(&b, "measure", "goal", "median", "10 % to 90 %")
	row(&b, "---", "---", "---:", "---:")
	for _, cells := range readResults(t)["What the library sets out to reach"] {
		if strings.Contains(cells[4], "no") {
			row(&b, cells[:4]...)
		}
	}
	page.Generated(t, file, "missed goals", again, b.String())
}

func row(b *strings.Builder, cells ...string) { fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | ")) }

// Each figure in the prose is one of docs/results.md: the expression finds it, and
// its group is the figure. 100 ns is the critical section that was measured with.
func TestFigures(t *testing.T) {
	measured := readResults(t)
	tail := func(lock string) string {
		return measured.cell(t, "Tail latency over the number of goroutines", lock, "64")
	}
	throughput := func(lock string) string {
		return strings.TrimSuffix(measured.median(t, "Throughput over the number of goroutines", lock, "64"), " M")
	}
	uncontended := func(lock string) string { return measured.median(t, "Uncontended", lock, "a process") + " ns" }
	text := read(t, file)
	for _, f := range []struct{ find, want string }{
		{`take at most ([^)]*\)) in .graunkethakkar`, tail("graunkethakkar")},
		{`and\s+([\d.]+ \S+\s\([^)]*\)) in .sync\.Mutex.`, tail("sync.Mutex")},
		{`keeps order too: ([\d.]+ \S+); the lock`, median(tail("channel"))},
		{`.lamportfast\.New\(64\). makes ([\d.]+) million`, throughput("lamportfast")},
		{`.sync\.Mutex. ([\d.]+) million\.`, throughput("sync.Mutex")},
		{`its tail is longer: ([\d.]+ \S+)\.\n`, median(tail("lamportfast"))},
		{`.sync\.Mutex. costs ([\d.]+ ns)`, uncontended("sync.Mutex")},
		{`channel of capacity one ([\d.]+ ns)`, uncontended("channel")},
	} {
		at := regexp.MustCompile(f.find).FindStringSubmatchIndex(text)
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
	figures := regexp.MustCompile(`[\d.]+ (ns|µs|ms|million|times|%)`).FindAllString(strings.ReplaceAll(prose(text), "100 ns", ""), -1)
	assert.Len(t, figures, checked, "figures in the prose, of which %d are compared", checked)
}

// A stranger knows after a screen whether the library is for him, and reads the
// rest in a few minutes.
func TestLength(t *testing.T) {
	text := read(t, file)
	assert.LessOrEqual(t, len(strings.Fields(prose(text))), 700, "words of prose")
	before, _, found := strings.Cut(text, "```go\n")
	assert.True(t, found)
	assert.LessOrEqual(t, strings.Count(before, "\n"), 30, "lines before the first program")
	for line := range strings.Lines(text) {
		assert.LessOrEqual(t, len(cells(line)), 5, "columns of %q", line)
	}
	for line := range strings.Lines(page.Part(t, file, "protocols", again)) {
		assert.LessOrEqual(t, len(cells(line)), 4, "columns of %q", line)
	}
}

// prose is text without programs, tables and comments.
func prose(text string) string {
	text = regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(text, "")
	return regexp.MustCompile(`(?m)^(\||<!--).*$`).ReplaceAllString(text, "")
}

// Each program of the README is part of a file of examples/quickstart, of which tests run all.
func TestPrograms(t *testing.T) {
	files, err := filepath.Glob("../../examples/quickstart/*.go")
	require.NoError(t, err)
	sources := map[string]string{}
	for _, f := range files {
		sources[f] = unindented(read(t, f))
	}
	programs := regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllStringSubmatch(read(t, file), -1)
	assert.NotEmpty(t, programs)
	for _, p := range programs {
		shown := slices.ContainsFunc(slices.Collect(maps.Values(sources)), func(s string) bool { return strings.Contains(s, unindented(p[1])) })
		assert.True(t, shown, "no file of examples/quickstart has\n%s", p[1])
	}
}

func unindented(program string) string {
	return regexp.MustCompile(`(?m)^\t+`).ReplaceAllString(program, "")
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	noSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// Whatever a page links to in the repository exists, with the heading.
func TestLinks(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	others, err := filepath.Glob("../../*.md")
	require.NoError(t, err)
	for _, p := range append(pages, others...) {
		for _, m := range link.FindAllStringSubmatch(read(t, p), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			path, anchor, _ := strings.Cut(m[1], "#")
			target := filepath.Join(filepath.Dir(p), path)
			if path == "" {
				target = p
			}
			if _, err := os.Stat(target); !assert.NoError(t, err, "%s links to %s", p, m[1]) || anchor == "" {
				continue
			}
			var slugs []string
			for _, h := range heading.FindAllStringSubmatch(read(t, target), -1) {
				slugs = append(slugs, strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(h[1]), ""), " ", "-"))
			}
			assert.Contains(t, slugs, anchor, "%s links to %s", p, m[1])
		}
	}
}
