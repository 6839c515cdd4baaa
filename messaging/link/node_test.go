package link_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/intervals"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/majority"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/suzukikasami"
)

// The nodes of the catalog keep the contract over the link, and withdraw, share, and send to themselves as
// before.
func TestContractOfLocks(t *testing.T) {
	more := []messaging.Protocol{maekawa.Protocol, suzukikasami.Protocol}
	for _, p := range append([]messaging.Protocol{majority.Choosing, intervals.Protocol}, tier.Pick(nil, more)...) {
		over := link.Of(p, quick)
		a, err := over.New(tier.Pick(3, 4))
		require.NoError(t, err)
		kinds := []messaging.Message{link.Frame{}, link.Ack{}, link.Tick{}}
		var all []nodetest.Config
		for seed := range uint64(tier.Pick(4, 50)) {
			all = append(all, nodetest.Config{
				Nodes: tier.Pick(3, 4), Seed: seed, Entries: tier.Pick(6, 0), Unordered: true, AnyTime: seed%2 == 1,
				Withdraw: float64(seed%3) / 4, Invariant: over.Invariant,
			})
		}
		assert.NoError(t, nodetest.Check(a, kinds, all...), p.Name)
	}
}

// To a node that a detector has found to be down nothing is sent again, and nodes come to rest. If the
// detector was wrong, all arrives.
func TestDetector(t *testing.T) {
	for _, c := range []explore.NodesConfig{
		{Inputs: say(2, 1), Crashes: 1, Detected: true, Losses: 1},
		{Inputs: say(2, 0), Suspicions: 1},
	} {
		c.New, c.Nodes, c.Unordered, c.Memory = link.Over(talk, quick), 2, true, 4<<30
		c.Results = heard
		r, err := explore.CheckNodes(c)
		require.NoError(t, err)
		assert.Empty(t, r.Failures())
		assert.Equal(t, explore.Holds, r.Quiescent.Status)
	}
}

// Two nodes that have both restarted, one more often, find each other: a word that is said after
// that arrives.
func TestBothRestart(t *testing.T) {
	for _, speaks := range []messaging.ID{0, 1} {
		arrived := 0
		_, err := sim.Run(sim.Config{
			Algorithm: link.Over(talk, link.Config{Timeout: 4 * sim.T}), Nodes: 2, Loss: 0.3, Seed: 3,
			Inputs: []sim.Input{{Node: 0, Message: Say{1}}, {Node: 1, Message: Say{1}}, {At: 50 * sim.T, Node: speaks, Message: Say{2}}},
			Crashes: []sim.Crash{
				{Node: 0, At: 10 * sim.T, Restart: 11 * sim.T}, {Node: 1, At: 20 * sim.T, Restart: 21 * sim.T}, {Node: 0, At: 30 * sim.T, Restart: 31 * sim.T},
			},
			Observe: func(e messaging.Event) {
				if e.Message == (Heard{speaks, 2}) {
					arrived++
				}
			},
		})
		require.NoError(t, err)
		assert.Equal(t, 1, arrived, "what node %d says", speaks)
	}
}

func TestMisuse(t *testing.T) {
	for _, c := range []struct {
		c   link.Config
		why string
	}{
		{link.Config{}, "link: a timeout of 0s: it must be positive"},
		{link.Config{Timeout: 1, Tick: -1}, "link: a tick of -1ns: it must be at most the timeout, 1ns, and at least a millionth of it"},
		{link.Config{Timeout: 1, Tick: 2}, "link: a tick of 2ns: it must be at most the timeout, 1ns, and at least a millionth of it"},
		{link.Config{Timeout: time.Hour, Tick: 1}, "link: a tick of 1ns: it must be at most the timeout, 1h0m0s, and at least a millionth of it"},
		{link.Config{Timeout: 1, Buffer: -1}, "link: a buffer of -1 messages: it must not be negative"},
	} {
		assert.PanicsWithValue(t, c.why, func() { link.Over(talk, c.c) })
		assert.PanicsWithValue(t, c.why, func() { link.Of(suzukikasami.Protocol, c.c) })
	}
	assert.PanicsWithValue(t, "link: a link for an algorithm that is nil", func() { link.Over(nil, quick) })
	twice := link.Over(link.Over(talk, quick), quick)
	assert.PanicsWithValue(t, "link: a link over a link", func() { twice(messaging.Start{Nodes: 2}) })
	_, err := link.Of(messaging.Protocol{Name: "nothing"}, quick).New(2)
	assert.EqualError(t, err, `link: the protocol "nothing" makes no algorithm: its New is nil`)
}
