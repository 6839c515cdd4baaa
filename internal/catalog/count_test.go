//go:build race || doorway_explore

package catalog_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/seam"
)

// The uncontended accesses of an entry and exit, and the registers, are counted on
// the code itself.
func TestCounts(t *testing.T) {
	for _, a := range catalog.Algorithms {
		for n := 1; n <= 9; n++ {
			if !a.For(n) || a.Max > 0 && n < a.Max {
				continue
			}
			t.Run(fmt.Sprintf("lock=%s/n=%d", a.Name, n), func(t *testing.T) {
				var mu sync.Mutex
				registers := map[*seam.Number]bool{}
				count := map[seam.Access]int{}
				seam.Intercept(func(a seam.Access, w *seam.Number) {
					mu.Lock()
					defer mu.Unlock()
					count[a]++
					if w != nil {
						registers[w] = true
					}
				})
				defer seam.Intercept(nil)
				m := a.New(n)
				for i := range m.Processes() {
					clear(count)
					m.Lock(i)
					m.Unlock(i)
					both := count[seam.ReadWrite]
					assert.Equal(t, a.Claims.Writes.Of(n), count[seam.Write]+both, "writes of process %d", i)
					assert.Equal(t, a.Claims.Reads.Of(n), count[seam.Read]+both, "reads of process %d", i)
					assert.Equal(t, a.Claims.Assumes == "an atomic swap", both > 0, "accesses of process %d that are both", i)
				}
				assert.Equal(t, a.Claims.Registers.Of(n), len(registers), "registers that are accessed")
				if got := a.Claims.Writes.Of(n) == a.Claims.Writes.Of(9*n) && a.Claims.Reads.Of(n) == a.Claims.Reads.Of(9*n); got != a.Claims.Fast && n > 1 {
					t.Errorf("the accesses are constant: %t, claimed is %t", got, a.Claims.Fast)
				}
			})
		}
	}
}
