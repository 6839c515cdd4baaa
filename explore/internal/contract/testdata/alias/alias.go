// Package alias reaches memory of the lock that is stored in the protocol's own memory
// through one pointer and loaded through another.
package alias

import (
	"slices"

	"example.org/doorway/register"
)

type node struct {
	next *node
	n    int
	any  any
}

type wrap struct{ *node }

type Lock struct {
	procs register.Processes
	x     register.Word
	head  *node
}

func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.fields()
	l.variables()
	l.slices()
	l.maps()
	l.interfaces()
	l.embedded()
	l.own()
	p.Inside()
}

func (l *Lock) fields() {
	var n node
	a, b := &n, &n
	a.next = l.head
	b.next.n = 1 // want "fields: writes plain memory .*"
	n.next.n = 1 // want "fields: writes plain memory .*"
	c := *b
	c.next.n = 1 // want "fields: writes plain memory .*"
}

func (l *Lock) variables() {
	own := &node{}
	p, q := own, &own
	set(&p, l.head)
	p.n = 1    // want "variables: writes plain memory .*"
	(*q).n = 1 // want "variables: writes plain memory .*"
}

func set(to **node, v *node) { *to = v }

func (l *Lock) slices() {
	s := make([]*node, 1, 4)
	t := s[:1]
	s[0] = l.head
	t[0].n = 1 // want "slices: writes plain memory .*"
	for _, n := range t {
		n.n = 1 // want "slices: writes plain memory .*"
	}
	u := slices.Clone(t)
	u[0].n = 1 // want "slices: writes plain memory .*"
}

type item struct{ n int }

type holder struct{ items []*item }

func (l *Lock) maps() {
	m := map[int]*item{}
	k := m
	fill(k, l)
	m[0].n = 1 // want "maps: writes plain memory .*"
}

func fill(m map[int]*item, l *Lock) { m[0] = any(l.head).(*item) }

func (l *Lock) interfaces() {
	var n node
	a, b := &n, &n
	a.any = l.head
	b.any.(*node).n = 1 // want "interfaces: writes memory .*"
}

func (l *Lock) embedded() {
	w := &wrap{l.head}
	w.n = 1 // want "embedded: writes plain memory .*"
	w.bump()
}

func (n *node) bump() { n.n++ } // want "bump: writes plain memory .*"

type own struct {
	next *own
	n    int
}

// own links what it made itself.
func (l *Lock) own() {
	var first own
	a, b := &first, &first
	a.next = &own{}
	b.next.n = 1
	s := make([]*own, 1)
	s[0] = a
	s[0].next.n = 2
	n := 3
	p := &n
	*p = 4
	var regs [2]*register.Word
	regs[0] = &l.x
	regs[0].Store(uint64(n))
}
