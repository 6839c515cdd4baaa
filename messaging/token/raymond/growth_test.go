package raymond_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/tier"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/messaging/token/raymond"
	"example.org/doorway/messaging/topology"
)

// A node keeps nothing about nodes other than its neighbors. So the memory of a run, and of a
// cluster, is in proportion to the nodes: with many, each takes no more than with few.
func TestMemory(t *testing.T) {
	few, many := tier.Pick(500, 2000), tier.Pick(2500, 100_000)
	for what, use := range map[string]func(n int){
		"low load": func(n int) {
			run(t, sim.Config{Algorithm: raymond.New(topology.Tree(n, 2)), Nodes: n, Load: sim.LowLoad{Random: true}, Entries: n})
		},
		"high load": func(n int) {
			run(t, sim.Config{Algorithm: raymond.New(topology.Tree(n, 2)), Nodes: n, Load: sim.HighLoad{}, Entries: n})
		},
		"FIFO links": func(n int) {
			run(t, sim.Config{Algorithm: raymond.New(topology.Line(n)), Nodes: n, Load: sim.HighLoad{}, Entries: n, Latency: sim.Exponential(sim.T)})
		},
		"cluster": func(n int) {
			c := messaging.NewCluster(n, raymond.New(topology.Tree(n, 2)))
			c.Lock(n - 1)
			c.Unlock(n - 1)
			c.Close()
		},
	} {
		of := func(n int) float64 { return float64(allocated(func() { use(n) })) / float64(n) }
		least, most := of(few), of(many)
		t.Logf("%s: %.0f bytes for each of %d nodes, %.0f for each of %d", what, least, few, most, many)
		assert.Less(t, most, 1.5*least, "%s: bytes for each of %d nodes, and of %d", what, many, few)
	}
}

// allocated returns how many bytes f allocates, those that are free again included.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
