package hierarchy

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/intervals"
	"example.org/doorway/messaging/permission/lamport"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/permission/roucairolcarvalho"
	"example.org/doorway/messaging/token/huntedring"
	"example.org/doorway/messaging/token/naimitrehel"
	"example.org/doorway/messaging/token/raymond"
	"example.org/doorway/messaging/token/singhal"
	"example.org/doorway/messaging/token/suzukikasami"
	"example.org/doorway/messaging/token/tokenring"
)

var levels = []messaging.Protocol{
	central.Protocol, lamport.Protocol, ricartagrawala.Protocol, ricartagrawala.Acknowledged, roucairolcarvalho.Protocol, maekawa.Protocol,
	suzukikasami.Protocol, raymond.Protocol, naimitrehel.Protocol, singhal.Protocol, tokenring.Protocol, huntedring.Protocol,
}

// Any algorithm may be at any level. The quick tests have each of them at each level.
func TestSchedules(t *testing.T) {
	for k, within := range levels {
		among := levels
		if !tier.Full {
			among = []messaging.Protocol{levels[(k+1)%len(levels)], levels[(k+5)%len(levels)]}
		}
		for _, among := range among {
			p := Of(within, among)
			t.Run(p.Name, func(t *testing.T) {
				for seed := range uint64(tier.Pick(14, 200)) {
					n := int(seed%9) + 1
					a, err := p.New(n)
					require.NoError(t, err)
					require.NoError(t, nodetest.Run(a, nodetest.Config{
						Nodes: n, Holder: messaging.ID(seed) % messaging.ID(n), Seed: seed, Unordered: !p.FIFO && seed%2 == 0,
						Withdraw: float64(seed%3) / 4, Perpetual: p.Perpetual, Invariant: p.Invariant,
					}))
				}
			})
		}
	}
}

// Of three nodes in two clusters, every schedule is right.
func TestExplored(t *testing.T) {
	few := tier.Pick([]messaging.Protocol{central.Protocol}, levels[:3])
	for _, within := range few {
		for _, among := range few {
			for _, handovers := range tier.Pick([]int{1}, []int{0, 1}) {
				a, err := New([][]messaging.ID{{0, 1}, {2}}, within, among, handovers)
				require.NoError(t, err)
				r, err := explore.CheckNodes(explore.NodesConfig{
					New: a, Nodes: 3, Requests: []int{tier.Pick(0, 1), 2, 1}, Withdrawals: 1, Unordered: !within.FIFO && !among.FIFO,
				})
				require.NoError(t, err)
				assert.NoError(t, r.Err())
			}
		}
	}
}

// Levels with timers keep the contract of nodes.
func TestContract(t *testing.T) {
	timed := Of(ricartagrawala.Acknowledged, ricartagrawala.Acknowledged)
	timed.Kinds = slices.DeleteFunc(timed.Kinds, func(m messaging.Message) bool { // none crashes, so there is one epoch
		return messaging.Kind(m) == "TICK" || messaging.Kind(m) == "WITHIN"
	})
	timed.Kinds = append(timed.Kinds, timer{})
	a, err := timed.New(5)
	require.NoError(t, err)
	var schedules []nodetest.Config
	for seed := range uint64(tier.Pick(3, 10)) {
		schedules = append(schedules, nodetest.Config{Nodes: 5, Seed: seed, Unordered: seed%2 == 0, Withdraw: float64(seed%3) / 4})
	}
	assert.NoError(t, nodetest.Check(a, timed.Kinds, schedules...))
}

// A timer is refused that no level of the node has set.
func TestTimerOfAnother(t *testing.T) {
	a, err := New([][]messaging.ID{{0, 1}, {2, 3}}, ricartagrawala.Protocol, ricartagrawala.Protocol, 1)
	require.NoError(t, err)
	for self, c := range []struct {
		from messaging.ID
		m    timer
	}{{1, timer{}}, {1, timer{Among: true, Message: done{}}}} {
		s := host.NewSite(a, messaging.Start{Nodes: 4, Self: messaging.ID(self)}, nil)
		assert.PanicsWithError(t, fmt.Sprintf("hierarchy: node %d got hierarchy.Timer %+v from node 1: it is not a timer of this node", self, c.m),
			func() { s.Receive(c.from, c.m) })
	}
}

// A level that acts when the run begins does so, at each level: here a token moves that no other
// node asks for.
func TestLevelsStart(t *testing.T) {
	clusters := [][]messaging.ID{{0, 1}, {2, 3}}
	for _, l := range [][2]messaging.Protocol{
		{tokenring.Protocol, central.Protocol}, {central.Protocol, tokenring.Protocol}, {tokenring.Protocol, tokenring.Protocol},
	} {
		a, err := New(clusters, l[0], l[1], 1)
		require.NoError(t, err)
		for seed := range uint64(5) {
			c := nodetest.Config{Nodes: 4, Users: []int{3}, Seed: seed, Perpetual: true}
			assert.NoError(t, nodetest.Run(a, c), "%s in clusters, %s among them", l[0].Name, l[1].Name)
		}
	}
	_, starts := messaging.As[messaging.Starter](three(t, 1)(messaging.Start{Nodes: 12}))
	assert.False(t, starts, "no level acts")
}

// The invariants of both levels are held, in each cluster and among the clusters.
func TestInvariant(t *testing.T) {
	seen := map[string]bool{}
	rule := func(level string) messaging.Invariant {
		return func(nodes []messaging.Node, transit []messaging.Event) error {
			for _, e := range transit {
				seen[fmt.Sprintf("%s: %d nodes, %T from %d to %d", level, len(nodes), e.Message, e.From, e.To)] = true
			}
			return nil
		}
	}
	within, among := central.Protocol, ricartagrawala.Protocol
	within.Invariant, among.Invariant = rule("within"), rule("among")
	run := func(p messaging.Protocol) error {
		a, err := p.New(8) // clusters of 3, 3 and 2
		require.NoError(t, err)
		return nodetest.Run(a, nodetest.Config{Nodes: 8, Users: []int{7}, Entries: 1, Invariant: p.Invariant})
	}
	require.NoError(t, run(Of(within, among)))
	for _, want := range []string{
		"within: 2 nodes, central.request from 1 to 0", "within: 2 nodes, hierarchy.wish from 1 to 0", "within: 2 nodes, central.reply from 0 to 1",
		"among: 3 nodes, ricartagrawala.Request from 2 to 0", "among: 3 nodes, ricartagrawala.Reply from 1 to 2",
	} {
		assert.True(t, seen[want], "%s: %v", want, slices.Sorted(maps.Keys(seen)))
	}
	assert.Len(t, seen, 11)
	broken := func(nodes []messaging.Node, _ []messaging.Event) error {
		if len(nodes) == 2 {
			return errors.New("there are two of them")
		}
		return nil
	}
	within.Invariant = broken
	assert.ErrorContains(t, run(Of(within, among)), "in cluster 2, there are two of them")
}

func TestRefused(t *testing.T) {
	type clusters = [][]messaging.ID
	heart := messaging.Protocol{Name: "heart", New: func(int) (messaging.Algorithm, error) {
		return func(messaging.Start) messaging.Node { return heart{} }, nil
	}}
	never := messaging.Protocol{Name: "never", New: func(n int) (messaging.Algorithm, error) {
		return nil, fmt.Errorf("never serves %d nodes", n)
	}}
	const shares = "hierarchy: intervals lets several nodes in at the same time: a level of a hierarchy excludes all"
	for _, c := range []struct {
		clusters      clusters
		within, among messaging.Protocol
		handovers     int
		want          string
	}{
		{clusters{}, levels[0], levels[0], 1, "hierarchy: there is no cluster"},
		{clusters{{0}, {}}, levels[0], levels[0], 1, "hierarchy: cluster 1 has no member"},
		{clusters{{0, 1}, {2, 1}}, levels[0], levels[0], 1, "hierarchy: node 1 is in clusters 0 and 1: each node belongs to one"},
		{clusters{{0, 1}, {3}}, levels[0], levels[0], 1, "hierarchy: node 3 is in cluster 1, but the clusters have 3 members: the nodes are 0 to 2, each in one cluster"},
		{clusters{{0, 1}, {2}}, levels[0], levels[0], -1, "hierarchy: the number of hand-overs is -1: it must be at least 0"},
		{clusters{{0, 1}, {2}}, heart, levels[0], 1, "hierarchy: the nodes of heart are no Exclusion: both levels are algorithms for mutual exclusion"},
		{clusters{{0, 1}, {2}}, intervals.Protocol, levels[0], 1, shares},
		{clusters{{0, 1}, {2}}, levels[0], intervals.Protocol, 1, shares},
		{clusters{{0, 1}, {2}}, levels[0], never, 1, "hierarchy: a level of 2 nodes: never serves 2 nodes"},
		{clusters{{0, 1}, {2}}, Of(levels[0], levels[0]), levels[0], 1, "hierarchy: hierarchy-central-central is a hierarchy: its messages would be taken for those of the level above"},
		{clusters{{0, 1}, {2}}, levels[0], Of(levels[0], tokenring.Protocol), 1, "hierarchy: hierarchy-central-tokenring is a hierarchy: its messages would be taken for those of the level above"},
		{clusters{{0, 1}, {2}}, levels[0], messaging.Protocol{Name: "nothing"}, 1, `hierarchy: the protocol "nothing" makes no algorithm: its New is nil`},
		{clusters{{0, 1}, {2}}, levels[0], messaging.Protocol{Name: "void", New: func(int) (messaging.Algorithm, error) { return nil, nil }}, 1, "hierarchy: a level of 2 nodes: New of void returned nil"},
		{clusters{{0, 1, 2}}, never, levels[0], 1, "hierarchy: a level of 3 nodes: never serves 3 nodes"},
	} {
		_, err := New(c.clusters, c.within, c.among, c.handovers)
		assert.EqualError(t, err, c.want)
	}
	_, err := Of(levels[0], levels[0]).New(0)
	assert.EqualError(t, err, "hierarchy: 0 nodes: there must be at least 1")
	a, err := New(clusters{{0, 1}, {2}}, levels[0], levels[0], 1)
	require.NoError(t, err)
	assert.PanicsWithValue(t, "hierarchy: 4 nodes, but the clusters have 3", func() { cluster.New(4, a) })
}

// What a caller does with the clusters afterwards does not matter.
func TestClustersAreCopied(t *testing.T) {
	clusters := [][]messaging.ID{{0, 1}, {2, 3}}
	a, err := New(clusters, levels[0], levels[0], 1)
	require.NoError(t, err)
	clusters[0][0], clusters[0][1], clusters[1] = 3, 2, nil
	for seed := range uint64(5) {
		assert.NoError(t, nodetest.Run(a, nodetest.Config{Nodes: 4, Seed: seed}))
	}
}

// A heart is no lock.
type heart struct{}

func (heart) Receive(messaging.ID, messaging.Message, messaging.Out) {}

// The token of a cluster is first at the node that has the privilege, wherever that is.
func TestHolder(t *testing.T) {
	clusters := [][]messaging.ID{{0, 1}, {2, 3}}
	a, err := New(clusters, suzukikasami.Protocol, ricartagrawala.Protocol, 2)
	require.NoError(t, err)
	for _, members := range clusters {
		for _, i := range members {
			s := host.NewSite(a, messaging.Start{Self: i, Nodes: 4, Holder: i}, nil)
			s.Request()
			for _, sent := range s.Sends {
				assert.NotEqual(t, suzukikasami.Request{Number: 1}, sent.Message, "node %d asks for the token that it has", i)
			}
		}
	}
}
