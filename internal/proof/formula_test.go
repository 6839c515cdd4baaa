package proof

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/catalog"
)

// A formula is found for each count of the catalog, and it is the one claimed.
func TestFormula(t *testing.T) {
	for _, a := range catalog.Algorithms {
		c := a.Claims
		for _, claimed := range []catalog.Count{c.Registers, c.Writes, c.Reads} {
			counts := map[int]int{}
			for _, n := range alone {
				if a.For(n) && (a.Max == 0 || n == a.Max) {
					counts[n] = claimed.Of(n)
				}
			}
			got := formula(counts)
			assert.Contains(t, []string{got, factor(got)}, claimed.Text, a.Name)
			if len(counts) > 1 {
				counts[7]++
				assert.Equal(t, "?", formula(counts), "%s: %s, with one more at n = 7", a.Name, claimed.Text)
			}
		}
	}
	assert.Equal(t, "?", formula(nil), "nothing was counted")
	assert.Equal(t, "?", formula(map[int]int{1: 1, 2: 4, 3: 9, 4: 16}), "squares")
	assert.Equal(t, "2n-1", formula(map[int]int{1: 1, 2: 3, 3: 5, 8: 15}))
	assert.Equal(t, "(2n-1)", factor("2n-1"))
	assert.Equal(t, "?", factor("?"))
}
