package explore_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// Nodes wait forever for one that has crashed: CrashOf has which one.
func TestNodesCrash(t *testing.T) {
	for _, c := range []struct {
		what     string
		of       []messaging.ID
		starving []messaging.ID
	}{
		{"the coordinator", []messaging.ID{0}, []messaging.ID{1, 2}},
		{"a client", []messaging.ID{1}, nil},
		{"any node", nil, []messaging.ID{1, 2}},
	} {
		r, err := explore.CheckNodes(explore.NodesConfig{
			New: central.New, Nodes: 3, Crashes: 1, CrashOf: c.of, CrashIn: []messaging.Phase{messaging.Idle},
		})
		require.NoError(t, err)
		assert.Equal(t, c.starving, r.Starving, c.what)
		want := explore.Holds
		if len(c.starving) > 0 {
			want = explore.Fails
		}
		assert.Equal(t, want, r.DeadlockFree.Status, c.what)
	}
	_, err := explore.CheckNodes(explore.NodesConfig{New: central.New, Nodes: 2, CrashOf: []messaging.ID{2}})
	assert.ErrorContains(t, err, "NodesConfig.CrashOf has node 2: the nodes are 0 to 1")
}

// A node that is told of a crash acts on it, and wrongly if it has not happened.
func TestNodesDetector(t *testing.T) {
	c := explore.NodesConfig{New: ricartagrawala.NewAcknowledged(1, 3), Nodes: 2, Suspicions: 1}
	r, err := explore.CheckNodes(c)
	require.NoError(t, err)
	require.Equal(t, explore.Fails, r.MutualExclusion.Status)
	assert.Contains(t, r.MutualExclusion.History.String(), "which it has not")
}
