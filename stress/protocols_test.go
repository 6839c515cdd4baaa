package stress

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging/cluster"
)

// Every message-passing algorithm passes stress on a cluster: with messages that
// arrive at once, and with messages that are delayed and overtake each other, on one
// link too if the algorithm allows it. Each seed is another schedule; the race
// detector also shows whether nodes share memory.
func TestClusters(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, p := range catalog.Protocols {
		for _, n := range tier.Pick([]int{1, 2, 7}, []int{1, 2, 3, 7, 13}) {
			t.Run(fmt.Sprintf("lock=%s/n=%d", p.Name, n), func(t *testing.T) {
				tier.Each(t, p.Package())
				hammerCluster(t, p, n)
			})
		}
	}
	noneLeft(t, before)
}

func hammerCluster(t *testing.T, p catalog.Protocol, n int) {
	t.Helper()
	entries := attempts(false) / 30 / n
	for seed := range tier.Pick[uint64](5, 20) {
		delivery := cluster.Scramble(seed)
		switch {
		case seed == 0:
			delivery = cluster.Observe(nil)
		case !p.FIFO && seed%2 == 0:
			delivery = cluster.Unordered(seed)
		}
		nodes := cluster.New(n, p.New(n), delivery)
		c := Config{
			Goroutines: n, Entries: max(3, entries), GiveUp: float64(seed%3) / 4, Shared: seed%5 == 4,
			Seed: seed, Watchdog: time.Minute, Excludes: p.Excludes(n),
		}
		c.Shared = c.Shared && c.Excludes == nil
		checkReport(t, p.Name, c, run1(t, nodes, c, fmt.Sprintf("seed %d", seed)))
		nodes.Close()
	}
}
