package anylock

import (
	"context"
	"time"

	"example.org/doorway/bakery"
	"example.org/doorway/graunkethakkar"
	"example.org/doorway/internal/seam"
	"example.org/doorway/lamportfast"
	"example.org/doorway/mcs"
	"example.org/doorway/mutex"
	"example.org/doorway/peterson"
	"example.org/doorway/tournament"
)

// Scenario returns the name of scenario k of whole locks, and what goroutines run in it: each is a process that locks and
// unlocks, and no wake-up is lost.
func Scenario(k int) (name string, roles []func()) {
	switch k {
	case 0:
		return whole("peterson", peterson.New(), 1)
	case 1:
		return whole("peterson, twice", peterson.New(), 2)
	case 2:
		return abandoned("peterson, one gives up", peterson.New())
	case 3:
		return whole("bakery", bakery.New(2), 1)
	case 4:
		return abandoned("bakery, one gives up", bakery.New(2))
	case 5:
		return whole("tournament", tournament.New(2), 1)
	case 6:
		return abandoned("tournament, one gives up", tournament.New(2))
	case 7:
		return whole("lamportfast", lamportfast.New(2), 1)
	case 8:
		return whole("graunkethakkar, twice", graunkethakkar.New(2), 2)
	case 9:
		return whole("mcs, twice", mcs.New(2), 2)
	case 10:
		return whole("mcs of three", mcs.New(3), 1)
	case 11:
		return whole("tournament, twice", tournament.New(2), 2)
	case 12:
		return whole("tournament of three", tournament.New(3), 1)
	case 13:
		return abandoned("tournament of three, one gives up", tournament.New(3))
	case 14:
		return late("tournament, twice, and the clock goes on", tournament.New(2))
	case 15:
		return whole("bakery, twice", bakery.New(2), 2)
	case 16:
		return whole("bakery of three", bakery.New(3), 1)
	case 17:
		return whole("lamportfast, twice", lamportfast.New(2), 2)
	case 18:
		return whole("lamportfast of three", lamportfast.New(3), 1)
	case 19:
		return late("lamportfast, twice, and the clock goes on", lamportfast.New(2))
	case 20:
		return whole("graunkethakkar of three", graunkethakkar.New(3), 1)
	case 21:
		return whole("tournament of four", tournament.New(4), 1)
	}
	return "", nil
}

// whole has each process lock so often.
func whole(name string, m mutex.Mutex, rounds int) (string, []func()) {
	return name, users(m, rounds, func(i int) bool {
		m.Lock(i)
		return true
	})
}

// abandoned has each process lock once, but process 0 gives up, at any moment or not at all.
func abandoned(name string, m mutex.Abortable) (string, []func()) {
	ctx, cancel := context.WithCancel(context.Background())
	roles := users(m, 1, func(i int) bool {
		if i == 0 {
			return m.LockContext(ctx, i) == nil
		}
		m.Lock(i)
		return true
	})
	return name, append(roles, cancel)
}

// users has each process enter so often, and leave if it has entered.
func users(m mutex.Mutex, rounds int, enter func(i int) bool) (roles []func()) {
	seam.Now = func() uint64 { return 1 }
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
func late(name string, m mutex.Mutex) (string, []func()) {
	_, roles := whole(name, m, 2)
	over := make(chan struct{})
	seam.Now = func() uint64 {
		select {
		case <-over:
			return uint64(time.Hour)
		default:
			return 1
		}
	}
	return name, append(roles, func() { close(over) })
}

// Form returns what goroutines run to show that variant k of the locks is wrong, which package explore finds too; nil: it takes more
// aborts or states.
func Form(k int) []func() {
	forms := []func() mutex.Abortable{
		func() mutex.Abortable { return peterson.New() },
		func() mutex.Abortable { return tournament.New(3) },
		func() mutex.Abortable { return lamportfast.New(2) },
		func() mutex.Abortable { return bakery.NewSimple(2) },
		nil,
		func() mutex.Abortable { return lamportfast.New(2) },
		func() mutex.Abortable { return lamportfast.New(2) },
		nil,
		func() mutex.Abortable { return mcs.New(2) },
		func() mutex.Abortable { return mcs.New(2) },
	}
	if k >= len(forms) || forms[k] == nil {
		return nil
	}
	m := forms[k]()
	if k < 5 || k == 8 {
		rounds := 1
		if k == 2 || k == 8 {
			rounds = 2
		}
		_, roles := whole("", m, rounds)
		return roles
	}
	ctx, cancel := context.WithCancel(context.Background())
	return append(users(m, 2, func(i int) bool {
		if i > 0 || m.LockContext(ctx, i) != nil {
			m.Lock(i)
		}
		return true
	}), cancel)
}
