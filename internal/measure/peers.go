package measure

import (
	"context"
	"runtime"
	"sync"

	"golang.org/x/sync/semaphore"

	"example.org/doorway/mutex"
)

// A Peer is a lock of other making, to measure ours beside.
type Peer struct {
	Name   string
	New    func(n int) mutex.Mutex // for n processes, which most peers do not care for
	Source string

	FIFO  bool // its order of entries; all are free from starvation, and fast
	Spins bool // with more goroutines than processors, an entry can take a time slice of the system
}

// Peers are the peers. None but the semaphore, where it has to wait, allocates in Lock
// or Unlock; none checks for misuse beyond what its own package does. The last
// three spin, and yield to other goroutines after a short while.
var Peers = []Peer{
	{"sync.Mutex", func(n int) mutex.Mutex { return &standard{processes: processes(n)} }, "Go", false, false},
	{"channel", func(n int) mutex.Mutex { return &channel{processes(n), make(slot, 1)} }, "Go, of capacity 1", true, false},
	{"semaphore", func(n int) mutex.Mutex { return &weighted{processes(n), one{semaphore.NewWeighted(1)}} }, "golang.org/x/sync", true, false},
	{"ticket", func(n int) mutex.Mutex { return &ticket{processes: processes(n)} }, "Reed, Kanodia 1979", true, true},
	{"mcs-spinning", func(n int) mutex.Mutex { return newMCS(n) }, "Mellor-Crummey, Scott 1991", true, true},
	{"clh", func(n int) mutex.Mutex { return newCLH(n) }, "Craig 1993", true, true},
}

// processes is how many processes a peer was made for.
type processes int

func (n processes) Processes() int { return int(n) }

// standard is a sync.Mutex.
type standard struct {
	processes
	mu sync.Mutex
}

func (s *standard) Lock(int)            { s.mu.Lock() }
func (s *standard) Unlock(int)          { s.mu.Unlock() }
func (s *standard) locker() sync.Locker { return &s.mu }

// channel is a channel of capacity one: full while a process is inside.
type channel struct {
	processes
	slot slot
}

func (c *channel) Lock(int)            { c.slot.Lock() }
func (c *channel) Unlock(int)          { c.slot.Unlock() }
func (c *channel) locker() sync.Locker { return c.slot }

type slot chan struct{}

func (s slot) Lock()   { s <- struct{}{} }
func (s slot) Unlock() { <-s }

// weighted is a semaphore.Weighted of one.
type weighted struct {
	processes
	one one
}

func (w *weighted) Lock(int)            { w.one.Lock() }
func (w *weighted) Unlock(int)          { w.one.Unlock() }
func (w *weighted) locker() sync.Locker { return w.one }

type one struct{ s *semaphore.Weighted }

func (o one) Unlock() { o.s.Release(1) }
func (o one) Lock() {
	if err := o.s.Acquire(context.Background(), 1); err != nil {
		panic(err) // only a context ends an Acquire
	}
}

// spin awaits that holds is true, reading as often as it takes. After a short
// while it lets other goroutines run: the one that it waits for may be among
// them.
func spin(holds func() bool) {
	const short = 64
	for {
		for range short {
			if holds() {
				return
			}
		}
		runtime.Gosched()
	}
}
