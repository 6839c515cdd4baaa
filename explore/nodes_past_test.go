//go:build !doorway_explore

package explore_test

import (
	"testing"

	"example.org/doorway/explore"
	"example.org/doorway/messaging"
)

// A gossiper is an usher that tells node 3 of each request, which tells node 2.
type gossiper struct{ usher }

type gossip struct{}

func (n *gossiper) Request(out messaging.Out) {
	out.Send(3, gossip{})
	n.usher.Request(out)
}

func (n *gossiper) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	_, told := m.(gossip)
	switch {
	case !told:
		n.usher.Receive(from, m, out)
	case n.start.Self == 3:
		out.Send(2, gossip{})
	}
}

// What is sent in the event in which an effect arrives is an effect, too.
func TestNodesHappenedBeforeByGossip(t *testing.T) {
	r := checkedNodes(t, explore.NodesConfig{
		New:   func(start messaging.Start) messaging.Node { return &gossiper{usher{start: start}} },
		Nodes: 4, Requests: []int{0, 1, 1, 0},
	})
	orderIs(t, "gossip", r.HappenedBefore, `not in happened-before order: node 2 enters before node 1, whose request happened before its own
node 1 requests
node 3 gets gossip{} from 1
node 2 gets gossip{} from 3
node 2 requests
node 0 gets asking{} from 2
node 2 gets admitted{} from 0
node 2 is inside
`)
}

// An oblivious node 0 draws the time of its stamp and forgets it. It enters once node 1 waits,
// and before that.
type oblivious struct {
	start           messaging.Start
	Pinged, Waiting bool // of node 1
}

type (
	dated struct{ Of messaging.Stamp }
	ping  struct{}
	pong  struct{}
)

func (n *oblivious) Request(out messaging.Out) {
	if n.start.Self == 0 {
		out.Send(0, dated{messaging.Stamp{Time: messaging.Time(1 + 2*out.Choose(2)), ID: 0}})
		out.Send(1, ping{})
		return
	}
	n.Waiting = true
	out.Send(1, dated{messaging.Stamp{Time: 2, ID: 1}})
	n.answer(out)
}

func (n *oblivious) Release(out messaging.Out) {
	if n.start.Self == 0 {
		out.Send(1, leaving{})
	}
}

func (n *oblivious) Receive(_ messaging.ID, m messaging.Message, out messaging.Out) {
	switch m.(type) {
	case ping:
		n.Pinged = true
		n.answer(out)
	case pong, leaving:
		out.Enter()
	}
}

func (n *oblivious) answer(out messaging.Out) {
	if n.Pinged && n.Waiting {
		out.Send(0, pong{})
	}
}

// A state can have several pasts, of which one is wrong.
func TestNodesByStampForgotten(t *testing.T) {
	r := checkedNodes(t, explore.NodesConfig{
		New: func(start messaging.Start) messaging.Node { return &oblivious{start: start} }, Nodes: 2,
	})
	orderIs(t, "oblivious", r.ByStamp, `not by stamp: node 0 enters while node 1 waits with a smaller stamp
node 0 requests
node 0 draws 1 of 0 to 1
node 0 gets dated{Of: (3, 0)} from itself
node 1 requests
node 1 gets dated{Of: (2, 1)} from itself
node 1 gets ping{} from 0
node 0 gets pong{} from 1
node 0 is inside
`)
}
