package bench

import (
	"sync"
	"testing"
)

// Two goroutines inside at once are a data race, which the race detector sees,
// and lose an increment, which the count shows without it.
func TestPeersExclude(t *testing.T) {
	const n, entries = 8, 2000
	for _, p := range Peers {
		t.Run(p.Name, func(t *testing.T) {
			m := p.New(n)
			if m.Processes() != n {
				t.Errorf("%d processes, want %d", m.Processes(), n)
			}
			s := Work(100)
			s.words[0] = 0
			var wg sync.WaitGroup
			for i := range n {
				wg.Go(func() {
					for range entries {
						m.Lock(i)
						s.Do()
						m.Unlock(i)
					}
				})
			}
			wg.Wait()
			if s.words[0] != n*entries {
				t.Errorf("%d entries counted, want %d", s.words[0], n*entries)
			}
		})
	}
}

func TestPeersAreLockers(t *testing.T) {
	for _, p := range Peers {
		t.Run(p.Name, func(t *testing.T) {
			m, n := p.New(3), 0
			var wg sync.WaitGroup
			for i := range 3 {
				l := Locker(m, i)
				wg.Go(func() {
					for range 1000 {
						l.Lock()
						n++
						l.Unlock()
					}
				})
			}
			wg.Wait()
			if n != 3000 {
				t.Errorf("%d entries counted, want 3000", n)
			}
		})
	}
}

func TestFindPeer(t *testing.T) {
	if p, ok := FindPeer("semaphore"); !ok || p.Name != "semaphore" {
		t.Error("semaphore not found")
	}
	if _, ok := FindPeer("spoon"); ok {
		t.Error("found what there is not")
	}
}
