package causal_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/multicast"
	"example.org/doorway/messaging/multicast/causal"
)

// The check finds what is wrong without either half of the condition.
func TestBrokenAreRefuted(t *testing.T) {
	a, b := multicast.Send{Body: "a"}, multicast.Send{Body: "b"}
	for condition, c := range map[string]struct {
		inputs [][]messaging.Message
		why    string
	}{
		"only the number of the sender counts": {
			[][]messaging.Message{{a}, {b}, nil},
			"the results are wrong: node 2 delivers message 1 of node 1 before message 1 of node 0, which node 1 had delivered when it sent it",
		},
		"only what others have sent counts": {[][]messaging.Message{{a, b}, nil}, `the results are wrong: node 1 delivers message 1 of node 0 as "b", and "a" was sent`},
	} {
		r, err := explore.CheckNodes(explore.NodesConfig{
			New: causal.Broken(condition), Nodes: len(c.inputs), Inputs: c.inputs, Unordered: true, Results: multicast.Causal,
		})
		require.NoError(t, err)
		if assert.NotNil(t, r.Results.History, condition) {
			assert.Equal(t, c.why, r.Results.History.Title, condition)
		}
	}
}
