package sim_test

import (
	"testing"

	"example.org/doorway/messaging/permission/ricartagrawala"
	"example.org/doorway/messaging/sim"
)

// BenchmarkRun measures deliveries per second of Ricart-Agrawala with 100 nodes under
// high load. About half of the time goes to the algorithm and its messages.
func BenchmarkRun(b *testing.B) {
	for _, bb := range []struct {
		name      string
		latency   sim.Distribution
		unordered bool
	}{
		{"latency=constant/links=fifo", sim.Constant(sim.T), false},
		{"latency=uniform/links=fifo", sim.Uniform(sim.T/2, 3*sim.T/2), false},
		{"latency=uniform/links=unordered", sim.Uniform(sim.T/2, 3*sim.T/2), true},
		{"latency=exponential/links=fifo", sim.Exponential(sim.T), false},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			deliveries := 0
			for b.Loop() {
				r, err := sim.Run(sim.Config{
					Algorithm: ricartagrawala.New,
					Nodes:     100,
					Load:      sim.HighLoad{},
					Latency:   bb.latency,
					Unordered: bb.unordered,
					Entries:   5000,
					Seed:      uint64(deliveries),
				})
				if err != nil {
					b.Fatal(err)
				}
				deliveries += r.Delivered
			}
			b.ReportMetric(float64(deliveries)/b.Elapsed().Seconds()/1e6, "Mdeliveries/s")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(deliveries), "ns/delivery")
		})
	}
}
