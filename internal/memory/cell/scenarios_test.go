package cell

type roles = []func()

// A scene is what the goroutines of a scenario share.
type scene struct {
	local  Local
	done   chan struct{}
	inside bool // written by the one that awaits local, and then by the next: a race if it was not handed over
}

// never is that of waits that do not abort.
var never Until

// Scenario returns the name of scenario k, and what goroutines run in it: module anylock runs them in all interleavings.
// None sleeps forever.
func Scenario(k int) (name string, run roles) {
	s := &scene{done: make(chan struct{})}
	l, giveUp := &s.local, func() { close(s.done) }
	switch k {
	case 0:
		return "a waiter and a writer", roles{await(l, 1), func() { l.Store(1) }}
	case 1:
		return "a waiter that yields first, and a writer", roles{
			func() { l.Await(never, equals(1)) }, func() { l.Store(1) },
		}
	case 2:
		return "a waiter, and two stores", roles{await(l, 2), func() { l.Store(1); l.Swap(2) }}
	case 3:
		return "a waiter, and two writers", roles{
			func() { l.Park(never, func(v uint64) bool { return v > 0 }) }, func() { l.Store(1) }, func() { l.Store(2) },
		}
	case 4:
		return "one gives up", roles{
			func() { _ = l.Park(Until(s.done), equals(1)) || l.CompareAndSwap(0, 2) }, func() { l.Swap(1) }, giveUp,
		}
	case 5:
		return "one gives up, and comes again", roles{func() {
			if !l.Park(Until(s.done), equals(1)) {
				l.Park(never, equals(1))
			}
		}, func() { l.Store(2); l.Store(1) }, giveUp}
	case 6:
		var given [2]Local
		return "one hands it to another", roles{
			func() { l.Park(never, equals(1)); s.inside = true; l.Store(0); given[0].Store(1); given[1].Store(1) },
			func() { given[0].Park(never, equals(1)); l.Park(never, equals(2)); s.inside = false },
			func() { l.Swap(1); given[1].Park(never, equals(1)); l.Swap(2) },
		}
	}
	return "", nil
}

func await(l *Local, want uint64) func() { return func() { l.Park(never, equals(want)) } }

func equals(want uint64) func(uint64) bool { return func(v uint64) bool { return v == want } }
