//go:build doorway_explore

package explore_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/explore"
	"example.org/doorway/internal/tier"
	"example.org/doorway/register"
)

// The locks of the literature that bound the entries of all others. They count from
// the request, the first assignment of the entry: it is the doorway. The flags are in
// reg; 0: remainder section, 1: requests, 2: tries to enter.

// knuths is the lock of D. E. Knuth, "Additional comments on a problem in concurrent
// programming control", CACM 9(5), 1966, with numbers from 0.
func knuths(l *lock, p *register.Process) {
	scan(l, p)
	l.turn.Store(uint64(p.ID()))
}

// scan is the entry of Knuth and de Bruijn up to the assignment of the turn.
func scan(l *lock, p *register.Process) {
	i, n := p.ID(), l.Processes()
	l.reg[i].Store(1)
	p.Doorway()
	register.Repeat(func() register.Outcome {
		register.Repeat(func() register.Outcome {
			k := int(l.turn.Load())
			for d := 0; (k+n-d)%n != i; d++ {
				if l.reg[(k+n-d)%n].Load() != 0 {
					return register.Again
				}
			}
			return register.Entered
		})
		l.reg[i].Store(2)
		for j := n - 1; j >= 0; j-- {
			if j != i && l.reg[j].Load() == 2 {
				l.reg[i].Store(1)
				return register.Again
			}
		}
		return register.Entered
	})
}

func knuthsExit(l *lock, p *register.Process) {
	i, n := p.ID(), l.Processes()
	l.turn.Store(uint64((i + n - 1) % n))
	l.reg[i].Store(0)
}

// deBruijns is the lock of N. G. de Bruijn, "Additional comments on a problem in
// concurrent programming control", CACM 10(3), 1967: only an exit changes the turn, and
// only if the process whose turn it is does not request.
func deBruijns(l *lock, p *register.Process) { scan(l, p) }

func deBruijnsExit(l *lock, p *register.Process) {
	i, n := p.ID(), l.Processes()
	k := int(l.turn.Load())
	if k == i || l.reg[k].Load() == 0 {
		l.turn.Store(uint64((k + n - 1) % n))
	}
	l.reg[i].Store(0)
}

// eisenbergMcGuires is the lock of M. A. Eisenberg and M. R. McGuire, "Further comments
// on Dijkstra's concurrent programming control problem", CACM 15(11), 1972.
func eisenbergMcGuires(l *lock, p *register.Process) {
	i, n := p.ID(), l.Processes()
	l.reg[i].Store(1)
	p.Doorway()
	register.Repeat(func() register.Outcome {
		register.Repeat(func() register.Outcome {
			for j := int(l.turn.Load()); j != i; j = (j + 1) % n {
				if l.reg[j].Load() != 0 {
					return register.Again
				}
			}
			return register.Entered
		})
		l.reg[i].Store(2)
		for j := range n {
			if j != i && l.reg[j].Load() == 2 {
				l.reg[i].Store(1)
				return register.Again
			}
		}
		if k := int(l.turn.Load()); k != i && l.reg[k].Load() != 0 {
			l.reg[i].Store(1)
			return register.Again
		}
		return register.Entered
	})
	l.turn.Store(uint64(i))
}

func eisenbergMcGuiresExit(l *lock, p *register.Process) {
	i, n := p.ID(), l.Processes()
	j := (i + 1) % n
	for j != i && l.reg[j].Load() == 0 {
		j = (j + 1) % n
	}
	l.turn.Store(uint64(j))
	l.reg[i].Store(0)
}

// The bounds on the entries of all others are those of the papers.
func TestBypassesByAll(t *testing.T) {
	for _, c := range []struct {
		name        string
		entry, exit protocol
		want        func(n int) int
	}{
		{"Knuth", knuths, knuthsExit, func(n int) int { return 1<<(n-1) - 1 }},
		{"de Bruijn", deBruijns, deBruijnsExit, func(n int) int { return n * (n - 1) / 2 }},
		{"Eisenberg-McGuire", eisenbergMcGuires, eisenbergMcGuiresExit, func(n int) int { return n - 1 }},
	} {
		for n := 2; n <= tier.Pick(3, 4); n++ {
			r := check(t, explore.Config{
				New: making(c.entry, c.exit), Processes: n,
				Only: explore.Properties{MutualExclusion: true, StarvationFree: true, FIFO: true},
			})
			t.Logf("%s\n%v", c.name, r)
			assert.Equal(t, explore.Holds, r.StarvationFree.Status, "%s, %d processes", c.name, n)
			assert.Equal(t, c.want(n), r.BypassesByAll, "%s, %d processes", c.name, n)
		}
	}
}

// dekkers is the lock of T. J. Dekker, as E. W. Dijkstra gives it in "Cooperating
// sequential processes", 1965.
func dekkers(l *lock, p *register.Process) {
	i := p.ID()
	mine, other := &l.reg[i], &l.reg[1-i]
	mine.Store(1)
	p.Doorway()
	register.Repeat(func() register.Outcome {
		if other.Load() == 0 {
			return register.Entered
		}
		if l.turn.Load() != uint64(i) {
			mine.Store(0)
			l.turn.Await(p, func(v uint64) bool { return v == uint64(i) })
			mine.Store(1)
		}
		return register.Again
	})
}

func dekkersExit(l *lock, p *register.Process) {
	l.turn.Store(uint64(1 - p.ID()))
	lower(l, p)
}

// dijkstras is the lock of E. W. Dijkstra, "Solution of a problem in concurrent
// programming control", CACM 8(9), 1965. The flags are those above.
func dijkstras(l *lock, p *register.Process) {
	i, n := p.ID(), l.Processes()
	l.reg[i].Store(1)
	p.Doorway()
	register.Repeat(func() register.Outcome {
		if k := int(l.turn.Load()); k != i {
			l.reg[i].Store(1)
			if l.reg[k].Load() == 0 {
				l.turn.Store(uint64(i))
			}
			return register.Again
		}
		l.reg[i].Store(2)
		for j := range n {
			if j != i && l.reg[j].Load() == 2 {
				return register.Again
			}
		}
		return register.Entered
	})
}

// filter is the lock of G. L. Peterson, "Myths about the mutual exclusion problem",
// 1981, for n processes: n-1 levels, at each of which one process stays behind. The
// level of process j is in reg[j], and who stays behind at level k in reg[n+k-1].
func filter(l *lock, p *register.Process) {
	i, n := p.ID(), l.Processes()
	for level := uint64(1); level < uint64(n); level++ {
		behind := &l.reg[n+int(level)-1]
		l.reg[i].Store(level)
		behind.Store(p.Name())
		if level == 1 {
			p.Doorway()
		}
		for j := range n {
			if j != i {
				register.AwaitEither(p,
					&l.reg[j], func(v uint64) bool { return v < level },
					behind, func(v uint64) bool { return v != p.Name() })
			}
		}
	}
}

// An await over several registers, one after the other: the filter lock is
// starvation-free, and not FIFO with more than two processes.
func TestFilter(t *testing.T) {
	for n := 2; n <= tier.Pick(3, 4); n++ {
		r := check(t, explore.Config{
			New: making(filter, lower), Processes: n,
			Only: explore.Properties{MutualExclusion: true, DeadlockFree: true, StarvationFree: true, FIFO: true},
		})
		t.Log(r)
		assert.Equal(t, explore.Holds, r.MutualExclusion.Status, "%d processes", n)
		assert.Equal(t, explore.Holds, r.DeadlockFree.Status, "%d processes", n)
		assert.Equal(t, explore.Holds, r.StarvationFree.Status, "%d processes", n)
		assert.Equal(t, n > 2, r.FIFO.Status == explore.Fails, "%d processes", n)
	}
}

// The run that is not FIFO is a shortest one; the lengths were found by hand.
func TestShortestOvertaking(t *testing.T) {
	for _, c := range []struct {
		name        string
		entry, exit protocol
		n, want     int
	}{
		{"Dekker", dekkers, dekkersExit, 2, 6},
		{"Dijkstra", dijkstras, lower, 2, 5},
		{"Dijkstra", dijkstras, lower, 3, 6},
		{"Knuth", knuths, knuthsExit, 3, 7},
		{"test-and-set", testAndSet, reset, 2, 4},
	} {
		r := check(t, explore.Config{New: making(c.entry, c.exit), Processes: c.n, Only: explore.Properties{FIFO: true}})
		require.Equal(t, explore.Fails, r.FIFO.Status, c.name)
		assert.Len(t, r.FIFO.Trace.Schedule, c.want, "%s: %v", c.name, r.FIFO.Trace)
	}
}
