//go:build !race

package mutants_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/mutants"
	"example.org/doorway/internal/mutants/judge"
	"example.org/doorway/internal/page"
	"example.org/doorway/internal/tier"
	"example.org/doorway/internal/variant"
)

const file, again = "../../docs/checker.md", "go test -tags doorway_full ./internal/mutants -update"

// Every mutant of a lock is killed or known to be equivalent, and every broken variant is
// killed by the property that it violates. The program of the mutants is a separate
// build, so this test needs neither the tag doorway_explore nor the race detector.
func TestEveryMutantDies(t *testing.T) {
	tier.NeedsFull(t, "judges a few hundred mutants")
	all, err := mutants.All(root(t))
	require.NoError(t, err)
	p, table := judged(t, all, false)
	found := p.Broken(t.Context())
	for _, a := range catalog.Broken {
		r := found[a.Name]
		assert.NotEmpty(t, r.Fails, "%s is not killed: %s", a.Name, mutants.Why(r))
		if a.Broken.Refuted == variant.Exclusion && (r.Fails != "mutual exclusion" || r.Steps == 0) {
			t.Errorf("%s is not found to violate mutual exclusion: %s", a.Name, mutants.Why(r))
		}
	}
	page.Generated(t, file, "mutants", again, markdown("lock", table, 4))
	page.Generated(t, file, "variants", again, broken(found))
}

// Every mutant of nodes is killed or known to be equivalent, or is one of the few of which
// the list says what would kill them. In the quick tests, those of one algorithm are judged.
func TestEveryNodeMutantDies(t *testing.T) {
	if !tier.Full {
		all, err := mutants.OfNodes(root(t), "naimitrehel", "")
		require.NoError(t, err)
		judged(t, all, true)
		return
	}
	all, err := mutants.Nodes(root(t))
	require.NoError(t, err)
	_, table := judged(t, all, false)
	assert.LessOrEqual(t, table.Share(mutants.Listed), 0.05, "of the mutants are listed")
	page.Generated(t, file, "node-mutants", again, markdown("package", table, 5))
}

// judged judges mutants, and fails if one is not killed and not listed, or listed and killed.
func judged(t *testing.T, all []mutants.Mutant, lines bool) (*mutants.Program, *mutants.Table) {
	t.Helper()
	start := time.Now()
	p, err := mutants.Build(t.Context(), root(t), t.TempDir(), all, lines)
	require.NoError(t, err)
	compiled := time.Now()
	outcomes, err := p.Judge(t.Context(), all)
	require.NoError(t, err)
	var table mutants.Table
	for _, o := range outcomes {
		table.Add(o)
		switch {
		case o.Verdict == mutants.Survived || o.Verdict == mutants.Unknown:
			t.Error(o)
		case o.Verdict == mutants.Killed && o.Reason != "":
			t.Errorf("remove this one from the lists, as it is killed:\n%v", o)
		}
	}
	t.Logf("compiled in %.1f s, judged in %.1f s\n%s", compiled.Sub(start).Seconds(), time.Since(compiled).Seconds(), &table)
	return p, &table
}

// markdown returns the first columns of a table of mutants as docs/checker.md shows it. That
// none survives and each has a verdict has been checked.
func markdown(what string, table *mutants.Table, columns int) string {
	var b strings.Builder
	for k, line := range strings.Split(strings.TrimSpace(table.String()), "\n") {
		f := strings.Fields(line)[:columns]
		if k == 0 {
			f[0] = what
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(f, " | "))
		if k == 0 {
			fmt.Fprintf(&b, "| ---%s |\n", strings.Repeat(" | ---:", columns-1))
		}
	}
	return b.String()
}

// broken returns a table of the broken variants, and the shortest schedules that
// refute them.
func broken(found map[string]judge.Result) string {
	var b strings.Builder
	b.WriteString("| variant | violates | n | aborts | steps |\n| --- | --- | ---: | --- | ---: |\n")
	for _, a := range catalog.Broken {
		r := found[a.Name]
		n, aborts := strings.CutSuffix(r.Setup, " giving up")
		steps := "–"
		if r.Steps > 0 {
			steps = strconv.Itoa(r.Steps)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", a.Name, r.Fails, strings.TrimPrefix(n, "n="), map[bool]string{true: "yes", false: "no"}[aborts], steps)
	}
	return b.String()
}
