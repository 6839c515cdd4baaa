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
	{"sync.Mutex", func(n int) mutex.Mutex { return Any(new(sync.Mutex), n) }, "Go", false, false},
	{"channel", func(n int) mutex.Mutex { return Any(make(channel, 1), n) }, "Go, of capacity 1", true, false},
	{"semaphore", func(n int) mutex.Mutex { return Any(weighted{semaphore.NewWeighted(1)}, n) }, "golang.org/x/sync", true, false},
	{"ticket", func(n int) mutex.Mutex { return Any(new(ticket), n) }, "Reed, Kanodia 1979", true, true},
	{"mcs-spinning", func(n int) mutex.Mutex { return &mcs{processes: processes(n), nodes: make([]mcsNode, n)} }, "Mellor-Crummey, Scott 1991", true, true},
	{"clh", func(n int) mutex.Mutex { return newCLH(n) }, "Craig 1993", true, true},
}

// processes is how many processes a peer was made for.
type processes int

func (n processes) Processes() int { return int(n) }

// channel is a channel of capacity one: full while a goroutine is inside.
type channel chan struct{}

func (c channel) Lock()   { c <- struct{}{} }
func (c channel) Unlock() { <-c }

// weighted is a semaphore.Weighted of one.
type weighted struct{ s *semaphore.Weighted }

func (w weighted) Unlock() { w.s.Release(1) }
func (w weighted) Lock() {
	if err := w.s.Acquire(context.Background(), 1); err != nil {
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
