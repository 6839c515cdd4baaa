package majority_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/majority"
	"example.org/doorway/messaging/permission/quorum"
)

// New asks the quorums of quorum.Majority, after a crash those without the crashed nodes.
func TestNewAsksALiveMajority(t *testing.T) {
	for nodes := 1; nodes <= 8; nodes++ {
		quorums, err := quorum.Majority(nodes)
		require.NoError(t, err)
		for i := range messaging.ID(nodes) {
			var down messaging.Set
			for k := -1; k < nodes; k += 2 {
				s := host.NewSite(majority.New, messaging.Start{Self: i, Nodes: nodes}, nil)
				if k > 0 {
					down.Add((i + messaging.ID(k)) % messaging.ID(nodes))
				}
				for j := range down.All() {
					s.Down(j)
				}
				s.Request()
				want, ok := quorums.Without(i, down)
				if !ok {
					assert.Empty(t, s.Sends, "node %d of %d without %v", i, nodes, down)
					continue
				}
				assert.ElementsMatch(t, want, append(asked(s), i), "node %d of %d without %v", i, nodes, down)
			}
		}
	}
}

// A request that waits for the vote of a node that crashes asks one node more, not asked before;
// a vote that it has got counts.
func TestRequestMovesByOneVoter(t *testing.T) {
	for _, a := range []messaging.Algorithm{majority.New, majority.NewChoosing} {
		r := rand.New(rand.NewPCG(1, 2))
		for range 20 {
			s := host.NewSite(a, messaging.Start{Nodes: 7}, r.IntN)
			s.Request()
			first := asked(s)
			require.Len(t, first, 3)
			request := s.Sends[0].Message
			vote := func(of messaging.ID) {
				voter := host.NewSite(a, messaging.Start{Self: of, Nodes: 7}, r.IntN)
				voter.Receive(0, request)
				s.Receive(of, voter.Sends[0].Message)
			}
			s.Done()
			vote(first[0])
			s.Down(first[0])
			assert.Empty(t, s.Sends, "it has that vote")
			s.Down(first[1])
			second := asked(s)
			require.Len(t, second, 1)
			require.NotContains(t, append(first, 0), second[0])
			s.Done()
			vote(second[0])
			assert.Equal(t, messaging.Waiting, s.Phase())
			vote(first[2])
			assert.Equal(t, messaging.Inside, s.Phase())
		}
	}
}

// With too few nodes up, a request asks none, and waits.
func TestNoMajority(t *testing.T) {
	for _, a := range []messaging.Algorithm{majority.New, majority.NewChoosing} {
		s := host.NewSite(a, messaging.Start{Nodes: 4}, rand.New(rand.NewPCG(1, 2)).IntN)
		s.Down(1)
		s.Down(3)
		s.Request()
		assert.Empty(t, s.Sends)
		assert.Equal(t, messaging.Waiting, s.Phase())
	}
}
