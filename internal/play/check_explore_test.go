//go:build doorway_variants

package play

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
)

// TestBroken: of each wrong algorithm of nodes a check finds what is wrong, and the counterexample opens at its end.
func TestBroken(t *testing.T) {
	for _, a := range List().Algorithms {
		if a.Group != broken || a.Kind != "nodes" {
			continue
		}
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			c := Check(opens(a, a.Usual), silent)
			require.Empty(t, c.Error)
			found := 0
			for _, p := range c.Verdicts {
				if p.Status != explore.Fails || p.Text == "" {
					continue
				}
				v := Open(p.Text).View(0)
				assert.Empty(t, v.Refused, "%s: %s", p.Name, p.Text)
				assert.Positive(t, v.Made)
				if p.Shortest > 0 {
					assert.Equal(t, p.Shortest, v.Made, p.Name)
				}
				assert.Equal(t, Open(opens(a, a.Usual)).View(0).Run.Checks, v.Run.Checks, "the verdicts are of the counterexample, too")
				if v.Verdict.Kind != going && v.Verdict.Kind != done {
					found++
				}
			}
			assert.Positive(t, found, "%v", c.Verdicts)
		})
	}
	assert.True(t, catalog.Variants)
}
