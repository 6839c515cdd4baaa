package mutex

import (
	"math"
	"sync/atomic"
	"time"

	"example.org/doorway/internal/memory/hook"
)

// A memory is what the goroutines of a scenario share.
type memory struct {
	a      admission
	cancel chan struct{}
	inside bool // written by whoever is, without another word: a race if two are
}

type roles = []func()

type scenario struct {
	name string
	n    int // processes
	of   func(m *memory) roles
}

func scenarios() []scenario {
	return []scenario{
		{"one process, two goroutines twice", 1, func(m *memory) roles { return roles{user(m, 2), user(m, 2)} }},
		{"one process, three goroutines", 1, func(m *memory) roles { return roles{user(m, 1), user(m, 1), user(m, 1)} }},
		{"two processes, three goroutines", 2, func(m *memory) roles { return roles{user(m, 1), user(m, 1), user(m, 1)} }},
		{"one process, two goroutines, one gives up", 1, func(m *memory) roles { return roles{user(m, 1), aborter(m), m.giveUp} }},
		{"one process, one gives up, and comes again", 1, func(m *memory) roles { return roles{user(m, 2), aborter(m, user(m, 1)), m.giveUp} }},
		{"one process, three goroutines, one gives up", 1, func(m *memory) roles { return roles{user(m, 1), aborter(m), user(m, 1), m.giveUp} }},
		{"one process, one of three goroutines tries", 1, func(m *memory) roles { return roles{user(m, 1), m.try, user(m, 1)} }},
		{"two processes, one of three goroutines fails", 2, func(m *memory) roles { return roles{user(m, 1), m.fail, user(m, 1)} }},
		{"two processes, three goroutines, one twice", 2, func(m *memory) roles { return roles{user(m, 2), user(m, 1), user(m, 1)} }},
	}
}

// Scenario returns the name of scenario k, and what goroutines run in it: module anylock runs them in all interleavings. No
// goroutine sleeps forever in the queue of a Shared, and none has the process of another. The orders are barging with a first
// in the queue that loses its patience at once, and with one that never does, and the others.
func Scenario(k int) (name string, run roles) {
	orders := []struct {
		name     string
		order    order
		patience time.Duration
	}{
		{"undeclared: ", undeclared, 0}, {"first come: ", firstCome, 0}, {"barging, impatient: ", barging, 0}, {"barging, patient: ", barging, math.MaxInt64},
	}
	all := scenarios()
	if k >= len(orders)*len(all) {
		return "", nil
	}
	o, s := orders[k/len(all)], all[k%len(all)]
	hook.Now = func() uint64 { return 0 }
	m := &memory{cancel: make(chan struct{})}
	m.a.order, m.a.patience, m.a.taken = o.order, o.patience, make([]atomic.Bool, s.n)
	for range 4 {
		m.a.spare = &waiter{token: make(chan struct{}, 1), next: m.a.spare}
	}
	return o.name + s.name, s.of(m)
}

// visit enters, unless it is canceled first, and leaves. The entry protocol of a Mutex is its
// critical section: with one process, or over a lock that is first come, first served, no
// other goroutine may run it at the same time.
func (m *memory) visit(done <-chan struct{}, leave func(i int, w *waiter)) bool {
	var w *waiter
	i, ok := m.a.take()
	if !ok {
		if i, w, ok = m.a.wait(done, nil); !ok {
			return false
		}
	}
	m.enter()
	leave(i, w)
	return true
}

func (m *memory) enter() {
	if len(m.a.taken) == 1 || m.a.order == firstCome {
		m.inside = true
	}
}

func (m *memory) leave(i int, w *waiter) { m.a.give(i, m.a.entered(w)) }

// user enters and leaves.
func user(m *memory, rounds int) func() {
	return func() {
		for range rounds {
			m.visit(nil, m.leave)
		}
	}
}

// aborter enters and leaves, unless it is canceled first: then it goes on as those roles.
func aborter(m *memory, then ...func()) func() {
	return func() {
		if !m.visit(m.cancel, m.leave) {
			for _, f := range then {
				f()
			}
		}
	}
}

// try enters and leaves, unless it would have to wait.
func (m *memory) try() {
	if i, ok := m.a.take(); ok {
		m.enter()
		m.leave(i, nil)
	}
}

// fail is admitted, and its entry fails.
func (m *memory) fail() { m.visit(nil, m.a.failed) }

func (m *memory) giveUp() { close(m.cancel) }
