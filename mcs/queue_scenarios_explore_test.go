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
	in   pool
	done seam.Closing
}

// scenarios are of goroutines that each enter some times. Those that abort may do so at any
// time. There are as few nodes as can be, so that each is used again at once.
var scenarios = []struct {
	name           string
	rounds, aborts []int // of each goroutine
}{
	{name: "two, twice", rounds: []int{2, 2}},
	{name: "three", rounds: []int{1, 1, 1}},
	{name: "two, three times", rounds: []int{3, 2}},
	{name: "one, and one aborts", rounds: []int{1}, aborts: []int{1}},
	{name: "two, and one aborts", rounds: []int{1, 1}, aborts: []int{1}},
	{name: "one twice, and one aborts twice", rounds: []int{2}, aborts: []int{2}},
	{name: "one, and two abort", rounds: []int{1}, aborts: []int{1, 1}},
}

func scenario(k int) (name string, of func() interleave.Scenario) {
	c := scenarios[k]
	return c.name, func() interleave.Scenario {
		m := &crowd{in: pool{renaming.New(4, func(*place) {})}, done: make(chan struct{})}
		s := interleave.Scenario{
			World: m, Limit: 1e7, Attach: seam.ScheduleUnlessZero[*interleave.Run],
			Mute: []string{"(*Table[...]).Give", "(*Local).Store", "(*Local).Await"},
		}
		come := func(rounds int, done <-chan struct{}) {
			s.Threads = append(s.Threads, interleave.Thread{Name: fmt.Sprint("goroutine ", len(s.Threads)), Run: func(r *interleave.Run) {
				for round := range rounds {
					r.Forget(round)
					if m.q.Enter() || m.wait(done) {
						r.Critical()
						if !m.q.Leave() {
							m.q.handOn(m.in, m.in.Give)
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
		if c.aborts != nil {
			s.Threads = append(s.Threads, interleave.Thread{Name: "canceller", Run: func(r *interleave.Run) { r.Store(m.done, true) }})
		}
		return s
	}
}

// wait is Queue.Wait on the nodes of the crowd.
func (m *crowd) wait(done <-chan struct{}) bool {
	l := m.in.lease()
	entered, left := m.q.wait(m.in, l, done)
	if !left {
		m.in.Give(l.place)
	}
	return entered
}

// Report prints the first failure in the scenarios whose names begin with shown.
// It is called in a copy of the package with that change.
func Report(change int, shown string) { variants.Report(change, shown, len(scenarios), scenario) }
