package ricartagrawala_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// BenchmarkAnswer measures how long a node of a busy [messaging.Cluster] waits for
// the answer to a message: what the margins of NewFaultTolerant are chosen by. Five
// nodes have a hundred callers each, which do next to nothing between locking and unlocking.
//
//	go test -run '^$' -bench Answer -cpu 2 -benchtime 300000x -count 10 ./messaging/permission/ricartagrawala
//	go test -run '^$' -bench Answer -cpu 2 -benchtime 30000x -count 10 -race ./messaging/permission/ricartagrawala
func BenchmarkAnswer(b *testing.B) {
	const nodes, callers = 5, 500
	var of [nodes]answers
	c := messaging.NewCluster(nodes, ricartagrawala.NewAcknowledged(time.Hour, 2*time.Hour), // so that nothing is repeated
		messaging.Observe(func(e messaging.Event) {
			if e.Action == "delivered" {
				of[e.To].observe(e, e.From)
			} else {
				of[e.From].observe(e, e.To)
			}
		}))
	entries := make(chan struct{}, b.N)
	for range b.N {
		entries <- struct{}{}
	}
	close(entries)
	b.ResetTimer()
	entered := 0
	var wg sync.WaitGroup
	for k := range callers {
		l := c.Node(k % nodes)
		wg.Go(func() {
			for range entries {
				l.Lock()
				entered++
				l.Unlock()
			}
		})
	}
	wg.Wait()
	c.Close() // and no observer is called any more
	b.StopTimer()
	if entered != b.N {
		b.Errorf("%d entries, want %d: two were inside", entered, b.N)
	}
	var all []time.Duration
	for k := range of {
		all = append(all, of[k].took...)
	}
	slices.Sort(all)
	for name, part := range map[string]float64{"p50-µs": 0.5, "p99-µs": 0.99, "p99.9-µs": 0.999, "max-µs": 1} {
		b.ReportMetric(float64(all[int(part*float64(len(all)-1))])/1e3, name)
	}
}

// answers are how long the answers to one node took. Only the runner of the node
// touches them.
type answers struct {
	asked, granted [8]time.Time // by node, when it was sent what it has not answered
	took           []time.Duration
}

// observe notes an event that concerns another node.
func (a *answers) observe(e messaging.Event, peer messaging.ID) {
	switch m := e.Message.(type) {
	case ricartagrawala.Request:
		if e.Action == "sent" {
			a.asked[peer] = time.Now()
		}
	case ricartagrawala.Deferred:
		if e.Action == "delivered" {
			a.took = append(a.took, time.Since(a.asked[peer]))
		}
	case ricartagrawala.Grant:
		switch {
		case e.Action == "delivered" && !m.Late:
			a.took = append(a.took, time.Since(a.asked[peer]))
		case e.Action == "sent" && m.Late:
			a.granted[peer] = time.Now()
		}
	case ricartagrawala.Acknowledge:
		if e.Action == "delivered" {
			a.took = append(a.took, time.Since(a.granted[peer]))
		}
	}
}
