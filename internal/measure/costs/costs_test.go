package costs_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/measure/costs"
	"example.org/doorway/internal/spelling"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// What the catalog says of an algorithm is what it costs, whatever the number of nodes.
func TestClaims(t *testing.T) {
	for _, p := range catalog.Protocols {
		for _, n := range []int{2, 3, 5, 9, 13, 20} {
			row, err := costs.Measure(p, n)
			if !assert.NoError(t, err) {
				continue
			}
			for what, f := range map[string]costs.Figure{
				"messages alone": row.Alone, "messages loaded": row.Loaded, "delay": row.Delay, "response": row.Response,
			} {
				if !f.Holds() {
					t.Errorf("%s with %d nodes: %s is %.3f, claimed %s: %.3f to %.3f", p.Name, n, what, f.Measured, f.Claim, f.Least, f.Most)
				}
			}
		}
	}
}

//go:generate go test . -update

// The table of docs/which-algorithm.md is what is measured.
func TestTable(t *testing.T) {
	var table strings.Builder
	table.WriteString("| algorithm | source | messages, low load | measured | messages, high load | measured | delay | measured | links | an aborted request is | a crash blocks |\n")
	table.WriteString("|" + strings.Repeat(" --- |", 11) + "\n")
	for _, p := range catalog.Protocols {
		r, err := costs.Measure(p, costs.Nodes)
		require.NoError(t, err)
		untold, err := blocked(p, costs.Nodes, false)
		require.NoError(t, err)
		told, err := blocked(p, costs.Nodes, true)
		require.NoError(t, err)
		assert.Equal(t, p.Survives(), told == 0, "%s blocks %.2f of the others", p.Name, told)
		links, given, crash := "any", "absorbed", fmt.Sprintf("%.0f %%", 100*untold)
		if p.FIFO {
			links = "FIFO"
		}
		if p.Withdraws() {
			given = "withdrawn"
		}
		if told < untold {
			crash += fmt.Sprintf(", told %.0f %%", 100*told)
		}
		table.WriteString(spelling.Row("`"+p.Import+"`", p.Source, cells(r.Alone), cells(r.Loaded), cells(r.Delay), links, given, crash))
	}
	text := page.Read(t, "../../../docs/which-algorithm.md")
	readme := page.Read(t, "../../../README.md")
	assert.Contains(t, text, fmt.Sprintf("with N = %d nodes and quorums of K = %d (of `majority` %d)", costs.Nodes, quorumSize(t, "maekawa"), quorumSize(t, "majority")))
	assert.Contains(t, readme, fmt.Sprintf("with %d nodes and quorums of %d", costs.Nodes, quorumSize(t, "maekawa")))
	page.Generated(t, "../../../docs/which-algorithm.md", "costs", "go test ./internal/measure/costs -update", table.String())
}

// blocked returns the fraction of the other nodes that the crash of an idle node
// blocks, the mean over all n nodes: each node crashes before it has requested
// anything, and each other node requests in a run of its own. If told, a detector tells
// each node of the crash.
func blocked(p catalog.Protocol, n int, told bool) (float64, error) {
	a, waits := p.Within(n, sim.T), 0
	for dead := range messaging.ID(n) {
		for i := range messaging.ID(n) {
			if i == dead {
				continue
			}
			c := sim.Config{
				Algorithm: a, Nodes: n, Perpetual: p.Perpetual, Crashes: []sim.Crash{{Node: dead}}, Load: sim.Script{{Node: i, At: sim.T}},
			}
			if told {
				c.Detection = sim.Constant(2 * sim.T)
			}
			_, err := sim.Run(c)
			switch {
			case sim.Failure(err) == "deadlock":
				waits++
			case err != nil:
				return 0, fmt.Errorf("%s with %d nodes, of which %d has crashed: %w", p.Name, n, dead, err)
			}
		}
	}
	return float64(waits) / float64(n*(n-1)), nil
}

// quorumSize is K of an algorithm that sends 3(K-1) messages at low load.
func quorumSize(t *testing.T, name string) int {
	t.Helper()
	r, err := costs.Measure(protocol(t, name), costs.Nodes)
	require.NoError(t, err)
	return int(math.Round(r.Alone.Measured/3)) + 1
}

// cells are what is claimed and what was measured.
func cells(f costs.Figure) string { return fmt.Sprintf("%s | %.4g", f.Claim, f.Measured) }

func TestMain(m *testing.M) { tier.Sequential(m) }
