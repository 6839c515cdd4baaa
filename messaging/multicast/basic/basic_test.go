package basic_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/multicast"
	"example.org/doorway/messaging/multicast/basic"
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
			Algorithm: basic.New, Nodes: n, Results: multicast.FIFO,
			Inputs: []sim.Input{{Node: messaging.ID(n - 1), Message: multicast.Send{Body: "x"}}},
		})
		require.NoError(t, err)
		assert.Equal(t, n-1, r.Messages, "%d nodes", n)
	}
}

// What basic multicast is right for, and what not: without order of the links it is not FIFO, with it not
// causal, and never the same at all nodes.
func TestExplored(t *testing.T) {
	for _, test := range []struct {
		rule      messaging.Results
		messages  []int
		unordered bool
		status    string
	}{
		{multicast.Reliable, []int{2, 1, 0}, true, explore.Holds},
		{multicast.FIFO, []int{2, 1, 0}, false, explore.Holds},
		{multicast.FIFO, []int{2, 0}, true, explore.Fails},
		{multicast.Causal, []int{2, 1}, false, explore.Holds},
		{multicast.Causal, []int{1, 1, 0}, false, explore.Fails},
		{multicast.Total, []int{2, 0, 0}, false, explore.Holds},
		{multicast.Total, []int{1, 1}, false, explore.Fails},
	} {
		r, err := explore.CheckNodes(explore.NodesConfig{
			New: basic.New, Nodes: len(test.messages), Inputs: send(test.messages...), Results: test.rule, Unordered: test.unordered,
		})
		require.NoError(t, err)
		assert.Equal(t, test.status, r.Results.Status, "%+v", test)
	}
}

func TestContract(t *testing.T) {
	var all []nodetest.Config
	for seed := range uint64(20) {
		all = append(all, nodetest.Config{Nodes: 4, Seed: seed, Unordered: seed%2 == 0, Inputs: send(3, 2, 1, 0), Results: multicast.Reliable})
	}
	require.NoError(t, nodetest.Check(basic.New, basic.Protocol.Kinds, all...))
}
