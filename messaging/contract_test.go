package messaging_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/node/host"
	"example.org/doorway/internal/node/layer"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/cluster"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/permission/intervals"
	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/snapshot"
	"example.org/doorway/messaging/topology"
)

// A keeper has one durable field.
type keeper struct {
	start messaging.Start
	base
	Forgotten int
}

type base struct {
	Kept messaging.Set `messaging:"durable"`
}

func newKeeper(start messaging.Start) messaging.Node { return &keeper{start: start} }

func (k *keeper) Receive(from messaging.ID, _ messaging.Message, out messaging.Out) {
	k.Kept.Add(from)
	k.Forgotten++
	out.Send(1, Beat{})
}

// A node that starts again has what is durable, and nothing else.
func TestRestart(t *testing.T) {
	site := host.NewSite(messaging.On(topology.Line(3), newKeeper), messaging.Start{Nodes: 3, Self: 0, Holder: 2}, nil)
	site.Receive(1, Beat{})
	site.Done()
	crashed := site.Node()
	site.Restart()
	again := site.Node().(*keeper)
	assert.NotSame(t, crashed, again)
	assert.Equal(t, messaging.SetOf(1), again.Kept)
	assert.Zero(t, again.Forgotten)
	assert.True(t, again.start.Restarted)
	assert.Equal(t, messaging.ID(2), again.start.Holder)
	assert.Equal(t, []messaging.ID{1}, again.start.Neighbors)
	site.Receive(1, Beat{})
	assert.Len(t, site.Sends, 1)
}

// A nest has a node within it.
type nest struct{ Within messaging.Node }

func (n *nest) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	n.Within.Receive(from, m, out)
}

// A node that is wrapped in others, or is a part of another, keeps what is durable, too.
func TestRestartOfANodeWithin(t *testing.T) {
	for _, c := range []struct {
		over   messaging.Algorithm
		within func(messaging.Node) messaging.Node
	}{
		{
			func(s messaging.Start) messaging.Node { return wrapper{wrapper{newKeeper(s)}} },
			func(n messaging.Node) messaging.Node { return n.(wrapper).Node.(wrapper).Node },
		},
		{func(s messaging.Start) messaging.Node { return &nest{newKeeper(s)} }, func(n messaging.Node) messaging.Node { return n.(*nest).Within }},
	} {
		site := host.NewSite(c.over, messaging.Start{Nodes: 3}, nil)
		site.Receive(1, Beat{})
		site.Restart()
		again := c.within(site.Node()).(*keeper)
		assert.Equal(t, messaging.SetOf(1), again.Kept)
		assert.Zero(t, again.Forgotten)
	}
}

// A node on a topology sends to its neighbors only.
func TestLinks(t *testing.T) {
	site := host.NewSite(messaging.On([][]messaging.ID{{2}, {0}, {1}}, newKeeper), messaging.Start{Nodes: 3}, nil)
	assert.PanicsWithValue(t, "messaging: node 0 sends messaging_test.Beat to node 1, to which it has no link: it has links to [2]",
		func() { site.Receive(1, Beat{}) })
	site = host.NewSite(messaging.On([][]messaging.ID{{}, {0}}, newKeeper), messaging.Start{Nodes: 2}, nil)
	assert.Panics(t, func() { site.Receive(1, Beat{}) }, "it has no link at all")
	assert.PanicsWithValue(t, "messaging: a topology in which node 1 has a link to node 2: the nodes are 0 to 1",
		func() { messaging.On([][]messaging.ID{{1}, {2}}, newKeeper) })
	assert.PanicsWithValue(t, "messaging: node 0 is one of 2, but the topology is for 3 nodes",
		func() { host.NewSite(messaging.On(topology.Line(3), newKeeper), messaging.Start{Nodes: 2}, nil) })

	// A topology around an algorithm that has one itself leaves the links of both.
	site = host.NewSite(messaging.On(topology.Line(3), messaging.On(topology.Star(3), newKeeper)), messaging.Start{Nodes: 3, Self: 2}, nil)
	assert.PanicsWithValue(t, "messaging: node 2 sends messaging_test.Beat to node 1, to which it has no link: it has links to []", func() { site.Receive(0, Beat{}) })
	site = host.NewSite(messaging.On(topology.Star(3), messaging.On(topology.Line(3), newKeeper)), messaging.Start{Nodes: 3}, nil)
	site.Receive(1, Beat{})
	assert.Len(t, site.Sends, 1)

	// A node without links has no neighbors, which is not the same as links to all.
	messaging.On([][]messaging.ID{{1}, {}}, func(s messaging.Start) messaging.Node {
		assert.NotNil(t, s.Neighbors)
		assert.Empty(t, s.Neighbors)
		return newKeeper(s)
	})(messaging.Start{Self: 1, Nodes: 2})
	assert.PanicsWithValue(t, "messaging: a topology for an algorithm that is nil", func() { messaging.On(topology.Ring(3), nil) })

	// A node that wraps another knows the links of the topologies around it and within.
	linked := func(around [][]messaging.ID, a messaging.Algorithm) (all []messaging.ID) {
		host.NewSite(messaging.On(around, func(s messaging.Start) messaging.Node {
			n := a(s)
			all = slices.Collect(layer.Linked(s))
			return n
		}), messaging.Start{Nodes: 3, Self: 1}, nil)
		return all
	}
	assert.Equal(t, []messaging.ID{0, 2}, linked(topology.Line(3), newKeeper))
	assert.Equal(t, []messaging.ID{0}, linked(topology.Line(3), messaging.On(topology.Star(3), newKeeper)))
	assert.Equal(t, []messaging.ID{0, 2}, slices.Collect(layer.Linked(messaging.Start{Nodes: 3, Self: 1})))
}

// A node that is no lock cannot be locked.
func TestNoExclusion(t *testing.T) {
	c := cluster.New(2, newKeeper)
	defer c.Close()
	const want = "cluster: lock of node 1, a *messaging_test.keeper: it is no Exclusion"
	assert.PanicsWithValue(t, want, func() { c.Lock(1) })
	assert.PanicsWithValue(t, want, func() { c.TryLock(1) })
	assert.PanicsWithValue(t, want, func() { _ = c.LockContext(t.Context(), 1) })
	assert.PanicsWithValue(t, want, c.Node(1).Lock)
	assert.PanicsWithValue(t, "messaging: request of node 0, a *messaging_test.keeper: it is no Exclusion",
		host.NewSite(newKeeper, messaging.Start{Nodes: 2}, nil).Request)
}

// Wrapped in others, a node can do what all of them can, and nothing else.
func TestAs(t *testing.T) {
	start := messaging.Start{Nodes: 1}
	lock := ricartagrawala.New(start)
	_, ok := messaging.As[messaging.Exclusion](wrapper{wrapper{lock}})
	assert.True(t, ok)
	for _, none := range []messaging.Node{wrapper{wrapper{newKeeper(start)}}, layer.Methods{Node: newKeeper(start)}} {
		_, ok = messaging.As[messaging.Exclusion](none)
		assert.False(t, ok)
	}
	w, ok := messaging.As[messaging.Withdrawer](wrapper{lock}) // which has no such method
	assert.False(t, ok)
	assert.Nil(t, w)

	dated := func(start messaging.Start) messaging.Node {
		return &dated{ricartagrawala.New(start).(messaging.Exclusion)}
	}
	for _, over := range []func(messaging.Algorithm) messaging.Algorithm{
		func(a messaging.Algorithm) messaging.Algorithm {
			return func(s messaging.Start) messaging.Node { return layer.Around(a(s)) }
		},
		func(a messaging.Algorithm) messaging.Algorithm {
			return link.Over(a, link.Config{Timeout: time.Second})
		},
		func(a messaging.Algorithm) messaging.Algorithm { return snapshot.Over(a, topology.Complete(1)) },
	} {
		for epoch, a := range map[uint64]messaging.Algorithm{0: ricartagrawala.New, 7: dated} {
			c := cluster.New(1, over(a))
			c.Lock(0)
			assert.Equal(t, messaging.Token{Epoch: epoch, Count: 1}, c.Token(0))
			c.Close()
		}
	}
	p, err := intervals.Protocol.New(3)
	require.NoError(t, err)
	s, ok := messaging.As[messaging.Sharer](layer.Around(layer.Around(p(messaging.Start{Nodes: 3}))))
	require.True(t, ok)
	assert.Equal(t, []bool{true, false}, []bool{s.Excludes(1), s.Excludes(2)})
}

// A dated node is in epoch 7.
type dated struct{ messaging.Exclusion }

func (dated) Epoch() uint64 { return 7 }

type wrapper struct{ messaging.Node }

func (w wrapper) Unwrap() messaging.Node    { return w.Node }
func (w wrapper) Start(out messaging.Out)   { w.Node.(messaging.Starter).Start(out) }
func (w wrapper) Request(out messaging.Out) { w.Node.(messaging.Exclusion).Request(out) }
func (w wrapper) Release(out messaging.Out) { w.Node.(messaging.Exclusion).Release(out) }

// Everything that is declared as durable is kept, or the declaration is refused.
func TestDurableFields(t *testing.T) {
	type Persist struct{ Term int }
	type inner struct {
		Kept    int `messaging:"durable"`
		Dropped int
	}
	type trie map[byte]trie
	type good struct {
		keeper
		Known   trie // no end of types in types
		Persist `messaging:"durable"`
		Inner   inner
		Log     []int          `messaging:"durable"`
		Grant   *messaging.Set `messaging:"durable"`
	}
	site := host.NewSite(func(messaging.Start) messaging.Node { return new(good) }, messaging.Start{Nodes: 2}, nil)
	set := messaging.SetOf(1)
	*site.Node().(*good) = good{Persist: Persist{3}, Inner: inner{4, 5}, Log: []int{6}, Grant: &set}
	site.Restart()
	assert.Equal(t, &good{Persist: Persist{3}, Inner: inner{Kept: 4}, Log: []int{6}, Grant: &set}, site.Node())

	type hidden struct {
		keeper
		term int `messaging:"durable"`
	}
	type behind struct {
		keeper
		*inner
	}
	type nested struct {
		Term int `messaging:"durable"`
	}
	type within struct {
		keeper
		inner nested
	}
	type entry struct {
		Next   *entry
		Ballot int `messaging:"durable"`
	}
	type pointed struct {
		keeper
		Log []map[int]*entry
	}
	for field, node := range map[string]messaging.Node{"term": &hidden{term: 1}, "Kept": &behind{}, "Term": &within{inner: nested{}}, "Ballot": &pointed{}} {
		assert.PanicsWithValue(t, fmt.Sprintf("messaging: a %T declares %s as durable, but it would be forgotten: such a field is exported, and not behind a pointer or in a slice, an array or a map", node, field),
			func() {
				host.NewSite(func(messaging.Start) messaging.Node { return node }, messaging.Start{Nodes: 1}, nil)
			})
	}
	type holder struct {
		keeper
		Inner messaging.Node
	}
	held := host.NewSite(func(messaging.Start) messaging.Node { return &holder{Inner: &pointed{}} }, messaging.Start{Nodes: 1}, nil)
	assert.Panics(t, held.Restart)
}

// All nodes have started before one receives anything, and before cluster.New returns.
func TestStartsComeFirst(t *testing.T) {
	const n = 40
	for seed := range uint64(3) {
		var started, early atomic.Int32
		c := cluster.New(n, messaging.On(topology.Complete(n), newHeart(0)), // whose timers expire at once
			cluster.Unordered(seed), cluster.Observe(func(e messaging.Event) {
				switch e.Action {
				case "started":
					started.Add(1)
				case "delivered", "expired":
					if started.Load() < n {
						early.Add(1)
					}
				}
			}))
		assert.EqualValues(t, n, started.Load())
		assert.Zero(t, early.Load())
		c.Close()
	}
}
