package sanders

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/votingtest"
	"example.org/doorway/messaging"
)

func TestVotes(t *testing.T) {
	votingtest.Check(t, votingtest.Nodes{
		New:        func(nodes int) messaging.Algorithm { return New(Maekawa(votingtest.All(nodes))) },
		Request:    func(of messaging.Stamp) messaging.Message { return request{Of: of} },
		Release:    func(of messaging.Stamp) messaging.Message { return release{Of: of} },
		Relinquish: func(of messaging.Stamp) messaging.Message { return relinquish{Of: of} },
		Failed:     func(to messaging.Stamp) messaging.Message { return failed{To: to} },
		Inquire:    func(to messaging.Stamp) messaging.Message { return inquire{To: to} },
		Locked:     func(to messaging.Stamp, _ messaging.ID) messaging.Message { return locked{To: to} },
	})
}

// The caller may change the structure after New.
func TestNewKeepsTheStructure(t *testing.T) {
	s := Maekawa([][]messaging.ID{{0, 1}, {0, 1}})
	a := New(s)
	s.Request[0][1] = 0
	site := host.NewSite(a, messaging.Start{Nodes: 2}, nil)
	site.Request()
	assert.Equal(t, messaging.ID(1), site.Sends[0].To)
}

func TestNewPanics(t *testing.T) {
	assert.PanicsWithValue(t, "sanders: 0 request sets and 0 inform sets: each node needs one of each",
		func() { New(Structure{}) })
	assert.PanicsWithValue(t, "sanders: node 1 of 3: the structure is for 4 nodes",
		func() { New(FourNodes())(messaging.Start{Self: 1, Nodes: 3}) })
}
