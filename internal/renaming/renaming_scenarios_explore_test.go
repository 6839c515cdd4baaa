//go:build doorway_explore

package renaming

import (
	"fmt"

	"example.org/doorway/internal/interleave"
	"example.org/doorway/internal/interleave/variants"
	"example.org/doorway/internal/seam"
)

// A memory is what the goroutines of a scenario share.
type memory struct {
	t     Table[owned]
	spare []*chunk[owned] // with which the table grows
}

// owned is true while a goroutine has the number.
type owned struct{ seam.Flag }

type named struct {
	name string
	make func() interleave.Scenario
}

// Scenarios are small enough to be run in all interleavings. No table may grow to more
// numbers than there are goroutines, up to a power of two.
var scenarios = []named{
	scenario("one number, one goroutine twice, one once", 1, 2, true, 2, 1),
	scenario("one number, two goroutines twice", 1, 2, true, 2, 2),
	scenario("one number, three goroutines", 1, 4, true, 1, 1, 1),
	scenario("two numbers, which others have, two goroutines twice", 2, 4, false, 2, 2),
	scenario("four numbers, one of three goroutines twice", 4, 4, true, 2, 1, 1),
}

// scenario has a table of first numbers, free or not, which may grow up to most, and
// goroutines, each of which takes a number and gives it back so many times.
func scenario(name string, first, most int, free bool, rounds ...int) named {
	return named{name, func() interleave.Scenario {
		m := &memory{t: Table[owned]{more: make([]seam.Pointer[chunk[owned]], 3)}}
		for n := first; n < most; n *= 2 {
			m.spare = append(m.spare, &chunk[owned]{make([]entry[owned], n)})
		}
		m.t.first = make([]entry[owned], first)
		link(m.t.first, 0)
		if free {
			m.t.free.Store(1)
		}
		m.t.fresh = func(n int) *chunk[owned] {
			for _, c := range m.spare {
				if len(c.entries) == n {
					return c
				}
			}
			panic(fmt.Sprintf("the table grows to %d numbers, although a number is free", 2*n))
		}
		s := interleave.Scenario{World: m, Attach: seam.ScheduleUnlessZero[*interleave.Run], Mute: []string{"(*memory).user", "(*Table[...]).Give"}, Limit: 1e7}
		for k, n := range rounds {
			s.Threads = append(s.Threads, interleave.Thread{Name: fmt.Sprintf("goroutine %d", k), Run: func(r *interleave.Run) {
				for round := range n {
					r.Forget(round)
					m.user()
				}
			}})
		}
		return s
	}}
}

// user takes a number and gives it back.
func (m *memory) user() {
	i := m.t.Take()
	if !m.t.At(i).CompareAndSwap(false, true) {
		panic(fmt.Sprintf("two goroutines have number %d", i))
	}
	m.t.At(i).Store(false)
	m.t.Give(i)
}

// Report prints the first failure in the scenarios whose names begin with shown.
// It is called in a copy of the package with that change.
func Report(change int, shown string) {
	variants.Report(change, shown, len(scenarios), func(k int) (string, func() interleave.Scenario) {
		return scenarios[k].name, scenarios[k].make
	})
}
