package messaging_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/messaging"
	"example.org/doorway/messaging/permission/central"
)

// A caller whose turn comes as it aborts passes it on.
func TestTurnOfOneThatGaveUp(t *testing.T) {
	for range 50 { // which of the two it sees is chance
		synctest.Test(t, func(t *testing.T) {
			c := messaging.NewCluster(2, central.New)
			defer c.Close()
			l := c.Node(1)
			l.Lock()
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				if l.LockContext(ctx) == nil {
					l.Unlock()
				}
			}()
			synctest.Wait() // it is in the queue
			cancel()
			l.Unlock()
			synctest.Wait()
			if assert.True(t, l.TryLock(), "no caller has the turn, but TryLock fails") {
				l.Unlock()
			}
		})
	}
}
