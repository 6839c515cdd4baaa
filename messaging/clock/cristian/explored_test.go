package cristian_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/clock"
	"example.org/doorway/messaging/clock/cristian"
)

// In every schedule of a few ticks, whatever messages take, no clock goes back. (Time is not part of
// a schedule, so nothing is said of the error there; and clocks that tick forever have states
// without end.)
func TestExplored(t *testing.T) {
	read := clock.Read{}
	c := explore.NodesConfig{
		Nodes: 2, Unordered: true, AnyTime: true, Losses: 1, Duplicates: tier.Pick(0, 1), Results: clock.Results,
		Inputs: [][]messaging.Message{{clock.Set{Time: 100}}, {clock.Set{Time: 1000}, read, read}},
	}
	config := cristian.Config{Tick: 10, Every: 2, Drift: 1000}
	c.New = cristian.Lasting(cristian.Broken(0, config, "a clock is set back"), 1)
	r, err := explore.CheckNodes(c)
	require.NoError(t, err)
	require.NotNil(t, r.Results.History)
	assert.Contains(t, r.Results.History.Title, "the clock of node 1 goes back from ")

	c.New = cristian.Lasting(cristian.New(0, config), tier.Pick(2, 3))
	r, err = explore.CheckNodes(c)
	require.NoError(t, err)
	require.Empty(t, r.Failures())
	assert.Equal(t, explore.Holds, r.Results.Status)
	t.Log(r.States, "states")
}
