//go:build !race

package mutants_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/catalog/variant"
	"example.org/doorway/internal/docs/page"
	"example.org/doorway/internal/proof/mutants"
	"example.org/doorway/internal/spelling"
	"example.org/doorway/internal/tier"
)

const (
	file   = "../../../docs/checker.md"
	again  = "go generate ./internal/proof/mutants"
	proofs = "go run ./internal/proof/run -update"
)

// Every mutant of a lock is killed or known to be equivalent, and every broken variant is
// killed by the property that it violates. The program of the mutants is a separate
// build, so this test needs neither the tag doorway_explore nor the race detector.
func TestMutants(t *testing.T) {
	tier.NeedsFull(t, "judges a few hundred mutants")
	for _, a := range catalog.Algorithms {
		t.Run(a.Name, func(t *testing.T) {
			tier.Each(t, a.Package())
			all, err := mutants.Of(root, a.Entry)
			require.NoError(t, err)
			p, row := judged(t, all)
			found := p.Broken(t.Context(), a.Name)
			for _, v := range variant.Locks {
				if v.Of != a.Name {
					continue
				}
				r := found[v.Name]
				assert.NotEmpty(t, r.Fails, "%s is not killed: %s", v.Name, mutants.Why(r))
				if v.Refuted == variant.Exclusion && (r.Fails != "mutual exclusion" || r.Steps == 0) {
					t.Errorf("%s is not found to violate mutual exclusion: %s", v.Name, mutants.Why(r))
				}
				row += refuted(v, r)
			}
			page.Golden(t, goldenFile(a.Name), proofs, row)
		})
	}
}

// Every mutant of nodes is killed or known to be equivalent, or is one of the few of which
// the list says what would kill them.
func TestNodeMutants(t *testing.T) {
	tier.NeedsFull(t, "judges more than a thousand mutants")
	for _, p := range mutants.Packages() {
		t.Run(p, func(t *testing.T) {
			tier.Each(t, p)
			all, err := mutants.OfNodes(root, p)
			require.NoError(t, err)
			_, row := judged(t, all)
			page.Golden(t, goldenFile(p), proofs, row)
		})
	}
}

//go:generate go test -run TestTables . -update

// The tables of the page are what the verdicts above are compared with.
func TestTables(t *testing.T) {
	locks, variants := counted(t, catalog.Names(catalog.Algorithms))
	nodes, _ := counted(t, mutants.Packages())
	table := "| of | mutants | killed | equivalent | listed |\n| --- | ---: | ---: | ---: | ---: |\n"
	for _, n := range [][]any{append([]any{"locks"}, locks...), append([]any{"nodes"}, nodes...)} {
		table += spelling.Row(n...)
	}
	page.Generated(t, file, "mutants", again, table)
	table = "| variant | violates | n | aborts | steps |\n| --- | --- | ---: | --- | ---: |\n"
	for _, v := range variant.Locks {
		table += variants[v.Name]
	}
	page.Generated(t, file, "variants", again, table)
	assert.LessOrEqual(t, nodes[3].(int)*20, nodes[0], "of the mutants are listed")
}

// counted returns the sums of the counts of algorithms or packages, and the rows of their variants.
func counted(t *testing.T, names []string) (sums []any, variants map[string]string) {
	t.Helper()
	var sum [4]int
	variants = map[string]string{}
	for _, name := range names {
		first, others, _ := strings.Cut(page.Read(t, goldenFile(name)), "\n")
		var n [4]int
		_, err := fmt.Sscanf(first, counts, &n[0], &n[1], &n[2], &n[3])
		require.NoError(t, err, name)
		for k := range n {
			sum[k] += n[k]
		}
		for v := range strings.Lines(others) {
			variants[strings.Split(v, "`")[1]] = v
		}
	}
	return []any{sum[0], sum[1], sum[2], sum[3]}, variants
}

const counts = "%d mutants, %d killed, %d equivalent, %d listed"

// judged judges mutants, and fails if one is not killed and not listed, or listed and killed. It
// returns the row of their counts.
func judged(t *testing.T, all []mutants.Mutant) (*mutants.Program, string) {
	t.Helper()
	start := time.Now()
	p, err := mutants.Build(t.Context(), root, t.TempDir(), all)
	require.NoError(t, err)
	compiled := time.Now()
	outcomes, err := p.Judge(t.Context(), all)
	require.NoError(t, err)
	for _, o := range outcomes {
		switch {
		case o.Verdict == mutants.Survived || o.Verdict == mutants.Unknown:
			t.Error(o)
		case o.Verdict == mutants.Killed && o.Reason != "":
			t.Errorf("remove this one from the lists, as it is killed:\n%v", o)
		}
	}
	t.Logf("compiled in %.1f s, judged in %.1f s\n%s", compiled.Sub(start).Seconds(), time.Since(compiled).Seconds(), mutants.Table(outcomes))
	n := mutants.Count(outcomes)
	return p, fmt.Sprintf(counts+"\n", len(outcomes), n[mutants.Killed], n[mutants.Equivalent], n[mutants.Listed])
}

// refuted returns the row of a variant, with the length of the shortest schedule that refutes it.
func refuted(v variant.Variant, r mutants.Result) string {
	n, aborts := strings.CutSuffix(r.Setup, " giving up")
	steps := "–"
	if r.Steps > 0 {
		steps = strconv.Itoa(r.Steps)
	}
	return fmt.Sprintf("| `%s` | %s | %s | %s | %s |\n", v.Name, r.Fails, strings.TrimPrefix(n, "n="), map[bool]string{true: "yes", false: "no"}[aborts], steps)
}

func goldenFile(name string) string { return filepath.Join("testdata", "rows", name+".txt") }
