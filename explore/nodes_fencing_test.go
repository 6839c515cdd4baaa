//go:build !doorway_explore

package explore_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// An epochal node is an usher in epochs, which grow with its own entries, or are what of says.
type epochal struct {
	usher
	of func(n *epochal) uint64

	Entries uint64
}

func (n *epochal) Request(out messaging.Out) {
	n.Entries++
	n.usher.Request(out)
}

func (n *epochal) Epoch() uint64 { return n.of(n) }

// A divided node is one of which those that are both even or both odd exclude each other.
type divided struct{ epochal }

func (n *divided) Excludes(other messaging.ID) bool { return (n.start.Self-other)%2 == 0 }

// An era is a node that is in the epoch of its clock.
type era struct{ quirk }

func (n *era) Epoch() uint64 { return uint64(n.Clock) }

func epochs(of func(n *epochal) uint64) messaging.Algorithm {
	return func(s messaging.Start) messaging.Node { return &epochal{usher: usher{start: s}, of: of} }
}

// A token is not larger than one before it if its epoch is smaller, on whatever node that was, and whatever
// the node has forgotten. A resource would refuse the user that is inside.
func TestNodesFencing(t *testing.T) {
	byNumber := func(n *epochal) uint64 { return 5 - uint64(n.start.Self) }
	byEntries := func(n *epochal) uint64 { return n.Entries }
	for _, c := range []struct {
		what   string
		config explore.NodesConfig
		fails  string // "": it holds
	}{
		{"one epoch", explore.NodesConfig{New: epochs(func(*epochal) uint64 { return 3 }), Rounds: 2}, ""},
		{"no epochs", explore.NodesConfig{New: newVisitor}, "unknown"},
		{"of each node", explore.NodesConfig{New: epochs(byNumber)}, `S2 enters in epoch 4 after S1 in epoch 5
S1 asks
S1 enters
S1 leaves
S2 asks
S1 gets ASKING from S2
S2 gets ADMITTED from S1
S2 enters
`},
		{"that grow", explore.NodesConfig{New: epochs(byEntries), Requests: []int{3, 0}}, ""},
		{"that are forgotten", explore.NodesConfig{New: epochs(byEntries), Requests: []int{3, 0}, Crashes: 1, Restarts: 1, CrashIn: []messaging.Phase{messaging.Idle}}, `S1 enters in epoch 1 after S1 in epoch 2
S1 asks
S1 enters
S1 leaves
S1 asks
S1 enters
S1 leaves
S1 crashes
S1 starts again
S1 asks
S1 enters
`},
		{"of nodes that do not exclude each other", explore.NodesConfig{New: func(s messaging.Start) messaging.Node {
			return &divided{epochal{usher: usher{start: s}, of: byNumber}}
		}}, ""},
	} {
		c.config.Nodes = 2
		r, err := explore.CheckNodes(c.config)
		require.NoError(t, err, c.what)
		require.Equal(t, explore.Holds, r.MutualExclusion.Status, c.what)
		switch c.fails {
		case "unknown":
			assert.Equal(t, explore.NodesVerdict{Status: explore.Unknown}, r.Fencing, c.what)
		case "":
			assert.Equal(t, explore.Holds, r.Fencing.Status, "%s: %v", c.what, r.Fencing.History)
		default:
			orderIs(t, c.what, r.Fencing, "the token of an entry is not larger than that of an earlier one: "+c.fails)
			assert.ErrorContains(t, r.Err(), "explore: fencing fails, in ", c.what)
		}
	}

	_, err := unbounded(func(s messaging.Start) messaging.Node {
		return &era{quirk{start: s, quirky: func(*quirk) bool { return false }, Node: ricartagrawala.New(s)}}
	}, 2)
	assert.ErrorContains(t, err, "it depends on the value of a time", "states that differ by a shift of all times are one")
	assert.ErrorContains(t, err, "enter, in epoch ")
}
