package nodetest

import (
	"fmt"
	"slices"
	"strings"

	"example.org/doorway/messaging"
)

// endless returns an error if there is a schedule that does not end. Users act finitely
// often; after that, such a schedule only delivers messages and expires timers, and stays
// within a strongly connected component of the states.
func (x *explorer) endless() (err error) {
	components := x.components(func(component []int) bool {
		if slices.Sort(component); x.fair(component) && (!x.c.Perpetual || !x.idle(component[0])) {
			err = x.loop(component)
		}
		return err == nil
	})
	components.all()
	return err
}

// idle reports whether no request is pending in state s, and so in none of its component:
// only what a user does changes that, and it does so finitely often.
func (x *explorer) idle(s int) bool {
	return !slices.ContainsFunc(x.states.at(s)[:x.c.Nodes], func(cell uint32) bool {
		p := x.cells.all[cell].phase
		return p == messaging.Waiting || p == messaging.Absorbing
	})
}

// An occasion is an event that must eventually occur if it stays possible (fairness): an
// input, with one result of the choices of the node.
type occasion struct {
	node   int
	input  input
	branch int
}

// fair reports whether a fair schedule can stay within a component. A message that is
// not delivered by any event within it is in transit in all its states, and its delivery
// leads out.
func (x *explorer) fair(component []int) bool {
	taken := map[occasion]bool{}
	for _, s := range component {
		x.goesOn(s, func(e step, t int) {
			o := occasion{e.node, e.input, e.branch}
			_, within := slices.BinarySearch(component, t)
			taken[o] = taken[o] || within
		})
	}
	for _, within := range taken {
		if !within {
			return false
		}
	}
	return len(taken) > 0
}

// goesOn calls f with each event in state s that is not a free choice of a user, and with
// the state that it leads to.
func (x *explorer) goesOn(s int, f func(e step, t int)) {
	x.each(x.states.at(s), func(e step, next []uint32) bool {
		if e.what != asks && e.what != givesUp && e.what != crashes {
			t, _ := x.states.find(next)
			f(e, t)
		}
		return true
	})
}

// loop returns the error for a schedule that stays within a component forever, with the
// events that lead there and a shortest cycle.
func (x *explorer) loop(component []int) error {
	first := component[0]
	path, round := x.path(first), x.round(first, component)
	lines := append(x.lines(path), "and from here on, forever:")
	lines = append(lines, x.lines(round)...)
	return x.repeated(fmt.Errorf("%w\n%s", errEndless, strings.Join(lines, "\n")), append(path, round...))
}

// round returns a shortest cycle from a state back to it within the component.
func (x *explorer) round(first int, component []int) (path []step) {
	from := map[int]int{}
	for queue := []int{first}; ; queue = queue[1:] {
		s := queue[0]
		x.goesOn(s, func(_ step, t int) {
			_, within := slices.BinarySearch(component, t)
			if _, known := from[t]; within && !known {
				from[t] = s
				queue = append(queue, t)
			}
		})
		if _, back := from[first]; back {
			break
		}
	}
	for t := first; ; t = from[t] {
		path = slices.Insert(path, 0, x.between(from[t], t))
		if from[t] == first {
			return path
		}
	}
}

// components finds strongly connected components by the algorithm of R. Tarjan
// ("Depth-first search and linear graph algorithms", SIAM Journal on Computing 1(2),
// 1972), without recursion.
type components struct {
	x     *explorer
	yield func(component []int) bool

	low   []uint32 // by state: 0 if not reached, done, or the least number known in its component
	order uint32   // the number of states reached
	path  []place
	ahead []int // the successors still to visit, for each place of the path in order
	open  []int // the states reached that are in no component yet
}

// A place is a state on the path.
type place struct {
	state  int
	number uint32
	ahead  int // the start of its part of components.ahead
}

// done is the low of a state whose component is known.
const done = ^uint32(0)

func (x *explorer) components(yield func(component []int) bool) *components {
	return &components{x: x, yield: yield, low: make([]uint32, x.states.count)}
}

// all yields the components, until yield returns false.
func (c *components) all() {
	for s := range c.low {
		if c.low[s] == 0 {
			c.reach(s)
		}
		for len(c.path) > 0 {
			if !c.proceed() {
				return
			}
		}
	}
}

func (c *components) reach(s int) {
	c.order++
	c.low[s] = c.order
	c.open = append(c.open, s)
	c.path = append(c.path, place{s, c.order, len(c.ahead)})
	c.x.goesOn(s, func(_ step, t int) { c.ahead = append(c.ahead, t) })
}

// proceed goes from the last state of the path to a successor, or leaves it.
func (c *components) proceed() bool {
	p, last := c.path[len(c.path)-1], len(c.ahead)-1
	if last < p.ahead {
		return c.leave()
	}
	t := c.ahead[last]
	c.ahead = c.ahead[:last]
	switch c.low[t] {
	case 0:
		c.reach(t)
	case done:
	default:
		c.low[p.state] = min(c.low[p.state], c.low[t])
	}
	return true
}

func (c *components) leave() bool {
	p := c.path[len(c.path)-1]
	c.path = c.path[:len(c.path)-1]
	low := c.low[p.state]
	if low == p.number {
		return c.close(p.state)
	}
	above := c.path[len(c.path)-1].state
	c.low[above] = min(c.low[above], low)
	return true
}

// close yields the component whose first reached state is s.
func (c *components) close(s int) bool {
	at := len(c.open) - 1
	for c.open[at] != s {
		at--
	}
	component := c.open[at:]
	c.open = c.open[:at]
	for _, t := range component {
		c.low[t] = done
	}
	return c.yield(component)
}
