//go:build doorway_explore

package proof_test

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/memory/registers"
	"example.org/doorway/internal/proof"
	"example.org/doorway/internal/tier"
	"example.org/doorway/mutex"
)

// What the catalog claims of a lock is computed from the lock, and testdata has
// what was computed.
func TestProperties(t *testing.T) {
	for _, a := range catalog.Algorithms {
		t.Run(a.Name, func(t *testing.T) {
			tier.Each(t, a.Package())
			a.Checked = tier.Pick(upTo(3, a.Checked), a.Checked)
			r, err := proof.Of(a, func(s catalog.Size, c *explore.Config) {
				c.Only.SafeRegisters = c.Only.SafeRegisters && (tier.Full || s.Processes <= 2)
			})
			require.NoError(t, err)
			for _, d := range r.Differences() {
				t.Error(d)
			}
			for _, report := range r.Reports {
				assert.True(t, report.Vetted, "%d processes: the source was not examined", report.Processes)
			}
			compare(t, r)
		})
	}
}

// upTo returns those sizes that have at most n processes.
func upTo(n int, all []catalog.Size) (some []catalog.Size) {
	for _, s := range all {
		if s.Processes <= n {
			some = append(some, s)
		}
	}
	return some
}

// Differences reports a wrong claim, also of one number of processes only.
func TestDifferences(t *testing.T) {
	type change func(*catalog.Claims)
	for name, c := range map[string]struct {
		change change
		want   []string
	}{
		"nothing":   {func(*catalog.Claims) {}, nil},
		"registers": {func(c *catalog.Claims) { c.Registers.Of = func(n int) int { return n + 2 + n/100 } }, []string{"lamportfast: the number of registers, n = 100, is 102, claimed is 103"}},
		"writes":    {func(c *catalog.Claims) { c.Writes.Of = func(n int) int { return 5 + n/100 } }, []string{"lamportfast: the number of writes alone, n = 100, is 5, claimed is 6"}},
		"reads": {func(c *catalog.Claims) { c.Reads.Of = func(n int) int { return 2 + n&3/3 } }, []string{
			"lamportfast: the number of reads alone, n = 3, is 2, claimed is 3", "lamportfast: the number of reads alone, n = 7, is 2, claimed is 3",
			"lamportfast: the number of reads uncontended, n = 3, is 2, claimed is 3",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			a, ok := catalog.Find("lamportfast")
			require.True(t, ok)
			a.Checked = upTo(3, a.Checked)
			c.change(&a.Claims)
			r, err := proof.Of(a, func(catalog.Size, *explore.Config) {})
			require.NoError(t, err)
			assert.Equal(t, c.want, r.Differences())
		})
	}
}

// Where protocols of the catalog touch fewer registers than the lock has, or only read
// some, docs/checker.md says so.
func TestRegistersThatAreNotUsed(t *testing.T) {
	for _, a := range catalog.Algorithms {
		for _, n := range []int{1, 2, 3, 4, 5, 9, 100} {
			if !a.For(n) || a.Max > 0 && n < a.Max {
				continue
			}
			got, err := registers.Uncontended(func(n int) mutex.Mutex { return a.New(n) }, n)
			require.NoError(t, err)
			held, written := got.Registers, got.Registers
			switch a.Name {
			case "tournament": // a complete tree, in which some nodes are on no process's path
				held, written = 3<<bits.Len(uint(n-1)), 0
				for m := n; m > 1; m = (m + 1) / 2 {
					written += m + (m+1)/2 // a flag for each child that there is, and a turn
				}
			case "bakery": // four tickets at a time are read, and there are n
				written = n
			case "graunkethakkar": // follows is written only behind a process that aborts
				written = n + 1
			case "mcs": // nodes are of processes that wait, and head is written behind one
				held, written = 2*n+2, 1
			}
			assert.Equal(t, held, got.Held, "%s with %d processes: registers held", a.Name, n)
			assert.Equal(t, written, got.Written, "%s with %d processes: registers written", a.Name, n)
		}
	}
}
