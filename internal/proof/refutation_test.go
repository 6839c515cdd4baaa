//go:build doorway_explore

package proof_test

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	named "example.org/doorway/catalog"
	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/catalog/variant"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/proof"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/raymond"
	"example.org/doorway/messaging/topology"
)

const histories = "testdata/histories.txt"

// An instance is the smallest in which an algorithm fails. If no messages overtake each other and no node crashes,
// the algorithm is a wrong variant of the catalog.
type instance struct {
	proof.Refutation
	crashes   int
	unordered bool
}

// instances are those of permission-based algorithms, then of those with a token.
func instances() (all []instance) {
	for _, p := range catalog.Protocols {
		for _, wrong := range catalog.Printed {
			if r, _ := proof.RefutationOf(wrong.Name); r.Of == p.Name {
				all = append(all, instance{Refutation: r})
			}
		}
		if r, fails := faulty[p.Name]; fails {
			r.Name = p.Name
			all = append(all, r)
		}
	}
	return all
}

// faulty are algorithms that are right, where a fault happens that they do not tolerate.
var faulty = map[string]instance{
	"lamport":        {refutation("messages of a link overtake each other", variant.Exclusion, 4, 1, 1), 0, true},
	"ricartagrawala": {refutation("a node crashes that has not answered", variant.Progress, 2, 1, 0), 1, false},
	"huntedring":     {refutation("messages of a link overtake each other", variant.Progress, 8, 0, 1, 1), 0, true},
}

func refutation(rule string, violates variant.Property, events int, requests ...int) proof.Refutation {
	return proof.Refutation{Variant: variant.Variant{Rule: rule, Refuted: violates, Events: events, Requests: requests}}
}

//go:generate go run -C ../.. ./internal/explored ./internal/proof -run Refutations -update

// The table of docs/checker.md has the shortest failures, and histories.txt a digest of each with the scenario
// that repeats it. With one request, withdrawal or crash less, or on FIFO links, nothing fails.
func TestRefutations(t *testing.T) {
	var rows, told strings.Builder
	rows.WriteString("| protocol | what is wrong | violates | events |\n| --- | --- | --- | ---: |\n")
	for _, r := range instances() {
		violates, h := refuted(t, r)
		require.NotNil(t, h, "%s: nothing fails", r.Name)
		assert.Equal(t, violations[r.Refuted], violates, r.Name)
		assert.Equal(t, r.Events, h.Length, "%s: events of the shortest history: %s", r.Name, h)
		fmt.Fprintf(&rows, "| `%s` | %s | %s | %d |\n", r.Name, r.Rule, violates, h.Length)
		fmt.Fprintf(&told, "## %s: %s\ndigest: %.4x\nscenario: %s\n", r.Name, r.Rule, sha256.Sum256([]byte(h.String())), h.Scenario)
		for _, less := range smaller(r) {
			violates, h := refuted(t, less)
			assert.Empty(t, violates, "%+v: %s", less, h)
		}
	}
	page.Generated(t, "../../docs/checker.md", "wrong protocols", generate, rows.String()+"\n"+greedy(t))
	page.Golden(t, histories, generate, told.String())
}

// violations are what is violated, in words.
var violations = map[variant.Property]string{
	variant.Exclusion: "mutual exclusion", variant.Progress: "deadlock-free", variant.Contract: "a node gets an impossible message",
}

// refuted checks the instance, and returns what it violates, with a shortest history; "" if
// nothing fails.
func refuted(t *testing.T, r instance) (violates string, h *explore.History) {
	t.Helper()
	a, err := r.Algorithm()
	require.NoError(t, err)
	found, err := explore.CheckNodes(explore.NodesConfig{
		New: a, Name: r.Name, Nodes: len(r.Requests), Requests: r.Requests,
		Withdrawals: r.Withdrawals, Crashes: r.crashes, Unordered: r.unordered,
	})
	require.NoError(t, err)
	for _, v := range []struct {
		explore.NodesVerdict
		of variant.Property
	}{{found.NoPanic, variant.Contract}, {found.MutualExclusion, variant.Exclusion}, {found.DeadlockFree, variant.Progress}} {
		if v.History != nil {
			v.History.Scenario = r.Scenario(v.History.Scenario)
			return violations[v.of], v.History
		}
	}
	require.NoError(t, found.Err())
	return "", nil
}

// smaller returns the instances with one request, withdrawal or crash less, and that with FIFO links.
func smaller(r instance) (all []instance) {
	for i, k := range r.Requests {
		if less := r; k > 0 {
			less.Requests = slices.Clone(r.Requests)
			less.Requests[i]--
			all = append(all, less)
		}
	}
	if less := r; r.Withdrawals > 0 {
		less.Withdrawals--
		all = append(all, less)
	}
	if less := r; r.crashes > 0 {
		less.crashes--
		all = append(all, less)
	}
	if less := r; r.unordered {
		less.unordered = false
		all = append(all, less)
	}
	return all
}

// greedy is the sentence that Raymond's greedy algorithm without its bound, which is tempting, too, is
// starvation-free.
func greedy(t *testing.T) string {
	t.Helper()
	var states []any
	for _, n := range []int{3, 4} {
		r, err := explore.CheckNodes(explore.NodesConfig{
			New: raymond.NewGreedy(topology.Line(n), math.MaxInt), Nodes: n, Rounds: explore.Unbounded,
		})
		require.NoError(t, err)
		require.NoError(t, r.Err())
		states = append(states, r.States)
	}
	return fmt.Sprintf("Not wrong is `raymond-greedy` without a bound (`math.MaxInt`): no node starves on a line of 3 or 4 nodes, "+
		"each of which requests\nany number of times (%d and %d states). A node that gets the token enters once, and then serves another.\n", states...)
}

// Each scenario of the histories fails as they say, when it is read again.
func TestScenariosOfRefutations(t *testing.T) {
	sections := strings.Split(strings.TrimPrefix(page.Read(t, histories), "## "), "\n## ")
	require.Len(t, sections, len(instances()))
	kinds := map[variant.Property]string{variant.Exclusion: "exclusion", variant.Progress: "deadlock", variant.Contract: "panic"}
	for k, r := range instances() {
		_, line, found := strings.Cut(sections[k], "\nscenario: ")
		require.True(t, found, r.Name)
		s, err := sim.ReadScenario(r.Name, strings.NewReader(line))
		require.NoError(t, err, r.Name)
		run, err := s.Start(named.Scenario)
		require.NoError(t, err, r.Name)
		assert.Equal(t, kinds[r.Refuted], sim.Failure(run.Err()), "%s: %v", r.Name, run.Err())
	}
}

// Every wrong variant has a refutation.
func TestRefutationOf(t *testing.T) {
	for _, p := range catalog.Printed {
		_, ok := proof.RefutationOf(p.Name)
		assert.True(t, ok, "%s: no instance is known to refute it: look for one", p.Name)
	}
	_, ok := proof.RefutationOf("lamport")
	assert.False(t, ok, "it is right with FIFO links")
}
