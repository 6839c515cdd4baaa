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

func (n *node) put(k int) { n.n = k } // want "put: .* (written|assigned).*"

func New() *Lock {
	l := &Lock{}
	l.fns = map[string]func(*register.Process){"a": func(p *register.Process) { l.st.n = 1 }} // want "New: .* (written|assigned).*"
	l.next = l.bump
	return l
}

func (l *Lock) bump() { l.st.n++ } // want "bump: .* (written|assigned).*"

func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.fns["a"](p)
	l.next()
	q := l.st
	q.n = 1
	q.of.n = 1 // want "Lock: .* (written|assigned).*"
	c := slices.Clone(l.nodes)
	c[0] = nil
	c[0].n = 1 // want "Lock: .* (written|assigned).*"
	d := slices.Clone(l.plain)
	d[0] = 1
	e := append([]uint64{}, l.plain...)
	e[0] = 1
	for n := l.nodes[0]; n != nil; n = n.next {
		n.n = 2 // want "Lock: .* (written|assigned).*"
	}
	var it iface = l.nodes[0]
	it.put(1)
	pair := [2][]uint64{l.plain, nil}
	pair[1] = nil
	pair[0][0] = 1 // want "Lock: .* (written|assigned).*"
	m := map[string]*node{"x": l.nodes[0]}
	m["y"] = nil
	m["x"].n = 3                   // want "Lock: .* (written|assigned).*"
	g := func(n *node) { n.n = 4 } // want "Lock: .* (written|assigned).*"
	g(l.nodes[0])
	h := func() *node { return l.nodes[0] }
	h().n = 5 // want "Lock: .* (written|assigned).*"
	byValue(l.st)
	spread(l.nodes...)
	listed(&node{})
	set := l.set
	set(3)
	(*Lock).set(l, 3)
	s := &l.st
	(*s).n++ // want "Lock: .* (written|assigned).*"
	ps := &s
	(*ps).n++ // want "Lock: .* (written|assigned).*"
	arr := [3]*node{0: l.nodes[0]}
	for _, n := range arr {
		n.n++ // want "Lock: .* (written|assigned).*"
	}
	switch y := any(l).(type) {
	case *Lock:
		y.st.n = 1 // want "Lock: .* (written|assigned).*"
	}
	each(l.nodes, func(n *node) { n.n = 6 })                                      // want "Lock: .* (written|assigned).*"
	_ = slices.ContainsFunc(l.nodes, func(n *node) bool { n.n = 7; return true }) // want "Lock: .* (written|assigned).*"
	gen(l.nodes)
	register.Repeat(func() register.Outcome {
		k := 0
		f := func() { k++ }
		f()
		return register.Entered
	})
	z := 0
	register.Repeat(func() register.Outcome {
		func(pz *int) { *pz++ }(&z) // want "Lock: .* (written|assigned).*"
		run(func() { z++ })         // want "Lock: .* (written|assigned).*"
		return register.Entered
	})
	a, b := l.two()
	a.n = 1 // want "Lock: .* (written|assigned).*"
	_ = b
	fresh := mk()
	fresh.next = mk()
	fresh.next.n = 2
	l.nodes[0].w.Store(1)
}
func run(f func())                { f() }
func mk() *node                   { return &node{next: nil} }
func (l *Lock) two() (*node, int) { return l.nodes[0], 1 }
func gen[T *node](ns []T) {
	for i := range ns {
		ns[i] = nil // want "gen: .* (written|assigned).*"
	}
}
func each[T any](ns []T, f func(T)) {
	for _, n := range ns {
		f(n)
	}
}
func (l *Lock) set(n int) { l.st.n = n } // want "set: .* (written|assigned).*"
func byValue(s state)     { s.n = 1 }
func spread(ns ...*node)  { ns[0] = nil } // want "spread: .* (written|assigned).*"
func listed(ns ...*node)  { ns[0] = nil }
