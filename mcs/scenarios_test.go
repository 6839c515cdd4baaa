package mcs

import "example.org/doorway/internal/memory/renaming"

// A crowd is what the goroutines of a scenario share.
type crowd struct {
	q      Queue
	in     *pool
	inside bool // written by whoever is, without another word: a race if two are
}

type scenario struct {
	name           string
	rounds, aborts []int // of each goroutine
	left           int   // nodes in the queue at first, behind which goroutine 0 is inside; then each abort sweeps
	exits          int   // of goroutines that are not inside
	hasty          int   // of goroutines that each abort as soon as they wait
}

// scenarios are of goroutines that each enter some times. Those that abort may do so at any
// time. There are as few nodes as can be, so that each is used again at once.
func scenarios() []scenario {
	return []scenario{
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
}

// Scenario returns the name of scenario k, and what goroutines run in it: module anylock runs them in all interleavings. At
// most one goroutine is inside a Queue, and none sleeps forever, though nodes are used again as soon as they are given back.
func Scenario(k int) (name string, roles []func()) {
	all := scenarios()
	if k >= len(all) {
		return "", nil
	}
	c := all[k]
	m, cancel, over := &crowd{in: &pool{Table: renaming.New(8, func(*place) {}), many: 1e6}}, make(chan struct{}), make(chan struct{})
	m.in.put, m.in.giveBack = func(l *lease) { m.in.Give(l.place) }, m.in.Give
	close(over)
	if c.left > 0 {
		m.q.Enter()
		for range c.left {
			m.q.wait(m.in, m.in.lease(), over)
		}
		m.in.many = 1
	}
	come := func(rounds int, done <-chan struct{}) {
		inside := c.left > 0 && len(roles) == 0
		roles = append(roles, func() {
			for round := range rounds {
				if inside && round == 0 || m.q.Enter() || m.q.wait(m.in, m.in.lease(), done) {
					m.inside = true
					m.exit()
				}
			}
		})
	}
	for _, rounds := range c.rounds {
		come(rounds, nil)
	}
	for _, rounds := range c.aborts {
		come(rounds, cancel)
	}
	for range c.hasty {
		come(1, over)
	}
	for range c.exits {
		roles = append(roles, m.exit)
	}
	if c.aborts != nil {
		roles = append(roles, func() { close(cancel) })
	}
	return c.name, roles
}

func (m *crowd) exit() {
	if !m.q.Leave() {
		m.q.handOn(m.in)
	}
}
