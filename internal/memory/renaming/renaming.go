// Package renaming gives goroutines, which have no identity, the numbers of processes:
// as small ones as there are goroutines at once, as in "long-lived renaming". A table
// has a value for each number, such as the registers of a process. It grows while it is
// used, and its values never move.
//
// Sources: M. Moir, J. H. Anderson, "Wait-free algorithms for fast, long-lived
// renaming", Science of Computer Programming 25(1):1-39, 1995, has the problem; the free
// numbers are a stack as in R. K. Treiber, "Systems programming: coping with
// parallelism", IBM Research Report RJ 5118, 1986.
package renaming

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// Most is how many numbers a table can have.
const Most = 1 << 20

// A Table has a value for each number from 0 on. Its methods are safe for concurrent
// use.
type Table[T any] struct {
	first []entry[T] // of the first numbers, a power of two
	fresh func(n int) *chunk[T]
	_     [64]byte

	// free is the number plus 1 of the first free entry, or 0 if there is none, and
	// above it how many have been taken so far. Without that count, one that is about
	// to take the first would not notice that it was taken and given back meanwhile, and
	// that the second is no longer free. It wraps around after 1<<43 calls of Take.
	free atomic.Uint64
	_    [64]byte

	mu   sync.Mutex                 // guards growth
	more []atomic.Pointer[chunk[T]] // each as long as all before it
}

// An entry is free, or has been taken by one goroutine.
type entry[T any] struct {
	value T
	next  atomic.Uint64 // the number plus 1 of the next free entry, or 0; read by others than the one that has it
}

// A chunk has the entries of successive numbers.
type chunk[T any] struct{ entries []entry[T] }

// numbers is how many bits of Table.free are the number.
const numbers = 21

// New returns a table that has n values, a power of two, at first, and at most [Most]. It
// calls fresh for each value in the order of their numbers, one at a time.
func New[T any](n int, fresh func(*T)) *Table[T] {
	t := &Table[T]{
		more: make([]atomic.Pointer[chunk[T]], bits.Len(uint(Most/n))-1),
		fresh: func(n int) *chunk[T] {
			entries := make([]entry[T], n)
			for i := range entries {
				fresh(&entries[i].value)
			}
			return &chunk[T]{entries}
		},
	}
	t.first = t.fresh(n).entries
	link(t.first, 0)
	t.free.Store(1)
	return t
}

// At returns the value of number i, which Take has returned to some goroutine.
func (t *Table[T]) At(i int) *T { return &t.at(i).value }

func (t *Table[T]) at(i int) *entry[T] {
	if i < len(t.first) {
		return &t.first[i]
	}
	return t.beyond(i)
}

// beyond is at for the numbers that the table had not at first.
func (t *Table[T]) beyond(i int) *entry[T] {
	k := bits.Len(uint(i)) - bits.Len(uint(len(t.first)))
	return &t.more[k].Load().entries[i-len(t.first)<<k]
}

// Take returns a number that no goroutine has, or -1 if there is none and the table is full. It does
// not block, but for a goroutine that makes the table grow.
func (t *Table[T]) Take() int {
	for {
		free := t.free.Load()
		i := int(free&(1<<numbers-1)) - 1
		if i < 0 {
			t.mu.Lock()
			i, ok := t.grow()
			t.mu.Unlock()
			if ok {
				return i
			}
			continue
		}
		next := t.at(i).next.Load()
		if t.free.CompareAndSwap(free, (free>>numbers+1)<<numbers|next) {
			return i
		}
	}
}

// Give gives number i back, which the caller has.
func (t *Table[T]) Give(i int) { t.give(t.at(i), i) }

// give puts numbers that are linked on top of the stack, the first of which is i, and last
// the entry of the last.
func (t *Table[T]) give(last *entry[T], i int) {
	for {
		free := t.free.Load()
		if next := free & (1<<numbers - 1); last.next.Load() != next { // mostly it is what it was
			last.next.Store(next)
		}
		if t.free.CompareAndSwap(free, free>>numbers<<numbers|uint64(i+1)) {
			return
		}
	}
}

// link links entries, the first of which has number i, all but the last to the next.
func link[T any](entries []entry[T], i int) {
	for j := range len(entries) - 1 {
		entries[j].next.Store(uint64(i + j + 2))
	}
}

// grow doubles the table, under mu, and returns one of the new numbers, or -1 if the table is full. It returns
// false if the caller must look again, because others have given a number back.
func (t *Table[T]) grow() (i int, ok bool) {
	if t.free.Load()&(1<<numbers-1) != 0 {
		return -1, false
	}
	for k := range t.more {
		if t.more[k].Load() != nil {
			continue
		}
		n := len(t.first) << k // as many as there are, and the first of the new numbers
		c := t.fresh(n)
		t.more[k].Store(c) // before the numbers are found
		if link(c.entries, n); n > 1 {
			t.give(&c.entries[n-1], n+1)
		}
		return n, true
	}
	return -1, true
}
