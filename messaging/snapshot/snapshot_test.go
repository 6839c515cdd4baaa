package snapshot_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/snapshot"
)

// Pass is an input: the node sends the token, if it has it.
type Pass struct{ To messaging.ID }

// Token is sent by the node that has it. There is one: the single-token conservation system of
// Chandy and Lamport.
type Token struct{}

type keeper struct {
	start messaging.Start

	HasToken bool
}

func keep(start messaging.Start) messaging.Node {
	return &keeper{start: start, HasToken: start.Self == start.Holder}
}

func (n *keeper) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	switch m := m.(type) {
	case Pass:
		if n.HasToken {
			n.HasToken = false
			out.Send(m.To, Token{})
		}
	case Token:
		n.HasToken = true
	default:
		messaging.Refuse("keep", n.start.Self, from, m, "it is not a message of this algorithm")
	}
}

// atMostOneToken and atLeastOneToken are invariants of it, and oneToken is both.
func atMostOneToken(nodes []messaging.Node, transit []messaging.Event) error {
	if many := tokens(nodes, transit); many > 1 {
		return fmt.Errorf("there are %d tokens", many)
	}
	return nil
}

func atLeastOneToken(nodes []messaging.Node, transit []messaging.Event) error {
	if tokens(nodes, transit) == 0 {
		return errors.New("there is no token")
	}
	return nil
}

var oneToken = all(atMostOneToken, atLeastOneToken)

func tokens(nodes []messaging.Node, transit []messaging.Event) (many int) {
	for _, n := range nodes {
		if n.(*keeper).HasToken {
			many++
		}
	}
	for _, e := range transit {
		if e.Message == (Token{}) {
			many++
		}
	}
	return many
}

var (
	take = snapshot.Take{}
	to0  = Pass{0}
	to1  = Pass{1}
	to2  = Pass{2}
)

type inputs = [][]messaging.Message

// In every schedule there is one token in each cut, and all snapshots are completed; also if several
// nodes begin them, at the same time and one after the other.
func TestExplored(t *testing.T) {
	quick := []inputs{
		{{take, to1, to1}, {to0, take}},
		{{take, take, to1}, {to0, to0}},
		{{take, to1}, {to2}, {to0}},
	}
	for _, in := range tier.Pick(quick, append(quick, inputs{{take, to1, take}, {to0, take, to0}}, inputs{{take, to1}, {to2, take}, {to0}})) {
		r, err := explore.CheckNodes(explore.NodesConfig{
			New: snapshot.Over(keep, nil), Nodes: len(in), Inputs: in,
			Results: snapshot.Results(keep, oneToken), Memory: 2 << 30,
		})
		require.NoError(t, err)
		assert.NoError(t, r.Err(), "%v", in)
		t.Logf("%v: %v", in, r)
	}
}
