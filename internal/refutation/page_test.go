//go:build doorway_explore

package refutation_test

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"strings"

	"example.org/doorway/explore"
	"example.org/doorway/internal/refutation"
	"example.org/doorway/messaging/token/raymond"
	"example.org/doorway/messaging/topology"
)

// computed computes the table of all refutations, and for each a digest of its history, with the
// scenario that shows it.
func computed() (table, histories string, err error) {
	var rows, told strings.Builder
	rows.WriteString("| protocol | what is wrong | violates | events | scenario |\n| --- | --- | --- | ---: | --- |\n")
	for _, r := range refutation.All {
		violates, h, err := r.Run()
		if err != nil {
			return "", "", fmt.Errorf("%s: %w", r.Protocol, err)
		}
		if h == nil {
			return "", "", fmt.Errorf("%s: nothing fails", r.Protocol)
		}
		fmt.Fprintf(&rows, "| `%s` | %s | %s | %d | `%s` |\n", r.Protocol, r.Rule, violates, h.Length, h.Scenario)
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
