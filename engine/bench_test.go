package engine_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.org/doorway/engine"
	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/central"
	"example.org/doorway/messaging/permission/ricartagrawala"
)

// An operation is an entry and an exit, of any member. All members contend.
func BenchmarkLock(b *testing.B) {
	for _, p := range []messaging.Protocol{central.Protocol, ricartagrawala.Protocol} {
		for _, n := range []int{1, 3, 8} {
			b.Run(fmt.Sprintf("protocol=%s/members=%d", p.Name, n), func(b *testing.B) {
				links, store := engine.Memory()
				var all []*engine.Lock
				for range n {
					l, err := engine.Join(b.Context(), "lock", engine.Config{Links: links, Store: store, Protocol: p, Lease: 10 * time.Second})
					require.NoError(b, err)
					all = append(all, l)
				}
				b.ReportAllocs()
				b.ResetTimer()
				var users sync.WaitGroup
				for i, l := range all {
					users.Go(func() {
						for k := i; k < b.N; k += n {
							if g, err := l.Lock(context.Background()); err == nil {
								_ = g.Unlock()
							}
						}
					})
				}
				users.Wait()
				b.StopTimer()
				sent := uint64(0)
				for _, l := range all {
					sent += l.Stats().Sent
					require.NoError(b, l.Leave(context.Background()))
				}
				b.ReportMetric(float64(sent)/float64(b.N), "frames/op")
			})
		}
	}
}
