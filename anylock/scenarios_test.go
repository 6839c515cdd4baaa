package anylock

import (
	"context"
	"time"

	"example.org/doorway/bakery"
	"example.org/doorway/graunkethakkar"
	"example.org/doorway/internal/memory/hook"
	"example.org/doorway/lamportfast"
	"example.org/doorway/mcs"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
	"example.org/doorway/tournament"
)

// Scenario returns the name of scenario k of whole locks, and what goroutines run in it: each is a process that locks and
// unlocks, and no wake-up is lost.
func Scenario(k int) (name string, roles []func()) {
	all := []struct {
		name  string
		roles func() []func()
	}{
		{"peterson", func() []func() { return whole(peterson.New(), 1) }},
		{"peterson, twice", func() []func() { return whole(peterson.New(), 2) }},
		{"peterson, one gives up", func() []func() { return abandoned(peterson.New()) }},
		{"bakery", func() []func() { return whole(bakery.New(2), 1) }},
		{"bakery, one gives up", func() []func() { return abandoned(bakery.New(2)) }},
		{"tournament", func() []func() { return whole(tournament.New(2), 1) }},
		{"tournament, one gives up", func() []func() { return abandoned(tournament.New(2)) }},
		{"lamportfast", func() []func() { return whole(lamportfast.New(2), 1) }},
		{"graunkethakkar, twice", func() []func() { return whole(graunkethakkar.New(2), 2) }},
		{"mcs, twice", func() []func() { return whole(mcs.New(2), 2) }},
		{"mcs of three", func() []func() { return whole(mcs.New(3), 1) }},
		{"tournament, twice", func() []func() { return whole(tournament.New(2), 2) }},
		{"tournament of three", func() []func() { return whole(tournament.New(3), 1) }},
		{"tournament of three, one gives up", func() []func() { return abandoned(tournament.New(3)) }},
		{"tournament, twice, and the clock goes on", func() []func() { return late(tournament.New(2)) }},
		{"bakery, twice", func() []func() { return whole(bakery.New(2), 2) }},
		{"bakery of three", func() []func() { return whole(bakery.New(3), 1) }},
		{"lamportfast, twice", func() []func() { return whole(lamportfast.New(2), 2) }},
		{"lamportfast of three", func() []func() { return whole(lamportfast.New(3), 1) }},
		{"lamportfast, twice, and the clock goes on", func() []func() { return late(lamportfast.New(2)) }},
		{"graunkethakkar of three", func() []func() { return whole(graunkethakkar.New(3), 1) }},
		{"tournament of four", func() []func() { return whole(tournament.New(4), 1) }},
	}
	if k == len(all) {
		return "", nil
	}
	return all[k].name, all[k].roles()
}

// whole has each process lock so often.
func whole(m mutex.Mutex, rounds int) []func() {
	return users(m, rounds, func(i int) bool {
		m.Lock(i)
		return true
	})
}

// abandoned has each process lock once, but process 0 gives up, at any moment or not at all.
func abandoned(m mutex.Abortable) []func() {
	ctx, cancel := context.WithCancel(context.Background())
	roles := users(m, 1, func(i int) bool {
		if i == 0 {
			return m.LockContext(ctx, i) == nil
		}
		m.Lock(i)
		return true
	})
	return append(roles, cancel)
}

// users has each process enter so often, and leave if it has entered.
func users(m mutex.Mutex, rounds int, enter func(i int) bool) (roles []func()) {
	hook.Now = func() uint64 { return 1 }
	inside := new(bool) // written by whoever is, without another word: a race if two are
	for i := range m.Processes() {
		roles = append(roles, func() {
			for range rounds {
				if enter(i) {
					*inside = true
					m.Unlock(i)
				}
			}
		})
	}
	return roles
}

// late is whole, twice, and what is bounded by the clock is over from any moment on.
func late(m mutex.Mutex) []func() {
	roles := whole(m, 2)
	over := make(chan struct{})
	hook.Now = func() uint64 {
		select {
		case <-over:
			return uint64(time.Hour)
		default:
			return 1
		}
	}
	return append(roles, func() { close(over) })
}

// Form returns what goroutines run to show that variant k of the locks is wrong, which package explore finds too. Of variants
// that are wrong if processes give up, process 0 does so, at any moment or not at all, and enters then; if need be, each does.
func Form(k int) []func() {
	forms := []func() mutex.Abortable{
		func() mutex.Abortable { return peterson.New() },
		func() mutex.Abortable { return tournament.New(3) },
		func() mutex.Abortable { return lamportfast.New(2) },
		func() mutex.Abortable { return bakery.NewSimple(2) },
		func() mutex.Abortable { return bakery.NewClassic(3) },
		func() mutex.Abortable { return lamportfast.New(2) },
		func() mutex.Abortable { return lamportfast.New(2) },
		func() mutex.Abortable { return graunkethakkar.New(2) },
		func() mutex.Abortable { return mcs.New(2) },
		func() mutex.Abortable { return mcs.New(2) },
		func() mutex.Abortable { return bakery.NewBlackWhite(2) },
		func() mutex.Abortable { return bakery.NewBlackWhite(3) },
	}
	m := forms[k]()
	switch k {
	case 0, 1, 3, 4:
		return whole(m, 1)
	case 2, 8:
		return whole(m, 2)
	}
	const each = 7
	contexts, cancels := make([]context.Context, m.Processes()), make([]func(), m.Processes())
	for i := range contexts {
		contexts[i], cancels[i] = context.WithCancel(context.Background())
	}
	if k != each {
		cancels = cancels[:1]
	}
	return append(users(m, 2, func(i int) bool {
		if i > 0 && k != each || m.LockContext(contexts[i], i) != nil {
			m.Lock(i)
		}
		return true
	}), cancels...)
}
