// Package cell has the variables that registers consist of. All accesses of protocols to
// memory are made here: by the hardware, or by a host that takes its place. Package register
// makes its registers of them. A queue lock for goroutines without numbers uses them itself,
// as it has no handles of processes.
package cell

import (
	"sync/atomic"

	"example.org/doorway/internal/memory/hook"
)

// A Plain is an atomic variable of 64 bits. None of its methods wakes a process: on the
// hardware the caller does, and a host does it by itself, but for a Set. Its zero value holds 0
// and is ready for use. It must not be copied after first use.
type Plain struct {
	V atomic.Uint64 // by its address a host knows c
}

// Load reads c.
func (c *Plain) Load() uint64 {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			return h.Do(hook.Operation{Op: hook.OpLoad, Word: &c.V})
		}
	}
	hook.Intercepted(hook.Read, &c.V)
	return c.V.Load()
}

// Set writes v to c, and no process awaits that.
func (c *Plain) Set(v uint64) {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			h.Do(hook.Operation{Op: hook.OpSet, Word: &c.V, Value: v})
			return
		}
	}
	hook.Intercepted(hook.Write, &c.V)
	c.V.Store(v)
}

// Store writes v to c.
func (c *Plain) Store(v uint64) {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			h.Do(hook.Operation{Op: hook.OpStore, Word: &c.V, Value: v})
			return
		}
	}
	hook.Intercepted(hook.Write, &c.V)
	c.V.Store(v)
}

// CompareAndSwap writes v to c if c holds old, in one atomic step, and reports whether it
// did.
func (c *Plain) CompareAndSwap(old, v uint64) bool {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			return h.Do(hook.Operation{Op: hook.OpCompareAndSwap, Word: &c.V, Value: v, Old: old}) == 1
		}
	}
	hook.Intercepted(hook.ReadWrite, &c.V)
	return c.V.CompareAndSwap(old, v)
}

// Swap writes v to c and returns the value that c held before, in one atomic step.
func (c *Plain) Swap(v uint64) (old uint64) {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			return h.Do(hook.Operation{Op: hook.OpSwap, Word: &c.V, Value: v})
		}
	}
	hook.Intercepted(hook.ReadWrite, &c.V)
	return c.V.Swap(v)
}

// FetchAdd adds delta to c and returns the value that c held before, in one atomic step.
func (c *Plain) FetchAdd(delta uint64) (old uint64) {
	if hook.Hosted {
		if h := hook.Attached(); h != nil {
			return h.Do(hook.Operation{Op: hook.OpFetchAdd, Word: &c.V, Value: delta})
		}
	}
	hook.Intercepted(hook.ReadWrite, &c.V)
	return c.V.Add(delta) - delta
}
