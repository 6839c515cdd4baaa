//go:build doorway_explore

package catalog_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/catalog/variant"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/quorum"
	"example.org/doorway/messaging/sim"
)

// The smallest number of nodes with which the printed rules of Maekawa's algorithm
// deadlock is four, if all quorums have the same size and contain the node itself; if not, it
// is three.
func TestPrintedMaekawaNeedsFour(t *testing.T) {
	if tier.Race {
		t.Skip("explores a hundred systems, whose explorations share nothing")
	}
	for _, name := range []string{"maekawa/late-failed", "maekawa/lock-only"} {
		deadlocks := map[bool]int{} // whether all quorums have the same size
		for choice := range 1 << 6 {
			sets := make([][]messaging.ID, 3)
			for i := range messaging.ID(3) {
				sets[i] = []messaging.ID{i}
				for k, other := range []messaging.ID{(i + 1) % 3, (i + 2) % 3} {
					if choice>>(2*int(i)+k)&1 == 1 {
						sets[i] = append(sets[i], other)
					}
				}
			}
			s, err := quorum.Sets(sets)
			if err != nil {
				continue // two have no member in common
			}
			requests, size := []int{1, 1, 1}, s.Properties().Size
			if size.Least == size.Most {
				requests = tier.Pick(requests, []int{2, 2, 1})
			}
			r, err := explore.CheckNodes(explore.NodesConfig{New: variantOf(t, name).With(s), Nodes: 3, Requests: requests})
			require.NoError(t, err)
			require.Equal(t, explore.Holds, r.MutualExclusion.Status, "%v", sets)
			if r.DeadlockFree.Status == explore.Fails {
				deadlocks[size.Least == size.Most]++
			}
		}
		assert.Zero(t, deadlocks[true], "%s: systems of three quorums of equal size", name)
		assert.Positive(t, deadlocks[false], "%s: other systems of three quorums", name)

		four, err := quorum.Majority(4)
		require.NoError(t, err)
		for _, c := range []struct {
			requests []int
			want     string
		}{{[]int{1, 1, 1, 0}, explore.Fails}, {[]int{2, 2, 0, 0}, explore.Holds}} {
			r, err := explore.CheckNodes(explore.NodesConfig{New: variantOf(t, name).With(four), Nodes: 4, Requests: c.requests})
			require.NoError(t, err)
			assert.Equal(t, c.want, r.DeadlockFree.Status, "%s, four nodes, %v requests", name, c.requests)
		}
	}
}

// rare are variants that random schedules hardly ever refute, since a later request resolves the
// deadlock. Explorations refute them, in internal/proof.
var rare = []string{"singhal/printed"}

// The printed rules fail, and in the way that is claimed.
func TestPrintedFail(t *testing.T) {
	for _, p := range catalog.Printed {
		if slices.Contains(rare, p.Name) {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			want := "exclusion"
			switch p.Broken.Refuted {
			case variant.Progress:
				want = "deadlock"
			case variant.Contract:
				want = "panic"
			}
			assert.True(t, fails(p, want), "%s is claimed, but no schedule shows it", p.Broken.Why)
		})
	}
}

// fails reports whether p fails in that way in some schedule. In others it may fail
// in another way: nodes reject impossible messages, which occur here.
func fails(p catalog.Protocol, want string) bool {
	for _, n := range []int{2, 3, 4, 5, 7, 13} {
		for _, c := range schedules(p, n, tier.Pick(300, 2000)) {
			if sim.Failure(nodetest.Run(p.New(n), c)) == want {
				return true
			}
		}
	}
	return false
}

func variantOf(t *testing.T, name string) catalog.Protocol {
	t.Helper()
	p, ok := catalog.FindProtocol(name)
	require.True(t, ok, name)
	return p
}

func TestGivenOfPrinted(t *testing.T) { rejectsSets(t, catalog.Printed) }
