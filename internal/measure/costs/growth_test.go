package costs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/measure/costs"
	"example.org/doorway/messaging"
)

// small is an extent that takes no time.
var small = costs.Extent{Deliveries: 1_000_000, Memory: 1 << 30, Enough: 10_000, Rounds: 8, Least: 20, Most: 400}

func protocol(t *testing.T, name string) catalog.Protocol {
	t.Helper()
	p, ok := catalog.FindProtocol(name)
	require.True(t, ok, name)
	return p
}

func TestSizes(t *testing.T) {
	assert.Equal(t, []int{4, 8, 13}, costs.Sizes(13))
	assert.Equal(t, []int{4}, costs.Sizes(4))
	assert.Equal(t, []int{2}, costs.Sizes(2))
	all := costs.Sizes(100_000)
	assert.Equal(t, []int{4096, 10_000, 30_000, 100_000}, all[len(all)-4:])
}

// Costs that are the same for each entry are measured exactly, and again the same.
func TestCurve(t *testing.T) {
	p, sizes := protocol(t, "ricartagrawala"), costs.Sizes(20)
	for l, delay := range map[costs.Load]float64{costs.Low: 2, costs.High: 1} {
		c, delivered := small.Curve(p, l, sizes)
		assert.Nil(t, c.Stop)
		assert.Equal(t, sizes, c.Nodes)
		sent := 0.0
		for k, n := range c.Nodes {
			assert.InDelta(t, 2*(n-1), c.Messages[k], 1e-9, "messages with %d nodes at %s load", n, l)
			assert.InDelta(t, delay, c.Delay[k], 1e-9, "delay with %d nodes at %s load", n, l)
			sent += c.Messages[k] * float64(c.Entries[k])
		}
		assert.InDelta(t, sent, delivered, 1e-6)
		again, _ := small.Curve(p, l, sizes)
		assert.Equal(t, c, again)
	}
}

// A curve stops before a point that would take more than it may, and says why.
func TestCurveStops(t *testing.T) {
	sizes := costs.Sizes(1024)
	few := small
	few.Deliveries = 20_000
	c, delivered := few.Curve(protocol(t, "lamport"), costs.High, sizes)
	assert.Equal(t, &costs.Stop{Nodes: 128, Why: "deliveries"}, c.Stop, "3·127·128 messages")
	assert.Equal(t, 64, c.Nodes[len(c.Nodes)-1])
	assert.LessOrEqual(t, delivered, 3*few.Deliveries, "all points together")

	tight := small
	tight.Memory, tight.Deliveries = 10<<20, 10_000_000
	c, _ = tight.Curve(protocol(t, "ricartagrawala"), costs.High, sizes)
	require.NotNil(t, c.Stop)
	assert.Equal(t, "memory", c.Stop.Why)
	assert.Greater(t, c.Stop.Nodes, c.Nodes[len(c.Nodes)-1])

	p := protocol(t, "central")
	p.New = func(n int) messaging.Algorithm {
		if n > 8 {
			panic("not for so many")
		}
		return protocol(t, "central").New(n)
	}
	c, _ = small.Curve(p, costs.Low, sizes)
	assert.Equal(t, &costs.Stop{Nodes: 16, Why: "serves no more: not for so many"}, c.Stop)
}

// A point that nothing foresees is stopped, too.
func TestCurveStopsARun(t *testing.T) {
	few := small
	few.Deliveries = 60_000
	c, _ := few.Curve(protocol(t, "lamport"), costs.High, []int{200})
	assert.Equal(t, &costs.Stop{Nodes: 200, Why: "deliveries"}, c.Stop)
}

// With many nodes the figures are those of a curve, and of random pairs.
func TestMeasureMany(t *testing.T) {
	const n = 100
	row, err := costs.Measure(protocol(t, "central"), n)
	require.NoError(t, err)
	for what, f := range map[string]costs.Figure{"alone": row.Alone, "loaded": row.Loaded, "delay": row.Delay, "response": row.Response} {
		assert.Empty(t, f.Missing, what)
		assert.InEpsilon(t, f.Most, f.Measured, 0.05, what)
	}

	p := protocol(t, "central")
	p.New = func(n int) messaging.Algorithm {
		if n > costs.All {
			panic("not for so many")
		}
		return protocol(t, "central").New(n)
	}
	row, err = costs.Measure(p, n)
	require.NoError(t, err)
	want := costs.Figure{Claim: p.Costs.Alone.Text, Missing: "serves no more: not for so many"}
	assert.Equal(t, want, row.Alone)
	assert.Equal(t, want.Missing, row.Delay.Missing)
}
