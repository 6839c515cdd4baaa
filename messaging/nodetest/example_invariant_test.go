package nodetest_test

import (
	"fmt"
	"strings"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
)

// Token is the privilege of a holder, and Ask asks for it.
type (
	Token struct{}
	Ask   struct{}
)

// A holder is one of two nodes: it hands the token on when the other asks. A copying one
// keeps it, too.
type holder struct {
	start   messaging.Start
	copying bool

	Holds  bool
	Waits  bool
	Inside bool
	Asked  bool // the other node has asked, while this one was inside
}

func holders(copying bool) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node {
		return &holder{start: start, copying: copying, Holds: start.Self == start.Holder}
	}
}

func (n *holder) Request(out messaging.Out) {
	if n.Holds {
		n.enter(out)
		return
	}
	n.Waits = true
	out.Send(1-n.start.Self, Ask{})
}

func (n *holder) enter(out messaging.Out) {
	n.Holds, n.Waits, n.Inside = true, false, true
	out.Enter()
}

func (n *holder) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch m.(type) {
	case Ask:
		n.Asked = true
		if n.Holds && !n.Inside {
			n.hand(out)
		}
	case Token:
		if !n.Waits {
			messaging.Refuse("holders", n.start.Self, from, m, "this node has not asked")
		}
		n.enter(out)
	default:
		messaging.Refuse("holders", n.start.Self, from, m, "it is not a message of this algorithm")
	}
}

func (n *holder) Release(out messaging.Out) {
	n.Inside = false
	if n.Asked {
		n.hand(out)
	}
}

func (n *holder) hand(out messaging.Out) {
	n.Holds, n.Asked = n.copying, false
	out.Send(1-n.start.Self, Token{})
}

// At most one node has the token, or it is in transit.
func oneToken(nodes []messaging.Node, transit []messaging.Event) error {
	var all []string
	for i, n := range nodes {
		if n, up := n.(*holder); up && n.Holds {
			all = append(all, fmt.Sprintf("at node %d", i))
		}
	}
	for _, e := range transit {
		if e.Message == (Token{}) {
			all = append(all, fmt.Sprintf("in transit from node %d to node %d", e.From, e.To))
		}
	}
	if len(all) > 1 {
		return fmt.Errorf("there are %d tokens: %s", len(all), strings.Join(all, " and "))
	}
	return nil
}

// An invariant is violated before two nodes are inside: here, although only one of them
// requests.
func ExampleRun_invariant() {
	var invariant messaging.Invariant = oneToken
	for _, copying := range []bool{false, true} {
		fmt.Println(nodetest.Run(holders(copying), nodetest.Config{Nodes: 2, Users: []int{1}, Invariant: invariant, Name: "holders"}))
	}
	// Output:
	// <nil>
	// seed 0: the invariant is violated: there are 2 tokens: at node 0 and in transit from node 0 to node 1
	// node 1 requests
	// node 0 gets Ask{} from 1
	// scenario: version 1; nodes 2; algorithm holders; rules 5297708b; run a1.d1
}
