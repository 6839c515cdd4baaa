package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	pages "example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/draw/svg"
	"example.org/doorway/internal/measure/costs"
	"example.org/doorway/internal/spelling"
)

const whichFile = docs + "/which-algorithm.md"

// The table of docs/which-algorithm.md has what was measured.
func TestTable(t *testing.T) {
	p, err := read(docs)
	require.NoError(t, err)
	pages.Generated(t, whichFile, "growth", "go test ./bench/growth -update", p.table())
}

// shown are the numbers of nodes in the table; the charts and the data have more.
var shown = []int{16, 1024, 10_000, 100_000}

// table returns the table of all algorithms. Those with the same figures share a row.
func (p page) table() string {
	var heading strings.Builder
	heading.WriteString("| algorithm |")
	for _, l := range []costs.Load{costs.Low, costs.High} {
		for _, n := range shown {
			fmt.Fprintf(&heading, " %s, N = %s |", l, svg.Thousands(n))
		}
	}
	fmt.Fprintf(&heading, " response | delay |\n|---|%s\n", strings.Repeat("---:|", 2*len(shown)+2))
	var rows []string
	for _, c := range p.Curves {
		if c.Load != costs.Low {
			continue
		}
		cells := []any{"`" + c.Algorithm + "`"}
		for _, q := range quantities[:2] {
			for _, n := range shown {
				cells = append(cells, p.cell(c.Algorithm, q, n))
			}
		}
		rows = append(rows, spelling.Row(append(cells, p.cell(c.Algorithm, quantities[2], 1024), p.cell(c.Algorithm, quantities[3], 1024))...))
	}
	merged, _ := spelling.Merged(rows)
	return heading.String() + strings.Join(merged, "")
}

// cell returns a value with three digits; a dash if there is none.
func (p page) cell(algorithm string, q quantity, n int) string {
	for _, c := range p.Curves {
		if k := slices.Index(c.Nodes, n); c.Algorithm == algorithm && c.Load == q.load && k >= 0 {
			return digits(q.of(c)[k])
		}
	}
	return "–"
}

// Each figure of growth in docs/which-algorithm.md and docs/disagreements.md, the group of an expression, is one of docs/growth.json.
func TestFiguresOfTheProse(t *testing.T) {
	p, err := read(docs)
	require.NoError(t, err)
	text := strings.Join(strings.Fields(pages.Read(t, whichFile)+pages.Read(t, docs+"/disagreements.md")), " ")
	const hierarchy = "hierarchy-suzukikasami-ricartagrawala"
	messages, atHighLoad, response := quantities[0], quantities[1], quantities[2]
	for _, f := range []struct{ find, want string }{
		{`whatever the load: (\S+) with 1024 nodes`, p.cell("ricartagrawala", messages, 1024)},
		{`about √N nodes and costs (\S+) there at low load`, p.cell("maekawa", messages, 1024)},
		{`at low load and (\S+) at high load\.`, p.cell("maekawa", atHighLoad, 1024)},
		{`path to the token costs (\S+) in .naimitrehel`, p.cell("naimitrehel", messages, 1024)},
		{`as requests use them, and (\S+) in .raymond`, p.cell("raymond", messages, 1024)},
		{`and .ricartagrawala. takes (\S+) at low load`, p.cell(hierarchy, messages, 1024)},
		{`at low load, and (\S+) at high load, where`, p.cell(hierarchy, atHighLoad, 1024)},
		{`take T for each message: (\S+) T and`, p.cell("naimitrehel", response, 1024)},
		{`T and (\S+) T with 1024 nodes`, p.cell("raymond", response, 1024)},
		{`takes (\S+) messages for a lone entry`, p.cell("huntedring", messages, 1024)},
		{`uses all links: (\S+) on a grid`, p.cell("snepscheut", messages, 1024)},
		{`spanning tree: (\S+) messages with 1024`, p.cell("raymond", messages, 1024)},
		{`it is O\(√N\), (\S+) messages with 1024 nodes`, p.cell("snepscheut", messages, 1024)},
		{`messages with 1024 nodes and (\S+) with 100,000`, p.cell("snepscheut", messages, 100_000)},
	} {
		m := regexp.MustCompile(f.find).FindStringSubmatch(text)
		if assert.NotNil(t, m, "the page has nothing like %q", f.find) {
			assert.Equal(t, f.want, m[1], "%q is stale", f.find)
		}
	}
	for _, c := range p.Curves {
		switch c.Algorithm {
		case "naimitrehel", "raymond":
			assert.True(t, c.Load == costs.Low || slices.Max(c.Messages) < 4, "%s takes fewer than 4 messages at high load", c.Algorithm)
			fallthrough
		case "central", "snepscheut", "tokenring", "huntedring":
			assert.Nil(t, c.Stop, "%s runs with 100,000 nodes", c.Algorithm)
		case "raymond-greedy", "raymond-lift", "raymond-merged", hierarchy:
		default: // it keeps something for each other node, or has quorums
			last := c.Nodes[len(c.Nodes)-1]
			assert.True(t, c.Stop != nil && last <= 10_000, "%s ends at %d nodes at %s load", c.Algorithm, last, c.Load)
			assert.True(t, c.Load == costs.High || c.Stop != nil && c.Stop.Why == "memory", "%s ends for memory", c.Algorithm)
		}
	}
	choice, _, _ := strings.Cut(pages.Read(t, whichFile), "\n## What it costs\n")
	prose := regexp.MustCompile(`(?m)^(\||<!--|!).*$`).ReplaceAllString(choice, "")
	assert.LessOrEqual(t, len(strings.Fields(prose)), 600, "words of prose: two screens")
}
