//go:build !doorway_explore

package explore_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// A tourist sends the message that it gets to one neighbour after the other, node 0 last. So
// one message goes over every link once, from node 0 and back.
type tourist struct {
	self messaging.ID
	Next messaging.ID
}

func (n *tourist) Request(out messaging.Out) { n.Receive(n.self, asking{}, out) }

func (n *tourist) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	if n.Next--; n.Next == n.self {
		n.Next--
	}
	if n.Next < 0 {
		out.Enter()
		return
	}
	out.Send(n.Next, m)
}

func (n *tourist) Release(messaging.Out) {}

// A state has a part for every node and for every link that is used: few states can take many
// words. All are told apart, and more words than there may be are an error.
func TestNodesWideStates(t *testing.T) {
	for _, nodes := range []int{2, 5, 9, 13} { // 1 to 9 words
		c := explore.NodesConfig{Nodes: nodes, Requests: make([]int, nodes)}
		c.New = func(start messaging.Start) messaging.Node {
			return &tourist{self: start.Self, Next: messaging.ID(start.Nodes)}
		}
		c.Requests[0] = 1
		r := checkedNodes(t, c)
		links := nodes * (nodes - 1)
		assert.Equal(t, links+3, r.States, "%d nodes: a request, %d links, an entry and an exit, one after the other", nodes, links)
		assert.Equal(t, links+2, r.Depth, "%d nodes", nodes)
		assert.Equal(t, 1, r.Ends, "%d nodes", nodes)
		assert.Equal(t, 1, r.Queue, "%d nodes", nodes)
		assert.NoError(t, r.Err(), "%d nodes", nodes)
	}

	_, err := explore.CheckNodes(explore.NodesConfig{New: ricartagrawala.New, Nodes: 31})
	assert.ErrorContains(t, err, "words: it must be at most 16")
}
