//go:build unix

package tokenring_test

import (
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/token/tokenring"
)

func eightNodes(b *testing.B) *messaging.Cluster {
	b.Helper()
	a, err := tokenring.Protocol.New(8)
	if err != nil {
		b.Fatal(err)
	}
	c := messaging.NewCluster(8, a)
	b.Cleanup(c.Close)
	return c
}

// BenchmarkIdle measures what part of a processor an idle [messaging.Cluster] of 8 nodes
// takes; an operation is a second. Beside it is a timer alone that expires as often, which
// does nothing.
//
//	go test -run '^$' -bench Idle -benchtime 10x ./messaging/token/tokenring
func BenchmarkIdle(b *testing.B) {
	b.Run("ring", func(b *testing.B) {
		eightNodes(b)
		idle(b)
	})
	b.Run("timer", func(b *testing.B) {
		ticker := time.NewTicker(4 * time.Millisecond) // the pause of Protocol
		defer ticker.Stop()
		done := make(chan struct{})
		defer close(done)
		go func() {
			for {
				select {
				case <-ticker.C:
				case <-done:
					return
				}
			}
		}()
		idle(b)
	})
}

func idle(b *testing.B) {
	b.Helper()
	before, begin := processor(), time.Now()
	for b.Loop() {
		<-time.After(time.Second)
	}
	b.ReportMetric(100*float64(processor()-before)/float64(time.Since(begin)), "%CPU")
}

// processor returns the processor time of this process.
func processor() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// BenchmarkWait measures how long a request waits in a Cluster of 8 nodes that is idle
// otherwise.
//
//	go test -run '^$' -bench Wait -benchtime 2000x ./messaging/token/tokenring
func BenchmarkWait(b *testing.B) {
	c := eightNodes(b)
	var waits []time.Duration
	for b.Loop() {
		<-time.After(rand.N(10 * time.Millisecond))
		i, begin := rand.N(8), time.Now()
		c.Lock(i)
		waits = append(waits, time.Since(begin))
		c.Unlock(i)
	}
	slices.Sort(waits)
	for name, part := range map[string]float64{"p50-µs": 0.5, "p90-µs": 0.9, "p99-µs": 0.99, "max-µs": 1} {
		b.ReportMetric(float64(waits[int(part*float64(len(waits)-1))].Microseconds()), name)
	}
}
