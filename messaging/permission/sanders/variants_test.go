//go:build doorway_explore

package sanders_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/sanders"
	"example.org/doorway/messaging/sim"
)

var printed, _ = catalog.FindProtocol("sanders/printed")

// TestPrinted: random schedules find the deadlock in each structure in which two
// nodes can lock crosswise. With a coordinator they cannot.
func TestPrinted(t *testing.T) {
	for name, s := range instances() {
		stuck := 0
		for seed := range tier.Pick[uint64](40, 100) {
			a, err := printed.Given(s.Request, s.Inform)
			require.NoError(t, err)
			err = nodetest.Run(a, nodetest.Config{Nodes: s.Nodes(), Seed: seed})
			switch {
			case nodetest.Failure(err) == "deadlock":
				stuck++
			case err != nil:
				t.Fatalf("%s: %v", name, err)
			}
		}
		want := s.Nodes() > 1 && !strings.HasPrefix(name, "central")
		assert.Equal(t, want, stuck > 0, "%s: a schedule deadlocks; %d do", name, stuck)
	}
}

func TestPrintedTwoAtOnce(t *testing.T) {
	s := sanders.RicartAgrawala(2)
	a, err := printed.Given(s.Request, s.Inform)
	require.NoError(t, err)
	r, err := sim.Run(sim.Config{
		Algorithm: a, Nodes: 2, Load: sim.Script{{Node: 0}, {Node: 1}},
	})
	require.Equal(t, "deadlock", sim.Failure(err), "two concurrent requests wait forever")
	assert.Equal(t, 2, r.Requests, "requests")
	assert.Zero(t, r.Entries, "entries")
}
