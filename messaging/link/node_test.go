package link_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/link"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/permission/intervals"
	"example.org/doorway/messaging/permission/maekawa"
	"example.org/doorway/messaging/permission/majority"
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

func TestMisuse(t *testing.T) {
	for _, c := range []struct {
		c   link.Config
		why string
	}{
		{link.Config{}, "link: a timeout of 0s: it must be positive"},
		{link.Config{Timeout: 1, Tick: -1}, "link: a tick of -1ns: it must be at most the timeout, 1ns, and at least a millionth of it"},
		{link.Config{Timeout: 1, Tick: 2}, "link: a tick of 2ns: it must be at most the timeout, 1ns, and at least a millionth of it"},
		{link.Config{Timeout: time.Hour, Tick: 1}, "link: a tick of 1ns: it must be at most the timeout, 1h0m0s, and at least a millionth of it"},
		{link.Config{Timeout: 1, Delay: -1}, "link: a delay of -1ns: it must be at most the timeout, 1ns, and not negative"},
		{link.Config{Timeout: 1, Delay: 2}, "link: a delay of 2ns: it must be at most the timeout, 1ns, and not negative"},
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
