package causal_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/multicast"
	"example.org/doorway/messaging/multicast/causal"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/sim"
)

// send returns inputs by node: as many messages to the group.
func send(messages ...int) (inputs [][]messaging.Message) {
	for i, many := range messages {
		inputs = append(inputs, nil)
		for k := range many {
			inputs[i] = append(inputs[i], multicast.Send{Body: string(rune('a' + 3*i + k))})
		}
	}
	return inputs
}

// A message takes N-1 messages.
func TestCounts(t *testing.T) {
	for n := 1; n <= 20; n++ {
		r, err := sim.Run(sim.Config{
			Algorithm: causal.New, Nodes: n, Results: multicast.Causal,
			Inputs: []sim.Input{{Node: messaging.ID(n - 1), Message: multicast.Send{Body: "x"}}},
		})
		require.NoError(t, err)
		assert.Equal(t, n-1, r.Messages, "%d nodes", n)
	}
}

// All orders of arrival, also on links that are not FIFO, lead to causal orders of delivery.
func TestExplored(t *testing.T) {
	sizes := [][]int{{2, 1}, {1, 1, 0}, {1, 1, 1}}
	for _, messages := range append(sizes, tier.Pick(nil, [][]int{{2, 2}, {3, 1}, {2, 1, 0}, {2, 2, 0}, {2, 1, 1}})...) {
		r, err := explore.CheckNodes(explore.NodesConfig{
			New: causal.New, Nodes: len(messages), Inputs: send(messages...), Unordered: true, Results: multicast.Causal,
		})
		require.NoError(t, err)
		require.Empty(t, r.Failures(), "%v messages", messages)
		assert.Equal(t, explore.Holds, r.Results.Status)
		assert.Equal(t, explore.Holds, r.Quiescent.Status)
		t.Logf("%v messages: %v", messages, r)
	}
}

// The check finds what is wrong without either half of the condition.
func TestBrokenAreRefuted(t *testing.T) {
	for condition, c := range map[string]struct {
		messages []int
		why      string
	}{
		"only the number of the sender counts": {
			[]int{1, 1, 0},
			"the results are wrong: node 2 delivers message 1 of node 1 before message 1 of node 0, which node 1 had delivered when it sent it",
		},
		"only what others have sent counts": {[]int{2, 0}, `the results are wrong: node 1 delivers message 1 of node 0 as "b", and "a" was sent`},
	} {
		r, err := explore.CheckNodes(explore.NodesConfig{
			New: causal.Broken(condition), Nodes: len(c.messages), Inputs: send(c.messages...), Unordered: true, Results: multicast.Causal,
		})
		require.NoError(t, err)
		if assert.NotNil(t, r.Results.History, condition) {
			assert.Equal(t, c.why, r.Results.History.Title, condition)
		}
	}
}

// Concurrent messages are delivered in any order: causal order is not total.
func TestNotTotal(t *testing.T) {
	r, err := explore.CheckNodes(explore.NodesConfig{New: causal.New, Nodes: 2, Inputs: send(1, 1), Results: multicast.Total})
	require.NoError(t, err)
	assert.Equal(t, explore.Fails, r.Results.Status)
}

func TestContract(t *testing.T) {
	var all []nodetest.Config
	for seed := range uint64(tier.Pick(20, 200)) {
		all = append(all, nodetest.Config{Nodes: 4, Seed: seed, Unordered: seed%2 == 0, Inputs: send(3, 2, 1, 0), Results: multicast.Causal})
	}
	require.NoError(t, nodetest.Check(causal.New, causal.Protocol.Kinds, all...))
}
