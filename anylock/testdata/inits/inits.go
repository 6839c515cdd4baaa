// Package inits has what depends on what initializers set that cannot be followed.
package inits

import (
	"math"
	"os"
	"slices"
	"sort"
	"sync"
)

// when returns what panics if something holds.
func when(holds func() bool) []func() {
	return []func(){func() {
		if holds() {
			panic("it does")
		}
	}}
}

var (
	_    = os.Getenv("A") != "" && os.Getenv("B") != ""
	room = 2 // depends on nothing

	on   = math.Sqrt(4) == 2
	_    = on && set()
	both int

	_       = slices.IndexFunc([]int{1}, func(int) bool { literal = int(math.Sqrt(4)); return true })
	literal int

	_      = sort.IsSorted(sorting{})
	method int

	cell = new(int)
	at   = cell
	_    = move()

	pool sync.Pool

	_      = runs([]func(){hook(2)})
	hooked int

	roles = []func(){func() {}}
	_     = change(roles)
)

func init() { pool.Put(int(math.Sqrt(4))) }

func set() bool {
	both = 2
	return true
}

type sorting struct{}

func (sorting) Len() int {
	method = int(math.Sqrt(4))
	return 0
}
func (sorting) Less(int, int) bool { return false }
func (sorting) Swap(int, int)      {}

func runs(all []func()) bool {
	n := math.Sqrt(4)
	for range int(n) {
		all[0]()
	}
	return true
}

func hook(n int) func() { return func() { hooked = n } }

func move() bool {
	old := at
	at = new(int)
	*old = int(math.Sqrt(4))
	return true
}

func change(all []func()) bool {
	n := math.Sqrt(4)
	all[0] = func() { panic(n) }
	return true
}

// Room panics.
func Room() []func() { return when(func() bool { return room == 2 }) }

// Both and the others panic, which is not known.
func Both() []func() { return when(func() bool { return both != 0 }) }

// Literal is such a one.
func Literal() []func() { return when(func() bool { return literal != 0 }) }

// Method is such a one.
func Method() []func() { return when(func() bool { return method != 0 }) }

// Cell is such a one.
func Cell() []func() { return when(func() bool { return *cell != 0 }) }

// Hooked is such a one.
func Hooked() []func() { return when(func() bool { return hooked != 0 }) }

// Pool is such a one.
func Pool() []func() { return when(func() bool { return pool.Get() != nil }) }

// Roles panic, which is not known.
func Roles() []func() { return roles }
