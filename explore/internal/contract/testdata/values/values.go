// Package values has locks that call function values: some that only their package sets,
// and some that other packages can set, or that may be other functions.
package values

import (
	"cmp"
	"math/rand"
	"slices"
	"strings"
	"time"

	"example.org/doorway/register"
)

type Lock struct {
	procs register.Processes
	x     register.Word
	step  register.Step

	Pause                                             func(a int8)
	pause                                             func(a int8)
	given, option, setting, post, returned, published func(a int8)
	hooks                                             []func(a int8)
	named                                             map[string]func(a int8)
	config                                            Config
	promoted
	any     any
	pointer *func(a int8)
	asked   func(a int8)
	posted  chan func(a int8)
	random  func() uint64
	load    func() uint64
	free    func(v uint64) bool
	never   func(v uint64) bool
	retry   func() register.Outcome
	act     func()
	upper   func(s string) string
	strategy
	tables []func(a int16)
	pair   [2]func(a int8)
	stages []func(l *Lock, a int64)
	method func(l *Lock)
	inner  inner[int32]
	begin  step
	count  int
}

type Config struct{ Spin func(a int8) }

type promoted struct{ Yield func(a int8) }

type strategy struct {
	name  string
	Enter func(a int8) // no other package can have a strategy, but one can set it in a Lock
}

type plan struct{ Enter func(a int8) } // no other package can have a plan

type inner[T any] struct{ less func(a, b T) bool }

type step func(a int8)

func (s step) run(a int8) { s(a) }

type Option interface{ apply(l *Lock) }

type pausing func(a int8)

func (f pausing) apply(l *Lock) { l.setting = f }

// WithPause is an option of an interface type.
func WithPause(f func(a int8)) Option { return pausing(f) }

// WithOption is an option of a function type.
func WithOption(f func(a int8)) func(l *Lock) { return func(l *Lock) { l.option = f } }

// SetReturned returns a setter.
func SetReturned() func(l *Lock, f func(a int8)) {
	return func(l *Lock, f func(a int8)) { l.returned = f }
}

// SetPublished is a setter.
var SetPublished = func(l *Lock, f func(a int8)) { l.published = f }

// Post hands over a function.
func (l *Lock) Post(f func(a int8)) { l.posted <- f }

// An Asker is implemented by other packages.
type Asker interface{ Ask(a int8) }

// Yielding is set by other packages.
var Yielding = own

func own(a int8) { _ = a }

func New(given func(a int8), hooks []func(a int8), named map[string]func(a int8), asker Asker, pointer *func(a int8), any any) *Lock {
	l := &Lock{Pause: own, pause: own, given: own, option: own, setting: own, post: own, returned: own, published: own, any: own, asked: own}
	if given != nil {
		l.given = given
	}
	l.hooks = append(l.hooks, own)
	l.hooks = append(l.hooks, hooks...)
	l.named = map[string]func(a int8){"own": own}
	for name, f := range named {
		l.named[name] = f
	}
	if f, ok := any.(func(a int8)); ok {
		l.any = f
	}
	if pointer != nil {
		l.pointer = pointer
	}
	if asker != nil {
		l.asked = asker.Ask
	}
	select {
	case l.post = <-l.posted:
	default:
	}
	l.random, l.load = zero, zero
	if l.count > 0 {
		l.random, l.load = rand.Uint64, l.x.Load
	}
	l.free = func(v uint64) bool {
		return v == 0 || rand.Int() > 0 // want "New: calls rand.Int: .*"
	}
	l.never = own64
	l.retry = func() register.Outcome {
		return register.AgainIf(rand.Int() > 0) // want "New: calls rand.Int: .*"
	}
	l.act = l.bump
	l.upper = strings.ToUpper
	l.tables = append(l.tables, short)
	l.pair = [2]func(a int8){own, given}
	l.method = (*Lock).enter
	l.stages = append(l.stages, (*Lock).stage)
	l.inner = inner[int32]{less: func(a, b int32) bool { return a < b }}
	l.begin = step(own)
	return l
}

// Default has its own.
func Default() *Lock { return New(own, nil, nil, nil, nil, nil) }

func zero() uint64 { return 0 }

func own64(v uint64) bool { return v > 5 }

func (l *Lock) bump() {
	l.count++ // want "bump: writes plain memory reached through l: .*"
}

func (l *Lock) enter() { l.x.Set(1) }

func (l *Lock) stage(a int64) { l.x.Set(uint64(a)) }

func short(a int16) { _ = a }

func slow(a int16) { time.Sleep(time.Duration(a)) }

var other = slow

func fast() *plan { return &plan{Enter: own} }

// Each may be called by other packages too, with what they like.
func Each(n int, f func(j int)) {
	for j := range n {
		f(j) // want "Each: calls f, a function value that other packages can set by argument f of Each: .*"
	}
}

func (l *Lock) Lock(i int) {
	p := l.procs.Entry(i)
	l.Pause(1)            // want "Lock: calls l.Pause, a function value that other packages can set by the exported field Pause: its effects are unknown" "Lock: reads exported field Pause, which other packages can write: .*"
	Yielding(1)           // want "Lock: calls Yielding, a function value that other packages can set by the exported variable Yielding: .*" "Lock: reads package-level variable Yielding, which other packages can write: all locks share it, and a process may know only what it has read from registers"
	l.given(1)            // want "Lock: calls l.given, a function value that other packages can set by argument given of New: .*"
	l.option(1)           // want "Lock: calls l.option, .* by argument f of WithOption: .*"
	l.setting(1)          // want "Lock: calls l.setting, a function value that nothing in the examined source sets: .*"
	l.returned(1)         // want "Lock: calls l\\.returned, a function value that is argument f of a function literal, which may be called anywhere: declare the function"
	l.published(1)        // want "Lock: reads field published, which is written at .*" "Lock: calls l\\.published, a function value that is argument f of a function literal, which may be called anywhere: declare the function"
	l.post(1)             // want "Lock: calls l.post, a function value that is kept in a slice or a map, or behind a pointer or an interface: .*"
	l.config.Spin(1)      // want "Lock: calls l.config.Spin, .* by the exported field Spin: .*"
	l.Yield(1)            // want "Lock: calls l.Yield, .* by the exported field Yield: .*" "Lock: reads exported field Yield, which other packages can write: .*"
	l.Enter(1)            // want "Lock: calls l.Enter, .* by the exported field Enter: .*" "Lock: reads exported field Enter, which other packages can write: .*"
	(*l.pointer)(1)       // want "Lock: calls \\*l.pointer, a function value that is kept in a slice or a map, or behind a pointer or an interface: .*"
	l.any.(func(int8))(1) // want "Lock: calls l.any.\\(func\\(int8\\)\\), a function value that is kept in a slice or a map, or behind a pointer or an interface: .*"
	l.named["own"](1)     // want "Lock: calls l.named\\[\"own\"\\], a function value that is kept in a slice or a map, or behind a pointer or an interface: .*"
	for _, hook := range l.hooks {
		hook(1) // want "Lock: calls hook, a function value that is kept in a slice or a map, or behind a pointer or an interface: .*"
	}
	l.asked(1)           // want "Lock: calls l.asked, a function value that may be values.Asker.Ask, called through an interface that other packages can implement: .*"
	l.x.Set(l.random())  // want "Lock: calls l.random, a function value that may be rand.Uint64: of the standard library, a protocol may call only functions of their arguments"
	l.x.Set(l.load())    // want "Lock: calls l.load, a function value that may be Word.Load: a protocol must call the methods of registers by their names"
	l.x.Await(p, l.free) // what it may not call is reported there
	register.Repeat(l.retry)
	l.step.Do(l.act)
	l.tables[0](1) // want "Lock: calls l.tables\\[0\\], a function value that is kept in a slice or a map, or behind a pointer or an interface: .*"
	l.pair[0](1)   // want "Lock: calls l.pair\\[0\\], a function value that is kept in a slice or a map, or behind a pointer or an interface: .*"
	p.Inside()
}

// Unlock calls only what the package sets.
func (l *Lock) Unlock(i int) {
	p := l.procs.Exit(i)
	l.pause(1)
	fast().Enter(1) // want "Unlock: calls fast\\(\\).Enter, a function value that other packages can set by the exported field Enter: .*"
	l.method(l)
	l.stages[0](l, 1) // want "Unlock: calls l.stages\\[0\\], a function value that is kept in a slice or a map, or behind a pointer or an interface: .*"
	l.begin.run(1)
	if l.inner.less(1, 2) && l.upper("a") == "A" {
		Each(2, func(j int) { l.x.Store(uint64(j)) })
	}
	l.x.Await(p, l.never)
}

type (
	node struct{ n int }
	leaf struct{ n int }
	twig struct{ n int }
)

// Library reaches memory of the lock by what functions of the standard library return.
type Library struct {
	procs register.Processes
	x     register.Word
	node  node
	leaf  leaf
	twig  twig
}

func (l *Library) Lock(i int) {
	p := l.procs.Entry(i)
	l.elements()
	l.yielded()
	l.called()
	l.own()
	p.Inside()
}

func (l *Library) elements() {
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

func (l *Library) leaves(yield func(*leaf) bool) { yield(&l.leaf) } // want "leaves: calls yield, a function value that is argument yield of leaves, which is not only called by name: .*"

func (l *Library) yielded() {
	_ = slices.Collect(l.leaves)                                               // want "yielded: calls slices.Collect: of the standard library, .*"
	_ = slices.Collect(func(yield func(*leaf) bool) { yield(&l.leaf) })        // want "yielded: calls slices.Collect: .*" "yielded: calls yield, a function value that is argument yield of a function literal, which may be called anywhere: declare the function"
	_ = slices.AppendSeq([]*leaf(nil), l.leaves)                               // want "yielded: calls slices.AppendSeq: .*"
	_ = slices.SortedFunc(l.leaves, func(a, b *leaf) int { return a.n - b.n }) // want "yielded: calls slices.SortedFunc: .*"
	for one := range l.leaves {                                                // want "yielded: ranges over a function: .*"
		one.n = 1 // want "yielded: writes plain memory reached through one: .*"
	}
}

func (l *Library) called() {
	slices.SortFunc([]*twig{&l.twig}, func(a, b *twig) int { a.n++; return 0 })                // want "called: writes plain memory reached through a: .*"
	slices.BinarySearchFunc([]*twig{&l.twig}, 1, func(t *twig, n int) int { t.n++; return n }) // want "called: writes plain memory reached through t: .*"
}

func (l *Library) own() {
	most := slices.MaxFunc([]*int{new(int), new(int)}, func(a, b *int) int { return *a - *b })
	*most = 1 // want "Library.own: writes plain memory reached through most: .*"
	few := slices.Compact([]*twig{&l.twig})
	few[0] = nil // want "Library.own: writes plain memory reached through few: .*"
}

func (l *Library) Unlock(i int) {
	l.procs.Exit(i)
}
