package mutex

import (
	"sync"

	"example.org/doorway/internal/memory/hook"
)

// Locker returns process i of m as a [sync.Locker]. Like the process, it must be used by one
// goroutine at a time. It panics if m is nil, and unless 0 <= i < m.Processes(). To abort an
// acquisition of the process, call m.LockContext and m.TryLock, if m is [Abortable].
func Locker(m Mutex, i int) sync.Locker {
	if m == nil {
		panic("mutex: locker of a nil Mutex")
	}
	switch n := m.Processes(); {
	case n < 1:
		panic("mutex: locker of process " + hook.Decimal(i) + " of a Mutex that has no processes")
	case i < 0 || i >= n:
		panic("mutex: locker of process " + hook.Decimal(i) + ": the processes are 0 to " + hook.Decimal(n-1))
	}
	return &process{m, i}
}

// A process is one of a Mutex, as a Locker.
type process struct {
	m Mutex
	i int
}

func (p *process) Lock() { p.m.Lock(p.i) }

func (p *process) Unlock() { p.m.Unlock(p.i) }
