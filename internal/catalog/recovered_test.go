package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging/nodetest"
)

// Each algorithm with recovery, but for one whose nodes share, keeps its promises in random schedules
// in which nodes crash, are reported, and start again.
func TestRecovered(t *testing.T) {
	seeds := uint64(40)
	if tier.Full {
		seeds = 1000
	}
	for _, p := range catalog.Protocols {
		r, is := catalog.FindProtocol(catalog.Recovery + p.Name)
		if shares := p.Excludes(1) != nil; shares {
			require.False(t, is, "%s has recovery", p.Name)
			continue
		}
		require.True(t, is, "%s has no recovery", p.Name)
		assert.Equal(t, catalog.Recovery+p.Name, r.Name)
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			for seed := range seeds {
				n := 2 + int(seed%4)
				c := nodetest.Config{
					Name: r.Name, Nodes: n, Seed: seed, Entries: 12, Withdraw: 0.1, Unordered: !r.FIFO, Perpetual: r.Perpetual, Invariant: r.Invariant,
					Crashes: 1 + int(seed%2), Restarts: 1 + int(seed%2), Detected: true,
				}
				if seed%3 == 0 {
					c.Crashes, c.Restarts = 1, 0
				}
				require.NoError(t, nodetest.Run(r.New(n), c))
			}
		})
	}
}

// Nodes that are not told suspect a crash, as long as timers take long enough.
func TestSuspecting(t *testing.T) {
	seeds := uint64(40)
	if tier.Full {
		seeds = 1000
	}
	for _, p := range catalog.Protocols {
		r, is := catalog.FindProtocol(catalog.Recovery + p.Name + catalog.Timeouts)
		if !is {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			for seed := range seeds {
				n := 3 + int(seed%3)
				require.NoError(t, nodetest.Run(r.New(n), nodetest.Config{
					Name: r.Name, Nodes: n, Seed: seed, Entries: 12, Withdraw: 0.1, Unordered: !r.FIFO, Perpetual: r.Perpetual, Invariant: r.Invariant,
					Crashes: 1 + int(seed%2),
				}))
			}
		})
	}
}

// Each algorithm that is told of crashes goes on after one.
func TestSurvivors(t *testing.T) {
	seeds := uint64(tier.Pick(100, 1000))
	for _, p := range catalog.Protocols {
		if !p.Survives() {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			for seed := range seeds {
				n := 3 + int(seed%3)
				require.NoError(t, nodetest.Run(p.New(n), nodetest.Config{
					Name: p.Name, Nodes: n, Seed: seed, Entries: 12, Withdraw: 0.1, Unordered: !p.FIFO, Invariant: p.Invariant, Crashes: 1, Detected: true,
				}))
			}
		})
	}
}
