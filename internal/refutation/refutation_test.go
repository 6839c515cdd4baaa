//go:build doorway_explore

package refutation_test

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	named "example.org/doorway/catalog"
	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/page"
	"example.org/doorway/internal/refutation"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/raymond"
	"example.org/doorway/messaging/topology"
)

const (
	docs      = "../../docs/checker.md"
	histories = "testdata/histories.txt"
	again     = "go run ./internal/explored ./internal/refutation -update"
)

//go:generate go run -C ../.. ./internal/explored ./internal/refutation -update

// The table and the histories are what is computed.
func TestPage(t *testing.T) {
	table, told, err := computed()
	require.NoError(t, err)
	page.Generated(t, docs, "wrong protocols", again, table)
	page.Golden(t, histories, again, told)
}

// Each scenario of the histories fails as they say, when it is read again.
func TestScenarios(t *testing.T) {
	sections := strings.Split(strings.TrimPrefix(page.Read(t, histories), "## "), "\n## ")
	require.Len(t, sections, len(refutation.All))
	kinds := map[string]string{refutation.Exclusion: "exclusion", refutation.Deadlock: "deadlock", refutation.Refusal: "panic"}
	for k, r := range refutation.All {
		_, line, found := strings.Cut(sections[k], "\nscenario: ")
		require.True(t, found, r.Protocol)
		s, err := sim.ReadScenario(r.Protocol, strings.NewReader(line))
		require.NoError(t, err, r.Protocol)
		run, err := s.Start(named.Scenario)
		require.NoError(t, err, r.Protocol)
		assert.Equal(t, kinds[r.Violates], sim.Failure(run.Err()), "%s: %v", r.Protocol, run.Err())
	}
}

// Every wrong variant has a refutation.
func TestOf(t *testing.T) {
	for _, p := range catalog.Printed {
		_, ok := refutation.Of(p.Name)
		assert.True(t, ok, "%s: no instance is known to refute it: look for one", p.Name)
	}
	_, ok := refutation.Of("lamport")
	assert.False(t, ok, "it is right with FIFO links")
}

// computed computes the table of all refutations, and for each a digest of its history, with the
// scenario that shows it.
func computed() (table, histories string, err error) {
	var rows, told strings.Builder
	rows.WriteString("| protocol | what is wrong | violates | events |\n| --- | --- | --- | ---: |\n")
	for _, r := range refutation.All {
		violates, h, err := r.Run()
		if err != nil {
			return "", "", fmt.Errorf("%s: %w", r.Protocol, err)
		}
		if h == nil {
			return "", "", fmt.Errorf("%s: nothing fails", r.Protocol)
		}
		fmt.Fprintf(&rows, "| `%s` | %s | %s | %d |\n", r.Protocol, r.Rule, violates, h.Length)
		fmt.Fprintf(&told, "## %s: %s\ndigest: %.4x\nscenario: %s\n", r.Protocol, r.Rule, sha256.Sum256([]byte(h.String())), h.Scenario)
	}
	right, err := greedy()
	return rows.String() + "\n" + right, told.String(), err
}

// greedy says that Raymond's greedy algorithm without its bound, which is tempting, too, is
// starvation-free.
func greedy() (string, error) {
	var states []any
	for _, n := range []int{3, 4} {
		r, err := explore.CheckNodes(explore.NodesConfig{
			New: raymond.NewGreedy(topology.Line(n), math.MaxInt), Nodes: n, Rounds: explore.Unbounded,
		})
		if err := cmp.Or(err, r.Err()); err != nil {
			return "", fmt.Errorf("raymond-greedy without a bound: %w", err)
		}
		states = append(states, r.States)
	}
	return fmt.Sprintf("Not wrong is `raymond-greedy` without a bound (`math.MaxInt`): no node starves on a line of 3 or 4 nodes, "+
		"each of which requests\nany number of times (%d and %d states). A node that gets the token enters once, and then serves another.\n", states...), nil
}
