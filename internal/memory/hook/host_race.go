//go:build race && !doorway_explore

package hook

import "sync/atomic"

// foreign does nothing: without a host, every goroutine may use every register.
func foreign(*atomic.Uint64) {}
