package ricartagrawala_test

import (
	"math/bits"
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
	var all answers
	for k := range of {
		for x, n := range of[k].took {
			all.took[x] += n
		}
		all.n += of[k].n
		all.longest = max(all.longest, of[k].longest)
	}
	for name, part := range map[string]float64{"p50-µs": 0.5, "p99-µs": 0.99, "p99.9-µs": 0.999} {
		b.ReportMetric(float64(all.quantile(part))/1e3, name)
	}
	b.ReportMetric(float64(all.longest)/1e3, "max-µs")
}

// answers are how long the answers to one node took. Only the runner of the node
// touches them.
type answers struct {
	asked, granted [8]time.Time // by node, when it was sent what it has not answered
	took           [64 << 3]int // in classes of an eighth of a power of two
	n              int
	longest        time.Duration
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
			a.answered(&a.asked[peer])
		}
	case ricartagrawala.Grant:
		switch {
		case e.Action == "delivered" && !m.Late:
			a.answered(&a.asked[peer])
		case e.Action == "sent" && m.Late:
			a.granted[peer] = time.Now()
		}
	case ricartagrawala.Acknowledge:
		if e.Action == "delivered" {
			a.answered(&a.granted[peer])
		}
	}
}

func (a *answers) answered(at *time.Time) {
	d := time.Since(*at)
	a.took[class(d)]++
	a.n++
	a.longest = max(a.longest, d)
}

// class is monotonic, and linear between powers of two.
func class(d time.Duration) int {
	x := uint64(d) + 8
	k := bits.Len64(x) - 4
	return k<<3 + int(x>>k&7)
}

// quantile returns the upper end of the class in which it lies.
func (a *answers) quantile(part float64) time.Duration {
	rest := int(part * float64(a.n))
	for x, n := range a.took {
		if rest -= n; rest < 0 {
			k, low := x>>3, x&7
			return time.Duration((uint64(low) + 9) << k)
		}
	}
	return a.longest
}
