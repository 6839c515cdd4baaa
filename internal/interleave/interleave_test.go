package interleave

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.org/doorway/internal/tier"
)

// A cell is a variable.
type cell[T comparable] struct {
	e     *current
	first T
}

// A current is the run that all cells of a scenario ask.
type current struct{ r *Run }

func (x *cell[T]) Initial() any { return x.first }
func (x *cell[T]) load() T      { return x.e.r.Load(x).(T) }
func (x *cell[T]) store(v T)    { x.e.r.Store(x, v) }

type memory struct {
	e     current
	x, y  cell[int]
	m, m2 cell[bool]
	c     cell[bool] // a channel
	u     cell[uint64]
}

func newMemory() *memory {
	m := &memory{}
	m.x.e, m.y.e, m.m.e, m.m2.e, m.c.e = &m.e, &m.e, &m.e, &m.e, &m.e
	return m
}

func (m *memory) scenario(threads ...func(r *Run)) Scenario {
	s := Scenario{World: m, Attach: func(r *Run) { m.e.r = r }, Mute: []string{".quietly"}}
	for i, f := range threads {
		s.Threads = append(s.Threads, Thread{Name: fmt.Sprintf("thread %d", i), Run: f})
	}
	return s
}

// Every interleaving is run, and each state visited once: threads that make k
// independent steps have k+1 states each.
func TestAllOrders(t *testing.T) {
	m := newMemory()
	step := func(*Run) { m.x.store(1); m.x.store(1); m.x.store(1) }
	s := m.scenario(step, step, step)
	s.Fine = true
	// A variable holds 1 from the first step on: it tells no two states apart.
	r := Explore(s)
	assert.Equal(t, 4*4*4, r.States)
	assert.Equal(t, 3*3*4*4, r.Steps)
	assert.True(t, r.Whole, "all states were explored")
	assert.Empty(t, r.Failure)
}

// A state takes as many words as it needs: the search starts over with more.
func TestManyVariables(t *testing.T) {
	for _, variables := range []int{20, 40, 100} {
		m := newMemory()
		all := make([]cell[int], variables)
		s := m.scenario(func(*Run) {
			for i := range all {
				all[i].e = &m.e
				all[i].store(1)
			}
		})
		s.Fine = true
		r := Explore(s)
		assert.Empty(t, r.Failure)
		assert.Equal(t, variables+1, r.States)
		assert.Equal(t, variables, r.Depth)
	}
}

func TestFindsWhatGoesWrong(t *testing.T) {
	m := newMemory()
	type run = func(r *Run)
	enterIf := func(f func(r *Run) bool) run {
		return func(r *Run) {
			if f(r) {
				r.Critical()
			}
		}
	}
	const both = "thread 0 and thread 1 are in their critical sections"
	addOne := func(*Run) { m.x.store(m.x.load() + 1); m.y.store(m.y.load() + 1) }
	guarded := func(r *Run) { r.Lock(&m.m); addOne(r); r.Unlock(&m.m) }
	check := func(*Run) {
		if m.y.load() == 2 && m.x.load() == 1 {
			panic("one is missing")
		}
	}
	testAndSet := func(r *Run) {
		if m.x.load() == 0 {
			m.x.store(1)
			r.Critical()
		}
	}
	for _, c := range []struct {
		name    string
		threads []run
		want    string // "": nothing
		trace   string // a part of it
	}{
		{"an update is lost", []run{addOne, addOne, check}, "thread 2 panics: one is missing", ""},
		{"not if it is guarded", []run{guarded, guarded, check}, "", ""},
		{"two mutexes, crosswise", []run{
			func(r *Run) { r.Lock(&m.m); r.Lock(&m.m2); r.Unlock(&m.m2); r.Unlock(&m.m) },
			func(r *Run) { r.Lock(&m.m2); r.Lock(&m.m); r.Unlock(&m.m); r.Unlock(&m.m2) },
		}, "thread 0 sleeps forever", "lock m2"},
		{"exclusion by tests alone", []run{testAndSet, testAndSet}, both, ""},
		{"exclusion by swaps", []run{
			enterIf(func(r *Run) bool { return r.Swap(&m.x, 1) == 0 }),
			enterIf(func(r *Run) bool { return r.Swap(&m.x, 2) == 0 }),
		}, "", ""},
		{"a swap that none precedes", []run{
			enterIf(func(r *Run) bool { return r.Swap(&m.x, 1) == 0 }),
			func(r *Run) { r.Critical() },
		}, both, ""},
		{"a swap that another precedes", []run{
			enterIf(func(r *Run) bool { return r.Swap(&m.x, 1) != 2 }),
			func(r *Run) { r.Swap(&m.x, 2); r.Critical() },
		}, both, "swap x, from 1 to 2"},
		{"exclusion by sums", []run{
			enterIf(func(r *Run) bool { return r.Add(&m.u, 3) == 3 }),
			enterIf(func(r *Run) bool { return r.Add(&m.u, 2) == 2 }),
		}, "", ""},
		{"a sum that another precedes", []run{
			enterIf(func(r *Run) bool { return r.Add(&m.u, 3) == 5 }),
			func(r *Run) { r.Add(&m.u, 2); r.Critical() },
		}, both, "add u, 2 to 0"},
		{"exclusion by comparing and swapping", []run{
			enterIf(func(r *Run) bool { return r.CompareAndSwap(&m.x, 0, 1) }),
			enterIf(func(r *Run) bool { return r.CompareAndSwap(&m.x, 0, 2) }),
		}, "", ""},
		{"a channel that is full", []run{
			func(r *Run) { r.Send(&m.c); r.Receive(&m.c) },
			func(r *Run) { r.Send(&m.c) },
		}, "thread 1 sends to a channel that is full", ""},
		{"a token or the end, and both", []run{
			func(r *Run) { r.Send(&m.c) },
			func(r *Run) { r.Store(&m.m2, true) },
			func(r *Run) {
				if !r.Receive(&m.c, &m.m2) && !r.Receive(&m.c) {
					panic("nothing")
				}
			},
		}, "", ""},
	} {
		for _, fine := range []bool{true, false} {
			s := m.scenario(c.threads...)
			s.Fine = fine
			r := Explore(s)
			assert.Equal(t, c.want, r.Failure, "%s, fine=%t\n%v", c.name, fine, r.Trace)
			assert.Contains(t, r.Trace.String(), c.trace, "%s, fine=%t", c.name, fine)
			t.Logf("%s, fine=%t: %d states", c.name, fine, r.States)
		}
	}
}

// Plain memory of a thread is restored before each of its runs.
func TestPlainMemory(t *testing.T) {
	m := &struct {
		memory
		count int
	}{}
	m.x.e, m.y.e = &m.e, &m.e
	s := m.scenario(func(*Run) {
		m.count++
		if m.x.load(); m.count != 1 {
			panic("it was kept")
		}
	}, func(*Run) { m.x.store(1) })
	s.World = m
	assert.Empty(t, Explore(s).Failure)
	assert.Zero(t, m.count, "in the end")
}

// quietly returns nothing, so what f has read is forgotten.
func quietly(f func()) { f() }

// Random programs fail with steps of several operations, and threads that forget,
// if and only if they fail with every single operation as a step.
func TestNothingIsLostByLargeSteps(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	wrong, saved := 0, 0
	programs := tier.Fewer(tier.Pick(50, 1000))
	for n := range programs {
		m := newMemory()
		var threads []func(r *Run)
		var texts []string
		for range 2 + random.IntN(2) {
			f, text := program(random, m)
			threads, texts = append(threads, f), append(texts, text)
		}
		s := m.scenario(threads...)
		large := Explore(s)
		s.Fine = true
		fine := Explore(s)
		if (large.Failure == "") != (fine.Failure == "") {
			t.Fatalf("program %d\n%s\nlarge steps: %q, %d states\nfine: %q, %d states\n%v", n, strings.Join(texts, "\n"), large.Failure, large.States, fine.Failure, fine.States, fine.Trace)
		}
		if fine.Failure != "" {
			wrong++
		} else {
			saved += fine.States - large.States
		}
	}
	t.Logf("%d of %d programs fail; %d states fewer in the others", wrong, programs, saved)
	if wrong < programs/10 || wrong > programs*9/10 || saved == 0 {
		t.Errorf("%d of %d fail, and %d states are saved: this proves little", wrong, programs, saved)
	}
}

// program returns a random thread, and its text.
func program(random *rand.Rand, m *memory) (func(r *Run), string) {
	type part func(r *Run, last *int)
	var parts []part
	var text []string
	add := func(what string, p part) { parts, text = append(parts, p), append(text, what) }
	cells := []*cell[int]{&m.x, &m.y}
	access := func() (string, part) {
		i, v := random.IntN(2), random.IntN(3)
		x := cells[i]
		switch random.IntN(5) {
		case 0:
			return fmt.Sprintf("x%d := %d", i, v), func(*Run, *int) { x.store(v) }
		case 1:
			return fmt.Sprintf("x%d := last+1", i), func(_ *Run, last *int) { x.store((*last + 1) % 3) }
		case 2:
			return fmt.Sprintf("last := x%d", i), func(_ *Run, last *int) { *last = x.load() }
		case 3:
			return fmt.Sprintf("last := swap x%d %d", i, v), func(r *Run, last *int) { *last = r.Swap(x, v).(int) }
		default:
			return fmt.Sprintf("compare and swap x%d %d", i, v), func(r *Run, last *int) { r.CompareAndSwap(x, *last, v) }
		}
	}
	for range 2 + random.IntN(3) {
		switch random.IntN(8) {
		case 0, 1:
			add(access())
		case 2, 3: // under a mutex
			lock := []*cell[bool]{&m.m, &m.m2}[random.IntN(5)/4]
			var inner []part
			what := "lock {"
			for range 1 + random.IntN(3) {
				w, p := access()
				inner, what = append(inner, p), what+" "+w+";"
			}
			add(what+" }", func(r *Run, last *int) {
				r.Lock(lock)
				for _, p := range inner {
					p(r, last)
				}
				r.Unlock(lock)
			})
		case 4: // forgotten
			w, p := access()
			w2, p2 := access()
			add("quietly { "+w+"; "+w2+" }", func(r *Run, last *int) {
				quietly(func() {
					own := *last
					p(r, &own)
					p2(r, &own)
				})
			})
		default:
			v := random.IntN(3)
			add(fmt.Sprintf("if last = %d then critical section", v), func(r *Run, last *int) {
				if *last == v {
					r.Critical()
				}
			})
		}
	}
	return func(r *Run) {
		last := 0
		for _, p := range parts {
			p(r, &last)
		}
	}, strings.Join(text, "; ")
}
