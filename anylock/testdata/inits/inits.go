// Package inits has locks that depend on what initializers set that cannot be followed.
package inits

import (
	"math"
	"os"
	"slices"
	"sort"
	"sync"
)

// A Lock locks nothing if it is open.
type Lock struct {
	mu   sync.Mutex
	open func() bool
}

// Lock locks l.
func (l *Lock) Lock() {
	if !l.open() {
		l.mu.Lock()
	}
}

// Unlock unlocks l.
func (l *Lock) Unlock() {
	if !l.open() {
		l.mu.Unlock()
	}
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

// NewRoom returns a lock that is none.
func NewRoom() *Lock { return &Lock{open: func() bool { return room == 2 }} }

// NewBoth and the others return a lock that is none, which is not known.
func NewBoth() *Lock { return &Lock{open: func() bool { return both != 0 }} }

// NewLiteral is such a one.
func NewLiteral() *Lock { return &Lock{open: func() bool { return literal != 0 }} }

// NewMethod is such a one.
func NewMethod() *Lock { return &Lock{open: func() bool { return method != 0 }} }

// NewCell is such a one.
func NewCell() *Lock { return &Lock{open: func() bool { return *cell != 0 }} }

// NewHooked is such a one.
func NewHooked() *Lock { return &Lock{open: func() bool { return hooked != 0 }} }

// NewPool is such a one.
func NewPool() *Lock { return &Lock{open: func() bool { return pool.Get() != nil }} }

// Roles panic, which is not known.
func Roles() []func() { return roles }
