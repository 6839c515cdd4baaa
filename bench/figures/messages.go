package main

import (
	"fmt"
	"runtime"
	"time"

	"example.org/doorway/internal/catalog"
	"example.org/doorway/internal/measure"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/sim"
	"example.org/doorway/mutex"
)

// passing are the measures of the message-passing algorithms. The yardstick is the
// round trip of a value to another goroutine over unbuffered channels: two
// messages, each of which wakes a goroutine.
func passing() []row {
	return []row{
		{"central, 8 nodes that contend, 0 ns, time of an entry / round trip over a channel", goal{}, trips("central", 8, 1)},
		{"ricartagrawala, 32 nodes that contend, 0 ns, time of a message / half a round trip", goal{}, trips("ricartagrawala", 32, float64(2*31)/2)},
		{"ricartagrawala, 100 nodes in virtual time, latencies at random, million deliveries in a second on one core", goal{}, deliveries},
	}
}

// cluster returns a function that makes clusters of a protocol.
func cluster(name string) maker {
	p, ok := catalog.FindProtocol(name)
	if !ok {
		panic("figures: no algorithm " + name)
	}
	return func(n int) mutex.Mutex { return messaging.NewCluster(n, p.New(n)) }
}

// trips compares the time of an entry, divided by parts, with a round trip.
func trips(name string, n int, parts float64) func(effort) figure {
	return func(e effort) figure {
		c := measure.Contention{Goroutines: n, Duration: e.Window}
		r := measure.Compare(e.Windows,
			func() float64 { return 1e9 / measure.Contend(cluster(name)(n), c).PerSecond() / parts },
			func() float64 { return measure.RoundTrip(e.Window / 2) },
		)
		return figure{r.Ratio, fmt.Sprintf("%.1f / %.0f ns", r.A.Median, r.B.Median), pairs(e.Windows, e.Window)}
	}
}

// deliveries measures how many messages the simulator delivers, in millions per
// second, when it counts them by kind.
func deliveries(e effort) figure {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	p, _ := catalog.FindProtocol("ricartagrawala")
	const nodes, entries = 100, 2000
	rates := make([]float64, e.Windows/2|1)
	for k := range rates {
		begin := time.Now()
		r, err := sim.Run(sim.Config{
			Algorithm: p.New(nodes), Nodes: nodes, Load: sim.HighLoad{}, Entries: entries, Seed: uint64(k),
			Latency: sim.Uniform(sim.T/2, 3*sim.T/2),
		})
		if err != nil {
			panic(fmt.Sprintf("figures: %v", err))
		}
		rates[k] = float64(r.Delivered) / 1e6 / time.Since(begin).Seconds()
	}
	return figure{measure.SpreadOf(rates), "messages by kind counted", fmt.Sprintf("%d of %d entries", len(rates), entries)}
}
