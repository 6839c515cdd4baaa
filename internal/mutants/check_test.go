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

// Every mutant is killed or known to be equivalent, and every broken variant is
// killed by the property that it violates. The program of the mutants is a separate
// build, so this test needs neither the tag doorway_explore nor the race detector.
func TestEveryMutantDies(t *testing.T) {
	tier.NeedsFull(t, "compiles a few hundred packages")
	all, err := mutants.All(root(t))
	require.NoError(t, err)
	start := time.Now()
	p, err := mutants.Build(t.Context(), root(t), t.TempDir(), all, false)
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
			t.Errorf("remove this one from the list of equivalents, as it is killed:\n%v", o)
		}
	}
	found := p.Broken(t.Context())
	for _, a := range catalog.Broken {
		r := found[a.Name]
		assert.NotEmpty(t, r.Fails, "%s is not killed: %s", a.Name, mutants.Why(r))
		if a.Broken.Refuted == variant.Exclusion && (r.Fails != "mutual exclusion" || r.Steps == 0) {
			t.Errorf("%s is not found to violate mutual exclusion: %s", a.Name, mutants.Why(r))
		}
	}
	const file, again = "../../docs/checker.md", "go test -tags doorway_full ./internal/mutants -update"
	page.Generated(t, file, "mutants", again, markdown(table.String()))
	page.Generated(t, file, "variants", again, broken(found))
	t.Logf("compiled in %.1f s, judged in %.1f s\n%s", compiled.Sub(start).Seconds(), time.Since(compiled).Seconds(), &table)
}

// markdown returns a table of mutants as docs/checker.md shows it. That none survives
// and each has a verdict has been checked.
func markdown(table string) string {
	var b strings.Builder
	b.WriteString("| lock | mutants | killed | equivalent |\n| --- | ---: | ---: | ---: |\n")
	for k, line := range strings.Split(strings.TrimSpace(table), "\n") {
		if f := strings.Fields(line); k > 0 {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(f[:4], " | "))
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
