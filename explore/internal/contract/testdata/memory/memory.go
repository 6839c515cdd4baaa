// Package memory reaches memory in roundabout ways: the lock's, which it must not
// write, and its own.
package memory

import (
	"slices"

	"example.org/doorway/register"
)

type Lock struct {
	procs register.Processes
	x     register.Word
	nodes []*node
	plain []uint64
	st    state
	fns   map[string]func(*register.Process)
	next  func()
}
type state struct {
	n  int
	of *node
}
type node struct {
	next *node
	n    int
	w    register.Word
}

type iface interface{ put(n int) }

func (n *node) put(k int) { n.n = k } // want "put: (writes|assigns) .*"

func New() *Lock {
	l := &Lock{}
	l.fns = map[string]func(*register.Process){"a": func(p *register.Process) { l.st.n = 1 }} // want "New: (writes|assigns) .*"
	l.next = l.bump
	return l
}

func (l *Lock) bump() { l.st.n++ } // want "bump: (writes|assigns) .*"

func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.fns["a"](p) // want "Lock: calls l.fns\\[\"a\"\\], a function value that is kept in a slice or a map, or behind a pointer or an interface: .*"
	l.next()
	q := l.st
	q.n = 1
	q.of.n = 1 // want "Lock: (writes|assigns) .*"
	c := slices.Clone(l.nodes)
	c[0] = nil
	c[0].n = 1 // want "Lock: (writes|assigns) .*"
	d := slices.Clone(l.plain)
	d[0] = 1
	e := append([]uint64{}, l.plain...)
	e[0] = 1
	for n := l.nodes[0]; n != nil; n = n.next {
		n.n = 2 // want "Lock: (writes|assigns) .*"
	}
	var it iface = l.nodes[0]
	it.put(1)
	pair := [2][]uint64{l.plain, nil}
	pair[1] = nil
	pair[0][0] = 1 // want "Lock: (writes|assigns) .*"
	m := map[string]*node{"x": l.nodes[0]}
	m["y"] = nil
	m["x"].n = 3                   // want "Lock: (writes|assigns) .*"
	g := func(n *node) { n.n = 4 } // want "Lock: (writes|assigns) .*"
	g(l.nodes[0])
	h := func() *node { return l.nodes[0] }
	h().n = 5 // want "Lock: (writes|assigns) .*"
	byValue(l.st)
	spread(l.nodes...)
	listed(&node{}) // want "Lock: makes a register: .*"
	set := l.set
	set(3)
	(*Lock).set(l, 3)
	s := &l.st
	(*s).n++ // want "Lock: (writes|assigns) .*"
	ps := &s
	(*ps).n++ // want "Lock: (writes|assigns) .*"
	arr := [3]*node{0: l.nodes[0]}
	for _, n := range arr {
		n.n++ // want "Lock: (writes|assigns) .*"
	}
	switch y := any(l).(type) {
	case *Lock:
		y.st.n = 1 // want "Lock: (writes|assigns) .*"
	}
	each(l.nodes, func(n *node) { n.n = 6 })                                      // want "Lock: (writes|assigns) .*"
	_ = slices.ContainsFunc(l.nodes, func(n *node) bool { n.n = 7; return true }) // want "Lock: (writes|assigns) .*"
	gen(l.nodes)
	register.Repeat(func() register.Outcome {
		k := 0
		f := func() { k++ }
		f()
		return register.Entered
	})
	z := 0
	register.Repeat(func() register.Outcome {
		func(pz *int) { *pz++ }(&z) // want "Lock: (writes|assigns) .*"
		run(func() { z++ })         // want "Lock: (writes|assigns) .*"
		return register.Entered
	})
	a, b := l.two()
	a.n = 1 // want "Lock: (writes|assigns) .*"
	_ = b
	fresh := mk()
	fresh.next = mk()
	fresh.next.n = 2
	l.nodes[0].w.Store(1)
}
func run(f func())                { f() }
func mk() *node                   { return &node{next: nil} } // want "mk: makes a register: .*"
func (l *Lock) two() (*node, int) { return l.nodes[0], 1 }
func gen[T *node](ns []T) {
	for i := range ns {
		ns[i] = nil // want "gen: (writes|assigns) .*"
	}
}
func each[T any](ns []T, f func(T)) {
	for _, n := range ns {
		f(n)
	}
}
func (l *Lock) set(n int) { l.st.n = n } // want "set: (writes|assigns) .*"
func byValue(s state)     { s.n = 1 }
func spread(ns ...*node)  { ns[0] = nil } // want "spread: (writes|assigns) .*"
func listed(ns ...*node)  { ns[0] = nil }
