package spacetime_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/catalog"
	"example.org/doorway/internal/spacetime"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
)

// Lines are not framed where nodes may be inside together, if the run is chosen event by event: no
// scenario of the repository has such nodes.
func TestTogether(t *testing.T) {
	s, err := sim.ReadScenario("together", strings.NewReader("nodes 3; algorithm intervals; run a0.d1.d3.a2.d4.d5.d2.d8.d6.d7"))
	require.NoError(t, err)
	r, err := spacetime.OfScenario("together", s, catalog.Scenario)
	require.NoError(t, err)
	d := drawn(t, r)
	assert.Len(t, d.with("data-phase"), 4, "two wait, then both are inside")
	assert.Empty(t, d.with("data-clash"))
}

func TestFolded(t *testing.T) {
	for _, test := range []struct {
		nodes int
		users []messaging.ID
		has   []string
	}{
		{5, []messaging.ID{1}, []string{"S1", "S2", "S3–S5, idle"}},
		{4, []messaging.ID{1}, []string{"S1", "S2", "S3", "S4"}},
		{1000, []messaging.ID{1, 500, 999}, []string{"S1", "S2", "S3–S500, idle", "S501", "S502–S999, idle", "S1000"}},
	} {
		a, err := catalog.Protocol("central", test.nodes)
		require.NoError(t, err)
		var load sim.Script
		for k, i := range test.users {
			load = append(load, sim.Request{Node: i, At: time.Duration(3*k) * sim.T})
		}
		d := drawn(t, simulated("folded", sim.Config{Algorithm: a, Nodes: test.nodes, Load: load}))
		var names []string
		for _, s := range d.all {
			if s.Name == "text" && s.At["text-anchor"] == "end" && s.Text != "T" {
				names = append(names, s.Text)
			}
		}
		assert.Equal(t, test.has, names)
	}
}
