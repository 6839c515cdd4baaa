// Package library has protocols that reach memory of the lock by what functions of the
// standard library return.
package library

import (
	"cmp"
	"slices"

	"example.org/doorway/register"
)

type (
	node struct{ n int }
	leaf struct{ n int }
	twig struct{ n int }
)

type Lock struct {
	procs register.Processes
	x     register.Word
	node  node
	leaf  leaf
	twig  twig
}

func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.elements()
	l.yielded()
	l.called()
	l.own()
	p.Inside()
}

func (l *Lock) elements() {
	slices.MaxFunc([]*node{&l.node}, byNumber).n = 1   // want "elements: writes memory that outlives the call: .*"
	slices.MinFunc([]*node{{}, &l.node}, byNumber).n++ // want "elements: writes memory that outlives the call: .*"
	most := slices.MaxFunc([]*node{&l.node}, byNumber)
	most.n = 1 // want "elements: writes plain memory reached through most: .*"
	row := slices.MaxFunc([][]*node{{&l.node}}, byLength)
	row[0].n = 1                           // want "elements: writes plain memory reached through row: .*"
	cmp.Or([]*node{nil, &l.node}...).n = 1 // want "elements: writes memory that outlives the call: .*"
	cmp.Or(nil, &l.node).n = 1             // want "elements: writes memory that outlives the call: .*"
	greatest([]*node{&l.node}).n = 1       // want "elements: writes memory that outlives the call: .*"
}

func byNumber(a, b *node) int   { return cmp.Compare(a.n, b.n) }
func byLength(a, b []*node) int { return cmp.Compare(len(a), len(b)) }

func greatest[S ~[]E, E any](s S) E {
	return slices.MaxFunc(s, func(E, E) int { return 0 })
}

func (l *Lock) leaves(yield func(*leaf) bool) { yield(&l.leaf) }

func (l *Lock) yielded() {
	_ = slices.Collect(l.leaves)                                               // want "yielded: calls slices.Collect: of the standard library, .*"
	_ = slices.Collect(func(yield func(*leaf) bool) { yield(&l.leaf) })        // want "yielded: calls slices.Collect: .*"
	_ = slices.AppendSeq([]*leaf(nil), l.leaves)                               // want "yielded: calls slices.AppendSeq: .*"
	_ = slices.SortedFunc(l.leaves, func(a, b *leaf) int { return a.n - b.n }) // want "yielded: calls slices.SortedFunc: .*"
	for one := range l.leaves {
		one.n = 1 // want "yielded: writes plain memory reached through one: .*"
	}
}

func (l *Lock) called() {
	slices.SortFunc([]*twig{&l.twig}, func(a, b *twig) int { a.n++; return 0 })                // want "called: writes plain memory reached through a: .*"
	slices.BinarySearchFunc([]*twig{&l.twig}, 1, func(t *twig, n int) int { t.n++; return n }) // want "called: writes plain memory reached through t: .*"
}

func (l *Lock) own() {
	most := slices.MaxFunc([]*int{new(int), new(int)}, func(a, b *int) int { return *a - *b })
	*most = 1
	few := slices.Compact([]*twig{&l.twig})
	few[0] = nil
}

func (l *Lock) Unlock(i int) {
	l.procs.Exit(i)
}
