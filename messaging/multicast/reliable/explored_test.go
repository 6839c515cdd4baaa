package reliable_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/multicast"
	"example.org/doorway/messaging/multicast/reliable"
)

var (
	a     = multicast.Send{Body: "a"}
	b     = multicast.Send{Body: "b"}
	leave = multicast.Leave{}
	join  = multicast.Join{}
)

type inputs = [][]messaging.Message

func check(t *testing.T, c explore.NodesConfig) *explore.NodesReport {
	t.Helper()
	c.Nodes = len(c.Inputs)
	if c.New == nil {
		c.New = reliable.New(0, 0)
	}
	c.Detected = true
	r, err := explore.CheckNodes(c)
	require.NoError(t, err, "%v", c.Inputs)
	t.Logf("%v, %d crashes: %d states", c.Inputs, c.Crashes, r.States)
	return r
}

// right checks that the results of a config hold, and that the nodes come to rest.
func right(t *testing.T, c explore.NodesConfig) {
	t.Helper()
	r := check(t, c)
	require.NoError(t, r.Err(), "%v", c.Inputs)
}

// Under a perfect detector, whoever sends, joins, leaves and crashes, and whenever.
func TestExplored(t *testing.T) {
	all := []explore.NodesConfig{
		{Inputs: inputs{{a, b}}},
		{Inputs: inputs{{a}, {b}}, Crashes: 1},
		{Inputs: inputs{{a}, nil, nil}, Crashes: 2},
		{Inputs: inputs{{leave}, {a}}},
		{Inputs: inputs{{leave, join}, {a}}},
		{Inputs: inputs{{a}, {leave, join, b}}},
		{Inputs: inputs{nil, {leave}, nil}, Crashes: 1},
	}
	more := []explore.NodesConfig{
		{Inputs: inputs{{leave, join, leave}, {a}, nil}},
		{Inputs: inputs{nil, {leave, join}, nil}, Crashes: 2},
		{Inputs: inputs{{a}, {b}, nil}, Crashes: 1},
		{Inputs: inputs{{a}, {b}, nil}, Crashes: 2},
		{Inputs: inputs{{a}, nil, {leave, join}}, Crashes: 1},
		{Inputs: inputs{{leave, join}, {a}, nil}, Crashes: 1},
		{Inputs: inputs{{leave, join}, {leave, join}, nil}, Crashes: 1},
		{Inputs: inputs{{leave}, {leave}, {leave}}, Crashes: 1},
		{Inputs: inputs{{a}, nil, nil, nil}, Crashes: 2},
		{Inputs: inputs{nil, {leave}, nil, nil}, Crashes: 2},
		{Inputs: inputs{{leave}, {leave}, nil, nil}, Crashes: 1},
		{Inputs: inputs{nil, {leave, join}, nil, nil}, Crashes: 1},
	}
	for _, c := range append(all, tier.Pick(nil, more)...) {
		c.Results = multicast.Synchronous
		right(t, c)
	}
}

// A node may also crash midway, when it has sent a message to some nodes only.
func TestExploredMidway(t *testing.T) {
	all := []explore.NodesConfig{
		{Inputs: inputs{{a}, nil, nil}, Crashes: 1},
		{Inputs: inputs{nil, {leave}, nil}, Crashes: 1},
	}
	more := []explore.NodesConfig{
		{Inputs: inputs{nil, {leave, join}, nil}, Crashes: 1},
		{Inputs: inputs{{leave}, {leave}, nil}, Crashes: 1},
		{Inputs: inputs{{a}, {b}, nil}, Crashes: 1},
		{Inputs: inputs{{a}, nil, nil}, Crashes: 2},
		{Inputs: inputs{{leave}, {a}, nil}, Crashes: 1},
		{Inputs: inputs{nil, {leave}, {leave}}, Crashes: 1},
	}
	for _, c := range append(all, tier.Pick(nil, more)...) {
		c.New, c.AnyTime, c.Results = midway(reliable.New(0, 0), 0), true, multicast.Synchronous
		right(t, c)
	}
}
