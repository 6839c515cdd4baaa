package costs_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/costs"
	"example.org/doorway/internal/page"
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

// The table of docs/algorithms.md is what is measured.
func TestTable(t *testing.T) {
	rows, err := costs.Table(costs.Nodes)
	require.NoError(t, err)
	blocked := make([]string, len(rows))
	for k, r := range rows {
		blocked[k], err = costs.BlockedText(r.Protocol, r.Nodes)
		require.NoError(t, err)
		told, err := costs.Blocked(r.Protocol, r.Nodes, true)
		require.NoError(t, err)
		assert.Equal(t, r.Protocol.Survives(), told == 0, "%s blocks %.2f of the others", r.Protocol.Name, told)
	}
	text, err := os.ReadFile("../../docs/algorithms.md")
	require.NoError(t, err)
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	assert.Contains(t, string(text), fmt.Sprintf("with N = %d nodes and quorums of K = %d (of `majority` %d)", costs.Nodes, quorumSize(t, "maekawa"), quorumSize(t, "majority")))
	assert.Contains(t, string(readme), fmt.Sprintf("with N = %d nodes and quorums of K = %d (`majority`: %d)", costs.Nodes, quorumSize(t, "maekawa"), quorumSize(t, "majority")))
	page.Generated(t, "../../docs/algorithms.md", "costs", "go test ./internal/costs -update", markdown(rows, blocked))
}

// quorumSize is K of an algorithm that sends 3(K-1) messages at low load.
func quorumSize(t *testing.T, name string) int {
	t.Helper()
	p, ok := catalog.FindProtocol(name)
	require.True(t, ok)
	r, err := costs.Measure(p, costs.Nodes)
	require.NoError(t, err)
	return int(math.Round(r.Alone.Measured/3)) + 1
}

func markdown(rows []costs.Row, blocked []string) string {
	var b strings.Builder
	b.WriteString("| algorithm | source | messages, low load | measured | messages, high load | measured | delay | measured | links | an aborted request is | a crash blocks |\n")
	b.WriteString("|" + strings.Repeat(" --- |", 11) + "\n")
	for k, r := range rows {
		links, given := "any", "absorbed"
		if r.Protocol.FIFO {
			links = "FIFO"
		}
		if r.Protocol.Withdraws() {
			given = "withdrawn"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s | %s | %s |\n", r.Protocol.Import, r.Protocol.Source,
			cells(r.Alone), cells(r.Loaded), cells(r.Delay), links, given, blocked[k])
	}
	return b.String()
}

// cells are what is claimed and what was measured.
func cells(f costs.Figure) string { return fmt.Sprintf("%s | %.4g", f.Claim, f.Measured) }
