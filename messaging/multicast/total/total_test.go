package total_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/multicast"
	"example.org/doorway/messaging/multicast/total"
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

// A lone message is delivered after two delays at its sender and elsewhere. If all nodes send at the same time, the
// one with the oldest timestamp is after one: the others acknowledge it. These need an Ack of node 0, but not at node 0.
func TestDelay(t *testing.T) {
	delivered := func(senders int) (at [3][]int) {
		c := sim.Config{Algorithm: total.New, Nodes: 3}
		for i := range senders {
			c.Inputs = append(c.Inputs, sim.Input{Node: messaging.ID(i), Message: multicast.Send{Body: "x"}})
		}
		c.Observe = func(e messaging.Event) {
			if d, ok := e.Message.(multicast.Delivered); ok {
				at[d.From] = append(at[d.From], int(e.At/sim.T))
			}
		}
		_, err := sim.Run(c)
		require.NoError(t, err)
		return at
	}
	assert.Equal(t, [3][]int{{2, 2, 2}}, delivered(1))
	assert.Equal(t, [3][]int{{1, 1, 1}, {1, 2, 2}, {2, 2, 2}}, delivered(3))
}

// The check finds what is wrong without each of the rules.
func TestBrokenAreRefuted(t *testing.T) {
	for rule, c := range map[string]struct {
		messages []int
		why      string
	}{
		"one node is not waited for": {[]int{1, 1}, "the results are wrong: node 0 delivers message 1 of node 0 where node 1 delivers message 1 of node 1"},
		"no acks are sent":           {[]int{1, 0}, "the results are wrong: node 0 has not delivered message 1 of node 0, which node 1 has delivered"},
	} {
		r, err := explore.CheckNodes(explore.NodesConfig{
			New: total.Broken(rule), Nodes: 2, Inputs: send(c.messages...), Results: total.Protocol.Results,
		})
		require.NoError(t, err)
		if assert.NotNil(t, r.Results.History, rule) {
			assert.Equal(t, c.why, r.Results.History.Title, rule)
		}
	}
}
