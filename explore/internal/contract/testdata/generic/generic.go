// Package generic stores memory of the lock in places of types that depend on type
// parameters.
package generic

import "example.org/doorway/register"

type node struct{ n int }

type Lock struct {
	procs register.Processes
	head  *node
}

func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	link(l.head)
	var c cell[*node]
	a, b := &c, &c
	put(a, l.head)
	b.v.n = 1 // want "Lock: writes plain memory .*"
	p.Inside()
}

type cell[T any] struct{ v T }

func link[T any](v T) {
	var c cell[T]
	a, b := &c, &c
	put(a, v)
	take(b)
}

func put[T any](c *cell[T], v T) { c.v = v }

func take[T any](c *cell[T]) {
	if n, ok := any(c.v).(*node); ok {
		n.n = 1 // want "take: writes plain memory .*"
	}
}
