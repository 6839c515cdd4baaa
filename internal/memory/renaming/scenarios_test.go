package renaming

import "sync/atomic"

// A memory is what the goroutines of a scenario share.
type memory struct {
	t     Table[owned]
	spare []*chunk[owned] // with which the table grows
}

// owned is true while a goroutine has the number.
type owned struct{ atomic.Bool }

// Scenario returns the name of scenario k, and what goroutines run in it: module anylock runs them in all interleavings. No
// two goroutines have the same number, none is lost, and the table grows only if all are taken: to no more than there are
// goroutines, up to a power of two.
func Scenario(k int) (name string, roles []func()) {
	switch k {
	case 0:
		return scenario("one number, one goroutine twice, one once", 1, 2, true, 2, 1)
	case 1:
		return scenario("one number, two goroutines twice", 1, 2, true, 2, 2)
	case 2:
		return scenario("one number, three goroutines", 1, 4, true, 1, 1, 1)
	case 3:
		return scenario("two numbers, which others have, two goroutines twice", 2, 4, false, 2, 2)
	case 4:
		return scenario("four numbers, one of three goroutines twice", 4, 4, true, 2, 1, 1)
	}
	return "", nil
}

// scenario has a table of first numbers, free or not, which may grow up to most, and
// goroutines, each of which takes a number and gives it back so many times.
func scenario(name string, first, most int, free bool, rounds ...int) (string, []func()) {
	m := &memory{t: Table[owned]{more: make([]atomic.Pointer[chunk[owned]], 3)}}
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
		panic("the table grows although a number is free")
	}
	var roles []func()
	for _, n := range rounds {
		roles = append(roles, func() {
			for range n {
				m.user()
			}
		})
	}
	return name, roles
}

// user takes a number and gives it back.
func (m *memory) user() {
	i := m.t.Take()
	if !m.t.At(i).CompareAndSwap(false, true) {
		panic("two goroutines have the same number")
	}
	m.t.At(i).Store(false)
	m.t.Give(i)
}
