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
	orderIs(t, "gossip", r.HappenedBefore, `not in happened-before order: S3 enters before S2, whose request happened before its own
S2 asks
S4 gets GOSSIP from S2
S3 gets GOSSIP from S4
S3 asks
S1 gets ASKING from S3
S3 gets ADMITTED from S1
S3 enters
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
	orderIs(t, "oblivious", r.ByStamp, `not by stamp: S1 enters while S2 waits with a smaller stamp
S1 asks
S1 draws 1 of 0 to 1
S1 gets DATED(3,S1) from itself
S2 asks
S2 gets DATED(2,S2) from itself
S2 gets PING from S1
S1 gets PONG from S2
S1 enters
`)
}
