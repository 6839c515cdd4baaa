package majority_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/majority"
	"example.org/doorway/messaging/permission/quorum"
)

// A group is a set of nodes whose messages arrive at once, except to and from
// crashed ones.
type group struct {
	sites []*messaging.Site
	dead  messaging.Set
	sent  map[string]int
}

func newGroup(a messaging.Algorithm, nodes int, choose func(n int) int) *group {
	g := &group{sent: map[string]int{}}
	for i := range messaging.ID(nodes) {
		g.sites = append(g.sites, messaging.NewSite(a, messaging.Start{Self: i, Nodes: nodes}, choose))
	}
	return g
}

// do executes an operation of node i, and delivers the resulting messages.
func (g *group) do(i messaging.ID, what func(*messaging.Site)) {
	type flight struct {
		from messaging.ID
		messaging.Send
	}
	var due []flight
	carry := func(i messaging.ID) {
		for _, m := range g.sites[i].Sends {
			g.sent[fmt.Sprintf("%T", m.Message)]++
			due = append(due, flight{i, m})
		}
		g.sites[i].Done()
	}
	what(g.sites[i])
	carry(i)
	for len(due) > 0 {
		m := due[0]
		due = due[1:]
		if !g.dead.Has(m.To) {
			g.sites[m.To].Receive(m.from, m.Message)
			carry(m.To)
		}
	}
}

// asked returns the nodes that one has asked, itself not among them, in that order.
func asked(s *messaging.Site) []messaging.ID {
	var all []messaging.ID
	for _, m := range s.Sends {
		if _, ok := m.Message.(maekawa.Request); ok {
			all = append(all, m.To)
		}
	}
	return all
}

func TestNewAsksTheQuorumsOfMajority(t *testing.T) {
	for nodes := 1; nodes <= 12; nodes++ {
		quorums, err := quorum.Majority(nodes)
		require.NoError(t, err)
		for i := range messaging.ID(nodes) {
			s := messaging.NewSite(majority.New, messaging.Start{Self: i, Nodes: nodes}, nil)
			s.Request()
			all := append(asked(s), i)
			slices.Sort(all)
			assert.Equal(t, quorums.Of(i), all, "the nodes that %d of %d asks", i, nodes)
		}
	}
}

// Node 1 of five chooses one of four and one of three: each of its six majorities
// comes of two choices.
func TestEveryMajorityIsChosenEquallyOften(t *testing.T) {
	times := map[string]int{}
	for first := range 4 {
		for second := range 3 {
			choices, of := []int{first, second}, []int{4, 3}
			choose := func(n int) int {
				assert.Equal(t, of[0], n, "how many it chooses among")
				c := choices[0]
				choices, of = choices[1:], of[1:]
				return c
			}
			s := messaging.NewSite(majority.NewChoosing, messaging.Start{Self: 1, Nodes: 5}, choose)
			s.Request()
			all := asked(s)
			if len(all) != 2 || slices.Contains(all, 1) || !slices.IsSorted(all) {
				t.Errorf("choices %d, %d: asks %v", first, second, all)
			}
			times[fmt.Sprint(all)]++
		}
	}
	for set, n := range times {
		assert.Equal(t, 2, n, "times of 12 that %s is chosen", set)
	}
	assert.Len(t, times, 6, "majorities")
}

// Two of five have crashed. The others eventually find a majority.
func TestChoosingDoesWithoutTheDead(t *testing.T) {
	g := newGroup(majority.NewChoosing, 5, rand.New(rand.NewPCG(1, 2)).IntN)
	g.dead = messaging.SetOf(3, 4)
	for range 20 {
		for i := range messaging.ID(3) {
			for attempt := 0; ; attempt++ {
				g.do(i, (*messaging.Site).Request)
				if g.sites[i].Phase() == messaging.Inside {
					break
				}
				if attempt == 1000 {
					t.Fatalf("node %d does not enter", i)
				}
				g.do(i, (*messaging.Site).Withdraw)
			}
			g.do(i, (*messaging.Site).Release)
		}
	}
}

// Of five, node 0 always asks 1 and 2, which are live; but 1 asks 3, and 2 asks
// both crashed nodes.
func TestNewIsBlockedByTheDead(t *testing.T) {
	g := newGroup(majority.New, 5, nil)
	g.dead = messaging.SetOf(3, 4)
	for i, want := range []messaging.Phase{messaging.Inside, messaging.Waiting, messaging.Waiting} {
		self := messaging.ID(i)
		g.do(self, (*messaging.Site).Request)
		assert.Equal(t, want, g.sites[i].Phase(), "node %d", i)
		if g.sites[i].Phase() == messaging.Inside {
			g.do(self, (*messaging.Site).Release)
		} else {
			g.do(self, (*messaging.Site).Withdraw)
		}
	}
}
