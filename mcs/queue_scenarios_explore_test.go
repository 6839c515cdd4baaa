//go:build doorway_explore

package mcs

import (
	"fmt"

	"example.org/doorway/internal/interleave"
	"example.org/doorway/internal/interleave/variants"
	"example.org/doorway/internal/renaming"
	"example.org/doorway/internal/seam"
)

// A crowd is what the goroutines of a scenario share.
type crowd struct {
	q    Queue
	in   *pool
	done seam.Closing
}

// scenarios are of goroutines that each enter some times. Those that abort may do so at any
// time. There are as few nodes as can be, so that each is used again at once.
var scenarios = []struct {
	name           string
	rounds, aborts []int // of each goroutine
	left           int   // nodes in the queue at first, behind which goroutine 0 is inside; then each abort sweeps
	exits          int   // of goroutines that are not inside
	hasty          int   // of goroutines that each abort as soon as they wait
}{
	{name: "two, twice", rounds: []int{2, 2}},
	{name: "three", rounds: []int{1, 1, 1}},
	{name: "two, three times", rounds: []int{3, 2}},
	{name: "one, and one aborts", rounds: []int{1}, aborts: []int{1}},
	{name: "two, and one aborts", rounds: []int{1, 1}, aborts: []int{1}},
	{name: "one twice, and one aborts twice", rounds: []int{2}, aborts: []int{2}},
	{name: "one, and two abort", rounds: []int{1}, aborts: []int{1, 1}},
	{name: "three left, one twice, and one aborts", rounds: []int{2}, aborts: []int{1}, left: 3},
	{name: "one left, and one more exit", rounds: []int{1}, left: 1, exits: 1},
	{name: "one left, two, and one is hasty", rounds: []int{1, 1}, left: 1, hasty: 1},
}

func scenario(k int) (name string, of func() interleave.Scenario) {
	c := scenarios[k]
	return c.name, func() interleave.Scenario {
		m := &crowd{in: &pool{Table: renaming.New(8, func(*place) {}), many: 1e6}, done: make(chan struct{})}
		m.in.put, m.in.giveBack = func(l *lease) { m.in.Give(l.place) }, m.in.Give
		over := make(chan struct{})
		close(over)
		if c.left > 0 {
			m.q.Enter()
			for range c.left {
				m.q.wait(m.in, m.in.lease(), over)
			}
			m.in.many = 1
		}
		s := interleave.Scenario{
			World: m, Limit: 2e7, Attach: seam.ScheduleUnlessZero[*interleave.Run],
			Mute: []string{"(*Table[...]).Give", "(*Local).Store", "(*Local).Await"},
		}
		come := func(rounds int, done <-chan struct{}) {
			inside := c.left > 0 && len(s.Threads) == 0
			s.Threads = append(s.Threads, interleave.Thread{Name: fmt.Sprint("goroutine ", len(s.Threads)), Run: func(r *interleave.Run) {
				for round := range rounds {
					r.Forget(round)
					if inside && round == 0 || m.q.Enter() || m.q.wait(m.in, m.in.lease(), done) {
						r.Critical()
						if !m.q.Leave() {
							m.q.handOn(m.in)
						}
					}
				}
			}})
		}
		for _, rounds := range c.rounds {
			come(rounds, nil)
		}
		for _, rounds := range c.aborts {
			come(rounds, m.done)
		}
		for range c.hasty {
			come(1, over)
		}
		for k := range c.exits {
			s.Threads = append(s.Threads, interleave.Thread{Name: fmt.Sprint("exit ", k), Run: func(*interleave.Run) {
				if !m.q.Leave() {
					m.q.handOn(m.in)
				}
			}})
		}
		if c.aborts != nil {
			s.Threads = append(s.Threads, interleave.Thread{Name: "canceller", Run: func(r *interleave.Run) { r.Store(m.done, true) }})
		}
		return s
	}
}

// Report prints the first failure in the scenarios whose names begin with shown.
// It is called in a copy of the package with that change.
func Report(change int, shown string) { variants.Report(change, shown, len(scenarios), scenario) }
