package register

import (
	"context"
	"slices"
	"sync/atomic"

	"example.org/doorway/internal/memory/hook"
)

// A memory is what the goroutines of a scenario share.
type memory struct {
	ps     Processes
	w      [3]Word
	gate   Word
	word   [5]Word // awaited in turn
	time   atomic.Uint64
	cancel chan struct{} // of a context
	inside bool          // written by whoever is, without another word: a race if two are
}

type roles = []func()

// Scenario returns the name of scenario k, and what goroutines run in it: module anylock runs them in all interleavings.
// There are as many as it names.
func Scenario(k int) (name string, run roles) {
	all := scenarios()
	if k >= len(all) {
		k -= len(all)
		all = slices.DeleteFunc(all, func(s scenario) bool { return s.name[0] != 'w' })
		if k >= len(all) {
			return "", nil
		}
		s := all[k]
		return s.name + ", in a crowd", s.start(true)
	}
	return all[k].name, all[k].start(false)
}

type scenario struct {
	name  string
	n     int // processes
	roles func(m *memory) roles
}

// start returns what goroutines run, in a crowd if asked: there no process that awaits a word yields before it parks.
func (s scenario) start(crowd bool) roles {
	m := &memory{ps: MakeProcesses("test", s.n), cancel: make(chan struct{})}
	if crowd {
		m.ps.of[0].lot.crowd = 0
	}
	hook.Now = func() uint64 { return 1 }
	return s.roles(m)
}

// The scenarios are small enough for all interleavings. No process sleeps forever in any.
func scenarios() []scenario {
	return []scenario{
		{"word: a waiter and a writer", 1, func(m *memory) roles {
			return roles{waiter(m, 0, equals(1)), func() { m.w[0].Store(1) }}
		}},
		{"word: a waiter and a compare-and-swap", 1, func(m *memory) roles {
			return roles{waiter(m, 0, equals(1)), func() { m.w[0].CompareAndSwap(0, 1) }}
		}},
		{"word: a waiter for one of two values", 1, func(m *memory) roles {
			return roles{process(m, 0, func(p *Process) {
				if v, ok := m.w[0].AwaitValue(p, positive); !ok || v == 0 {
					panic("the condition does not hold")
				}
			}), func() { m.w[0].Store(2); m.w[0].Store(1) }}
		}},
		{"word: a waiter and a swap", 1, func(m *memory) roles {
			return roles{waiter(m, 0, equals(1)), func() { m.w[0].Swap(1) }}
		}},
		{"word: two waiters and two fetch-and-adds", 2, func(m *memory) roles {
			return roles{
				waiter(m, 0, equals(2)), waiter(m, 1, positive),
				func() { m.w[0].FetchAdd(1) }, func() { m.w[0].FetchAdd(1) },
			}
		}},
		{"word: a waiter and a value that does not last", 1, func(m *memory) roles {
			return roles{waiter(m, 0, equals(1)), func() { m.w[0].Store(1); m.w[0].Store(0); m.w[0].Store(1) }}
		}},
		{"word: two waiters and one store", 2, func(m *memory) roles {
			return roles{waiter(m, 0, equals(1)), waiter(m, 1, equals(1)), func() { m.w[0].Store(1) }}
		}},
		{"word: two waiters and two stores", 2, func(m *memory) roles {
			return roles{waiter(m, 0, equals(2)), waiter(m, 1, equals(2)), func() { m.w[0].Store(1); m.w[0].Store(2) }}
		}},
		{"word: two waiters, and true, false, true", 2, func(m *memory) roles {
			return roles{waiter(m, 0, equals(1)), waiter(m, 1, equals(1)), func() { m.w[0].Store(1); m.w[0].Store(0); m.w[0].Store(1) }}
		}},
		{"word: two waiters and two writers", 2, func(m *memory) roles {
			return roles{
				waiter(m, 0, positive), waiter(m, 1, positive),
				func() { m.w[0].Store(1) }, func() { m.w[0].Store(2) },
			}
		}},
		{"word: a waiter at either of two", 1, func(m *memory) roles {
			return roles{
				process(m, 0, func(p *Process) { AwaitEither(p, &m.w[0], equals(1), &m.w[1], equals(1)) }),
				func() { m.w[0].Store(2); m.w[0].Store(1) },
				func() { m.w[1].Store(2); m.w[1].Store(1) },
			}
		}},
		{"word: a waiter at either of two, of which one comes", 1, func(m *memory) roles {
			return roles{
				process(m, 0, func(p *Process) { AwaitEither(p, &m.w[0], equals(7), &m.w[1], equals(1)) }),
				func() { m.w[0].Store(1) }, func() { m.w[1].Store(1) },
			}
		}},
		{"word: two waiters at either of two", 2, func(m *memory) roles {
			return roles{
				process(m, 0, func(p *Process) { AwaitEither(p, &m.w[0], equals(1), &m.w[1], equals(7)) }),
				process(m, 1, func(p *Process) { AwaitEither(p, &m.w[1], equals(1), &m.w[0], equals(7)) }),
				func() { m.w[0].Store(1); m.w[1].Store(1) },
			}
		}},
		{"word: one goes on to the next, one stays", 2, func(m *memory) roles {
			return roles{
				process(m, 0, func(p *Process) { m.w[0].Await(p, positive); m.w[1].Await(p, equals(1)) }),
				waiter(m, 1, equals(2)),
				func() { m.w[0].Store(1); m.w[0].Store(2); m.w[1].Store(1) },
			}
		}},
		{"word: two go round and meet", 2, func(m *memory) roles {
			return roles{
				process(m, 0, func(p *Process) { m.w[0].Await(p, positive); m.w[1].Await(p, positive); m.w[0].Await(p, equals(2)) }),
				process(m, 1, func(p *Process) { m.w[1].Await(p, positive); m.w[0].Await(p, equals(2)) }),
				func() { m.w[0].Store(1); m.w[1].Store(1); m.w[0].Store(2) },
			}
		}},
		{"word: one gives up, one does not", 2, func(m *memory) roles {
			return roles{
				aborter(m, 0, func(p *Process) bool { return m.w[0].Await(p, equals(2)) }), waiter(m, 1, equals(2)),
				func() { m.w[0].Store(1); m.w[0].Store(2) }, m.giveUp,
			}
		}},
		{"word: one gives up, and comes again", 2, func(m *memory) roles {
			return roles{aborter(m, 0, func(p *Process) bool {
				if m.w[0].Await(p, equals(1)) {
					return true
				}
				done := p.done
				p.done = nil
				m.w[0].Await(p, equals(1)) // no longer aborts, as an absorbed entry
				p.done = done
				return false
			}), waiter(m, 1, equals(1)), func() { m.w[0].Store(1) }, m.giveUp}
		}},
		{"exclusive: two take a lock", 2, func(m *memory) roles { return lockUsers(m, 2, 1) }},
		{"exclusive: two take a lock twice", 2, func(m *memory) roles { return lockUsers(m, 2, 2) }},
		{"exclusive: three take a lock", 3, func(m *memory) roles { return lockUsers(m, 3, 1) }},
		{"exclusive: two take a lock, one gives up", 3, func(m *memory) roles {
			return append(lockUsers(m, 2, 1), aborter(m, 2, func(p *Process) bool { return m.gate.AwaitExclusive(p, equals(0)) }, m.open), m.giveUp)
		}},
		{"exclusive: one opens it, of two that wait one gives up", 2, func(m *memory) roles {
			m.gate.Set(1)
			return roles{
				aborter(m, 0, func(p *Process) bool { return m.gate.AwaitExclusive(p, equals(0)) }, m.open), passer(m, 1),
				m.open, m.giveUp,
			}
		}},
		{"exclusive: opened, closed and opened", 2, func(m *memory) roles {
			m.gate.Set(1)
			return roles{passer(m, 0), passer(m, 1), func() { m.gate.Store(0); m.gate.Store(1); m.gate.Store(0) }}
		}},
		{"exclusive: the first goes on to a word while it is woken", 2, func(m *memory) roles {
			m.gate.Set(1)
			return roles{
				process(m, 0, func(p *Process) {
					m.gate.AwaitExclusive(p, equals(0))
					m.gate.Set(1)
					m.w[0].Await(p, equals(1))
					m.gate.Store(0)
				}),
				passer(m, 1), func() { m.gate.Store(0); m.w[0].Store(1) },
			}
		}},
		{"exclusive: the first comes from a word while it is woken there", 2, func(m *memory) roles {
			m.gate.Set(1)
			return roles{
				process(m, 0, func(p *Process) { m.w[0].Await(p, positive); m.gate.AwaitExclusive(p, equals(0)) }),
				waiter(m, 1, equals(2)), func() { m.w[0].Store(1); m.w[0].Store(2); m.gate.Store(0) },
			}
		}},
		{"exclusive: two take a lock twice and give way", 2, func(m *memory) roles {
			return append(users(m, 2, 2, m.gate.GiveWay), m.goOn())
		}},
		{"exclusive: three take a lock, two of them behind the line", 3, func(m *memory) roles {
			m.putBehind(0, 1)
			return lockUsers(m, 3, 1)
		}},
		{"exclusive: one opens it, of two that wait one stands behind the line and gives up", 2, func(m *memory) roles {
			m.gate.Set(1)
			m.putBehind(0)
			return roles{
				aborter(m, 0, func(*Process) bool { return true }, m.open), passer(m, 1),
				m.open, m.giveUp,
			}
		}},
		{"in turn: two and a lock", 2, func(m *memory) roles { return peterson(m, 1) }},
		{"in turn: two and a lock, twice", 2, func(m *memory) roles { return peterson(m, 2) }},
		{"in turn: one after the other", 3, func(m *memory) roles {
			await := func(p *Process) {
				AwaitEitherInTurn(p, &m.word[0], equals(1), &m.word[1], equals(1))
				p.Pass()
			}
			return roles{process(m, 0, await), process(m, 1, await), process(m, 2, func(p *Process) { m.word[0].Store(1); p.Pass() })}
		}},
		{"in turn: one waits elsewhere", 3, func(m *memory) roles { return waitElsewhere(m, process) }},
		{"in turn: one waits elsewhere, and gives up", 3, func(m *memory) roles {
			return append(waitElsewhere(m, abortable), m.giveUp)
		}},
		{"in turn: one waits elsewhere, at a word", 3, func(m *memory) roles {
			a, unused := &m.word[0], &m.word[1]
			return roles{
				process(m, 0, func(p *Process) {
					AwaitEitherInTurn(p, a, equals(1), unused, never)
					m.w[0].Await(p, equals(1))
					p.Pass()
				}),
				process(m, 1, func(p *Process) {
					AwaitEitherInTurn(p, a, equals(1), unused, never)
					m.w[0].Store(1)
					p.Pass()
				}),
				process(m, 2, func(p *Process) { a.Store(1); p.Pass() }),
			}
		}},
		{"in turn: one stands behind the baton", 3, func(m *memory) roles { return standsBehind(m, process) }},
		{"in turn: one stands behind the baton, and gives up", 3, func(m *memory) roles {
			return append(standsBehind(m, abortable), m.giveUp)
		}},
		{"in turn: two and a lock, both behind the baton", 2, func(m *memory) roles {
			m.putBehindBaton(0, 1)
			return peterson(m, 1)
		}},
		{"in turn: two and a lock, and the clock", 2, func(m *memory) roles { return append(peterson(m, 1), m.goOn()) }},
		{"in turn: one makes another due, and waits at a word", 2, func(m *memory) roles {
			return makeDueAndWait(m, func(p *Process) { m.w[0].Await(p, equals(1)) }, func() { m.w[0].Store(1) })
		}},
		{"in turn: one makes another due, and waits at either of two words", 2, func(m *memory) roles {
			return makeDueAndWait(m, func(p *Process) { AwaitEither(p, &m.w[0], equals(1), &m.w[1], equals(1)) }, func() { m.w[1].Store(1) })
		}},
		{"in turn: one makes another due, and waits at a gate", 2, func(m *memory) roles {
			return makeDueAndWait(m, func(p *Process) { m.gate.AwaitExclusive(p, equals(1)) }, func() { m.gate.Store(1) })
		}},
	}
}

func equals(want uint64) func(uint64) bool { return func(v uint64) bool { return v == want } }

func never(uint64) bool { return false }

func positive(v uint64) bool { return v > 0 }

// process returns a role in which process i runs run.
func process(m *memory, i int, run func(p *Process)) func() {
	return func() { run(m.ps.Entry(i)) }
}

// repeated returns n roles, in each of which a process runs run in each round.
func repeated(m *memory, n, rounds int, run func(p *Process)) (all roles) {
	for i := range n {
		all = append(all, func() {
			for range rounds {
				run(m.ps.Entry(i))
			}
		})
	}
	return all
}

// waiter returns a role in which process i awaits the first word.
func waiter(m *memory, i int, holds func(uint64) bool) func() {
	return process(m, i, func(p *Process) { m.w[0].Await(p, holds) })
}

// passer returns a role in which process i passes the gate, and opens it.
func passer(m *memory, i int) func() {
	return process(m, i, func(p *Process) { m.gate.AwaitExclusive(p, equals(0)); m.gate.Store(0) })
}

func (m *memory) open() { m.gate.Store(0) }

// abortable returns a role in which process i runs run, unless it is canceled first.
func abortable(m *memory, i int, run func(*Process)) func() {
	return aborter(m, i, func(p *Process) bool { run(p); return true })
}

// aborter returns a role in which process i runs entry, unless it is canceled
// first, and then the rest.
func aborter(m *memory, i int, entry func(p *Process) bool, rest ...func()) func() {
	return func() {
		if m.ps.Context(canceled{done: m.cancel}, i, entry) == nil {
			for _, f := range rest {
				f()
			}
		}
	}
}

// A canceled context is done once its channel is closed.
type canceled struct {
	context.Context
	done chan struct{}
}

func (c canceled) Done() <-chan struct{} { return c.done }

func (c canceled) Err() error {
	select {
	case <-c.done:
		return context.Canceled
	default:
		return nil
	}
}

func (m *memory) giveUp() { close(m.cancel) }

// lockUsers take a lock: a word that holds 1 while it is taken, and a gate.
func lockUsers(m *memory, n, rounds int) roles {
	return users(m, n, rounds, func(*Process) {})
}

// goOn returns a role that puts the clock forward.
func (m *memory) goOn() func() {
	hook.Now = func() uint64 { return 1 + m.time.Load() }
	return func() { m.time.Store(uint64(quantum)) }
}

// putBehind puts processes behind the line of the gate.
func (m *memory) putBehind(processes ...int) {
	for _, i := range processes {
		m.ps.of[i].way.behind, m.ps.of[i].barred = &m.gate.line, true
	}
}

// putBehindBaton puts processes behind those that are due.
func (m *memory) putBehindBaton(processes ...int) {
	for _, i := range processes {
		m.ps.of[i].late, m.ps.of[i].barred = true, true
	}
}

// users are lockUsers that give way.
func users(m *memory, n, rounds int, giveWay func(*Process)) roles {
	return repeated(m, n, rounds, func(p *Process) {
		Repeat(func() Outcome {
			if !m.w[0].CompareAndSwap(0, 1) {
				return AgainIf(m.gate.AwaitExclusive(p, equals(0)))
			}
			m.gate.Set(1)
			return Entered
		})
		m.inside = true
		m.w[0].Set(0)
		m.gate.Store(0)
		giveWay(p)
	})
}

// peterson is Peterson's algorithm with waits in turn, for processes 0 and 1.
func peterson(m *memory, rounds int) roles {
	want, turn := m.word[:2], &m.word[2]
	return repeated(m, 2, rounds, func(p *Process) {
		i := p.ID()
		want[i].Set(1)
		turn.Store(uint64(i))
		AwaitEitherInTurn(p, &want[1-i], equals(0), turn, equals(uint64(1-i)))
		m.inside = true
		want[i].Store(0)
		p.Pass()
	})
}

// waitElsewhere has two processes await the same word, which become due one after
// the other. The first then awaits another word, which is stored only after the
// second has passed.
func waitElsewhere(m *memory, first func(*memory, int, func(*Process)) func()) roles {
	a, b, unused := &m.word[0], &m.word[1], &m.word[2]
	return roles{
		first(m, 0, func(p *Process) {
			if AwaitEitherInTurn(p, a, equals(1), unused, never) {
				AwaitEitherInTurn(p, b, equals(1), unused, never)
			}
			p.Pass()
		}),
		process(m, 1, func(p *Process) {
			AwaitEitherInTurn(p, a, equals(1), unused, never)
			b.Store(1)
			p.Pass()
		}),
		process(m, 2, func(p *Process) { a.Store(1); p.Pass() }),
	}
}

// standsBehind has a process stand behind the baton before its entry, while two others
// await what the other stores.
func standsBehind(m *memory, last func(*memory, int, func(*Process)) func()) roles {
	m.putBehindBaton(1)
	return roles{
		process(m, 0, func(p *Process) {
			AwaitEitherInTurn(p, &m.word[0], equals(1), &m.word[1], never)
			p.Pass()
			m.word[2].Store(1)
			p.Pass()
		}),
		last(m, 1, (*Process).Pass),
		process(m, 2, func(p *Process) {
			m.word[0].Store(1)
			p.Pass()
			AwaitEitherInTurn(p, &m.word[2], equals(1), &m.word[1], never)
			p.Pass()
		}),
	}
}

// makeDueAndWait has one process wait in turn and then open what the other awaits, after
// that has made it due and before it calls Pass.
func makeDueAndWait(m *memory, await func(*Process), open func()) roles {
	a, unused := &m.word[0], &m.word[1]
	return roles{
		process(m, 0, func(p *Process) {
			AwaitEitherInTurn(p, a, equals(1), unused, never)
			open()
			p.Pass()
		}),
		process(m, 1, func(p *Process) {
			a.Store(1)
			await(p)
			p.Pass()
		}),
	}
}
