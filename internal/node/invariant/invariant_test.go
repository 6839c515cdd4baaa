package invariant_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/node/invariant"
	"example.org/doorway/messaging"
)

type node struct{ Holds bool }

func (*node) Receive(messaging.ID, messaging.Message, messaging.Out) {}

type (
	token   struct{ Round int }
	request struct{}
)

func TestOneToken(t *testing.T) {
	oneToken := invariant.OneToken[*node, token](func(n *node) bool { return n.Holds })
	with, without := &node{Holds: true}, &node{}
	transit := func(m messaging.Message) messaging.Event { return messaging.Event{From: 1, To: 2, Message: m} }
	for _, c := range []struct {
		nodes   []messaging.Node
		transit []messaging.Event
		want    string
	}{
		{[]messaging.Node{without, nil, without}, []messaging.Event{transit(request{})}, ""},
		{[]messaging.Node{with, nil, without}, []messaging.Event{transit(request{})}, ""},
		{[]messaging.Node{without, without, without}, []messaging.Event{transit(token{1})}, ""},
		{[]messaging.Node{without, with, with}, nil, "there are 2 tokens: at node 1 and at node 2"},
		{[]messaging.Node{with, nil, without}, []messaging.Event{transit(token{})}, "there are 2 tokens: at node 0 and in transit from node 1 to node 2"},
		{
			[]messaging.Node{with, nil, without},
			[]messaging.Event{transit(token{}), transit(request{}), transit(token{2})},
			"there are 3 tokens: at node 0, in transit from node 1 to node 2 and in transit from node 1 to node 2",
		},
	} {
		if err := oneToken(c.nodes, c.transit); c.want == "" {
			assert.NoError(t, err)
		} else {
			assert.EqualError(t, err, c.want)
		}
	}
	at := testing.AllocsPerRun(100, func() { _ = oneToken([]messaging.Node{with, without}, nil) })
	assert.Zero(t, at, "allocations of a state with one token")
}
