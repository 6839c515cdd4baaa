package explore_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/catalog"
)

// SafetyOnly finds the same states and faults in less memory, and says which verdicts it leaves out.
func TestSafetyOnly(t *testing.T) {
	for _, p := range catalog.Protocols {
		c := explore.NodesConfig{New: p.New(2), Nodes: 2, Perpetual: p.Perpetual, Rounds: 2}
		all, err := explore.CheckNodes(c)
		require.NoError(t, err, p.Name)
		c.SafetyOnly = true
		few, err := explore.CheckNodes(c)
		require.NoError(t, err, p.Name)
		assert.Equal(t, []int{all.States, all.Events, all.Depth}, []int{few.States, few.Events, few.Depth}, p.Name)
		assert.Equal(t, []explore.NodesVerdict{all.MutualExclusion, all.NoPanic}, []explore.NodesVerdict{few.MutualExclusion, few.NoPanic}, p.Name)
		assert.LessOrEqual(t, few.Bytes, all.Bytes, p.Name)
		left := explore.NodesVerdict{Status: explore.Unknown, Note: "left out by SafetyOnly"}
		assert.Equal(t, []explore.NodesVerdict{left, left, left}, []explore.NodesVerdict{few.DeadlockFree, few.StarvationFree, few.FIFO}, p.Name)
		assert.Equal(t, [4]int{}, [4]int{few.Bypasses, few.BypassesByAll, few.Messages, few.Entries}, p.Name)
		assert.EqualError(t, few.Err(), "explore: not checked: deadlock-free (left out by SafetyOnly) and starvation-free (left out by SafetyOnly)", p.Name)
	}
	greedy := explore.NodesConfig{New: newVisitor, Nodes: 3, Crashes: 1, SafetyOnly: true}
	r, err := explore.CheckNodes(greedy)
	require.NoError(t, err)
	greedy.SafetyOnly = false
	all, err := explore.CheckNodes(greedy)
	require.NoError(t, err)
	assert.Equal(t, all.DeadlockFree, r.DeadlockFree, "nodes wait, and nothing is in transit")
	assert.Equal(t, explore.Fails, r.DeadlockFree.Status)
}
