package space_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.org/doorway/internal/space"
	"example.org/doorway/internal/tier"
)

// A random is a system with random steps. If it forgets, it has to learn the steps of some
// states first.
type random struct {
	steps   [][]int // by state; -1: blocked
	learned []bool
}

const blocked space.ID = -7

func newRandom(states, width int, varies bool, seed uint64) *random {
	rnd := rand.New(rand.NewPCG(seed, 0))
	r := &random{steps: make([][]int, states), learned: make([]bool, states)}
	for s := range r.steps {
		n := width
		if varies {
			n = rnd.IntN(width + 1)
		}
		for range n {
			to := rnd.IntN(states)
			if rnd.IntN(3) == 0 {
				to = -1
			}
			r.steps[s] = append(r.steps[s], to)
		}
		r.learned[s] = rnd.IntN(5) > 0
	}
	return r
}

func key(s int) []uint64 { return []uint64{uint64(s) % 3, uint64(s) / 3} }

func number(k []uint64) int { return int(k[0] + 3*k[1]) }

func (r *random) Steps(k []uint64, _ int, out *space.Steps) bool {
	s := number(k)
	for at, to := range r.steps[s] {
		if at == 1 && !r.learned[s] {
			return false
		}
		if to < 0 {
			out.No(blocked)
			continue
		}
		next := key(to)
		out.To(next)
	}
	return true
}

func (r *random) Learn(k []uint64) { r.learned[number(k)] = true }

// distances returns the distance of each state from the first; -1: none.
func (r *random) distances(from int, in func(s, to int) bool) []int {
	all := make([]int, len(r.steps))
	for s := range all {
		all[s] = -1
	}
	all[from] = 0
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		s := queue[0]
		for _, to := range r.steps[s] {
			if to >= 0 && all[to] < 0 && in(s, to) {
				all[to] = all[s] + 1
				queue = append(queue, to)
			}
		}
	}
	return all
}

func all(int, int) bool { return true }

func never() bool { return false }

// assertFound asserts that s has the states of r, at their distances, and the steps between them.
func (r *random) assertFound(t *testing.T, s *space.Space) {
	t.Helper()
	states, steps, depth := 0, 0, 0
	for state, d := range r.distances(0, all) {
		k := key(state)
		id, found := s.Find(k)
		require.Equal(t, d >= 0, found)
		if d < 0 {
			continue
		}
		states, depth = states+1, max(depth, d)
		require.Equal(t, d, s.Level(id))
		require.Equal(t, k, s.Words(id))
		require.True(t, s.Has(id))
		var row []int
		for _, to := range s.Row(id, nil) {
			if to == blocked {
				row = append(row, -1)
				continue
			}
			row, steps = append(row, number(s.Words(to))), steps+1
		}
		require.Equal(t, r.steps[state], row)
		at := s.Root
		path := s.Paths().Shortest(d, func(node int) bool { return space.ID(node) == id })
		for _, slot := range path {
			at = s.Row(at, nil)[slot]
		}
		require.Equal(t, id, at)
	}
	require.Equal(t, [3]int{states, steps, depth}, [3]int{s.States(), s.Transitions(), s.Depth()})
}

// What a space finds is what a search by hand finds, with any number of workers, whether
// successors are kept or not.
func TestAgainstSearchByHand(t *testing.T) {
	for seed := range tier.Pick[uint64](6, 16) {
		varies := seed%2 == 0
		width := 3
		if varies {
			width = 0
		}
		var first *space.Space
		for _, o := range []space.Options{{Workers: 1}, {Workers: 2}, {Workers: 2, Keep: true}, {Workers: 1, Keep: true, Width: width}} {
			r := newRandom(300, 3, varies, seed)
			if o.Width > 0 {
				for k := range r.learned {
					r.learned[k] = true
				}
			}
			s := space.New(key(0), r, o)
			complete, err := s.Explore(never)
			require.NoError(t, err)
			require.True(t, complete)
			r.assertFound(t, s)
			if first == nil {
				first = s
			}
			if o.Width > 0 {
				continue // it had nothing to learn, so states were found in another order
			}
			for id := range s.End() {
				require.Equal(t, first.Has(id), s.Has(id))
				if s.Has(id) {
					require.Equal(t, first.Words(id), s.Words(id), "the names depend on the options")
				}
			}
		}
	}
}

// Components are the sets of states that reach each other, within the subgraph; those
// that a component leads to come first.
func TestComponents(t *testing.T) {
	var m space.Scratch
	for seed := range tier.Pick[uint64](6, 16) {
		r := newRandom(120, 3, seed%2 == 0, seed)
		s := space.New(key(0), r, space.Options{Keep: true})
		_, err := s.Explore(never)
		require.NoError(t, err)
		in := func(state int) bool { return state%7 != 0 }
		edge := func(from, to int) bool { return in(from) && in(to) && (from+to)%5 != 0 }
		g := space.Subgraph{
			Graph: s.Graph,
			In:    func(i space.ID) bool { return in(number(s.Words(i))) },
			Edge:  func(from space.ID, _ int, to space.ID) bool { return edge(number(s.Words(from)), number(s.Words(to))) },
		}
		of := map[int]int{}
		n := 0
		g.Components(&m, func(c *space.Component) bool {
			n++
			for _, i := range c.States {
				of[number(s.Words(i))] = n
			}
			for _, i := range c.States {
				for slot := range s.Degree(i) {
					to, stays := c.Inside(i, slot)
					if to >= 0 && g.In(to) && g.Edge(i, slot, to) {
						require.Equal(t, of[number(s.Words(to))] == n, stays)
						require.NotZero(t, of[number(s.Words(to))], "a component before those that it leads to")
					}
				}
			}
			return false
		})
		reached := r.distances(0, all)
		for a := range r.steps {
			if reached[a] < 0 || !in(a) {
				require.Zero(t, of[a])
				continue
			}
			from := r.distances(a, edge)
			for b := range r.steps {
				if reached[b] < 0 || !in(b) {
					continue
				}
				mutual := from[b] >= 0 && r.distances(b, edge)[a] >= 0
				require.Equal(t, mutual, of[a] == of[b], "%d and %d", a, b)
			}
		}
	}
}

// A counter counts to a number. Its paths lead by 1 or by 2.
type counter struct{ to uint64 }

func (c counter) Steps(k []uint64, _ int, out *space.Steps) bool {
	for by := range uint64(2) {
		if next := []uint64{k[0] + by + 1}; next[0] <= c.to {
			out.To(next)
		} else {
			out.No(-1)
		}
	}
	return true
}

func (counter) Learn([]uint64) { panic("nothing to learn") }

func TestEnds(t *testing.T) {
	s := space.New([]uint64{0}, counter{1e6}, space.Options{Limit: 1000})
	complete, err := s.Explore(never)
	require.NoError(t, err)
	assert.False(t, complete)
	assert.Equal(t, 1001, s.States())

	s = space.New([]uint64{0}, counter{1e6}, space.Options{})
	complete, err = s.Explore(func() bool { return s.Depth() == 5 })
	require.NoError(t, err)
	assert.False(t, complete)
	assert.Equal(t, 5, s.Depth())
	found, _ := s.Find([]uint64{12})
	assert.Equal(t, 6, s.Level(found), "found, and not stepped")
	assert.Equal(t, []space.ID{space.Unfound, space.Unfound}, s.Row(found, nil))
	path := s.Paths()
	assert.Equal(t, []int{0, 1, 1, 1, 1}, path.Shortest(5, func(node int) bool { return s.Words(space.ID(node))[0] == 9 }))
	assert.Equal(t, []int{1, 1, 1, 1, 1}, path.Shortest(5, func(node int) bool { return s.Words(space.ID(node))[0] == 10 }))

	nearest := make([]space.ID, 0, 3)
	for _, v := range []uint64{9, 5, 7} {
		i, _ := s.Find([]uint64{v})
		nearest = append(nearest, i)
	}
	assert.Equal(t, nearest[1], s.Nearest(nearest))
}

// A grid is two counters. The second one begins.
type grid struct{}

func (grid) Steps(k []uint64, _ int, out *space.Steps) bool {
	if k[1] == 0 {
		out.No(-1)
	} else {
		out.To([]uint64{k[0] + 1, k[1]})
	}
	out.To([]uint64{k[0], k[1] + 1})
	return true
}

func (grid) Learn([]uint64) {}

func TestWhichPath(t *testing.T) {
	s := space.New([]uint64{0, 0}, grid{}, space.Options{})
	_, err := s.Explore(func() bool { return s.Depth() == 5 })
	require.NoError(t, err)
	path, corner := s.Paths(), func(node int) bool { return slices.Equal(s.Words(space.ID(node)), []uint64{2, 3}) }
	assert.Equal(t, []int{1, 0, 0, 1, 1}, path.Shortest(5, corner))
	path.Again = true
	assert.Equal(t, []int{1, 1, 1, 0, 0}, path.Shortest(5, corner))
}

// The limit on memory holds, also at the moment when a table grows.
func TestMemory(t *testing.T) {
	for _, limit := range tier.Pick([]int64{1 << 20, 3 << 20}, []int64{1 << 20, 3 << 20, 10 << 20}) {
		var most int64
		s := space.New([]uint64{0}, counter{1e9}, space.Options{Memory: limit, Keep: true, Beside: func() int64 { return limit / 4 }})
		_, err := s.Explore(func() bool { most = max(most, s.Bytes()); return false })
		require.ErrorIs(t, err, space.ErrMemory)
		assert.LessOrEqual(t, most, limit)
		assert.Greater(t, most, limit/8)
	}
}
