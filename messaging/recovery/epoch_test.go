package recovery_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/nodetest"
	"example.org/doorway/messaging/recovery"
)

// A bare node is no lock for the checker, which goes on when two are inside: its user asks and leaves by
// inputs.
type bare struct {
	Inner  messaging.Node
	Asks   bool
	Inside bool
}

type (
	ask   struct{}
	leave struct{}
)

func (b *bare) Receive(from messaging.ID, m messaging.Message, out messaging.Out) {
	within := entrance{out, b}
	switch lock := b.Inner.(messaging.Exclusion); m.(type) {
	case ask:
		if !b.Asks && !b.Inside {
			b.Asks = true
			lock.Request(within)
		}
	case leave:
		if b.Inside {
			b.Inside = false
			lock.Release(within)
		}
	default:
		lock.Receive(from, m, within)
	}
}

func (b *bare) Start(out messaging.Out) { b.Inner.(messaging.Starter).Start(entrance{out, b}) }

func (b *bare) Down(peer messaging.ID, out messaging.Out) {
	b.Inner.(messaging.Survivor).Down(peer, entrance{out, b})
}

// An entrance is the Out of the node in a bare one.
type entrance struct {
	messaging.Out
	of *bare
}

func (i entrance) Enter() { i.of.Asks, i.of.Inside = false, true }

// inOneOf is the invariant that at most one node is inside in each epoch, and that rule.
func inOneOf(rule messaging.Invariant) messaging.Invariant {
	return func(nodes []messaging.Node, transit []messaging.Event) error {
		in, inner := map[uint64]int{}, make([]messaging.Node, len(nodes))
		for i, n := range nodes {
			b, up := n.(*bare)
			if !up {
				continue
			}
			inner[i] = b.Inner
			if !b.Inside {
				continue
			}
			epoch := b.Inner.(messaging.Epocher).Epoch()
			if j, other := in[epoch]; other {
				return fmt.Errorf("nodes %d and %d are inside in epoch %d", j, i, epoch)
			}
			in[epoch] = i
		}
		return rule(inner, transit)
	}
}

// Whoever is suspected, and though timers expire early, in each epoch there is at most one token, and
// at most one node inside. Two nodes are inside at a time, in two epochs, whose numbers say whose entry is
// over for the others.
func TestOneTokenAnEpoch(t *testing.T) {
	for _, p := range recovered {
		t.Run(p.Name, func(t *testing.T) {
			tier.Each(t, p.Name)
			t.Parallel()
			if p.Name != "raymond" || tier.Full { // it visits 70,000 states
				oneAnEpoch(t, recovery.Of(p, recovery.Config{}), explore.NodesConfig{Suspicions: 1})
			}

			r := recovery.Of(p, explored)
			a, err := r.New(3)
			require.NoError(t, err)
			for seed := range uint64(tier.Pick(10, 50)) {
				require.NoError(t, nodetest.Run(bareOf(a), nodetest.Config{
					Nodes: 3, Seed: seed, Unordered: !p.FIFO, AnyTime: true, Crashes: int(seed % 3), Steps: 1000, Perpetual: true,
					Inputs:    slices.Repeat([][]messaging.Message{slices.Repeat([]messaging.Message{ask{}, leave{}}, 5)}, 3),
					Invariant: inOneOf(r.Invariant),
				}))
			}
		})
	}
}

func bareOf(a messaging.Algorithm) messaging.Algorithm {
	return func(start messaging.Start) messaging.Node { return &bare{Inner: a(start)} }
}

// oneAnEpoch checks that in each epoch there is one token, and one node inside; and that two nodes are inside
// at a time.
func oneAnEpoch(t *testing.T, p messaging.Protocol, c explore.NodesConfig) {
	t.Helper()
	a, err := p.New(2)
	require.NoError(t, err)
	c.New, c.Nodes, c.Perpetual = bareOf(a), 2, p.Perpetual
	c.Unordered = !p.FIFO && tier.Full
	c.Inputs = [][]messaging.Message{{ask{}, leave{}}, {ask{}, leave{}}}
	c.Invariant = inOneOf(p.Invariant)
	report, err := explore.CheckNodes(c)
	require.NoError(t, err)
	assert.Equal(t, explore.Holds, report.Invariant.Status, "%v", report.Invariant.History)
	t.Log(report)

	c.New, c.Inputs, c.Invariant = a, nil, p.Invariant // two nodes are inside, which the check of the lock itself finds
	report, err = explore.CheckNodes(c)
	require.NoError(t, err)
	assert.Equal(t, explore.Fails, report.MutualExclusion.Status)
}
