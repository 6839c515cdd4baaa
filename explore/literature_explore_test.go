//go:build doorway_explore

package explore_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

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
